// What is done with numbers in several places.

/** The number, or the end of the range that it is beyond. */
export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
