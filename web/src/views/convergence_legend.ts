// The legend of colours and line styles. It is part of the SVG, so downloads include it.

import type { Group } from "../charts/axis";
import { type Second, SECOND_WORDS } from "../charts/measures";
import type { ShownRun } from "./convergence_scene";
import { colourOf } from "./shown_runs";

export interface LegendEntry {
  text: string;
  colour: string;
  /** A run is shown as a bar in its colour, a measure as a piece of its line. */
  kind: "run" | "exploitability" | "second";
}

const LINE_HEIGHT = 19;
const SAMPLE = 24;
const BETWEEN = 18;

/** For one run, its measures in its colour; for several, the runs and then the measures. */
export function legendOf(runs: readonly ShownRun[], second: Second | null): LegendEntry[] {
  const isOne = runs.length === 1;
  const colour = isOne ? colourOf(runs[0]?.position ?? 0) : "var(--soft)";
  const measures: LegendEntry[] = [{ text: "exploitability", colour, kind: "exploitability" }];
  if (second !== null) measures.push({ text: SECOND_WORDS[second], colour, kind: "second" });
  if (isOne) return measures;
  const names = runs.map(({ run, position }): LegendEntry => (
    { text: run.detail.name, colour: colourOf(position), kind: "run" }));
  return [...names, ...measures];
}

/** Draw the entries side by side, in as many lines as needed; returns the height. */
export function drawLegend(group: Group, entries: readonly LegendEntry[], width: number): number {
  let [x, y] = [0, 0];
  group.selectAll<SVGGElement, LegendEntry>("g.entry")
    .data([...entries], (entry) => `${entry.kind}|${entry.colour}|${entry.text}`)
    .join((enter) => {
      const entry = enter.append("g").attr("class", "entry");
      entry.append("path").attr("class", (one) => `sample ${one.kind}`).attr("d", `M0,0H${SAMPLE - 6}`);
      entry.append("text").attr("x", SAMPLE).attr("dy", "0.32em").text((one) => one.text);
      return entry;
    })
    .order()
    .each(function place(entry) {
      const sample = this.querySelector<SVGPathElement>("path");
      if (sample !== null) sample.style.stroke = entry.colour;
      const text = this.querySelector("text");
      const length = SAMPLE + (text === null ? 0 : shorten(text, entry.text, width - SAMPLE));
      if (x > 0 && x + length > width) [x, y] = [0, y + LINE_HEIGHT];
      this.setAttribute("transform", `translate(${Math.round(x)},${y + LINE_HEIGHT / 2})`);
      x += length + BETWEEN;
    });
  return entries.length === 0 ? 0 : y + LINE_HEIGHT;
}

/** Truncate the text to the width in the middle, where names differ least; returns its length. */
function shorten(element: SVGTextElement, text: string, width: number): number {
  element.textContent = text;
  let length = element.getComputedTextLength();
  for (let kept = text.length - 1; length > width && kept > 3; kept -= 1) {
    const head = Math.ceil(kept / 2);
    element.textContent = `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
    length = element.getComputedTextLength();
  }
  return length;
}
