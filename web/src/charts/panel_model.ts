// Charts of lines stacked over one x axis: what they show, and the measures that all parts share.

import type { Selection } from "d3-selection";

import { actionClass } from "../action_styles";
import type { AxisKind } from "./lines";

export interface Series {
  name: string;
  y: readonly (number | null)[];
}

export interface Panel {
  title: string;
  /** In monospace behind the title: a label. */
  note: string;
  scale: "share" | "log";
  height: number;
  /** Number of the iteration of each point, ascending: by it panels agree on a point. */
  at: readonly number[];
  x: readonly number[];
  series: readonly Series[];
  format: (value: number | null) => string;
}

export interface Picture {
  /** What the chart shows, for those who do not see it. */
  description: string;
  axis: AxisKind;
  axisTitle: string;
  formatX: (x: number) => string;
  panels: readonly Panel[];
  marks: readonly Mark[];
  /** The iteration of the frame that is shown. */
  current: number | null;
}

/** A dashed line across all panels. */
export interface Mark {
  x: number;
  text: string;
}

export type Layer = Selection<SVGGElement, unknown, null, undefined>;
export type Text = Selection<SVGTextElement, unknown, null, undefined>;

/** Where the plots begin and end in width, in pixels from the chart's left edge. */
export interface Span {
  left: number;
  right: number;
}

/** About how wide a letter is: texts are laid out by it, as SVG does not wrap. */
export const LETTER = 6.9;
export const BOLD = 7.5;
export const GAP = 10;

export function styleOf(panel: Panel, index: number): string {
  return panel.scale === "share" ? `series ${actionClass(index)}` : "series plain";
}

/** On the middle of a pixel, so that a line one pixel wide is sharp. */
export function crisp(place: number): number {
  return Math.round(place) + 0.5;
}
