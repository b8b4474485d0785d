// The flops of a report as a table, sorted by any column, with the weighted total first.

import { actionClasses } from "../../action_styles";
import { cardSpans } from "../../card_text";
import { fill, h } from "../../dom";
import { count, fixed, percent } from "../../format";
import type { FlopRow, ReportPage } from "../../model";
import { shaded } from "./flop_map";
import { shadesOf, sortedFlops, totalOf, valueOf, type Measure, type Total } from "./flops";

/** Rows that are drawn before somebody asks for the rest. */
const MOST_ROWS = 150;
const SEATS = ["OOP", "IP"] as const;

export type Order = Measure | "flop" | "weight";

export interface TableEvents {
  sort(by: Order): void;
  choose(flop: string): void;
}

interface Column {
  order: Order;
  title: string;
  style?: string | undefined;
}

export class FlopTable {
  readonly element = h("div", { class: "spot-table flop-table", tabindex: 0, role: "region", "aria-label": "Every flop" });
  private isWhole = false;
  private shownOf = "";

  constructor(private readonly events: TableEvents) {}

  draw(page: ReportPage, rows: readonly FlopRow[], by: Order, chosen: string | null): void {
    if (this.shownOf !== page.id) this.isWhole = false;
    this.shownOf = page.id;
    const styles = actionClasses(page.actions);
    const columns = columnsOf(page, styles);
    const total = totalOf(rows, page);
    const sorted = sortedFlops(rows, by);
    const shown = this.isWhole ? sorted : sorted.slice(0, MOST_ROWS);
    const whole = totalOf(page.rows, page);
    const shadeOf = new Map(columns.filter(({ style, order }) => style === undefined && order !== "flop" && order !== "weight")
      .map(({ order }) => [order, shadesOf(page.rows, order as Measure, valueOf(whole, order as Measure))]));
    const cells = (row: FlopRow | Total): HTMLElement[] => columns.slice(1).map(({ order, style }) => {
      const value = order === "weight" ? row.weight : valueOf(row, order as Measure);
      const cell = h("td", { "data-order": order, class: style === undefined ? null : `share ${style}` }, textOf(order, value));
      if (style !== undefined) cell.style.setProperty("--share", `${100 * (value ?? 0)}%`);
      return shaded(cell, "flop" in row ? shadeOf.get(order)?.(value) ?? null : null);
    });
    const focused = this.element.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["column"] : undefined;
    fill(this.element, h("table", {},
      h("thead", {}, h("tr", {}, ...columns.map((column) => this.heading(column, by)))),
      h("tbody", {},
        h("tr", { class: "total" }, h("th", { scope: "row" }, rows.length === 1 ? "1 flop" : `${count(rows.length)} flops`), ...cells(total)),
        ...shown.map((row) => h("tr", { "data-flop": row.flop, "aria-selected": row.flop === chosen ? "true" : null },
          h("th", { scope: "row" }, h("button", { class: "link", type: "button", onclick: () => this.events.choose(row.flop) }, ...cardSpans(row.flop))),
          ...cells(row))))),
    shown.length < sorted.length && h("button", {
      class: "button small all-rows", type: "button",
      onclick: () => {
        this.isWhole = true;
        this.draw(page, rows, by, chosen);
      },
    }, `show all ${count(sorted.length)}`));
    if (focused !== undefined) this.element.querySelector<HTMLElement>(`[data-column="${focused}"]`)?.focus();
  }

  private heading({ order, title, style }: Column, by: Order): HTMLElement {
    return h("th", { scope: "col", "aria-sort": order === by ? "descending" : "none" }, h("button", {
      type: "button", title: `sort by ${title}`, "data-column": order, onclick: () => this.events.sort(order),
    }, style !== undefined && h("span", { class: `swatch action ${style}`, "aria-hidden": "true" }), title,
    order === by && order !== "flop" && h("span", { class: "arrow", "aria-hidden": "true" }, " ↓")));
  }
}

function columnsOf({ actions }: ReportPage, styles: readonly string[]): Column[] {
  const ofSeats = (["ev", "equity", "eqr"] as const).flatMap((name) => SEATS.map((seat, index): Column => ({
    order: `${name} ${index as 0 | 1}`, title: `${{ ev: "EV", equity: "equity", eqr: "EQR" }[name]} ${seat}`,
  })));
  return [
    { order: "flop", title: "flop" }, { order: "weight", title: "weight" },
    ...actions.map(({ name }, index): Column => ({ order: `action ${index}`, title: name, style: styles[index] })), ...ofSeats,
  ];
}

/** A value as cells and tiles show it. */
export function textOf(order: Order, value: number | null): string {
  if (order === "weight") return percent(value, 2);
  if (order.startsWith("ev")) return fixed(value, 1);
  return percent(value, order.startsWith("eqr") ? 0 : 1);
}
