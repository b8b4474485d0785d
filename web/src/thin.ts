// A page may stay open for days while several rows arrive every second. Old rows are thinned, to as many
// as a line needs on a logarithmic and on a linear axis.

import { firstFrom } from "./charts/lookup";
import type { ProgressRow } from "./model";

/** More rows than this are thinned, to about half of this number. */
export const MAX_ROWS = 6000;
/** The last rows are never thinned. */
const RECENT = 1000;
/** How many of the other rows are kept for each kind of axis. */
const MARKS = 1000;

/** The rows themselves if they are few, else a shorter copy that includes the first and the last. */
export function thinned(rows: ProgressRow[]): ProgressRow[] {
  if (rows.length <= MAX_ROWS) return rows;
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
