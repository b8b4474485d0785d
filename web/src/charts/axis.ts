// Axes drawn from positions and labels: one path for all grid lines; labels are joined by their text.

import type { Selection } from "d3-selection";

export interface PlacedTick {
  at: number;
  text: string;
}

export type Side = "bottom" | "left" | "right";
export type Group = Selection<SVGGElement, undefined, null, undefined>;

const OUT = 6;

/** Draw the labels of an axis; the group is already translated to the axis. */
export function drawAxis(group: Group, side: Side, ticks: readonly PlacedTick[], length: number): void {
  const isBottom = side === "bottom";
  const sign = side === "left" ? -1 : 1;
  group.selectAll<SVGPathElement, null>("path.domain").data([null]).join("path")
    .attr("class", "domain").attr("fill", "none").attr("d", isBottom ? `M0,0H${length}` : `M0,0V${length}`);
  group.selectAll<SVGGElement, PlacedTick>("g.tick").data([...ticks], (tick) => tick.text)
    .join((enter) => {
      const tick = enter.append("g").attr("class", "tick");
      tick.append("line").attr(isBottom ? "y2" : "x2", sign * OUT);
      tick.append("text")
        .attr("x", isBottom ? 0 : sign * (OUT + 4)).attr("y", isBottom ? OUT + 4 : 0)
        .attr("dy", isBottom ? "0.71em" : "0.32em")
        .attr("text-anchor", isBottom ? "middle" : side === "left" ? "end" : "start")
        .text((one) => one.text);
      return tick;
    })
    .attr("transform", (tick) => (isBottom ? `translate(${round(tick.at)},0)` : `translate(0,${round(tick.at)})`));
}

/** Lines across the plot as one SVG path. */
export function gridPath(places: readonly number[], length: number, isUpright: boolean): string {
  return places.map((at) => (isUpright ? `M${round(at)},0V${length}` : `M0,${round(at)}H${length}`)).join("");
}

/** On half a pixel, so a line of one pixel is sharp. */
function round(at: number): number {
  return Math.round(at - 0.5) + 0.5;
}
