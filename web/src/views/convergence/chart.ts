// The convergence chart: exploitability on the left axis, for one or more runs; for a single run also a
// second measure on the right axis. Compared runs have their names at the ends of their lines, and one of
// them can be lifted out of the others. Changes are drawn in the next animation frame; new rows are added
// to the lines, and everything else is redrawn only if an axis has moved.

import { create, pointer } from "d3-selection";

import { firstFrom } from "../../charts/lookup";
import { type Mark, marksOf } from "../../charts/marks";
import type { Domain } from "../../charts/domain";
import { isRare } from "../../charts/measures";
import { isSamePlane, type Plane, planeOf, type Settings } from "../../charts/plane";
import { freshId, h } from "../../dom";
import { count, short } from "../../format";
import type { FrameInfo, ProgressRow } from "../../model";
import { Axes, sideOf } from "./axes";
import { drawLegend, legendOf } from "./legend";
import { drawMarks, drawTarget } from "./marks";
import { drawNames, type LineEnd, placeNames, roomForNames } from "./names";
import { EDGE, Overlay } from "./overlay";
import { Scene, type ShownRun } from "./scene";
import { drawableRows, Series } from "./series";
import { Zoom } from "./zoom";
import { labelsOf } from "../runs/labels";
import { colourOf } from "../runs/shown";

const BOTTOM = 42;
const TITLES = 24;
const MARKS = 16;
const SMALLEST = 80;
const NOTHING: Settings = { x: "iteration", isLog: true, isLogY: true, second: null };
/** A narrower chart has no room for names beside the lines. */
const NAMES_FROM = 560;
/** The distance in pixels at which the pointer lifts a line. */
const NEAR = 24;

export class ConvergenceChart {
  readonly element: HTMLElement;
  readonly svg: SVGSVGElement;
  /** Called when the reading line has moved, with its x or null. */
  onRead: (x: number | null) => void = () => {};
  onZoom: (isZoomed: boolean) => void = () => {};
  /** Called when everything was redrawn, maybe with another window of x. */
  onDraw: () => void = () => {};
  /** Called when the pointer comes near the line of a compared run, or leaves it. */
  onLift: (run: string | null) => void = () => {};

  private runs: readonly ShownRun[] = [];
  private settings: Settings = NOTHING;
  private frame: FrameInfo | null = null;
  private reading: number | null = null;
  private lifted: string | null = null;
  private hasNames = false;
  /** The run that the page shows; another one has another window of x. */
  private home: string | null = null;

  private readonly root = create<SVGSVGElement>("svg:svg").attr("class", "plot").attr("role", "img");
  private readonly clip = this.root.append("clipPath").attr("id", freshId("plot"));
  private readonly legend = this.root.append("g").attr("class", "legend").attr("transform", "translate(4,0)");
  private readonly area = this.root.append("g").attr("class", "area");
  private readonly under = this.area.append("g");
  private readonly marks = this.area.append("g").attr("class", "marks");
  private readonly target = this.area.append("g").attr("class", "target");
  private readonly lines = this.area.append("g").attr("class", "lines");
  private readonly names = this.area.append("g").attr("class", "names");
  private readonly overlay = new Overlay(this.area.append("g"));
  private readonly axes = new Axes(this.under, this.area.append("g"));
  private readonly note = this.area.append("text").attr("class", "note").attr("text-anchor", "middle");
  private readonly catcher = this.area.append("rect").attr("class", "catcher").attr("fill", "transparent");
  private readonly clipped = this.clip.append("rect");
  private readonly series = new Map<string, Series>();
  private readonly zoom: Zoom;

  private scene = new Scene(NOTHING, null, { left: 0, right: 0, top: 0, width: 0, height: 0 });
  private markKey = "";
  private isStale = true;
  /** The rows drawn, by run; thinning or resuming replaces the array. */
  private drawn: (readonly ProgressRow[])[] = [];
  private request = 0;

  constructor() {
    const svg = this.root.node();
    if (svg === null) throw new Error("this browser does not support SVG");
    this.svg = svg;
    this.lines.attr("clip-path", `url(#${this.clip.attr("id")})`);
    this.element = h("div", {
      class: "chart", tabindex: 0, role: "group",
      "aria-label": "Convergence chart. Arrow keys move the reading line, plus and minus zoom, 0 shows all.",
      onkeydown: (event: KeyboardEvent) => this.key(event),
      onblur: () => this.read(null),
    }, svg);
    this.zoom = new Zoom(this.catcher, () => {
      this.onZoom(this.zoom.window !== null);
      this.draw();
    });
    this.catcher
      .on("pointermove pointerdown", (event: PointerEvent) => {
        const [x, y] = pointer(event);
        this.readAt(x);
        this.lift(this.nearestLine(x, y));
      })
      .on("pointerleave", (event: PointerEvent) => {
        this.lift(null);
        // Lifting a finger ends the pointer too, but the reading line stays.
        if (event.pointerType === "mouse") this.read(null);
      });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Show these runs with these settings; `home` is the run that the page shows, which may be hidden. */
  show(runs: readonly ShownRun[], settings: Settings, home: string): void {
    const { x, isLog } = this.settings;
    const isOther = settings.x !== x || settings.isLog !== isLog || home !== this.home;
    this.home = home;
    this.runs = runs;
    this.settings = settings;
    if (isOther) {
      this.zoom.set(null);
      this.read(null);
    }
    this.draw();
  }

  /** New rows have arrived. */
  append(): void {
    this.ask();
  }

  /** Set the frame of a replay; null is the end. */
  showFrame(frame: FrameInfo | null): void {
    if (frame === this.frame) return;
    this.frame = frame;
    this.ask();
  }

  resetZoom(): void {
    this.zoom.set(null);
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    this.request = 0;
    this.read(null);
  }

  /** Lift one of several runs out of the others; null puts it back. */
  lift(run: string | null): void {
    if (run === this.lifted) return;
    this.lifted = run;
    this.markLifted();
    this.onLift(run);
  }

  /** The visible window of x. */
  get window(): Domain | null {
    return this.scene.plane?.x ?? null;
  }

  /** The nearest row of each run at x. */
  rowsAt(x: number): (ProgressRow | null)[] {
    return this.runs.map(({ run }) => run.rows[this.scene.nearest(run.rows, x)] ?? null);
  }

  private draw(): void {
    this.isStale = true;
    this.ask();
  }

  private ask(): void {
    if (this.request === 0) this.request = requestAnimationFrame(() => this.render());
  }

  private render(): void {
    this.request = 0;
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth < SMALLEST || clientHeight < SMALLEST) return;
    const main = this.runs[0]?.run;
    const tracks = this.runs.map(({ run: { rows, detail } }) => (
      { rows, isRunning: detail.status === "running", target: detail.stop.target }));
    const plane = planeOf(tracks, this.settings, this.zoom.window);
    const marks = main === undefined ? [] : marksOf(main.rows, main.detail.folds);
    const markKey = marks.map((mark) => `${mark.row}:${mark.beta}`).join();
    const isMoved = !isSamePlane(plane, this.scene.plane) || (markKey === "") !== (this.markKey === "");
    const isOther = this.runs.some(({ run }, index) => run.rows !== this.drawn[index]);
    this.drawn = this.runs.map(({ run }) => run.rows);
    const isDrawnAnew = this.isStale || isMoved || isOther;
    if (isDrawnAnew) this.drawAll(clientWidth, clientHeight, plane, marks);
    else {
      if (markKey !== this.markKey) drawMarks(this.marks, this.scene, main?.rows ?? [], marks);
      for (const { run } of this.runs) {
        for (const kind of ["exploitability", "second"]) this.series.get(`${run.id}|${kind}`)?.append(run.rows);
      }
    }
    this.isStale = false;
    this.markKey = markKey;
    this.drawNames();
    this.overlay.drawFrame(this.scene, this.runs[0], this.frame);
    const read = this.reading === null ? [] : this.rowsAt(this.reading);
    this.overlay.drawHair(this.scene, this.runs, read, this.reading);
    this.describe();
    if (isDrawnAnew) this.onDraw();
  }

  private drawAll(width: number, height: number, plane: Plane | null, marks: readonly Mark[]): void {
    this.root.attr("viewBox", `0 0 ${width} ${height}`).attr("width", width).attr("height", height);
    const hasRight = plane !== null && plane.right !== null;
    const above = marks.length > 0 ? MARKS : 4;
    const legend = legendOf(this.runs, hasRight ? this.settings.second : null);
    const top = drawLegend(this.legend, legend, width - 8) + TITLES + above;
    const inner = Math.max(1, height - top - BOTTOM);
    // The plot does not get wider while zooming: it would move away from under the pointer.
    const least = this.zoom.window === null ? { left: 0, right: 0 } : this.scene.room;
    const { isLogY } = this.settings;
    const left = Math.max(least.left, sideOf(plane?.left ?? null, isLogY, inner));
    this.hasNames = width >= NAMES_FROM;
    const beside = this.hasNames ? roomForNames(this.labels()) : 0;
    const right = Math.max(least.right, beside, sideOf(plane?.right ?? null, isLogY, inner));
    const room = { left, right, top, width: Math.max(1, width - left - right), height: inner };
    const scene = new Scene(this.settings, plane, room);
    this.scene = scene;
    this.area.attr("transform", `translate(${room.left},${room.top})`);
    this.catcher.attr("width", room.width).attr("height", room.height);
    // Slightly larger than the plot, for lines and dots on its edge.
    this.clipped.attr("x", -EDGE).attr("y", -EDGE)
      .attr("width", room.width + 2 * EDGE).attr("height", room.height + 2 * EDGE);
    const main = this.runs[0]?.run;
    const unit = [...new Set(this.runs.map(({ run }) => run.detail.unit))].join(", ");
    this.axes.draw(scene);
    this.axes.drawTitles(scene, unit, above + 9, BOTTOM - 5);
    drawMarks(this.marks, scene, main?.rows ?? [], marks);
    drawTarget(this.target, scene, main?.detail.stop.target ?? null);
    this.drawLines();
    this.note.attr("x", room.width / 2).attr("y", room.height / 2).text(this.noteText());
    this.zoom.sync(scene);
  }

  private drawLines(): void {
    const { scene } = this;
    const { plane } = scene;
    for (const series of this.series.values()) series.remove();
    this.series.clear();
    if (plane === null) return;
    // Compared runs first, so the current run is on top.
    for (const { run, position } of [...this.runs].reverse()) {
      const isFromZero = plane.zero !== null && plane.x[0] <= plane.zero;
      const first = isFromZero ? 0 : Math.max(0, firstFrom(run.rows, plane.x[0], scene.xOf) - 1);
      for (const kind of ["second", "exploitability"] as const) {
        const y = kind === "second" ? scene.rightOf : scene.leftOf;
        const series = new Series(this.lines, kind, position, run.id);
        this.series.set(`${run.id}|${kind}`, series);
        const isJoined = kind === "second" && isRare(scene.settings.second);
        series.draw(run.rows, first, { x: scene.placeRow, y, isJoined, width: scene.room.width });
      }
    }
  }

  /** The names of compared runs; none for a single run. */
  private labels(): string[] {
    return this.runs.length < 2 ? [] : labelsOf(this.runs.map(({ run }) => run.detail));
  }

  private drawNames(): void {
    const { scene } = this;
    const labels = this.hasNames ? this.labels() : [];
    const ends = labels.flatMap((text, index): LineEnd[] => {
      const shown = this.runs[index];
      const last = shown === undefined ? undefined : lastInSight(scene, shown.run.rows);
      if (shown === undefined || last === undefined) return [];
      const [x, y] = [scene.placeRow(last), scene.leftOf(last) ?? 0];
      return [{ id: shown.run.id, text, colour: colourOf(shown.position), x, y }];
    });
    drawNames(this.names, placeNames(ends, scene.room.height), scene.room.width);
    this.markLifted();
  }

  private markLifted(): void {
    const { lifted } = this;
    this.root.classed("lifting", lifted !== null && this.runs.length > 1);
    this.root.selectAll<SVGElement, unknown>("[data-of]")
      .classed("lifted", function isLifted() { return this.dataset["of"] === lifted; });
    // Above the others.
    if (lifted !== null) this.lines.selectAll<SVGElement, unknown>(".lifted").raise();
  }

  /** The run whose line is nearest to a position, if one is near. */
  private nearestLine(x: number, y: number): string | null {
    const { scene } = this;
    if (scene.x === null || this.runs.length < 2) return null;
    let [found, least]: [string | null, number] = [null, NEAR];
    const value = scene.x.invert(x);
    for (const { run } of this.runs) {
      const row = run.rows[scene.nearest(run.rows, value)];
      const place = row === undefined ? null : scene.leftOf(row);
      if (row === undefined || place === null || Math.abs(scene.placeRow(row) - x) > 2 * NEAR) continue;
      const distance = Math.abs(place - y);
      if (distance < least) [found, least] = [run.id, distance];
    }
    return found;
  }

  /** Why the chart is empty, if it is. */
  private noteText(): string {
    if (this.scene.yLeft !== null) return "";
    const rows = this.runs.flatMap(({ run }) => run.rows);
    if (rows.length === 0) {
      const isRunning = this.runs.some(({ run }) => run.detail.status === "running");
      return isRunning ? "waiting for the first measurement" : this.runs.length === 0 ? "all runs are hidden" : "no measurements";
    }
    if (rows.every((row) => row.exploitability === 0)) return "exploitability is exactly 0, which a logarithmic axis cannot show";
    if (rows.every((row) => row.exploitability === null)) return "exploitability was not measured";
    return "no exploitability above 0 in this window";
  }

  /** Describe the chart in words, and for tests in numbers. */
  private describe(): void {
    const main = this.runs[0]?.run;
    const last = main?.rows[main.rows.length - 1];
    this.svg.dataset["points"] = String(drawableRows(main?.rows ?? []));
    const words = main === undefined || last === undefined ? "no rows yet"
      : `${main.detail.title} by ${main.detail.method}: exploitability ${short(last.exploitability)} `
        + `${main.detail.unit} after ${count(last.iteration)} iterations`;
    const others = this.runs.length > 1 ? `, compared with ${this.runs.length - 1} more` : "";
    this.root.attr("aria-label", `Convergence of ${words}${others}`);
  }

  /** Move the reading line to the row of the main run nearest to a position, preferably a visible row. */
  private readAt(at: number): void {
    const { scene } = this;
    const rows = this.runs[0]?.run.rows ?? [];
    const index = scene.x === null ? -1 : scene.nearest(rows, scene.x.invert(at));
    const row = [index, index - 1, index + 1].map((one) => rows[one]).find((one) => one && scene.isInSight(one))
      ?? rows[index];
    this.read(row === undefined ? null : scene.xOf(row));
  }

  private read(x: number | null): void {
    if (x === this.reading) return;
    this.reading = x;
    this.onRead(x);
    this.ask();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.runs[0]?.run.rows ?? [];
    const last = rows.length - 1;
    const now = this.reading === null ? last : this.scene.nearest(rows, this.reading);
    const by = this.reading === null ? 0 : event.shiftKey ? 10 : 1;
    const readRow = (index: number): void => {
      const row = rows[Math.max(0, Math.min(last, index))];
      if (row === undefined) return;
      // Rows at the same x count as one position.
      const isSame = by > 0 && this.scene.xOf(row) === this.reading;
      if (isSame && index > now && index < last) readRow(index + 1);
      else this.read(this.scene.xOf(row));
    };
    const middle = this.reading === null ? this.scene.room.width / 2 : this.scene.place(this.reading);
    if (event.key === "ArrowLeft") readRow(now - by);
    else if (event.key === "ArrowRight") readRow(now + by);
    else if (event.key === "Home") readRow(0);
    else if (event.key === "End") readRow(last);
    else if (event.key === "+" || event.key === "=") this.zoom.by(1.5, middle);
    else if (event.key === "-") this.zoom.by(1 / 1.5, middle);
    else if (event.key === "0") this.resetZoom();
    else if (event.key === "Escape") this.read(null);
    else return;
    event.preventDefault();
  }
}

function lastInSight(scene: Scene, rows: readonly ProgressRow[]): ProgressRow | undefined {
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (row !== undefined && scene.leftOf(row) !== null && scene.isInSight(row)) return row;
  }
  return undefined;
}
