// Which frame of a run belongs to a moment.

import type { FrameInfo } from "./model";

/** Position of the last frame at or before the moment; the last one of all for null; −1 if none. */
export function frameAt(frames: readonly FrameInfo[], moment: number | null): number {
  if (moment === null || frames.length === 0) return frames.length - 1;
  // Frames are in the order of moments: halve.
  let [low, high] = [0, frames.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((frames[middle]?.moment ?? 0) <= moment) low = middle;
    else high = middle - 1;
  }
  return low;
}
