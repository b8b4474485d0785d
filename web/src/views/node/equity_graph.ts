// The distribution of equity of both ranges: for each percent of a range, weakest hands first, the equity of the hand.

import { create, type Selection } from "d3-selection";

import { h } from "../../dom";
import { percent } from "../../format";
import type { RangeFacts } from "../../model";

const [WIDTH, HEIGHT] = [360, 230];
const SIDES = { left: 50, right: 16, top: 10, bottom: 34 };
const STEPS = [0, 0.25, 0.5, 0.75, 1];

export class EquityGraph {
  readonly element: HTMLElement;
  readonly svg: SVGSVGElement;
  private readonly plot: Selection<SVGGElement, undefined, null, undefined>;
  private readonly readout = h("p", { class: "soft number", role: "status" });
  private readonly hair: Selection<SVGLineElement, undefined, null, undefined>;
  private curves: readonly (readonly number[])[] = [];
  private seats: readonly [string, string] = ["", ""];

  constructor() {
    const svg = create<SVGSVGElement>("svg:svg").attr("class", "equity-graph").attr("viewBox", `0 0 ${WIDTH} ${HEIGHT}`)
      .attr("role", "img").attr("tabindex", 0);
    const axes = svg.append("g").attr("class", "axes");
    for (const step of STEPS) {
      axes.append("line").attr("class", "gridline").attr("x1", x(0)).attr("x2", x(1)).attr("y1", y(step)).attr("y2", y(step));
      axes.append("text").attr("text-anchor", "end").attr("x", x(0) - 6).attr("y", y(step) + 4).text(`${100 * step} %`);
      axes.append("text").attr("text-anchor", step === 1 ? "end" : "middle").attr("x", x(step)).attr("y", y(0) + 16).text(String(100 * step));
    }
    axes.append("text").attr("text-anchor", "middle").attr("x", x(0.5)).attr("y", HEIGHT - 4)
      .text("percent of the range, weakest hands first");
    this.plot = svg.append("g");
    this.hair = svg.append("line").attr("class", "hair").attr("y1", y(0)).attr("y2", y(1)).attr("visibility", "hidden");
    const element = svg.node();
    if (element === null) throw new Error("the graph could not be created");
    this.svg = element;
    element.addEventListener("pointermove", (event) => this.point(event));
    element.addEventListener("pointerleave", () => this.read(null));
    element.addEventListener("keydown", (event) => this.key(event));
    this.element = h("div", { class: "equity-part" }, element, this.readout);
  }

  draw(facts: RangeFacts, seats: readonly [string, string]): void {
    this.curves = facts.sides.map(({ curve }) => curve);
    this.seats = seats;
    const lines = this.curves.map((curve) => curve.map((equity, index) => (
      `${x(index / (curve.length - 1)).toFixed(1)},${y(equity).toFixed(1)}`)).join("L"));
    this.plot.selectAll<SVGPathElement, string>("path").data(lines).join("path")
      .attr("class", (_, seat) => `curve seat-${seat}`).attr("d", (line) => (line === "" ? null : `M${line}`));
    this.svg.setAttribute("aria-label", `Equity by percent of the range: ${this.words(50)}`);
    this.read(null);
  }

  private at = 50;

  private point(event: PointerEvent): void {
    const box = this.svg.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH;
    this.read(Math.round((100 * (place - SIDES.left)) / (WIDTH - SIDES.left - SIDES.right)));
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.read(this.at + by);
  }

  private read(place: number | null): void {
    if (place !== null) this.at = Math.max(0, Math.min(100, place));
    this.hair.attr("visibility", place === null ? "hidden" : "visible").attr("x1", x(this.at / 100)).attr("x2", x(this.at / 100));
    this.readout.textContent = this.words(place === null ? 50 : this.at);
  }

  private words(place: number): string {
    const read = this.seats.map((seat, index) => `${seat} ${percent(this.curves[index]?.[place])}`).join(", ");
    return place === 50 ? `the middle hand: ${read}` : `at ${place} % of the range: ${read}`;
  }
}

function x(share: number): number {
  return SIDES.left + share * (WIDTH - SIDES.left - SIDES.right);
}

function y(equity: number): number {
  return SIDES.top + (1 - equity) * (HEIGHT - SIDES.top - SIDES.bottom);
}
