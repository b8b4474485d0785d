// The legend of the measures of a single run; it is part of the SVG, so downloads include it. Compared
// runs have their names at the ends of their lines, and buttons above the chart (see convergence_key.ts).

import type { Group } from "../../charts/axis";
import { type Second, SECOND_WORDS } from "../../charts/measures";
import type { ShownRun } from "./scene";
import { colourOf } from "../runs/shown";

export interface LegendEntry {
  text: string;
  colour: string;
  kind: "exploitability" | "second";
}

const LINE_HEIGHT = 19;
const SAMPLE = 24;
const BETWEEN = 18;

/** The measures of a single run; nothing if there is only exploitability, which the axis names. */
export function legendOf(runs: readonly ShownRun[], second: Second | null): LegendEntry[] {
  if (runs.length !== 1 || second === null) return [];
  const colour = colourOf(runs[0]?.position ?? 0);
  return [
    { text: "exploitability", colour, kind: "exploitability" },
    { text: SECOND_WORDS[second], colour, kind: "second" },
  ];
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
