// Sparklines: line charts the size of a word.

import type { ProgressRow } from "../model";
import { isDrawable } from "./domain";

const MAX_VALUES = 40;

/** The SVG path through the values, evenly spaced; empty if there are none. */
export function sparkPath(values: readonly number[], width: number, height: number): string {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return "";
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (index: number): number => (known.length === 1 ? width : (index / (known.length - 1)) * width);
  const y = (value: number): number => (high > low ? height * (1 - (value - low) / (high - low)) : height / 2);
  const points = known.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  return known.length === 1 ? `M${points[0]}h0` : `M${points.join("L")}`;
}

/** log10 of exploitability at evenly spaced rows, always including the last. */
export function sparkValues(rows: readonly ProgressRow[]): number[] {
  const count = Math.min(MAX_VALUES, rows.length);
  const values: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const row = rows[count === 1 ? 0 : Math.round((index / (count - 1)) * (rows.length - 1))];
    if (isDrawable(row?.exploitability)) values.push(Math.log10(row.exploitability));
  }
  return values;
}
