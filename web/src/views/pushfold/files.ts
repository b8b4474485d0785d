// The chart as files: both grids in one image with a heading, and a table of all hands.

import { create } from "d3-selection";

import { HANDS } from "../../charts/hands";
import { downloadCsv, downloadPng, downloadSvg, type Cell } from "../../download";
import type { NodePage } from "../../model";
import { SIDE } from "../../charts/hand_grid";
import { actionOf, frequencyOf, gainOf, nodesOf, regretOf, valueOf } from "./paint";

const GAP = 32;
const HEAD = 84;

export function csvRows(chart: NodePage): { header: string[]; rows: Cell[][] } {
  const header = ["hand", "combos"];
  const nodes = nodesOf(chart);
  for (const node of nodes) {
    const action = actionOf(node);
    header.push(action, `${action}_ev`, `${action}_fold_ev`, `${action}_gain`, `${action}_regret`);
    if (node.panels.published) header.push(`${action}_published`);
  }
  const rows = HANDS.map(({ name, combos }, hand) => {
    const row: Cell[] = [name, combos];
    for (const node of nodes) {
      row.push(frequencyOf(node, hand), valueOf(node, "played", hand), valueOf(node, "folded", hand), gainOf(node, hand),
        regretOf(node, hand));
      if (node.panels.published) row.push(node.panels.published.hands[hand]);
    }
    return row;
  });
  return { header, rows };
}

export function saveCsv(chart: NodePage, name: string): void {
  const { header, rows } = csvRows(chart);
  downloadCsv(header, rows, name);
}

/** Save both grids as they are drawn; `host` is an element in which their styles apply. */
export async function savePicture(
  form: "svg" | "png",
  host: HTMLElement,
  chart: NodePage,
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

function compose(chart: NodePage, grids: readonly SVGSVGElement[], note: string): SVGSVGElement {
  const width = 2 * SIDE + 3 * GAP;
  const height = SIDE + HEAD + GAP;
  const svg = create<SVGSVGElement>("svg:svg").attr("class", "picture").attr("width", width)
    .attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
  svg.append("rect").attr("class", "paper").attr("width", width).attr("height", height);
  svg.append("text").attr("class", "heading").attr("x", GAP).attr("y", 32)
    .text(`Push/fold at ${chart.panels.stack?.stack} bb, ${chart.panels.stack?.stakes}`);
  svg.append("text").attr("class", "note").attr("x", width - GAP).attr("y", 32).text(note);
  grids.forEach((grid, index) => {
    const left = GAP + index * (SIDE + GAP);
    const node = nodesOf(chart)[index];
    if (node === undefined) return;
    svg.append("text").attr("class", "subheading").attr("x", left).attr("y", HEAD - 14)
      .text(`${node.words} ${percentOf(node)} % of hands`);
    const part = svg.append("g").attr("class", "grid").attr("data-action", actionOf(node))
      .attr("transform", `translate(${left},${HEAD})`);
    for (const row of grid.querySelectorAll(".row")) part.node()?.append(row.cloneNode(true));
  });
  const picture = svg.node();
  if (picture === null) throw new Error("the image could not be created");
  return picture;
}

/** How many of all hands are played, in percent. */
export function percentOf({ mix }: NodePage): string {
  return (100 * (mix?.[1] ?? 0)).toFixed(2);
}
