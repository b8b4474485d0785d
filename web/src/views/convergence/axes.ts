// Axes, grid and titles of the convergence chart.

import { drawAxis, gridPath, type Group, type PlacedTick } from "../../charts/axis";
import type { Domain } from "../../charts/domain";
import { SECOND_WORDS } from "../../charts/measures";
import type { Scale } from "../../charts/plane";
import { linearTexts, linearTicks, logTexts, logTicks } from "../../charts/ticks";
import type { Scene } from "./scene";

/** Pixels that a label needs, with some space around it. */
const LOG_WIDTH = 56;
const LINEAR_WIDTH = 80;
const LABEL_HEIGHT = 27;
const TICK = 16;
const BARE_SIDE = 20;
const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹";

interface Placed {
  labelled: PlacedTick[];
  faint: number[];
}

const NONE: Placed = { labelled: [], faint: [] };

export class Axes {
  private readonly grid: Group;
  private readonly bottom: Group;
  private readonly left: Group;
  private readonly right: Group;
  private readonly titles: Group;

  constructor(under: Group, over: Group) {
    this.grid = under.append("g").attr("class", "grid");
    this.bottom = over.append("g").attr("class", "axis bottom");
    this.left = over.append("g").attr("class", "axis left");
    this.right = over.append("g").attr("class", "axis right");
    this.titles = over.append("g").attr("class", "titles");
  }

  draw(scene: Scene): void {
    const { width, height } = scene.room;
    const bottom = ticksOfX(scene);
    const { isLogY } = scene.settings;
    const left = ticksOfY(scene.plane?.left, scene.yLeft, isLogY, height);
    const right = ticksOfY(scene.plane?.right, scene.yRight, isLogY, height);
    drawAxis(this.bottom.attr("transform", `translate(0,${height})`), "bottom", bottom.labelled, width);
    drawAxis(this.left, "left", left.labelled, height);
    this.right.attr("transform", `translate(${width},0)`).attr("display", scene.yRight === null ? "none" : null);
    drawAxis(this.right, "right", right.labelled, height);
    // The right axis has ticks but no grid lines, which would make a second grid.
    const lines = [
      gridPath(bottom.faint, height, true) + gridPath(left.faint, width, false),
      gridPath(places(bottom), height, true) + gridPath(places(left), width, false),
    ];
    this.grid.selectAll<SVGPathElement, string>("path").data(lines).join("path")
      .attr("class", (_, index) => (index === 0 ? "gridline faint" : "gridline")).attr("d", (path) => path);
  }

  /** Write the titles of the axes: `up` pixels above the vertical ones, `down` pixels below the other. */
  drawTitles(scene: Scene, unit: string, up: number, down: number): void {
    const { width, height, left, right } = scene.room;
    const { second, x } = scene.settings;
    const titles = [
      { x: 4 - left, y: -up, anchor: "start", text: `exploitability (${unit})` },
      { x: width + right - 4, y: -up, anchor: "end", text: second && scene.yRight ? SECOND_WORDS[second] : "" },
      { x: width, y: height + down, anchor: "end", text: x === "iteration" ? "iterations" : "seconds" },
    ];
    this.titles.selectAll<SVGTextElement, (typeof titles)[0]>("text").data(titles).join("text")
      .attr("x", (one) => one.x).attr("y", (one) => one.y)
      .attr("text-anchor", (one) => one.anchor).text((one) => one.text);
  }
}

/** Pixels that the labels of a vertical axis need next to a plot of this height. */
export function sideOf(domain: Domain | null, isLog: boolean, height: number): number {
  if (domain === null) return BARE_SIDE;
  const { labelled } = (isLog ? logTicks : linearTicks)(domain[0], domain[1], height / LABEL_HEIGHT);
  const texts = (isLog ? logTexts : linearTexts)(labelled);
  return TICK + Math.max(...texts.map(widthOf), 0);
}

function widthOf(text: string): number {
  return [...text].reduce((sum, letter) => sum + (RAISED.includes(letter) ? 5.2 : 7.8), 0);
}

function ticksOfX({ plane, x, settings, room }: Scene): Placed {
  if (plane === null || x === null) return NONE;
  const { isLog } = settings;
  const ticks = isLog
    ? logTicks(plane.x[0], plane.x[1], room.width / LOG_WIDTH)
    : linearTicks(plane.x[0], plane.x[1], room.width / LINEAR_WIDTH);
  // There are no ticks between the position of 0 and the least x.
  const isThere = (value: number): boolean => !isLog || plane.zero === null || value >= plane.least;
  const values = ticks.labelled.filter(isThere);
  const labelled = placed(values, (isLog ? logTexts : linearTexts)(values), x);
  if (isLog && plane.zero !== null && plane.x[0] <= plane.zero) {
    labelled.unshift({ at: x(plane.zero), text: "0" });
  }
  return { labelled, faint: ticks.faint.filter(isThere).map((value) => x(value)) };
}

function ticksOfY(domain: Domain | null | undefined, y: Scale | null, isLog: boolean, height: number): Placed {
  if (!domain || y === null) return NONE;
  const { labelled, faint } = (isLog ? logTicks : linearTicks)(domain[0], domain[1], height / LABEL_HEIGHT);
  const texts = (isLog ? logTexts : linearTexts)(labelled);
  return { labelled: placed(labelled, texts, y), faint: faint.map((value) => y(value)) };
}

function placed(values: readonly number[], texts: readonly string[], scale: Scale): PlacedTick[] {
  return values.map((value, index) => ({ at: scale(value), text: texts[index] ?? "" }));
}

function places({ labelled }: Placed): number[] {
  return labelled.map((tick) => tick.at);
}
