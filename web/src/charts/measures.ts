// What the rows of a run measure, and in which words.

import type { ProgressRow } from "../model";

export type XName = "iteration" | "seconds";
export type Second = "residual" | "regret" | "drift";

/** In the order in which the right axis prefers them. */
const SECONDS: readonly Second[] = ["residual", "regret", "drift"];

export const SECOND_WORDS: Record<Second, string> = {
  residual: "residual norm",
  regret: "regret",
  drift: "drift",
};

/** How fast a sampling solver goes on average; null for other solvers. */
export function nodesPerSecond({ nodes, seconds }: Pick<ProgressRow, "nodes" | "seconds">): number | null {
  return nodes === null || seconds <= 0 ? null : nodes / seconds;
}

/** The measures beside exploitability that some row has. */
export function secondsOf(rows: readonly ProgressRow[]): Second[] {
  return SECONDS.filter((name) => rows.some((row) => row[name] !== null));
}
