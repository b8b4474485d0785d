// A map of flops, shaded by one measure: a tile per flop, or 13 × 13 groups by the two highest ranks if there are many.

import { cardSigns, cardSpans } from "../../card_text";
import { fill, h } from "../../dom";
import type { FlopRow } from "../../model";
import { cellOf, RANKS, shadesOf, totalOf, valueOf, type Measure } from "./flops";

const MOST_TILES = 120;
/** The strongest shade, in percent of its colour. */
const STRONGEST = 40;

export interface Mapped {
  rows: readonly FlopRow[];
  page: { actions: { name: string; kind: string; amount: number | null }[]; pot_here: number };
  measure: Measure;
  /** Of all flops of the report. */
  mean: number | null;
  text: (value: number | null) => string;
  chosen: string | null;
}

export class FlopMap {
  readonly element = h("div", { class: "flop-map" });

  constructor(private readonly choose: (flop: string) => void, private readonly narrow: (ranks: string) => void) {}

  draw(mapped: Mapped): void {
    const isTiled = mapped.rows.length <= MOST_TILES;
    this.element.dataset["kind"] = isTiled ? "tiles" : "ranks";
    if (isTiled) this.drawTiles(mapped);
    else this.drawRanks(mapped);
  }

  private drawTiles({ rows, measure, mean, text, chosen }: Mapped): void {
    const shadeOf = shadesOf(rows, measure, mean);
    fill(this.element, ...rows.map((row) => {
      const value = valueOf(row, measure);
      const tile = h("button", {
        type: "button", class: "flop-tile", "data-flop": row.flop, "aria-pressed": String(row.flop === chosen),
        "aria-label": `${cardSigns(row.flop)}: ${text(value)}`, onclick: () => this.choose(row.flop),
      }, h("span", { class: "cards" }, ...cardSpans(row.flop)), h("span", { class: "number" }, text(value)));
      return shaded(tile, shadeOf(value));
    }));
  }

  private drawRanks({ rows, page, measure, mean, text }: Mapped): void {
    const groups = new Map<string, FlopRow[]>();
    for (const row of rows) groups.set(cellOf(row.flop), [...(groups.get(cellOf(row.flop)) ?? []), row]);
    const meanOf = (group: readonly FlopRow[]): number | null => valueOf(totalOf(group, page as Parameters<typeof totalOf>[1]), measure);
    const shadeOf = shadesOf(rows, measure, mean);
    const cells = [...RANKS].flatMap((row, i) => [...RANKS].map((column, j) => {
      const name = i === j ? row + row : i < j ? `${row}${column}s` : `${column}${row}o`;
      const group = groups.get(name) ?? [];
      const words = i === j ? `${row}${row}x` : `${i < j ? row : column}${i < j ? column : row}x`;
      const value = group.length === 0 ? null : meanOf(group);
      const kind = i === j ? "paired" : i < j ? "two-tone or monotone" : "rainbow";
      const cell = h("button", {
        type: "button", class: "flop-cell", "data-ranks": name, disabled: group.length === 0,
        title: `${words}, ${kind}: ${group.length} flops`, "aria-label": `${words}, ${kind}: ${text(value)}, ${group.length} flops`,
        onclick: () => this.narrow(name),
      }, h("span", {}, words), h("span", { class: "number" }, group.length === 0 ? "" : text(value).replace(" %", "")));
      return shaded(cell, shadeOf(value));
    }));
    fill(this.element, ...cells);
  }
}

/** Green above the mean, violet below, stronger further from it. */
export function shaded<T extends HTMLElement>(element: T, shade: number | null): T {
  if (shade !== null) {
    element.dataset["tone"] = shade < 0 ? "loss" : "gain";
    element.style.setProperty("--strength", `${Math.round(STRONGEST * Math.abs(shade))}%`);
  }
  return element;
}
