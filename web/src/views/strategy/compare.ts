// Two runs' strategies at the same infosets, the largest differences first.

import type { StrategyRow } from "../../model";

export interface ComparedRow extends StrategyRow {
  other: Other | null;
}

export interface Other {
  /** The other run's strategy at the infoset. */
  probabilities: readonly number[];
  /** The share of decisions that differ: half the sum of absolute differences, 0–1. */
  difference: number;
}

/** The rows with the other run's strategy, those that differ most first; rows that it lacks come last. */
export function compared(rows: readonly StrategyRow[], others: readonly StrategyRow[]): ComparedRow[] {
  const byLabel = new Map(others.map((row) => [row.label, row]));
  return rows
    .map((row) => ({ ...row, other: otherOf(row, byLabel.get(row.label)) }))
    .sort((one, two) => (two.other?.difference ?? -1) - (one.other?.difference ?? -1));
}

function otherOf(row: StrategyRow, other: StrategyRow | undefined): Other | null {
  if (other === undefined || other.actions.join("\n") !== row.actions.join("\n")) return null;
  const gaps = row.probabilities.map((share, index) => Math.abs(share - (other.probabilities[index] ?? 0)));
  return { probabilities: other.probabilities, difference: gaps.reduce((sum, gap) => sum + gap, 0) / 2 };
}
