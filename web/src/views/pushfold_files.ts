// The chart as files: both grids in one image with a heading, and a table of all hands.

import { create } from "d3-selection";

import { HANDS } from "../charts/hands";
import { downloadCsv, downloadPng, downloadSvg, type Cell } from "../download";
import type { PushFoldChart } from "../model";
import { SIDE } from "../charts/hand_grid";
import { gainOf } from "./pushfold_paint";

const GAP = 32;
const HEAD = 84;

export function csvRows(chart: PushFoldChart): { header: string[]; rows: Cell[][] } {
  const header = ["hand", "combos"];
  for (const { action } of chart.seats) {
    header.push(action, `${action}_ev`, `${action}_fold_ev`, `${action}_gain`, `${action}_regret`);
    if (chart.published !== null) header.push(`${action}_published`);
  }
  const rows = HANDS.map(({ name, combos }, hand) => {
    const row: Cell[] = [name, combos];
    for (const seat of chart.seats) {
      row.push(seat.frequency[hand], seat.ev[hand], seat.fold_ev, gainOf(seat, hand), seat.regret[hand]);
      if (chart.published !== null) row.push(chart.published[seat.action][hand]);
    }
    return row;
  });
  return { header, rows };
}

export function saveCsv(chart: PushFoldChart, name: string): void {
  const { header, rows } = csvRows(chart);
  downloadCsv(header, rows, name);
}

/** Save both grids as they are drawn; `host` is an element in which their styles apply. */
export async function savePicture(
  form: "svg" | "png",
  host: HTMLElement,
  chart: PushFoldChart,
  grids: readonly SVGSVGElement[],
  note: string,
  name: string,
): Promise<void> {
  const picture = compose(chart, grids, note);
  host.append(picture);
  try {
    if (form === "svg") downloadSvg(picture, name);
    else await downloadPng(picture, name);
  } finally {
    picture.remove();
  }
}

function compose(chart: PushFoldChart, grids: readonly SVGSVGElement[], note: string): SVGSVGElement {
  const width = 2 * SIDE + 3 * GAP;
  const height = SIDE + HEAD + GAP;
  const svg = create<SVGSVGElement>("svg:svg").attr("class", "picture").attr("width", width)
    .attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
  svg.append("rect").attr("class", "paper").attr("width", width).attr("height", height);
  svg.append("text").attr("class", "heading").attr("x", GAP).attr("y", 32)
    .text(`Push/fold at ${chart.stack} bb, ${chart.stakes}`);
  svg.append("text").attr("class", "note").attr("x", width - GAP).attr("y", 32).text(note);
  grids.forEach((grid, index) => {
    const left = GAP + index * (SIDE + GAP);
    const seat = chart.seats[index];
    if (seat === undefined) return;
    svg.append("text").attr("class", "subheading").attr("x", left).attr("y", HEAD - 14)
      .text(`${seat.player}: ${seat.action} ${seat.percent.toFixed(2)} % of hands`);
    const part = svg.append("g").attr("class", "grid").attr("data-action", seat.action)
      .attr("transform", `translate(${left},${HEAD})`);
    for (const row of grid.querySelectorAll(".row")) part.node()?.append(row.cloneNode(true));
  });
  const picture = svg.node();
  if (picture === null) throw new Error("the image could not be created");
  return picture;
}
