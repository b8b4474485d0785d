// A page may stay open for days while several rows come every second: what lies far back is kept in
// fewer rows, enough for a line on a logarithmic axis and on a linear one.

import { firstFrom } from "./charts/lookup";
import type { ProgressRow } from "./model";

/** More rows than this are thinned, to about half of it. */
export const MOST_ROWS = 6000;
/** The last ones stay as they are. */
const RECENT = 1000;
/** So many of the others stay for each kind of axis. */
const MARKS = 1000;

/** The same rows as long as they are few, else a shorter copy; the first and the last are in it. */
export function thinned(rows: ProgressRow[]): ProgressRow[] {
  if (rows.length <= MOST_ROWS) return rows;
  const old = rows.slice(0, -RECENT);
  const [first = 0, last = 0] = [old[0]?.iteration, old[old.length - 1]?.iteration];
  const kept = new Set([0, old.length - 1]);
  // Row 0 may be iteration 0, which has no logarithm.
  const [low, high] = [Math.log(Math.max(1, first)), Math.log(Math.max(1, last))];
  for (let mark = 0; mark < MARKS; mark += 1) {
    const share = mark / (MARKS - 1);
    for (const iteration of [first + share * (last - first), Math.exp(low + share * (high - low))]) {
      kept.add(Math.min(old.length - 1, firstFrom(old, iteration, (row) => row.iteration)));
    }
  }
  return [...old.filter((_, index) => kept.has(index)), ...rows.slice(-RECENT)];
}
