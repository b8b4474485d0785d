// The total of a session, hand by hand, with its 95 % confidence band.

import { max, min } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { create, type Selection } from "d3-selection";
import { area, line } from "d3-shape";

import type { Point } from "./score";

const [WIDTH, HEIGHT] = [340, 176];
const MARGIN = { top: 24, right: 10, bottom: 32, left: 40 };

export class TotalChart {
  readonly element: SVGSVGElement;
  private readonly svg: Selection<SVGSVGElement, undefined, null, undefined>;

  constructor() {
    this.svg = create<SVGSVGElement>("svg:svg").attr("class", "total-chart")
      .attr("viewBox", `0 0 ${WIDTH} ${HEIGHT}`).attr("role", "img");
    for (const name of ["x", "y"]) this.svg.append("g").attr("class", `axis ${name}`);
    this.svg.append("line").attr("class", "zero");
    this.svg.append("path").attr("class", "band");
    this.svg.append("path").attr("class", "total");
    this.svg.append("circle").attr("class", "now").attr("r", 3);
    this.svg.append("text").attr("class", "title x").text("hands")
      .attr("x", WIDTH - MARGIN.right).attr("y", HEIGHT - 3);
    this.svg.append("text").attr("class", "title y").attr("x", 2).attr("y", 11);
    const element = this.svg.node();
    if (element === null) throw new Error("the chart could not be created");
    this.element = element;
  }

  draw(points: readonly Point[], unit: string): void {
    const last = points[points.length - 1];
    if (last === undefined) return;
    const x = scaleLinear([0, Math.max(2, last.hands)], [MARGIN.left, WIDTH - MARGIN.right]);
    const y = scaleLinear(this.domain(points), [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4);
    const whole = x.ticks(6).filter(Number.isInteger);
    this.svg.select<SVGGElement>(".axis.x").attr("transform", `translate(0,${HEIGHT - MARGIN.bottom})`)
      .call(axisBottom(x).tickValues(whole).tickFormat(String).tickSizeOuter(0));
    this.svg.select<SVGGElement>(".axis.y").attr("transform", `translate(${MARGIN.left},0)`)
      .call(axisLeft(y).ticks(4).tickSizeOuter(0));
    this.svg.select(".zero").attr("x1", MARGIN.left).attr("x2", WIDTH - MARGIN.right)
      .attr("y1", y(0)).attr("y2", y(0));
    this.svg.select(".band").attr("d", area<Point>((point) => x(point.hands), (point) => y(point.low),
      (point) => y(point.high))(points));
    this.svg.select(".total").attr("d", line<Point>((point) => x(point.hands), (point) => y(point.total))(points));
    this.svg.select(".now").attr("cx", x(last.hands)).attr("cy", y(last.total));
    this.svg.select(".title.y").text(`total, ${unit}, with 95 % band`);
    this.svg.attr("aria-label", `total of ${last.total.toFixed(2)} ${unit} after ${last.hands} hands`);
  }

  private domain(points: readonly Point[]): [number, number] {
    const [low, high] = [min(points, (point) => point.low) ?? 0, max(points, (point) => point.high) ?? 0];
    return [Math.min(-1, low), Math.max(1, high)];
  }
}
