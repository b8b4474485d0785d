// How fast a measure falls: the exponent of a power law, fitted to the last decade shown.

import type { ProgressRow } from "../model";
import { isDrawable, type Domain } from "./domain";

export interface Slope {
  /** p in "exploitability is proportional to x to the power p". */
  exponent: number;
  /** The least and greatest x of the rows used. */
  from: number;
  to: number;
}

const FEWEST_ROWS = 5;
/** Rows over less than this factor say little about a power. */
const LEAST_FACTOR = 3;

/** The fit over the last factor of ten of x within the window; null if there are too few rows. */
export function slopeOf(
  rows: readonly ProgressRow[], of: (row: ProgressRow) => number, [low, high]: Domain,
): Slope | null {
  const known = rows.filter((row) => isDrawable(row.exploitability) && of(row) > 0 && of(row) >= low && of(row) <= high);
  const last = known[known.length - 1];
  if (last === undefined) return null;
  const used = known.filter((row) => of(row) >= of(last) / 10);
  const xs = used.map((row) => Math.log(of(row)));
  const ys = used.map((row) => Math.log(row.exploitability ?? 1));
  const [first = 0, end = 0] = [xs[0], xs[xs.length - 1]];
  if (used.length < FEWEST_ROWS || end - first < Math.log(LEAST_FACTOR)) return null;
  // Each row stands for the stretch of log x around it, so the fit does not depend on where rows are dense.
  const weights = xs.map((x, index) => ((xs[index + 1] ?? x) - (xs[index - 1] ?? x)) / 2);
  const total = sum(weights, () => 1);
  const [middleX, middleY] = [sum(weights, (index) => xs[index] ?? 0) / total, sum(weights, (index) => ys[index] ?? 0) / total];
  const spread = sum(weights, (index) => ((xs[index] ?? 0) - middleX) ** 2);
  const joint = sum(weights, (index) => ((xs[index] ?? 0) - middleX) * ((ys[index] ?? 0) - middleY));
  return { exponent: joint / spread, from: Math.exp(first), to: of(last) };
}

function sum(weights: readonly number[], of: (index: number) => number): number {
  return weights.reduce((total, weight, index) => total + weight * of(index), 0);
}
