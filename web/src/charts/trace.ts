// A line through very many points: in each column of pixels only the lowest and the highest are drawn.
// Points can be added at the end without processing the others again.

interface Point {
  x: number;
  y: number;
  order: number;
}

export class Trace {
  /** Number of points added, without gaps. */
  count = 0;
  private done = "";
  private isGap = true;
  private column = Number.NaN;
  private low: Point | null = null;
  private high: Point | null = null;

  /** Add a point to the right of the others; null is a gap. */
  add(x: number, y: number | null): void {
    if (y === null || !Number.isFinite(x) || !Number.isFinite(y)) {
      this.finishColumn();
      this.isGap = true;
      return;
    }
    const column = Math.floor(x);
    if (column !== this.column) this.finishColumn();
    this.column = column;
    const point = { x, y, order: this.count };
    this.count += 1;
    if (this.low === null || y > this.low.y) this.low = point;
    if (this.high === null || y < this.high.y) this.high = point;
  }

  /** The line as an SVG path. */
  path(): string {
    return this.done + this.pending();
  }

  private finishColumn(): void {
    this.done += this.pending();
    if (this.low !== null) this.isGap = false;
    this.low = this.high = null;
    this.column = Number.NaN;
  }

  private pending(): string {
    if (this.low === null || this.high === null) return "";
    const [first, second] = this.low.order <= this.high.order ? [this.low, this.high] : [this.high, this.low];
    // A line of length 0 makes a lone point between gaps visible: line ends are round.
    const start = this.isGap ? `M${at(first)}h0` : `L${at(first)}`;
    return second === first ? start : `${start}L${at(second)}`;
  }
}

/** A dot: a line of length 0, drawn by the stroke's round ends. */
export function dot(x: number, y: number): string {
  return `M${at({ x, y })}h0`;
}

function at({ x, y }: { x: number; y: number }): string {
  return `${Math.round(10 * x) / 10},${Math.round(10 * y) / 10}`;
}
