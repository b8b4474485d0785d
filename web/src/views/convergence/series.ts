// One line of the chart: a measure of one run. New rows are appended to the line.

import type { Group } from "../../charts/axis";
import { isDrawable } from "../../charts/domain";
import { dot, Trace } from "../../charts/trace";
import type { ProgressRow } from "../../model";
import { colourOf, isDashed } from "../runs/shown";

/** With fewer rows than this, each is marked by a dot. */
const DOTS_BELOW = 60;

export interface Place {
  x: (row: ProgressRow) => number;
  y: (row: ProgressRow) => number | null;
  /** Whether the line continues across rows without the measure, which is only taken at times. */
  isJoined: boolean;
  /** The width of the plot: anything further to the right is not visible. */
  width: number;
}

export class Series {
  private readonly line;
  private readonly dots;
  private trace = new Trace();
  private dotText = "";
  private place: Place | null = null;
  /** Index of the next row, among all rows of the run. */
  private next = 0;
  private first = 0;

  constructor(group: Group, kind: "exploitability" | "second", position: number, run: string) {
    const colour = colourOf(position);
    this.line = group.append("path").attr("class", `line ${kind}`).attr("data-of", run).style("stroke", colour)
      .classed("dashed", isDashed(position));
    this.dots = group.append("path").attr("class", `dots ${kind}`).attr("data-of", run).style("stroke", colour);
  }

  /** Draw from scratch, starting at the row `first`. */
  draw(rows: readonly ProgressRow[], first: number, place: Place): void {
    this.trace = new Trace();
    this.dotText = "";
    this.place = place;
    this.first = this.next = first;
    this.append(rows);
  }

  /** Draw the rows that have arrived since. */
  append(rows: readonly ProgressRow[]): void {
    const { place } = this;
    if (place === null) return;
    const hadDots = this.trace.count < DOTS_BELOW;
    for (; this.next < rows.length; this.next += 1) {
      const row = rows[this.next];
      if (row === undefined) break;
      const before = rows[this.next - 1];
      // Far to the right of the window: not drawn until the window moves.
      if (before !== undefined && this.next > this.first && place.x(before) > place.width) break;
      const [x, y] = [place.x(row), place.y(row)];
      if (y === null && place.isJoined) continue;
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

/** Number of rows whose exploitability is known and above 0. */
export function drawableRows(rows: readonly ProgressRow[]): number {
  let found = 0;
  for (const row of rows) if (isDrawable(row.exploitability)) found += 1;
  return found;
}
