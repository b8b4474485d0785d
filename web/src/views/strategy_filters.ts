// The filters of the strategy, in the address and in requests.

import type { RunDetail } from "../model";

export interface Filters {
  card?: string | undefined;
  /** Empty: no board yet. */
  board?: string | undefined;
  /** Empty: no move yet. */
  line?: string | undefined;
  search?: string | undefined;
}

export const FILTER_NAMES = ["card", "board", "line", "search"] as const;

/** The filters that apply to the run: filters of another game left in the address are ignored. */
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
