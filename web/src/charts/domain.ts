// The domain of an axis. Its ends are rounded outwards, so while a run is being solved the axes move
// now and then, not with every row.

export type Domain = readonly [number, number];

/** The least and greatest of the positive values; null if there is none. */
export function positiveExtent(values: Iterable<number | null>): Domain | null {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    if (!isDrawable(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high > 0 ? [low, high] : null;
}

export function joined(one: Domain | null, other: Domain | null): Domain | null {
  if (one === null || other === null) return one ?? other;
  return [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
}

/** Whether a logarithmic axis can show the value. */
export function isDrawable(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && value > 0 && Number.isFinite(value);
}

/** The extent with some margin on a logarithmic axis. */
export function roomyLog([low, high]: Domain): Domain {
  let [from, to] = [Math.log10(low), Math.log10(high)];
  if (to - from < 0.02) [from, to] = [from - 0.3, to + 0.3];
  const span = to - from;
  const step = span > 4 ? 0.5 : span > 1 ? 0.2 : span / 8;
  const room = 0.04 * span;
  return [10 ** (step * Math.floor((from - room) / step)), 10 ** (step * Math.ceil((to + room) / step))];
}

/** From 0 to a little above the greatest value, which moves in steps of a tenth of its power of ten. */
export function roomyLinear(high: number): Domain {
  const step = 10 ** Math.floor(Math.log10(high)) / 2;
  return [0, step * Math.ceil((1.04 * high) / step)];
}

/** The domain of x: from the first to the last row, with room for more while a run is running. */
export function domainOfX([low, high]: Domain, isLog: boolean, isRunning: boolean): Domain {
  if (!(high > low)) {
    const size = Math.abs(high) || 1;
    return isLog ? [high / 2, high * 2] : [high - size / 2, high + size / 2];
  }
  // A linear axis whose values start near 0 begins at 0.
  if (!isLog && low > 0 && low < high / 10) return domainOfX([0, high], isLog, isRunning);
  if (!isRunning) return [low, high];
  if (isLog) return [low, 10 ** (Math.ceil(10 * Math.log10(high * 1.04)) / 10)];
  const step = 10 ** Math.floor(Math.log10(high)) / 2;
  return [low, step * Math.ceil((high * 1.04) / step)];
}
