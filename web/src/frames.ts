// Finding the frame of a run that belongs to a moment.

import type { FrameInfo } from "./model";

/** Position of the last frame at or before the moment; for null, of the last frame; −1 if there is none. */
export function frameAt(frames: readonly FrameInfo[], moment: number | null): number {
  if (moment === null || frames.length === 0) return frames.length - 1;
  // Frames are sorted by moment: binary search.
  let [low, high] = [0, frames.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((frames[middle]?.moment ?? 0) <= moment) low = middle;
    else high = middle - 1;
  }
  return low;
}
