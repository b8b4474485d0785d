// The filters of the strategy as the address has them, and as the server is asked.

import type { RunDetail } from "../model";

export interface Filters {
  card?: string | undefined;
  /** Empty: before there is a board. */
  board?: string | undefined;
  /** Empty: before anybody has acted. */
  line?: string | undefined;
  search?: string | undefined;
}

export const FILTER_NAMES = ["card", "board", "line", "search"] as const;

/** The filters that the run knows: those of another game, left in the address, do not count. */
export function filtersOf(
  options: Record<string, string>, detail: Pick<RunDetail, "cards" | "boards" | "lines">,
): Filters {
  const { card, board, line, search } = options;
  return {
    card: card !== undefined && detail.cards.includes(card) ? card : undefined,
    board: board !== undefined && detail.boards.includes(board) ? board : undefined,
    line: detail.lines.some((one) => one.line === line) ? line : undefined,
    search: search || undefined,
  };
}

export function isFiltered(filters: Filters): boolean {
  return FILTER_NAMES.some((name) => filters[name] !== undefined);
}

export function filterKey(filters: Filters): string {
  return JSON.stringify(FILTER_NAMES.map((name) => filters[name] ?? null));
}
