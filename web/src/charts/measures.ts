// The measures in the rows of a run, and their names.

import type { ProgressRow } from "../model";

export type XName = "iteration" | "seconds";
export type Second = "residual" | "lbr" | "regret" | "drift" | "infosets" | "speed";

/** In the right axis's order of preference. */
const SECONDS: readonly Second[] = ["residual", "lbr", "regret", "drift", "infosets", "speed"];

export const SECOND_WORDS: Record<Second, string> = {
  residual: "residual norm",
  lbr: "local best response, mbb/hand",
  regret: "regret",
  drift: "drift",
  infosets: "infosets met",
  speed: "nodes per second",
};

/** The average speed of a sampling solver; null for other solvers. */
export function nodesPerSecond({ nodes, seconds }: Pick<ProgressRow, "nodes" | "seconds">): number | null {
  return nodes === null || seconds <= 0 ? null : nodes / seconds;
}

/** A measure of a row; null if the row does not have it. */
export function secondOf(row: ProgressRow, name: Second): number | null {
  return name === "speed" ? nodesPerSecond(row) : row[name];
}

/** Whether a measure is taken in some rows only. */
export function isRare(name: Second | null): boolean {
  return name === "lbr";
}

/** The measures besides exploitability that at least one row has. */
export function secondsOf(rows: readonly ProgressRow[]): Second[] {
  return SECONDS.filter((name) => rows.some((row) => secondOf(row, name) !== null));
}
