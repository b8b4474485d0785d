// The ticks of an axis and their labels.

import { ticks as evenTicks } from "d3-array";
import { tickFormat } from "d3-scale";

import { count, powerOfTen } from "../format";

export interface Ticks {
  labelled: number[];
  /** Grid lines without a label. */
  faint: number[];
}

/** The smallest distance between neighbours of 1, 2, 5, 10, in decades. */
const TIGHTEST = Math.log10(2);
const TINY = 1e-9;
const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Ticks of a logarithmic axis with room for `most` labels that do not touch. */
export function logTicks(low: number, high: number, most: number): Ticks {
  if (!(low > 0) || !(high > low) || !Number.isFinite(high)) return { labelled: [], faint: [] };
  const room = Math.max(2, Math.floor(most));
  const decades = Math.log10(high / low);
  const powers = multiples(low, high, [1]);
  if (decades < 2) {
    const between = multiples(low, high, [1, 2, 5]);
    // Over less than a factor of about two, even steps look right.
    if (between.length < 2) return { labelled: evenTicks(low, high, Math.min(5, Math.ceil(room / 2))), faint: [] };
    const fits = TIGHTEST * room >= decades;
    if (fits || powers.length < 2) {
      const labelled = fits ? between : spread(between, decades / room);
      return { labelled, faint: without(multiples(low, high, DIGITS), labelled) };
    }
  }
  const step = Math.ceil(powers.length / room);
  // Multiples of the step, not every nth from the first, so labels stay in place while zooming and panning.
  const labelled = powers.filter((value) => Math.round(Math.log10(value)) % step === 0);
  const all = step === 1 && decades <= 8 ? multiples(low, high, DIGITS) : powers;
  return { labelled, faint: without(all, labelled) };
}

/** The labels of a logarithmic axis, with as many digits as needed to distinguish them. */
export function logTexts(values: readonly number[]): string[] {
  for (let digits = 1; ; digits += 1) {
    const texts = values.map((value) => logText(value, digits));
    if (new Set(texts).size === texts.length || digits === 12) return texts;
  }
}

export function linearTicks(low: number, high: number, most: number): Ticks {
  if (!(high > low)) return { labelled: [], faint: [] };
  return { labelled: evenTicks(low, high, Math.max(2, Math.floor(most))), faint: [] };
}

export function linearTexts(values: readonly number[]): string[] {
  const [first = 0, last = 0] = [values[0], values[values.length - 1]];
  const written = tickFormat(first, last === first ? first + 1 : last, Math.max(1, values.length - 1));
  return values.map((value) => written(value).replace("-", "−"));
}

function logText(value: number, digits: number): string {
  const power = Math.floor(Math.log10(value) + TINY);
  const lead = value / 10 ** power;
  if (Math.abs(lead - 1) < TINY) return powerOfTen(value);
  if (power === 3 || power === 4) return count(value);
  if (power >= -2 && power < 3) return rounded(value, digits);
  return `${rounded(lead, digits)}×${powerOfTen(10 ** power)}`;
}

function rounded(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}

/** Every `lead` times a power of ten from `low` to `high`, ascending. */
function multiples(low: number, high: number, leads: readonly number[]): number[] {
  const found: number[] = [];
  const last = Math.floor(Math.log10(high) + TINY);
  for (let power = Math.floor(Math.log10(low)); power <= last; power += 1) {
    for (const lead of leads) {
      // Division gives exactly 0.01, where 1 × 10 ** −2 would be off in the last digit.
      const value = power < 0 ? lead / 10 ** -power : lead * 10 ** power;
      if (value >= low * (1 - TINY) && value <= high * (1 + TINY)) found.push(value);
    }
  }
  return found;
}

/** The values that are at least `apart` decades from the previous one kept. */
function spread(values: readonly number[], apart: number): number[] {
  const kept: number[] = [];
  for (const value of values) {
    const before = kept[kept.length - 1];
    if (before === undefined || Math.log10(value / before) >= apart) kept.push(value);
  }
  return kept;
}

function without(values: readonly number[], taken: readonly number[]): number[] {
  const known = new Set(taken);
  return values.filter((value) => !known.has(value));
}
