// Which rows of a long list are in sight, and which pages hold them.

import { clamp } from "../numbers";

/** Rows `first` … `end − 1`. */
export interface Range {
  first: number;
  end: number;
}

/**
 * The rows in sight of a list whose top is `top` pixels above the upper edge of what is seen
 * (negative: below it), with some more on either side so that scrolling does not outrun drawing.
 */
export function rowsInSight(
  top: number, height: number, rowHeight: number, total: number, more = 6,
): Range {
  const first = clamp(Math.floor(top / rowHeight) - more, 0, total);
  const end = clamp(Math.ceil((top + height) / rowHeight) + more, first, total);
  return { first, end };
}

/** Where the pages of `size` rows begin that cover the range. */
export function pagesOf(range: Range, size: number): number[] {
  const offsets: number[] = [];
  if (range.end <= range.first) return offsets;
  for (let at = Math.floor(range.first / size) * size; at < range.end; at += size) offsets.push(at);
  return offsets;
}
