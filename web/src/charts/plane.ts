// The scales of the convergence chart: the visible window of x, and the y axes that adapt to what is in it.

import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from "d3-scale";

import type { ProgressRow } from "../model";
import { type Domain, domainOfX, isDrawable, joined, positiveExtent, roomyLinear, roomyLog } from "./domain";
import { firstFrom } from "./lookup";
import { secondOf, type Second, type XName } from "./measures";

export type Scale = ScaleContinuousNumeric<number, number>;

/** What the chart shows, apart from the rows. */
export interface Settings {
  x: XName;
  isLog: boolean;
  /** Whether the y axes are logarithmic; else they begin at 0. */
  isLogY: boolean;
  second: Second | null;
}

/** What the scales need of one run. */
export interface Track {
  rows: readonly ProgressRow[];
  isRunning: boolean;
  target: number | null;
}

export interface Plane {
  /** x without zoom. */
  base: Domain;
  /** The visible part of x. */
  x: Domain;
  left: Domain | null;
  right: Domain | null;
  /** Where a logarithmic x axis shows rows at 0; null if there are none. */
  zero: number | null;
  /** The least positive x: a logarithmic axis has no tick below it. */
  least: number;
}

/** A target this many times below all rows is left out: it would squeeze the lines. */
const TARGET_REACH = 100;

/** The plane that shows all tracks, within `window` if given; null if there are no rows. */
export function planeOf(tracks: readonly Track[], settings: Settings, window: Domain | null): Plane | null {
  const of = (row: ProgressRow): number => row[settings.x];
  let extent: Domain | null = null;
  let hasZero = false;
  for (const { rows } of tracks) {
    const last = rows[rows.length - 1];
    if (last === undefined) continue;
    const first = settings.isLog ? rows.find((row) => of(row) > 0) : rows[0];
    hasZero ||= settings.isLog && first !== rows[0];
    if (first !== undefined) extent = joined(extent, [of(first), of(last)]);
  }
  if (extent === null) {
    if (!hasZero) return null;
    extent = [1, 1];
  }
  const least = extent[0];
  // A logarithmic axis cannot show 0: it gets a position to the left of all others.
  const zero = hasZero ? least / 2 : null;
  const isRunning = tracks.some((track) => track.isRunning);
  const base = domainOfX([zero ?? extent[0], extent[1]], settings.isLog, isRunning);
  const x = window ?? base;
  const inSight = tracks.map(({ rows }) => rowsWithin(rows, x, of, zero));
  const left = extentOf(inSight, (row) => row.exploitability);
  const { second } = settings;
  const right = second === null ? null : extentOf(inSight, (row) => secondOf(row, second));
  return {
    base, x, zero, least,
    left: left && roomy(window === null ? withTarget(left, tracks) : left, settings.isLogY),
    right: right && roomy(right, settings.isLogY),
  };
}

/** The rows in a window of x, and one beyond each end, because lines lead there. */
export function rowsWithin(
  rows: readonly ProgressRow[],
  [from, to]: Domain,
  of: (row: ProgressRow) => number,
  zero: number | null = null,
): readonly ProgressRow[] {
  const first = zero !== null && from <= zero ? 0 : Math.max(0, firstFrom(rows, from, of) - 1);
  return rows.slice(first, firstFrom(rows, to * (1 + 1e-12), of) + 1);
}

export function isSamePlane(one: Plane | null, other: Plane | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function scaleOfX(domain: Domain, isLog: boolean, width: number): Scale {
  return (isLog ? scaleLog() : scaleLinear()).domain(domain).range([0, width]);
}

export function scaleOfY(domain: Domain, isLog: boolean, height: number): Scale {
  return (isLog ? scaleLog() : scaleLinear()).domain(domain).range([height, 0]);
}

function roomy(extent: Domain, isLog: boolean): Domain {
  return isLog ? roomyLog(extent) : roomyLinear(extent[1]);
}

function extentOf(
  tracks: readonly (readonly ProgressRow[])[],
  of: (row: ProgressRow) => number | null,
): Domain | null {
  let all: Domain | null = null;
  for (const rows of tracks) all = joined(all, positiveExtent(values(rows, of)));
  return all;
}

function* values(
  rows: readonly ProgressRow[],
  of: (row: ProgressRow) => number | null,
): Generator<number | null> {
  for (const row of rows) yield of(row);
}

function withTarget([low, high]: Domain, tracks: readonly Track[]): Domain {
  const target = tracks[0]?.target ?? null;
  if (!isDrawable(target) || target < low / TARGET_REACH) return [low, high];
  return [Math.min(low, target), Math.max(high, target)];
}
