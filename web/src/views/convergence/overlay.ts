// The layer above the lines: the frame of a replay, and the reading line.

import type { Selection } from "d3-selection";

import type { Group } from "../../charts/axis";
import { rowOfIteration } from "../../charts/lookup";
import type { FrameInfo, ProgressRow } from "../../model";
import type { Scene, ShownRun } from "./scene";
import { colourOf } from "../runs/shown";

/** How far lines are drawn beyond the plot. */
export const EDGE = 3;

export class Overlay {
  private readonly veil: Selection<SVGRectElement, undefined, null, undefined>;
  private readonly cursor: Group;
  private readonly hair: Group;

  constructor(group: Group) {
    this.veil = group.append("rect").attr("class", "veil");
    this.cursor = group.append("g").attr("class", "cursor");
    this.hair = group.append("g").attr("class", "hair");
  }

  /** Fade what comes after the frame. */
  drawFrame(scene: Scene, main: ShownRun | undefined, frame: FrameInfo | null): void {
    const { width, height } = scene.room;
    const at = frame === null ? Number.NaN : scene.place(frame[scene.settings.x]);
    const from = Math.max(-EDGE, Math.min(width, at));
    // On a logarithmic axis a frame at 0 has no place.
    const isVeiled = frame !== null && Number.isFinite(from);
    this.veil.attr("display", isVeiled ? null : "none");
    if (isVeiled) this.veil.attr("x", from).attr("width", Math.max(0, width + EDGE - from)).attr("height", height);
    const isSeen = frame !== null && isWithin(at, width);
    this.cursor.attr("display", isSeen ? null : "none");
    if (!isSeen) return;
    const row = main === undefined ? null : rowOfIteration(main.run.rows, frame.iteration);
    drawUpright(this.cursor, at, height);
    drawDots(this.cursor, row === null ? [] : dotsOf(scene, row, colourOf(0)));
  }

  /** Draw the reading line at x, with a dot on each line. */
  drawHair(scene: Scene, runs: readonly ShownRun[], rows: readonly (ProgressRow | null)[], x: number | null): void {
    const { width, height } = scene.room;
    const at = x === null ? Number.NaN : scene.place(x);
    this.hair.attr("display", isWithin(at, width) ? null : "none");
    if (!isWithin(at, width)) return;
    drawUpright(this.hair, at, height);
    drawDots(this.hair, rows.flatMap((row, index) => {
      const run = runs[index];
      return row === null || run === undefined ? [] : dotsOf(scene, row, colourOf(run.position));
    }));
  }
}

interface Dot {
  x: number;
  y: number;
  colour: string;
}

function dotsOf(scene: Scene, row: ProgressRow, colour: string): Dot[] {
  const x = scene.placeRow(row);
  if (!isWithin(x, scene.room.width)) return [];
  return [scene.leftOf(row), scene.rightOf(row)].flatMap((y) => (y === null ? [] : [{ x, y, colour }]));
}

function drawDots(group: Group, dots: Dot[]): void {
  group.selectAll<SVGCircleElement, Dot>("circle").data(dots).join("circle")
    .attr("r", 4).attr("cx", (dot) => dot.x).attr("cy", (dot) => dot.y).style("fill", (dot) => dot.colour);
}

function drawUpright(group: Group, at: number, height: number): void {
  const x = Math.round(at) + 0.5;
  group.selectAll<SVGLineElement, number>("line").data([x]).join("line")
    .attr("x1", x).attr("x2", x).attr("y2", height);
}

function isWithin(at: number, width: number): boolean {
  return at >= -1 && at <= width + 1;
}
