// Line charts stacked over one x axis, in one SVG. Each panel has a title and a read-out that follows
// the pointer; without a pointer it shows the current frame.

import { pointer, select, type Selection } from "d3-selection";
import { line } from "d3-shape";

import { axisOver, type Axis } from "./lines";
import { nearest } from "./lookup";
import { drawMarks, drawXAxis, drawYAxis, shareAxis, type Edges } from "./panel_axes";
import { drawHead } from "./panel_head";
import { crisp } from "./panel_model";
import type { Layer, Panel, Picture, Series, Span, Text } from "./panel_model";
import { smoothPath } from "./smooth";
import { dot } from "./trace";

type Dot = Selection<SVGCircleElement, unknown, null, undefined>;

interface Placed extends Edges {
  panel: Panel;
  y: Axis;
  readouts: Text[];
  dots: Dot[];
}

const LEFT = 52;
const RIGHT = 14;
const BOTTOM = 38;
const SPACE = 14;
/** The least distance between numbers on the axes. */
const X_SPACE = 46;
const Y_SPACE = 24;
/** With more points, dots would hide the line. */
const MAX_POINTS = 80;
/** Weight of the vertical distance to the pointer, relative to the horizontal one. */
const FLATTEN = 0.15;

export class PanelChart {
  readonly element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  private readonly svg = select<SVGSVGElement, unknown>(this.element);
  private picture: Picture | null = null;
  private placed: Placed[] = [];
  private x: Axis | null = null;
  private current: Layer | null = null;
  private hair: Layer | null = null;
  private axisTitle: Text | null = null;
  private width = 0;

  /** `pick` is called with the iteration of the point clicked. */
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

  /** Move the mark of the current frame; nothing else is redrawn. */
  mark(current: number | null): void {
    if (this.picture === null || current === this.picture.current) return;
    this.picture = { ...this.picture, current };
    this.rest();
  }

  private redraw(): void {
    const picture = this.picture;
    this.width = this.ownWidth();
    if (picture === null || this.width === 0) return;
    const span = { left: LEFT, right: this.width - RIGHT };
    const values = picture.panels.flatMap((panel) => [...panel.x]);
    const x = axisOver(picture.axis, values, span.left, span.right, X_SPACE);
    this.x = x;
    this.svg.selectAll("*").remove();
    this.svg.attr("aria-label", picture.description);
    let above = 0;
    this.placed = picture.panels.map((panel) => {
      const placed = this.drawPanel(panel, above, span);
      above = placed.floor + SPACE;
      return placed;
    });
    const axes = this.svg.append("g");
    this.axisTitle = drawXAxis(axes, x, this.placed, span);
    drawMarks(axes, x, picture.marks, this.placed, span);
    const height = above - SPACE + BOTTOM;
    this.svg.attr("viewBox", `0 0 ${this.width} ${height}`).attr("height", height);
    this.current = this.upright("current");
    this.hair = this.upright("hair");
    this.rest();
  }

  private ownWidth(): number {
    return Math.round(this.element.getBoundingClientRect().width);
  }

  private drawPanel(panel: Panel, above: number, span: Span): Placed {
    const group = this.svg.append("g");
    const { bottom: ceiling, readouts } = drawHead(group, panel, above, span);
    const edges = { ceiling, floor: ceiling + panel.height };
    const known = panel.series.flatMap((series) => series.y.filter((y): y is number => y !== null && y > 0));
    const y = panel.scale === "share"
      ? shareAxis(edges)
      : axisOver("log", known, edges.floor, edges.ceiling, Y_SPACE);
    drawYAxis(group, y, span);
    const dots = panel.series.map((series) => this.drawSeries(group, panel, series, y));
    return { ...edges, panel, y, readouts, dots };
  }

  private drawSeries(group: Layer, panel: Panel, series: Series, y: Axis): Dot {
    const places = panel.x.map((x, point) => this.placeOf(panel, x, series.y[point] ?? null, y));
    const path = panel.isSmooth ? smoothPath(places) : straightPath(places);
    group.append("path").attr("class", `series ${series.style}`).attr("d", path);
    // What was computed, as opposed to what is drawn between.
    const known = places.filter((place) => place !== null);
    if (panel.isSmooth && known.length <= MAX_POINTS) {
      group.append("path").attr("class", `points ${series.style}`).attr("d", known.map(([x, y]) => dot(x, y)).join(""));
    }
    return group.append("circle").attr("class", `dot series ${series.style}`).attr("r", 3.5);
  }

  private placeOf(panel: Panel, x: number, y: number | null, axis: Axis): [number, number] | null {
    if (y === null || this.x === null || (panel.scale === "log" && y <= 0)) return null;
    return [this.x.place(x), axis.place(y)];
  }

  /** A line through all panels, to be moved into place. */
  private upright(name: string): Layer {
    const group = this.svg.append("g").attr("class", name);
    group.append("line").attr("x1", 0).attr("x2", 0)
      .attr("y1", this.placed[0]?.ceiling ?? 0).attr("y2", this.placed[this.placed.length - 1]?.floor ?? 0);
    return group;
  }

  private follow(event: PointerEvent): void {
    const at = this.iterationAt(event);
    if (at === null) return;
    this.stand(this.hair, at);
    this.read(at);
  }

  /** Without a pointer: show the values of the current frame. */
  private rest(): void {
    const at = this.picture?.current ?? null;
    this.stand(this.hair, null);
    this.stand(this.current, at);
    this.read(at);
  }

  /** The x value of the iteration. */
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
    const { axisTitle = "", axisName = "", formatX = String } = this.picture ?? {};
    const here = this.xOf(at);
    this.axisTitle?.text(here === undefined ? axisTitle : `${axisName} ${formatX(here)}`);
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

  /** The iteration of the point nearest to the pointer, mostly horizontally: a branch may turn back. */
  private iterationAt(event: PointerEvent): number | null {
    const [px, py] = pointer(event, this.element);
    const { placed, x } = this;
    if (x === null || placed.length === 0) return null;
    const under = placed.find(({ floor }) => py <= floor + SPACE / 2) ?? placed[placed.length - 1];
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

function straightPath(places: readonly ([number, number] | null)[]): string {
  return line<[number, number] | null>()
    .defined((place) => place !== null)
    .x((place) => place?.[0] ?? 0)
    .y((place) => place?.[1] ?? 0)(places) ?? "";
}

function pointAt(panel: Panel, iteration: number): number {
  return nearest(panel.at, iteration, (at) => at);
}
