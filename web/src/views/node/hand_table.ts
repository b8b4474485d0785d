// The hands of a range as a table that sorts by any column: weight, equity, EV, EQR and the mix of actions.

import { actionClasses } from "../../action_styles";
import { cardSpans } from "../../card_text";
import { fill, h } from "../../dom";
import { fixed, percent } from "../../format";
import type { NodePage, NodeSide } from "../../model";
import { COLUMNS, lockedSign, sortedHands } from "./cells";

const TITLES: Record<(typeof COLUMNS)[number], string> = {
  hand: "hand", weight: "weight", equity: "equity", ev: "EV", eqr: "EQR",
};
/** Rows drawn at a time; scrolling near the end draws more, so a node appears sooner. */
const ROWS = 32;
const NEAR = "600px";

export class HandTable {
  readonly element = h("div", { class: "spot-table", tabindex: 0, role: "region", "aria-label": "Hands" });
  private readonly end = h("div", { class: "end", "aria-hidden": "true" });
  private more: () => void = () => undefined;
  private readonly observer = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) this.more();
  }, { root: this.element, rootMargin: NEAR });

  constructor(private readonly sort: (order: string) => void) {}

  draw(node: NodePage, side: NodeSide, order: string): void {
    const styles = actionClasses(node.actions);
    const actions = side.mix.length > 0 ? node.actions : [];
    const hands = sortedHands(node, side, order);
    const focused = document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement)
      ? document.activeElement.dataset["column"] : undefined;
    const locked = new Set(side.columns.locked);
    const body = h("tbody");
    this.more = () => {
      const from = body.childElementCount;
      body.append(...hands.slice(from, from + ROWS).map((hand) => rowOf(side, hand, styles, locked)));
      this.observer.unobserve(this.end);
      if (body.childElementCount < hands.length) this.observer.observe(this.end);
    };
    fill(this.element,
      h("table", {},
        h("thead", {}, h("tr", {},
          ...COLUMNS.map((name) => this.head(name, TITLES[name], order, undefined)),
          ...actions.map(({ name }, index) => this.head(name, name, order, styles[index])))),
        body),
      this.end);
    this.more();
    if (focused !== undefined) this.element.querySelector<HTMLElement>(`[data-column="${CSS.escape(focused)}"]`)?.focus();
  }

  private head(name: string, title: string, order: string, style: string | undefined): HTMLElement {
    const [isDown, isUp] = [order === name, order === `-${name}`];
    return h("th", { scope: "col", "aria-sort": isDown ? "descending" : isUp ? "ascending" : "none" },
      h("button", {
        "data-column": name, title: `sort by ${title}`, onclick: () => this.sort(isDown ? `-${name}` : name),
      }, style !== undefined && h("span", { class: `swatch action ${style}`, "aria-hidden": "true" }), title,
      h("span", { class: "arrow", "aria-hidden": "true" }, isDown ? " ↓" : isUp ? " ↑" : "")));
  }
}

function rowOf(side: NodeSide, hand: number, styles: readonly string[], locked: ReadonlySet<number>): HTMLElement {
  return h("tr", { "data-hand": side.hand[hand] },
    h("th", { scope: "row" }, ...cardSpans(side.hand[hand] ?? ""), locked.has(hand) && lockedSign()),
    h("td", {}, percent(side.reach?.[hand])),
    h("td", {}, percent(side.columns.equity?.[hand])),
    h("td", {}, fixed(side.columns.ev?.[hand], 2)),
    h("td", {}, percent(side.columns.eqr?.[hand], 0)),
    ...side.mix.map((row, action) => {
      const cell = h("td", { class: `share ${styles[action]}`, title: `EV ${fixed(side.values?.[action]?.[hand], 2)}` },
        percent(row[hand]));
      cell.style.setProperty("--share", `${100 * (row[hand] ?? 0)}%`);
      return cell;
    }));
}
