// What the parts of the convergence chart share: runs, scales, and the room available.

import { isDrawable } from "../../charts/domain";
import { nearest } from "../../charts/lookup";
import { secondOf } from "../../charts/measures";
import { type Plane, type Scale, scaleOfX, scaleOfY, type Settings } from "../../charts/plane";
import type { RunData } from "../../data";
import type { ProgressRow } from "../../model";

export interface ShownRun {
  run: RunData;
  /** Index of its colour. */
  position: number;
}

/** The plot within the SVG, in pixels. */
export interface Room {
  left: number;
  right: number;
  top: number;
  width: number;
  height: number;
}

export class Scene {
  readonly x: Scale | null;
  readonly yLeft: Scale | null;
  readonly yRight: Scale | null;

  constructor(
    readonly settings: Settings,
    readonly plane: Plane | null,
    readonly room: Room,
  ) {
    this.x = plane && scaleOfX(plane.x, settings.isLog, room.width);
    this.yLeft = plane?.left ? scaleOfY(plane.left, settings.isLogY, room.height) : null;
    this.yRight = plane?.right ? scaleOfY(plane.right, settings.isLogY, room.height) : null;
  }

  readonly xOf = (row: ProgressRow): number => row[this.settings.x];

  /** The position of an x; on a logarithmic axis, 0 is to the left of all others. */
  readonly place = (x: number): number => {
    if (this.x === null) return 0;
    return this.x(this.settings.isLog && !(x > 0) ? (this.plane?.zero ?? 1) : x);
  };

  readonly placeRow = (row: ProgressRow): number => this.place(this.xOf(row));

  isInSight(row: ProgressRow): boolean {
    const at = this.placeRow(row);
    return at >= 0 && at <= this.room.width;
  }

  /** Index of the row drawn nearest to x. */
  nearest(rows: readonly ProgressRow[], x: number): number {
    return nearest(rows, x, this.xOf, this.place);
  }

  readonly leftOf = (row: ProgressRow): number | null => this.placed(this.yLeft, row.exploitability);

  readonly rightOf = (row: ProgressRow): number | null => {
    const { second } = this.settings;
    return second === null ? null : this.placed(this.yRight, secondOf(row, second));
  };

  private placed(scale: Scale | null, value: number | null): number | null {
    const canBeShown = isDrawable(value) || (!this.settings.isLogY && value === 0);
    return scale !== null && canBeShown ? scale(value) : null;
  }
}
