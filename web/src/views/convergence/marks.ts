// Marks on the convergence chart: where beta steps, where the path folds, and the target.

import { select } from "d3-selection";

import type { Group } from "../../charts/axis";
import { isDrawable } from "../../charts/domain";
import type { Mark } from "../../charts/marks";
import { logTexts } from "../../charts/ticks";
import { short } from "../../format";
import type { ProgressRow } from "../../model";
import type { Scene } from "./scene";

/** Approximate width of a letter, to find labels that would touch. */
const LETTER = 6.8;
const BETWEEN = 8;

interface PlacedMark {
  at: number;
  text: string;
  isFold: boolean;
  /** Labels of higher rank are left out first. */
  rank: number;
}

export function drawMarks(group: Group, scene: Scene, rows: readonly ProgressRow[], marks: readonly Mark[]): void {
  const { width, height } = scene.room;
  const inSight = marks.flatMap((mark): PlacedMark[] => {
    const row = rows[mark.row];
    const at = row === undefined ? Number.NaN : scene.placeRow(row);
    if (!(at >= 0 && at <= width)) return [];
    const text = mark.isFold ? `fold at ${short(mark.beta)}` : `β = ${short(mark.beta)}`;
    const rank = mark.isFold ? 0 : Number.isInteger(Math.log10(mark.beta)) ? 1 : 2;
    return [{ at: Math.round(at) + 0.5, text, isFold: mark.isFold, rank }];
  });
  group.selectAll<SVGGElement, PlacedMark>("g").data(withoutTouching(inSight))
    .join((enter) => {
      const mark = enter.append("g");
      mark.append("line").attr("y1", -2);
      mark.append("text").attr("text-anchor", "middle").attr("y", -6);
      return mark;
    })
    .attr("class", (mark) => (mark.isFold ? "mark fold" : "mark beta"))
    .attr("transform", (mark) => `translate(${mark.at},0)`)
    .each(function write(mark) {
      select(this).select("line").attr("y2", height);
      select(this).select("text").text(mark.text);
    });
}

/** Leave out labels that would touch one of lower rank, or one to the left. */
function withoutTouching(marks: readonly PlacedMark[]): PlacedMark[] {
  const taken: [number, number][] = [];
  const texts = new Map<PlacedMark, string>();
  for (const mark of [...marks].sort((one, other) => one.rank - other.rank)) {
    const half = (LETTER * mark.text.length) / 2;
    const [from, to] = [mark.at - half, mark.at + half];
    const isFree = taken.every(([start, end]) => to + BETWEEN < start || from - BETWEEN > end);
    if (!isFree) continue;
    taken.push([from, to]);
    texts.set(mark, mark.text);
  }
  return marks.map((mark) => ({ ...mark, text: texts.get(mark) ?? "" }));
}

export function drawTarget(group: Group, scene: Scene, target: number | null): void {
  const y = scene.yLeft !== null && isDrawable(target) ? scene.yLeft(target) : -1;
  const places = y >= 0 && y <= scene.room.height ? [Math.round(y) + 0.5] : [];
  group.selectAll<SVGLineElement, number>("line").data(places).join("line")
    .attr("x2", scene.room.width).attr("y1", (at) => at).attr("y2", (at) => at);
  const text = isDrawable(target) ? `target ${logTexts([target])[0]}` : "";
  group.selectAll<SVGTextElement, number>("text").data(places).join("text")
    .attr("x", 6).attr("y", (at) => (at < 18 ? at + 14 : at - 5)).text(text);
}
