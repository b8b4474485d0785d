// Charts of lines stacked over one x axis, in one SVG: each panel with its title and a read-out that
// follows the pointer, or at rest the frame that is shown.

import { pointer, select, type Selection } from "d3-selection";
import { line } from "d3-shape";

import { axisOver, type Axis, type AxisKind } from "./lines";
import { nearest } from "./lookup";

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
  marks: readonly { x: number; text: string }[];
  /** The iteration of the frame that is shown. */
  current: number | null;
}

type Svg = Selection<SVGSVGElement, unknown, null, undefined>;
type Layer = Selection<SVGGElement, unknown, null, undefined>;

interface Placed {
  panel: Panel;
  y: Axis;
  top: number;
  readouts: Selection<SVGTextElement, unknown, null, undefined>[];
  dots: Selection<SVGCircleElement, unknown, null, undefined>[];
}

const LEFT = 52;
const RIGHT = 14;
const BOTTOM = 38;
const TEXT_LINE = 18;
const SPACE = 14;
/** About how wide a letter is; titles and read-outs are laid out by it, as SVG does not wrap. */
const LETTER = 6.9;
const BOLD = 7.5;
const GAP = 10;
const STYLES = 6;
/** How much farther the pointer may be in height than in width. */
const FLATTEN = 0.15;

export class PanelChart {
  readonly element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  private readonly svg: Svg = select(this.element);
  private picture: Picture | null = null;
  private placed: Placed[] = [];
  private x: Axis | null = null;
  private current: Layer | null = null;
  private hair: Layer | null = null;
  private axisTitle: Selection<SVGTextElement, unknown, null, undefined> | null = null;
  private width = 0;

  /** `pick` is told the iteration of a point that is clicked. */
  constructor(private readonly pick: (iteration: number) => void) {
    this.svg.attr("class", "panels").attr("role", "img")
      .on("pointermove", (event: PointerEvent) => this.follow(event))
      .on("pointerleave", () => this.rest())
      .on("click", (event: PointerEvent) => {
        const at = this.iterationAt(event);
        if (at !== null) this.pick(at);
      });
    new ResizeObserver(() => {
      if (this.ownWidth() !== this.width) this.redraw();
    }).observe(this.element);
  }

  draw(picture: Picture): void {
    this.picture = picture;
    this.redraw();
  }

  /** Move the mark of the frame that is shown; nothing else is drawn again. */
  mark(current: number | null): void {
    if (this.picture === null || current === this.picture.current) return;
    this.picture = { ...this.picture, current };
    this.rest();
  }

  private redraw(): void {
    const picture = this.picture;
    this.width = this.ownWidth();
    if (picture === null || this.width === 0) return;
    const inner = this.width - LEFT - RIGHT;
    const values = picture.panels.flatMap((panel) => [...panel.x]);
    this.x = axisOver(picture.axis, values, LEFT, LEFT + inner, 46);
    this.svg.selectAll("*").remove();
    this.svg.attr("aria-label", picture.description);
    let top = 0;
    this.placed = picture.panels.map((panel) => {
      const placed = this.drawPanel(panel, top, inner);
      top = placed.top + panel.height + SPACE;
      return placed;
    });
    const bottom = top - SPACE;
    this.drawXAxis(this.x, bottom, inner, picture);
    const height = bottom + BOTTOM;
    this.svg.attr("viewBox", `0 0 ${this.width} ${height}`).attr("height", height);
    this.current = this.upright("current", bottom);
    this.hair = this.upright("hair", bottom);
    this.rest();
  }

  private ownWidth(): number {
    return Math.round(this.element.getBoundingClientRect().width);
  }

  private drawPanel(panel: Panel, above: number, inner: number): Placed {
    const group = this.svg.append("g");
    const { top, readouts } = this.drawHead(group, panel, above, inner);
    const [floor, ceiling] = [top + panel.height, top];
    const known = panel.series.flatMap((series) => series.y.flatMap((y) => (y === null ? [] : [y])));
    const y: Axis = panel.scale === "share"
      ? shareAxis(floor, ceiling)
      : axisOver("log", known.filter((value) => value > 0), floor, ceiling, 24);
    this.drawYAxis(group, y, inner);
    const dots = panel.series.map((series, index) => this.drawSeries(group, panel, series, index, y));
    return { panel, y, top, readouts, dots };
  }

  /** Title, note and read-outs in a line where there is room, else below one another. */
  private drawHead(
    group: Layer, panel: Panel, above: number, inner: number,
  ): Pick<Placed, "top" | "readouts"> {
    const [titleWidth, noteWidth] = [BOLD * panel.title.length, LETTER * panel.note.length];
    const slot = LETTER * (Math.max(...panel.series.map((series) => series.name.length), 3) + 9) + 26;
    const all = panel.series.length * slot;
    const isNoteBehind = titleWidth + GAP + noteWidth <= inner;
    const isBehind = titleWidth + GAP + noteWidth + GAP + all <= inner;
    let base = above + 13;
    const title = writeText(group, "title", panel.title, LEFT, base, inner / BOLD);
    if (panel.note && isNoteBehind) {
      title.append("tspan").attr("class", "note").attr("dx", GAP).text(panel.note);
    } else if (panel.note) {
      base += TEXT_LINE;
      writeText(group, "note", panel.note, LEFT, base, inner / LETTER);
    }
    const perLine = isBehind ? panel.series.length : Math.max(1, Math.floor(inner / slot));
    const start = isBehind ? LEFT + inner - all : LEFT;
    const readouts = panel.series.map((series, index) => {
      if (!isBehind && index % perLine === 0) base += TEXT_LINE;
      const left = start + (index % perLine) * slot;
      group.append("line").attr("class", styleOf(panel, index))
        .attr("x1", left).attr("x2", left + 20).attr("y1", base - 4).attr("y2", base - 4);
      group.append("text").attr("x", left + 26).attr("y", base).text(series.name);
      return group.append("text").attr("class", "readout").attr("text-anchor", "end")
        .attr("x", left + slot - 12).attr("y", base);
    });
    return { top: base + 11, readouts };
  }

  private drawYAxis(group: Layer, y: Axis, inner: number): void {
    for (const tick of y.ticks) {
      const place = crisp(tick.at);
      group.append("line").attr("class", "gridline")
        .attr("x1", LEFT).attr("x2", LEFT + inner).attr("y1", place).attr("y2", place);
      group.append("text").attr("text-anchor", "end").attr("x", LEFT - 8).attr("y", place + 4)
        .text(tick.text);
    }
  }

  private drawXAxis(x: Axis, bottom: number, inner: number, picture: Picture): void {
    const group = this.svg.append("g");
    const floors = this.placed.map(({ panel, top }) => top + panel.height);
    for (const tick of x.ticks) {
      const place = crisp(tick.at);
      for (const floor of floors) {
        group.append("line").attr("class", "tick-line")
          .attr("x1", place).attr("x2", place).attr("y1", floor).attr("y2", floor + 5);
      }
      group.append("text").attr("text-anchor", "middle").attr("x", place).attr("y", bottom + 18)
        .text(tick.text);
    }
    for (const floor of floors) {
      group.append("line").attr("class", "base")
        .attr("x1", LEFT).attr("x2", LEFT + inner).attr("y1", crisp(floor)).attr("y2", crisp(floor));
      // A stroke of the background's colour: the axis is broken between 0 and the logarithm.
      if (x.gap !== null) {
        group.append("line").attr("class", "break")
          .attr("x1", x.gap - 3).attr("x2", x.gap + 3).attr("y1", crisp(floor)).attr("y2", crisp(floor));
      }
    }
    this.axisTitle = group.append("text").attr("class", "axis-title").attr("text-anchor", "end")
      .attr("x", LEFT + inner).attr("y", bottom + 34);
    picture.marks.forEach((_, index) => this.drawMark(group, x, picture, index, LEFT + inner));
  }

  private drawMark(group: Layer, x: Axis, { marks }: Picture, index: number, right: number): void {
    const mark = marks[index];
    const last = this.placed[this.placed.length - 1];
    if (mark === undefined || last === undefined) return;
    const place = crisp(x.place(mark.x));
    for (const { panel, top } of this.placed) {
      group.append("line").attr("class", "mark")
        .attr("x1", place).attr("x2", place).attr("y1", top).attr("y2", top + panel.height);
    }
    // To the left where the next mark, or the end, would be in the way.
    const next = marks[index + 1];
    const room = (next === undefined ? right : x.place(next.x)) - place;
    const isLeft = room < LETTER * mark.text.length + GAP && place - LEFT > LETTER * mark.text.length;
    group.append("text").attr("class", "mark-text").attr("text-anchor", isLeft ? "end" : "start")
      .attr("x", place + (isLeft ? -4 : 4)).attr("y", last.top + 12 + 14 * (index % 3)).text(mark.text);
  }

  private drawSeries(
    group: Layer, panel: Panel, series: Series, index: number, y: Axis,
  ): Selection<SVGCircleElement, unknown, null, undefined> {
    const places = panel.x.map((x, point) => this.placeOf(panel, x, series.y[point] ?? null, y));
    const path = line<[number, number] | null>()
      .defined((place) => place !== null)
      .x((place) => place?.[0] ?? 0)
      .y((place) => place?.[1] ?? 0);
    group.append("path").attr("class", styleOf(panel, index)).attr("d", path(places) ?? "");
    return group.append("circle").attr("class", `dot ${styleOf(panel, index)}`).attr("r", 3.5);
  }

  private placeOf(panel: Panel, x: number, y: number | null, axis: Axis): [number, number] | null {
    if (y === null || this.x === null || (panel.scale === "log" && y <= 0)) return null;
    return [this.x.place(x), axis.place(y)];
  }

  private upright(name: string, bottom: number): Layer {
    const group = this.svg.append("g").attr("class", name);
    for (const { top } of this.placed.slice(0, 1)) {
      group.append("line").attr("x1", 0).attr("x2", 0).attr("y1", top).attr("y2", bottom);
    }
    return group;
  }

  private follow(event: PointerEvent): void {
    const at = this.iterationAt(event);
    if (at === null) return;
    this.stand(this.hair, at);
    this.read(at);
  }

  /** Without a pointer: what the frame that is shown has. */
  private rest(): void {
    const at = this.picture?.current ?? null;
    this.stand(this.hair, null);
    this.stand(this.current, at);
    this.read(at);
  }

  /** Where the iteration is on the x axis. */
  private xOf(at: number | null): number | undefined {
    const panel = this.placed[0]?.panel;
    return panel === undefined || at === null ? undefined : panel.x[pointAt(panel, at)];
  }

  private stand(layer: Layer | null, at: number | null): void {
    const x = this.xOf(at);
    layer?.attr("visibility", x === undefined ? "hidden" : "visible");
    if (x !== undefined && this.x !== null) layer?.attr("transform", `translate(${crisp(this.x.place(x))},0)`);
  }

  private read(at: number | null): void {
    const { axisTitle = "", formatX = String } = this.picture ?? {};
    const here = this.xOf(at);
    this.axisTitle?.text(here === undefined ? axisTitle : `${axisTitle}: ${formatX(here)}`);
    for (const { panel, y, readouts, dots } of this.placed) {
      const point = at === null ? -1 : pointAt(panel, at);
      panel.series.forEach((series, index) => {
        const value = series.y[point] ?? null;
        const x = panel.x[point];
        const place = x === undefined ? null : this.placeOf(panel, x, value, y);
        readouts[index]?.text(panel.format(value));
        dots[index]?.attr("visibility", place === null ? "hidden" : "visible")
          .attr("cx", place?.[0] ?? 0).attr("cy", place?.[1] ?? 0);
      });
    }
  }

  /** The iteration of the point nearest to the pointer, mostly in width: a branch may turn back. */
  private iterationAt(event: PointerEvent): number | null {
    const [px, py] = pointer(event, this.element);
    const { placed, x } = this;
    if (x === null || placed.length === 0) return null;
    const under = placed.find(({ panel, top }) => py <= top + panel.height + SPACE / 2) ?? placed[placed.length - 1];
    if (under === undefined) return null;
    let found: number | null = null;
    let least = Infinity;
    under.panel.x.forEach((value, point) => {
      for (const series of under.panel.series) {
        const place = this.placeOf(under.panel, value, series.y[point] ?? null, under.y);
        if (place === null) continue;
        const distance = Math.hypot(place[0] - px, FLATTEN * (place[1] - py));
        if (distance > least) continue;
        least = distance;
        found = under.panel.at[point] ?? null;
      }
    });
    return found;
  }
}

/** A text cut to so many letters; whole as its title. */
function writeText(
  group: Layer, name: string, text: string, x: number, y: number, letters: number,
): Selection<SVGTextElement, unknown, null, undefined> {
  const isLong = text.length > letters;
  const element = group.append("text").attr("class", name).attr("x", x).attr("y", y)
    .text(isLong ? `${text.slice(0, Math.max(1, Math.floor(letters) - 1))}…` : text);
  if (isLong) element.append("title").text(text);
  return element;
}

function styleOf(panel: Panel, index: number): string {
  return panel.scale === "share" ? `series action-${index % STYLES}` : "series plain";
}

function pointAt(panel: Panel, iteration: number): number {
  return nearest(panel.at, iteration, (at) => at);
}

function shareAxis(floor: number, ceiling: number): Axis {
  const place = (share: number): number => floor - share * (floor - ceiling);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => ({ at: place(share), text: `${100 * share} %` }));
  return { place, ticks, gap: null };
}

/** On the middle of a pixel, so that a line one pixel wide is sharp. */
function crisp(place: number): number {
  return Math.round(place) + 0.5;
}
