// The filters of the strategy: the spot that all views share, and a search over labels.

import type { RunDetail } from "../../model";
import type { Spot } from "../../state";

export interface Filters {
  card?: string | undefined;
  /** Empty: no board yet. */
  board?: string | undefined;
  /** Empty: no move yet. */
  line?: string | undefined;
  search?: string | undefined;
}

const NAMES = ["card", "board", "line", "search"] as const;

/** The filters that apply to the run: a spot of another game left in the address is ignored. */
export function filtersOf(
  spot: Spot, search: string | undefined, detail: Pick<RunDetail, "cards" | "boards" | "lines">,
): Filters {
  const { hand, board, line } = spot;
  return {
    card: hand !== null && detail.cards.includes(hand) ? hand : undefined,
    board: board !== null && detail.boards.includes(board) ? board : undefined,
    line: line !== null && detail.lines.some((one) => one.line === line) ? line : undefined,
    search: search || undefined,
  };
}

export function isFiltered(filters: Filters): boolean {
  return NAMES.some((name) => filters[name] !== undefined);
}

export function filterKey(filters: Filters): string {
  return JSON.stringify(NAMES.map((name) => filters[name] ?? null));
}
