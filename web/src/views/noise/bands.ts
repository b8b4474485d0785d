// How mixes change as noise falls: for each mix a band per action over a logarithmic axis, Nash as a column of its own
// at the end, and below what a perfect opponent would win. One SVG, so that it can be saved as a picture.

import { create, type Selection } from "d3-selection";
import { scaleLog } from "d3-scale";
import { area, curveMonotoneX } from "d3-shape";

import { axisOver, spread } from "../../charts/lines";
import { crisp } from "../../charts/panel_model";
import { smoothPath, type Point } from "../../charts/smooth";
import { percent, short } from "../../format";

export interface BandPanel {
  title: string;
  /** By rung, then by action, 0–1; null where no hand gets there. */
  mixes: readonly (readonly number[] | null)[];
}

export interface BandPicture {
  heading: string;
  /** By rung: the geometric mean of both noises, falling; 0 for Nash, which comes last. */
  levels: readonly number[];
  /** By rung: what the axis says. */
  names: readonly string[];
  actions: readonly string[];
  styles: readonly string[];
  panels: readonly BandPanel[];
  /** By rung, in percent of the pot; null if unknown. */
  exploitability: readonly (number | null)[];
  /** The rung shown elsewhere on the page. */
  current: number;
  /** Whether Nash hardly ever gets here. */
  isGhost: boolean;
}

type Layer = Selection<SVGGElement, undefined, null, undefined>;

const [LEFT, RIGHT, TOP] = [52, 14, 30];
const HEAD = 26;
const SPACE = 14;
const AXIS = 40;
const LINE_PANEL = 84;
const [COLUMN, BREAK] = [44, 22];
/** The least height of a band that carries the name of its action, and the least width of a letter's room. */
const NAMED = 18;
const LETTER = 7;
const TICK_SPACE = 38;

export class NoiseBands {
  readonly element: SVGSVGElement;
  private readonly svg: Selection<SVGSVGElement, undefined, null, undefined>;
  private picture: BandPicture | null = null;
  private places: number[] = [];
  private size: readonly [number, number] = [0, 0];

  /** `pick` is called with the number of a rung that was clicked, or over which the pointer was dragged. */
  constructor(private readonly pick: (rung: number) => void) {
    this.svg = create<SVGSVGElement>("svg:svg").attr("class", "noise-bands").attr("role", "img");
    const element = this.svg.node();
    if (element === null) throw new Error("the chart could not be created");
    this.element = element;
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      this.choose(event);
    });
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) this.choose(event);
    });
  }

  /** Draw the picture into a box of this size, in pixels. */
  draw(picture: BandPicture, width: number, height: number): void {
    this.picture = picture;
    this.size = [width, height];
    this.redraw();
  }

  private redraw(): void {
    const { picture, svg, size: [width, height] } = this;
    if (picture === null || width < LEFT + RIGHT + COLUMN + BREAK + 40) return;
    svg.selectAll("*").remove();
    svg.attr("viewBox", `0 0 ${width} ${height}`).attr("width", width).attr("height", height)
      .attr("aria-label", spoken(picture));
    this.places = placesOf(picture.levels, width);
    text(svg.append("g"), "heading", picture.heading, 2, 17);
    const free = height - TOP - AXIS - LINE_PANEL - (picture.panels.length + 1) * HEAD - picture.panels.length * SPACE;
    const each = Math.max(60, free / picture.panels.length);
    let top = TOP;
    for (const panel of picture.panels) {
      this.drawPanel(svg.append("g"), picture, panel, top + HEAD, top + HEAD + each);
      top += HEAD + each + SPACE;
    }
    this.drawExploitability(svg.append("g"), picture, top + HEAD, top + HEAD + LINE_PANEL);
    this.drawAxis(svg.append("g"), picture, top + HEAD + LINE_PANEL);
    this.drawCurrent(svg.append("g"), picture, TOP + HEAD, top + HEAD + LINE_PANEL);
  }

  private drawPanel(group: Layer, picture: BandPicture, panel: BandPanel, ceiling: number, floor: number): void {
    const { actions, styles, levels } = picture;
    text(group, "title", panel.title, LEFT, ceiling - 9);
    const shown = panel.mixes[picture.current];
    const words = shown ? actions.map((name, action) => `${name} ${percent(shown[action])}`).join(" · ") : "";
    if (LETTER * (words.length + panel.title.length) < this.size[0] - LEFT - RIGHT) {
      text(group, "readout", words, this.size[0] - RIGHT, ceiling - 9, "end");
    }
    if (panel.mixes.every((mix) => mix === null)) {
      text(group, "absent", "not in the range", LEFT + 8, (ceiling + floor) / 2);
      return;
    }
    for (const share of [0, 0.5, 1]) {
      text(group, "tick", `${100 * share} %`, LEFT - 8, floor - share * (floor - ceiling) + 4, "end");
    }
    const noisy = levels.flatMap((level, rung) => (level > 0 && panel.mixes[rung] ? [rung] : []));
    const sums = panel.mixes.map((mix) => (mix === null ? null : cumulated(mix)));
    const y = (share: number): number => floor - share * (floor - ceiling);
    actions.forEach((name, action) => {
      const edge = (rung: number, which: number): number => y(sums[rung]?.[which] ?? 0);
      const shape = area<number>()
        .x((rung) => this.places[rung] ?? 0)
        .y0((rung) => edge(rung, action)).y1((rung) => edge(rung, action + 1))
        .curve(curveMonotoneX);
      if (noisy.length > 1) {
        group.append("path").attr("class", `band ${styles[action]}`).attr("data-action", name).attr("d", shape(noisy) ?? "");
      }
      this.nameBand(group, name, styles[action] ?? "", noisy, (rung) => [edge(rung, action + 1), edge(rung, action)]);
      levels.forEach((level, rung) => {
        const mix = panel.mixes[rung];
        if (level > 0 || !mix) return;
        group.append("rect").attr("class", `band nash ${styles[action]}`).attr("data-action", name)
          .attr("x", (this.places[rung] ?? 0) - COLUMN / 2).attr("width", COLUMN)
          .attr("y", edge(rung, action + 1)).attr("height", Math.max(0, edge(rung, action) - edge(rung, action + 1)));
      });
    });
    if (picture.isGhost && levels.at(-1) === 0) {
      group.append("rect").attr("class", "ghost")
        .attr("x", (this.places.at(-1) ?? 0) - COLUMN / 2).attr("width", COLUMN).attr("y", ceiling).attr("height", floor - ceiling);
    }
  }

  /** Write the name of an action where its band is highest, if there is room. */
  private nameBand(
    group: Layer, name: string, style: string, rungs: readonly number[], edges: (rung: number) => readonly [number, number],
  ): void {
    const half = (LETTER * name.length) / 2 + 4;
    const [first, last] = [this.places[rungs[0] ?? 0] ?? 0, this.places[rungs.at(-1) ?? 0] ?? 0];
    const height = (rung: number): number => edges(rung)[1] - edges(rung)[0];
    let best: { x: number; y: number; height: number } | null = null;
    for (const [index, rung] of rungs.entries()) {
      const [top, bottom] = edges(rung);
      // A band that narrows towards a neighbour has less room than at the rung itself.
      const beside = [rungs[index - 1], rungs[index + 1]].flatMap((one) => (one === undefined ? [] : [height(one)]));
      const room = Math.min(height(rung), ...beside.map((one) => (height(rung) + one) / 2));
      const x = Math.max(first + half, Math.min(last - half, this.places[rung] ?? 0));
      if (room >= NAMED && room > (best?.height ?? 0)) best = { x, y: (top + bottom) / 2 + 4, height: room };
    }
    if (best === null || last - first < 2 * half) return;
    text(group, `band-name ${style}`, name, best.x, best.y, "middle");
  }

  private drawExploitability(group: Layer, picture: BandPicture, ceiling: number, floor: number): void {
    const known = picture.exploitability.flatMap((value) => (value !== null && value > 0 ? [value] : []));
    text(group, "title", "a perfect opponent wins, % of the pot", LEFT, ceiling - 9);
    const y = axisOver("log", known, floor - 6, ceiling, 24);
    for (const tick of y.ticks) {
      const place = crisp(tick.at);
      group.append("line").attr("class", "gridline").attr("x1", LEFT).attr("x2", this.size[0] - RIGHT).attr("y1", place).attr("y2", place);
      text(group, "tick", tick.text, LEFT - 8, place + 4, "end");
    }
    const points = picture.exploitability.map((value, rung): Point | null => (
      value === null || value <= 0 ? null : [this.places[rung] ?? 0, y.place(value)]));
    group.append("path").attr("class", "curve").attr("d", smoothPath(points.filter((_, rung) => (picture.levels[rung] ?? 0) > 0)));
    points.forEach((point, rung) => {
      if (point === null) return;
      group.append("circle").attr("class", "point").attr("r", rung === picture.current ? 4.5 : 3).attr("cx", point[0]).attr("cy", point[1]);
    });
    const value = picture.exploitability[picture.current] ?? null;
    text(group, "readout", value === null ? "" : `${short(value)} %`, this.size[0] - RIGHT, ceiling - 9, "end");
  }

  private drawAxis(group: Layer, { names, levels, current }: BandPicture, floor: number): void {
    const right = this.size[0] - RIGHT;
    group.append("line").attr("class", "base").attr("x1", LEFT).attr("x2", right).attr("y1", crisp(floor)).attr("y2", crisp(floor));
    // The current rung is always named, then the ends, then as many others as there is room for.
    const order = [...new Set([current, names.length - 1, 0, ...names.keys()])];
    const room = Math.max(TICK_SPACE, ...names.map((name) => LETTER * name.length + 10));
    for (const rung of spread(order, (one) => this.places[one] ?? 0, room)) {
      const place = crisp(this.places[rung] ?? 0);
      group.append("line").attr("class", "tick-line").attr("x1", place).attr("x2", place).attr("y1", floor).attr("y2", floor + 5);
      text(group, rung === current ? "tick now" : "tick", names[rung] ?? "", place, floor + 18, "middle");
    }
    if (levels.some((level) => level > 0)) {
      text(group, "axis-title", "noise, % of the pot; fewer mistakes to the right", right, floor + 34, "end");
    }
  }

  private drawCurrent(group: Layer, { current }: BandPicture, ceiling: number, floor: number): void {
    const place = crisp(this.places[current] ?? 0);
    group.attr("class", "current");
    group.append("line").attr("x1", place).attr("x2", place).attr("y1", ceiling - 4).attr("y2", floor);
    group.append("path").attr("d", `M${place - 5},${ceiling - 10}h10l-5,7z`);
  }

  private choose(event: PointerEvent): void {
    const box = this.element.getBoundingClientRect();
    const x = ((event.clientX - box.left) / Math.max(1, box.width)) * this.size[0];
    let nearest = 0;
    this.places.forEach((place, rung) => {
      if (Math.abs(place - x) < Math.abs((this.places[nearest] ?? 0) - x)) nearest = rung;
    });
    if (nearest !== this.picture?.current) this.pick(nearest);
  }
}

/** Where rungs are, in pixels: noisy ones on a logarithmic axis, Nash beside it. */
export function placesOf(levels: readonly number[], width: number): number[] {
  const noisy = levels.filter((level) => level > 0);
  const hasNash = noisy.length < levels.length;
  const right = width - RIGHT - (hasNash ? COLUMN + BREAK : 6);
  const [most, least] = [Math.max(...noisy), Math.min(...noisy)];
  const scale = scaleLog([most, least], [LEFT, right]);
  return levels.map((level) => (
    level <= 0 ? width - RIGHT - COLUMN / 2 : most > least ? scale(level) : (LEFT + right) / 2));
}

/** The sums of the first 0, 1, … shares; the last is 1. */
export function cumulated(mix: readonly number[]): number[] {
  const sums = [0];
  for (const share of mix) sums.push((sums.at(-1) ?? 0) + share);
  const whole = sums.at(-1) ?? 0;
  return whole > 0 ? sums.map((sum) => sum / whole) : sums;
}

function text(group: Layer, name: string, content: string, x: number, y: number, anchor = "start"): void {
  group.append("text").attr("class", name).attr("x", x).attr("y", y).attr("text-anchor", anchor).text(content);
}

function spoken({ heading, names, panels, actions, current }: BandPicture): string {
  const mixes = panels.map(({ title, mixes: all }) => {
    const mix = all[current];
    return `${title}: ${mix ? actions.map((name, action) => `${name} ${percent(mix[action])}`).join(", ") : "no hand is here"}`;
  });
  return `${heading}. At noise ${names[current]}: ${mixes.join("; ")}`;
}
