// Axes for stacked line charts: positions of values, and ticks that do not overlap.

import { min } from "d3-array";
import { scaleLinear, scaleLog, scaleSymlog } from "d3-scale";

import { short } from "../format";
import type { PlacedTick } from "./axis";
import { positiveExtent } from "./domain";
import { linearTexts, linearTicks, logTexts, logTicks } from "./ticks";

/** `log1p`: the logarithm of 1 + x, which can show 0. */
export type AxisKind = "log" | "log1p" | "linear";

export interface Axis {
  place(value: number): number;
  ticks: PlacedTick[];
  /** Where the axis is broken because 0 is shown next to a logarithm; null if it is not. */
  gap: number | null;
}

/** Room for 0 next to a logarithmic axis, in pixels. */
const ZERO_ROOM = 30;

/** An axis over the values from pixel `from` to `to`, with labels `space` pixels apart. */
export function axisOver(
  kind: AxisKind, values: readonly number[], from: number, to: number, space: number,
): Axis {
  const most = Math.abs(to - from) / space;
  const positive = positiveExtent(values);
  const low = min(values) ?? 0;
  if (positive === null || kind === "linear") {
    const scale = scaleLinear(positive === null ? [0, 1] : [Math.min(low, 0), positive[1]], [from, to]);
    const [start = 0, end = 1] = scale.domain();
    const ticks = linearTicks(start, end, most).labelled;
    return { place: scale, ticks: placed(ticks, linearTexts(ticks), scale), gap: null };
  }
  const [least, high] = positive;
  if (kind === "log1p") {
    const scale = scaleSymlog([0, high], [from, to]).constant(1);
    const ticks = spread([0, ...oneTwoFive(high)], scale, space);
    return { place: scale, ticks: placed(ticks, ticks.map(short), scale), gap: null };
  }
  const zero = low <= 0 ? [0] : [];
  const start = from + zero.length * Math.sign(to - from) * ZERO_ROOM;
  // A single value is centred.
  const [bottom, top] = high > least ? [least, high] : [least / 2, 2 * least];
  const scale = scaleLog([bottom, top], [start, to]);
  const place = (value: number): number => (value > 0 ? scale(value) : from);
  const ticks = logTicks(bottom, top, most).labelled;
  return {
    place,
    ticks: [...placed(zero, ["0"], place), ...placed(ticks, logTexts(ticks), place)],
    gap: zero.length > 0 ? (from + start) / 2 : null,
  };
}

/** The values, given in order of importance, that are at least `space` away from all taken before them. */
export function spread(
  values: readonly number[], place: (value: number) => number, space: number,
): number[] {
  const taken: number[] = [];
  for (const value of values) {
    if (taken.every((other) => Math.abs(place(other) - place(value)) >= space)) taken.push(value);
  }
  return taken.sort((one, other) => one - other);
}

/** Powers of ten up to `high`, then five times and twice these; those far below 1 crowd at 0. */
function oneTwoFive(high: number): number[] {
  const last = Math.floor(Math.log10(high));
  const powers = Array.from({ length: 8 }, (_, index) => last - index);
  return [1, 5, 2].flatMap((lead) => powers.map((power) => Number(`${lead}e${power}`)))
    .filter((value) => value <= high);
}

function placed(
  values: readonly number[], texts: readonly string[], place: (value: number) => number,
): PlacedTick[] {
  return values.map((value, index) => ({ at: place(value), text: texts[index] ?? "" }));
}
