// Axes of stacked panels, their grid lines, and marks across all panels.

import type { Axis } from "./lines";
import { crisp, GAP, LETTER, type Layer, type Mark, type Span, type Text } from "./panel_model";

/** Upper and lower edge of a plot. */
export interface Edges {
  ceiling: number;
  floor: number;
}

export function shareAxis({ ceiling, floor }: Edges): Axis {
  const place = (share: number): number => floor - share * (floor - ceiling);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => ({ at: place(share), text: `${100 * share} %` }));
  return { place, ticks, gap: null };
}

export function drawYAxis(group: Layer, axis: Axis, { left, right }: Span): void {
  for (const tick of axis.ticks) {
    const place = crisp(tick.at);
    group.append("line").attr("class", "gridline")
      .attr("x1", left).attr("x2", right).attr("y1", place).attr("y2", place);
    group.append("text").attr("text-anchor", "end").attr("x", left - 8).attr("y", place + 4).text(tick.text);
  }
}

/** The x axis below every plot, with numbers below the last one; returns the element of its title. */
export function drawXAxis(group: Layer, axis: Axis, plots: readonly Edges[], { left, right }: Span): Text {
  const bottom = plots[plots.length - 1]?.floor ?? 0;
  for (const { floor } of plots) {
    const y = crisp(floor);
    group.append("line").attr("class", "base").attr("x1", left).attr("x2", right).attr("y1", y).attr("y2", y);
    // A stroke in the background colour breaks the axis between 0 and the logarithm.
    if (axis.gap !== null) {
      group.append("line").attr("class", "break")
        .attr("x1", axis.gap - 3).attr("x2", axis.gap + 3).attr("y1", y).attr("y2", y);
    }
    for (const tick of axis.ticks) {
      group.append("line").attr("class", "tick-line")
        .attr("x1", crisp(tick.at)).attr("x2", crisp(tick.at)).attr("y1", floor).attr("y2", floor + 5);
    }
  }
  for (const tick of axis.ticks) {
    group.append("text").attr("text-anchor", "middle").attr("x", crisp(tick.at)).attr("y", bottom + 18)
      .text(tick.text);
  }
  return group.append("text").attr("class", "axis-title").attr("text-anchor", "end")
    .attr("x", right).attr("y", bottom + 34);
}

/** Dashed lines through all plots, labelled in the last one. */
export function drawMarks(
  group: Layer, axis: Axis, marks: readonly Mark[], plots: readonly Edges[], { left, right }: Span,
): void {
  const last = plots[plots.length - 1];
  marks.forEach((mark, index) => {
    const place = crisp(axis.place(mark.x));
    for (const { ceiling, floor } of plots) {
      group.append("line").attr("class", "mark")
        .attr("x1", place).attr("x2", place).attr("y1", ceiling).attr("y2", floor);
    }
    // To the left if the next mark or the end of the axis is in the way.
    const next = marks[index + 1];
    const width = LETTER * mark.text.length + GAP;
    const isLeft = (next === undefined ? right : axis.place(next.x)) - place < width && place - left > width;
    group.append("text").attr("class", "mark-text").attr("text-anchor", isLeft ? "end" : "start")
      .attr("x", place + (isLeft ? -4 : 4)).attr("y", (last?.ceiling ?? 0) + 12 + 14 * (index % 3))
      .text(mark.text);
  });
}
