// Finding rows by their sort key.

import { bisector } from "d3-array";

import type { ProgressRow } from "../model";

/** Position of the first row whose key is at least `key`; the number of rows if there is none. */
export function firstFrom<Row>(rows: readonly Row[], key: number, of: (row: Row) => number): number {
  return bisector<Row, number>(of).left(rows as Row[], key);
}

/** Position of the row nearest to `key`, as `place` measures distance (say, in pixels); −1 if none. */
export function nearest<Row>(
  rows: readonly Row[],
  key: number,
  of: (row: Row) => number,
  place: (key: number) => number = (value) => value,
): number {
  const after = firstFrom(rows, key, of);
  const [left, right] = [rows[after - 1], rows[after]];
  if (right === undefined) return after - 1;
  if (left === undefined) return after;
  const middle = place(key);
  return middle - place(of(left)) <= place(of(right)) - middle ? after - 1 : after;
}

/** The row of an iteration, or the nearest row that was kept; null if there are no rows. */
export function rowOfIteration(rows: readonly ProgressRow[], iteration: number): ProgressRow | null {
  return rows[nearest(rows, iteration, (row) => row.iteration)] ?? null;
}
