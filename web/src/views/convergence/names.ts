// The names of compared runs at the ends of their lines, moved apart so that none covers another.

import type { Group } from "../../charts/axis";
import { textWidth } from "../../charts/text_width";

export interface LineEnd {
  id: string;
  text: string;
  colour: string;
  /** Where its line ends, in pixels of the plot. */
  x: number;
  y: number;
}

export interface PlacedName extends LineEnd {
  /** Where the name stands. */
  at: number;
}

const LINE_HEIGHT = 15;
const LONGEST = 160;
/** Room between the plot and the names, for the lines that lead to them. */
const LEAD = 18;

/** Pixels that the names need next to the plot. */
export function roomForNames(texts: readonly string[]): number {
  return texts.length === 0 ? 0 : LEAD + Math.min(LONGEST, Math.max(...texts.map(textWidth))) + 6;
}

/** The names from top to bottom, at least a line apart, as near to their lines as that allows. */
export function placeNames(ends: readonly LineEnd[], height: number): PlacedName[] {
  const placed = [...ends].sort((one, other) => one.y - other.y).map((end) => ({ ...end, at: end.y }));
  let least = LINE_HEIGHT / 2;
  for (const name of placed) {
    name.at = Math.max(name.at, least);
    least = name.at + LINE_HEIGHT;
  }
  let most = height - LINE_HEIGHT / 2;
  for (const name of [...placed].reverse()) {
    name.at = Math.min(name.at, most);
    most = name.at - LINE_HEIGHT;
  }
  return placed;
}

export function drawNames(group: Group, names: readonly PlacedName[], width: number): void {
  group.selectAll<SVGGElement, PlacedName>("g.end").data([...names], (name) => name.id)
    .join((enter) => {
      const end = enter.append("g").attr("class", "end");
      end.append("path");
      end.append("text").attr("dy", "0.32em");
      return end;
    })
    .attr("data-of", (name) => name.id)
    .each(function draw(name) {
      const [path, text] = [this.querySelector("path"), this.querySelector("text")];
      path?.setAttribute("d", `M${name.x + 4},${name.y}L${width + LEAD - 4},${name.at}`);
      if (path !== null) path.style.stroke = name.colour;
      text?.setAttribute("x", String(width + LEAD));
      text?.setAttribute("y", String(name.at));
      if (text !== null) text.textContent = shortened(name.text);
    });
}

/** Truncated in the middle, where names differ least. */
function shortened(text: string): string {
  for (let kept = text.length; kept > 3; kept -= 1) {
    const head = Math.ceil(kept / 2);
    const short = kept === text.length ? text : `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
    if (textWidth(short) <= LONGEST) return short;
  }
  return text.slice(0, 3);
}
