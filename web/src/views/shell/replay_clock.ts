// The position of a replay: frames pass at an even pace, a full run in twelve seconds at speed 1.

const SECONDS_FOR_ALL = 12;
/** Nothing is drawn while the page is hidden: a replay continues where it was, not where it would be. */
const LONGEST_STEP = 0.25;

/** The position after `seconds` more, as a fraction of frames; the last frame is the end. */
export function advanced(position: number, seconds: number, speed: number, frames: number): number {
  const last = Math.max(0, frames - 1);
  return Math.min(last, position + (seconds * speed * last) / SECONDS_FOR_ALL);
}

/** Seconds of a replay between two animation frames at these times in milliseconds. */
export function secondsBetween(before: number, now: number): number {
  return Math.max(0, Math.min(LONGEST_STEP, (now - before) / 1000));
}
