// Line charts stacked over one x axis: what they show, and the dimensions that all parts share.

import type { Selection } from "d3-selection";

import type { AxisKind } from "./lines";

export interface Series {
  name: string;
  /** The classes of its line, see action_styles.ts; "plain" for a line that is not of an action. */
  style: string;
  y: readonly (number | null)[];
}

export interface Panel {
  title: string;
  /** Shown in monospace after the title: a label. */
  note: string;
  scale: "share" | "log";
  /** Whether its points are on a smooth curve, as those of a branch are; else they are joined by straight lines. */
  isSmooth: boolean;
  height: number;
  /** The iteration of each point, ascending; it identifies a point in all panels. */
  at: readonly number[];
  x: readonly number[];
  series: readonly Series[];
  format: (value: number | null) => string;
}

export interface Picture {
  /** What the chart shows, for screen readers. */
  description: string;
  axis: AxisKind;
  axisTitle: string;
  /** What x is, before its value at the reading line: "β". */
  axisName: string;
  formatX: (x: number) => string;
  panels: readonly Panel[];
  marks: readonly Mark[];
  /** The iteration of the frame shown. */
  current: number | null;
}

/** A dashed line across all panels. */
export interface Mark {
  x: number;
  text: string;
}

export type Layer = Selection<SVGGElement, unknown, null, undefined>;
export type Text = Selection<SVGTextElement, unknown, null, undefined>;

/** The left and right edge of the plots, in pixels from the chart's left edge. */
export interface Span {
  left: number;
  right: number;
}

/** Approximate width of a letter, used to lay out text, because SVG does not wrap. */
export const LETTER = 6.9;
export const BOLD = 7.5;
export const GAP = 10;

/** On the middle of a pixel, so a line of one pixel is sharp. */
export function crisp(place: number): number {
  return Math.round(place) + 0.5;
}
