// What the next street looks like after every card: a choice of the card, and a table of all of them.

import { actionClasses } from "../../action_styles";
import { cardSigns, cardSpans } from "../../card_text";
import { Deck } from "../../deck";
import { fill, h } from "../../dom";
import { fixed, percent } from "../../format";
import { mixBar } from "../../mix_bar";
import type { NodePage, RunoutRow, Runouts } from "../../model";
import { SEAT_NAMES } from "./path_strip";

type Order = "card" | "ev" | "equity" | number;

export class RunoutsPanel {
  readonly element = h("section", { class: "spot-runouts", "aria-label": "Next cards" });
  private readonly deck: Deck;
  private canDeal = new Set<string>();
  private readonly table = h("div", { class: "spot-table", tabindex: 0, role: "region", "aria-label": "Every next card" });
  private readonly note = h("p", { class: "soft" });
  private order: Order = "card";

  constructor(private readonly deal: (card: string) => void) {
    this.deck = new Deck("Card to deal", (card) => this.canDeal.has(card) && this.deal(card));
    fill(this.element, h("h2", {}, "Deal a card"), this.deck.element, this.note, this.table);
  }

  /** Show the cards that can be dealt; `runouts` is null until they are known. */
  draw(node: NodePage, runouts: Runouts | null, problem: string | null): void {
    this.canDeal = new Set(node.panels.cards);
    const rowOf = new Map(runouts?.rows.map((row) => [row.card, row]));
    const styles = runouts === null ? [] : actionClasses(runouts.actions);
    this.deck.draw((card) => {
      const row = rowOf.get(card);
      return {
        isDisabled: !this.canDeal.has(card), isChosen: null, label: labelOf(card, row, runouts),
        extra: row && mixBar(row.mix, styles),
      };
    });
    this.note.hidden = runouts !== null;
    this.note.textContent = problem ?? "working out what follows every card …";
    if (runouts === null) fill(this.table);
    else this.drawTable(runouts, styles);
  }

  private drawTable(runouts: Runouts, styles: readonly string[]): void {
    const heads: [Order, string, string | undefined][] = [
      ["card", "card", undefined], ["ev", `EV ${SEAT_NAMES[0]}`, undefined], ["equity", `equity ${SEAT_NAMES[0]}`, undefined],
      ...runouts.actions.map(({ name }, index): [Order, string, string | undefined] => [index, name, styles[index]]),
    ];
    const keyOf = (row: RunoutRow): number => (
      this.order === "card" ? 0 : this.order === "ev" ? (row.ev[0] ?? 0)
        : this.order === "equity" ? (row.equity[0] ?? 0) : (row.mix[this.order] ?? 0));
    const rows = [...runouts.rows].sort((one, other) => keyOf(other) - keyOf(one));
    const mean = (value: (row: RunoutRow) => number | null): number =>
      runouts.rows.reduce((sum, row) => sum + row.weight * (value(row) ?? 0), 0);
    fill(this.table, h("table", {},
      h("caption", { class: "soft" }, `${SEAT_NAMES[runouts.player]} acts first after the card`),
      h("thead", {}, h("tr", {}, ...heads.map(([order, title, style]) => h("th", {
        scope: "col", "aria-sort": order === this.order ? "descending" : "none",
      }, h("button", {
        title: `sort by ${title}`, "data-column": String(order),
        onclick: () => {
          this.order = order;
          this.drawTable(runouts, styles);
          this.table.querySelector<HTMLElement>(`[data-column="${order}"]`)?.focus();
        },
      }, style !== undefined && h("span", { class: `swatch action ${style}`, "aria-hidden": "true" }), title,
      order === this.order && h("span", { class: "arrow", "aria-hidden": "true" }, " ↓")))))),
      h("tbody", {},
        h("tr", { class: "total" }, h("th", { scope: "row" }, "all cards"),
          h("td", {}, fixed(mean((row) => row.ev[0]), 1)), h("td", {}, percent(mean((row) => row.equity[0]))),
          ...runouts.actions.map((_, index) => h("td", {}, percent(mean((row) => row.mix[index] ?? null))))),
        ...rows.map((row) => h("tr", { "data-card": row.card },
          h("th", { scope: "row" }, h("button", { class: "link", onclick: () => this.deal(row.card) }, ...cardSpans(row.card))),
          h("td", {}, fixed(row.ev[0], 1)), h("td", {}, percent(row.equity[0])),
          ...row.mix.map((share, index) => {
            const cell = h("td", { class: `share ${styles[index]}` }, percent(share));
            cell.style.setProperty("--share", `${100 * (share ?? 0)}%`);
            return cell;
          }))))));
  }
}

function labelOf(card: string, row: RunoutRow | undefined, runouts: Runouts | null): string {
  if (row === undefined || runouts === null) return `deal ${cardSigns(card)}`;
  const mix = runouts.actions.map(({ name }, index) => `${name} ${percent(row.mix[index], 0)}`).join(", ");
  return `deal ${cardSigns(card)}: ${mix}`;
}
