// The visible rows of a long list, and the pages that contain them.

import { clamp } from "../numbers";

/** Rows `first` … `end − 1`. */
export interface Range {
  first: number;
  end: number;
}

/**
 * The visible rows of a list whose top is `top` pixels above the top of the visible area (negative:
 * below it), with some more on either side, so scrolling does not outrun drawing.
 */
export function rowsInSight(
  top: number, height: number, rowHeight: number, total: number, more = 6,
): Range {
  const first = clamp(Math.floor(top / rowHeight) - more, 0, total);
  const end = clamp(Math.ceil((top + height) / rowHeight) + more, first, total);
  return { first, end };
}

/** The first rows of the pages of `size` rows that cover the range. */
export function pagesOf(range: Range, size: number): number[] {
  const offsets: number[] = [];
  if (range.end <= range.first) return offsets;
  for (let at = Math.floor(range.first / size) * size; at < range.end; at += size) offsets.push(at);
  return offsets;
}
