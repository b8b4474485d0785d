// What the next street looks like after every card: a choice of the card, and a table of all of them.

import { actionClasses } from "../../action_styles";
import { cardSigns, cardSpans } from "../../card_text";
import { Deck, type DeckCard } from "../../deck";
import { fill, h } from "../../dom";
import { percent } from "../../format";
import { mixBar } from "../../mix_bar";
import type { NodePage, Player, RunoutRow, Runouts } from "../../model";
import { SEAT_NAMES } from "./path_strip";
import type { Amounts } from "./units";

type Order = "card" | "ev" | "equity" | number;
/** What shades the cards: the action's share, or what a player has. */
type MapOf = "mix" | "ev" | "equity" | `action ${number}`;

export class RunoutsPanel {
  readonly element = h("section", { class: "spot-runouts", "aria-label": "Next cards" });
  private readonly deck: Deck;
  private canDeal = new Set<string>();
  private readonly table = h("div", { class: "spot-table", tabindex: 0, role: "region", "aria-label": "Every next card" });
  private readonly note = h("p", { class: "soft" });
  private readonly of = h("select", { "aria-label": "What the cards are shaded by", onchange: () => this.redraw() });
  private readonly legend = h("span", { class: "soft number" });
  private order: Order = "card";
  private drawn = "";
  private redraw: () => void = () => undefined;

  constructor(private readonly deal: (card: string) => void) {
    this.deck = new Deck("Card to deal", (card) => this.canDeal.has(card) && this.deal(card));
    fill(this.element, h("div", { class: "line" }, h("h2", {}, "Deal a card"), h("label", {}, "shaded by ", this.of), this.legend),
      this.deck.element, this.note, this.table);
  }

  /** Show the cards that can be dealt, for the player at `seat`; `runouts` is null until they are known. */
  draw(node: NodePage, runouts: Runouts | null, problem: string | null, seat: Player, amounts: Amounts): void {
    this.redraw = () => this.draw(node, runouts, problem, seat, amounts);
    this.drawChoices(runouts, seat, amounts);
    const shadeOf = runouts === null ? () => null : this.shades(runouts, seat, amounts);
    this.canDeal = new Set(node.panels.cards);
    const rowOf = new Map(runouts?.rows.map((row) => [row.card, row]));
    const styles = runouts === null ? [] : actionClasses(runouts.actions);
    this.deck.draw((card) => {
      const row = rowOf.get(card);
      return {
        isDisabled: !this.canDeal.has(card), isChosen: null, label: labelOf(card, row, runouts),
        extra: row && this.of.value === "mix" ? mixBar(row.mix, styles) : undefined, shade: row ? shadeOf(row) : null,
      };
    });
    this.note.hidden = runouts !== null;
    this.note.textContent = problem ?? "working out what follows every card …";
    if (runouts === null) fill(this.table);
    else this.drawTable(runouts, styles, seat, amounts);
  }

  private drawChoices(runouts: Runouts | null, seat: Player, amounts: Amounts): void {
    const key = JSON.stringify([runouts?.actions, seat, amounts.heading]);
    this.of.hidden = runouts === null;
    if (key === this.drawn || runouts === null) return;
    this.drawn = key;
    const before = this.of.value;
    const choices: [MapOf, string][] = [
      ["mix", `what ${SEAT_NAMES[runouts.player]} does`], ["ev", `EV of ${SEAT_NAMES[seat]}`], ["equity", `equity of ${SEAT_NAMES[seat]}`],
      ...runouts.actions.map((action, index): [MapOf, string] => [`action ${index}`, `how often ${SEAT_NAMES[runouts.player]}: ${amounts.action(action)}`]),
    ];
    fill(this.of, ...choices.map(([value, text]) => h("option", { value }, text)));
    this.of.value = choices.some(([value]) => value === before) ? before : "ev";
  }

  /** The shade of each card: from the least to the greatest, around the mean of all cards. */
  private shades(runouts: Runouts, seat: Player, amounts: Amounts): (row: RunoutRow) => DeckCard["shade"] {
    const of = this.of.value as MapOf;
    this.legend.hidden = of === "mix";
    if (of === "mix") return () => null;
    const action = Number(of.split(" ")[1]);
    const valueOf = (row: RunoutRow): number | null => (of === "ev" ? row.ev[seat] : of === "equity" ? row.equity[seat] : row.mix[action] ?? null);
    const mean = runouts.rows.reduce((sum, row) => sum + row.weight * (valueOf(row) ?? 0), 0);
    const most = Math.max(1e-9, ...runouts.rows.map((row) => Math.abs((valueOf(row) ?? mean) - mean)));
    const text = (value: number | null): string => (of === "ev" ? amounts.text(value).replace(" %", "") : value === null ? "–" : (100 * value).toFixed(0));
    this.legend.textContent = `${of === "ev" ? amounts.full(mean) : percent(mean)} over all cards: green is more, violet is less`;
    return (row) => {
      const value = valueOf(row);
      return value === null ? null : { tone: value < mean ? "loss" : "gain", strength: Math.abs(value - mean) / most, text: text(value) };
    };
  }

  private drawTable(runouts: Runouts, styles: readonly string[], seat: Player, amounts: Amounts): void {
    const heads: [Order, string, string | undefined][] = [
      ["card", "card", undefined], ["ev", `EV ${SEAT_NAMES[seat]}${amounts.heading}`, undefined], ["equity", `equity ${SEAT_NAMES[seat]}`, undefined],
      ...runouts.actions.map((action, index): [Order, string, string | undefined] => [index, amounts.action(action), styles[index]]),
    ];
    const keyOf = (row: RunoutRow): number => (
      this.order === "card" ? 0 : this.order === "ev" ? (row.ev[seat] ?? 0)
        : this.order === "equity" ? (row.equity[seat] ?? 0) : (row.mix[this.order] ?? 0));
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
          this.drawTable(runouts, styles, seat, amounts);
          this.table.querySelector<HTMLElement>(`[data-column="${order}"]`)?.focus();
        },
      }, style !== undefined && h("span", { class: `swatch action ${style}`, "aria-hidden": "true" }), title,
      order === this.order && h("span", { class: "arrow", "aria-hidden": "true" }, " ↓")))))),
      h("tbody", {},
        h("tr", { class: "total" }, h("th", { scope: "row" }, "all cards"),
          h("td", {}, amounts.text(mean((row) => row.ev[seat]))), h("td", {}, percent(mean((row) => row.equity[seat]))),
          ...runouts.actions.map((_, index) => h("td", {}, percent(mean((row) => row.mix[index] ?? null))))),
        ...rows.map((row) => h("tr", { "data-card": row.card },
          h("th", { scope: "row" }, h("button", { class: "link", onclick: () => this.deal(row.card) }, ...cardSpans(row.card))),
          h("td", {}, amounts.text(row.ev[seat])), h("td", {}, percent(row.equity[seat])),
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
