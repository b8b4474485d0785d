// Rows grouped by private card.

import type { StrategyRow } from "../../model";

export interface Group {
  card: string;
  rows: StrategyRow[];
}

/** Groups of adjacent rows with the same card; the server sorts rows by card. */
export function groupByCard(rows: readonly StrategyRow[]): Group[] {
  const groups: Group[] = [];
  for (const row of rows) {
    const last = groups[groups.length - 1];
    if (last !== undefined && last.card === row.card) last.rows.push(row);
    else groups.push({ card: row.card, rows: [row] });
  }
  return groups;
}

/**
 * Whether headings help: not without cards, and not if nearly every card has a single row (push/fold
 * hands), which then shows its card itself.
 */
export function needsHeadings(groups: readonly Group[]): boolean {
  const rows = groups.reduce((sum, group) => sum + group.rows.length, 0);
  return groups.some((group) => group.card !== "") && rows > 1.5 * groups.length;
}
