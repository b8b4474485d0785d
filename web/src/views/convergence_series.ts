// One line of the chart: a measure of one run. New rows are added to what is drawn.

import type { Group } from "../charts/axis";
import { isDrawable } from "../charts/domain";
import { dot, Trace } from "../charts/trace";
import type { ProgressRow } from "../model";

/** Rows are marked by dots if they are fewer. */
const DOTS_BELOW = 60;

export interface Place {
  x: (row: ProgressRow) => number;
  y: (row: ProgressRow) => number | null;
  /** The width of the plot: what is further to the right is not seen. */
  width: number;
}

export class Series {
  private readonly line;
  private readonly dots;
  private trace = new Trace();
  private dotText = "";
  private place: Place | null = null;
  /** Position of the row that comes next, among all of the run. */
  private next = 0;
  private first = 0;

  constructor(group: Group, kind: "exploitability" | "second", colour: string, run: string) {
    this.line = group.append("path").attr("class", `line ${kind}`).attr("data-of", run).style("stroke", colour);
    this.dots = group.append("path").attr("class", `dots ${kind}`).style("stroke", colour);
  }

  /** Draw from scratch, from the row at `first` on. */
  draw(rows: readonly ProgressRow[], first: number, place: Place): void {
    this.trace = new Trace();
    this.dotText = "";
    this.place = place;
    this.first = this.next = first;
    this.append(rows);
  }

  /** Draw the rows that have come since. */
  append(rows: readonly ProgressRow[]): void {
    const { place } = this;
    if (place === null) return;
    const hadDots = this.trace.count < DOTS_BELOW;
    for (; this.next < rows.length; this.next += 1) {
      const row = rows[this.next];
      if (row === undefined) break;
      const before = rows[this.next - 1];
      // Far to the right of a window: not drawn, until the window moves.
      if (before !== undefined && this.next > this.first && place.x(before) > place.width) break;
      const [x, y] = [place.x(row), place.y(row)];
      this.trace.add(x, y);
      if (hadDots && y !== null) this.dotText += dot(x, y);
    }
    this.line.attr("d", this.trace.path());
    this.dots.attr("d", this.trace.count < DOTS_BELOW ? this.dotText : null);
  }

  remove(): void {
    this.line.remove();
    this.dots.remove();
  }
}

/** Rows of which a logarithmic axis can show the exploitability. */
export function drawableRows(rows: readonly ProgressRow[]): number {
  let found = 0;
  for (const row of rows) if (isDrawable(row.exploitability)) found += 1;
  return found;
}
