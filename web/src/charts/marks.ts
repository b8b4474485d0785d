// Where a quantal response path steps from one beta to the next, and where it folds.

import type { ProgressRow } from "../model";

export interface Mark {
  /** Position among the rows. */
  row: number;
  beta: number;
  isFold: boolean;
}

/** Up to this many steps are all marked; if there are more, only those that pass a round beta. */
const MAX_STEPS = 16;

/** Rows whose beta differs from the previous row's. */
export function steps(rows: readonly ProgressRow[]): Mark[] {
  const found: Mark[] = [];
  let last: number | null = null;
  rows.forEach((row, index) => {
    if (row.beta !== null && row.beta !== last && last !== null) {
      found.push({ row: index, beta: row.beta, isFold: false });
    }
    last = row.beta ?? last;
  });
  return found;
}

/** The first row that reaches each of 0.1, 0.2, 0.5, 1, 2, 5, … */
export function roundSteps(rows: readonly ProgressRow[]): Mark[] {
  const found: Mark[] = [];
  let reached = 0;
  rows.forEach((row, index) => {
    const round = row.beta === null ? 0 : roundBelow(row.beta);
    if (round <= reached) return;
    reached = round;
    if (index > 0) found.push({ row: index, beta: round, isFold: false });
  });
  return found;
}

/** The marks of a run: its folds, and its steps; if these are too many, only the steps to round betas. */
export function marksOf(rows: readonly ProgressRow[], folds: readonly number[]): Mark[] {
  const all = steps(rows);
  const chosen = all.length <= MAX_STEPS ? all : roundSteps(rows);
  const turned = folds.flatMap((beta): Mark[] => {
    const row = foldRow(rows, beta);
    return row < 0 ? [] : [{ row, beta, isFold: true }];
  });
  return [...chosen, ...turned].sort((one, other) => one.row - other.row);
}

/** The row where the path turns at `beta`, else the nearest row. */
function foldRow(rows: readonly ProgressRow[], beta: number): number {
  let [best, distance, bestTurns] = [-1, Infinity, false];
  rows.forEach((row, index) => {
    if (row.beta === null) return;
    const [before, after] = [rows[index - 1]?.beta ?? row.beta, rows[index + 1]?.beta ?? row.beta];
    const turns = (row.beta - before) * (after - row.beta) < 0;
    const far = Math.abs(row.beta - beta);
    if (turns === bestTurns ? far < distance : turns) [best, distance, bestTurns] = [index, far, turns];
  });
  return best;
}

function roundBelow(beta: number): number {
  if (!(beta >= 0.1)) return 0;
  const power = 10 ** Math.floor(Math.log10(beta) + 1e-9);
  const lead = [5, 2, 1].find((one) => one * power <= beta * (1 + 1e-9)) ?? 1;
  return Number((lead * power).toPrecision(1));
}
