// The visible rows of a long list, and the pages that contain them.

/** Rows `first` … `end − 1`. */
export interface Range {
  first: number;
  end: number;
}

/** Where each row begins, in pixels from the top of the list; the last number is the end of the list. */
export function placesOf(total: number, heightOf: (index: number) => number): Float64Array {
  const places = new Float64Array(total + 1);
  for (let index = 0; index < total; index += 1) places[index + 1] = (places[index] ?? 0) + heightOf(index);
  return places;
}

/**
 * The visible rows of a list whose top is `top` pixels above the top of the visible area (negative:
 * below it), with some more on either side, so scrolling does not outrun drawing.
 */
export function rowsInSight(top: number, height: number, places: Float64Array, more = 6): Range {
  const total = places.length - 1;
  const isSeen = top + height > 0 && top < (places[total] ?? 0);
  if (!isSeen) return top <= 0 ? { first: 0, end: 0 } : { first: total, end: total };
  const first = rowAt(places, top);
  const end = Math.min(total, rowAt(places, top + height - 1e-6) + 1);
  return { first: Math.max(0, first - more), end: Math.min(total, end + more) };
}

/** The row at a place; the first or the last if it is beyond them. */
export function rowAt(places: Float64Array, place: number): number {
  let [low, high] = [0, Math.max(0, places.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((places[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The first rows of the pages of `size` rows that cover the range. */
export function pagesOf(range: Range, size: number): number[] {
  const offsets: number[] = [];
  if (range.end <= range.first) return offsets;
  for (let at = Math.floor(range.first / size) * size; at < range.end; at += size) offsets.push(at);
  return offsets;
}
