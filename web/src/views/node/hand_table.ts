// The hands of a range as a table that sorts by any column: weight, equity, EV, EQR and the mix of actions.

import { actionClasses } from "../../action_styles";
import { cardSpans } from "../../card_text";
import { fill, h } from "../../dom";
import type { NodePage, NodeSide } from "../../model";
import { COLUMNS, gainsOf, lockedSign, sortedHands, type Mode, type Shown } from "./cells";
import type { Amounts } from "./units";

const TITLES: Record<(typeof COLUMNS)[number], string> = {
  hand: "hand", weight: "wt %", equity: "eq %", ev: "EV", eqr: "EQR",
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

  draw(node: NodePage, side: NodeSide, order: string, { mode, amounts }: Pick<Shown, "mode" | "amounts">): void {
    const styles = actionClasses(node.actions);
    const actions = side.mix.length > 0 ? node.actions : [];
    const hands = sortedHands(node, side, order);
    const focused = document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement)
      ? document.activeElement.dataset["column"] : undefined;
    const locked = new Set(side.columns.locked);
    const columns = COLUMNS.filter((name) => name === "hand" || name === "weight" || side.columns[name] !== undefined);
    const text = actionText(side, mode, amounts);
    const titles: Record<string, string> = { ...TITLES, ev: `EV${amounts.heading}` };
    const body = h("tbody");
    this.more = () => {
      const from = body.childElementCount;
      body.append(...hands.slice(from, from + ROWS).map((hand) => rowOf(side, hand, { columns, styles, locked, amounts, text })));
      this.observer.unobserve(this.end);
      if (body.childElementCount < hands.length) this.observer.observe(this.end);
    };
    fill(this.element,
      h("table", {},
        h("thead", {}, h("tr", {},
          ...columns.map((name) => this.head(name, titles[name] ?? name, order, undefined)),
          ...actions.map((action, index) => this.head(action.name, amounts.action(action), order, styles[index])))),
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

interface Row {
  columns: readonly (typeof COLUMNS)[number][];
  styles: readonly string[];
  locked: ReadonlySet<number>;
  amounts: Amounts;
  /** What the cell of an action says. */
  text: (action: number, hand: number) => string;
}

/** How often an action is taken, what it is worth, or what it gains over the best other one. */
function actionText(side: NodeSide, mode: Mode, amounts: Amounts): Row["text"] {
  if (side.values === null || mode === "strategy" || mode === "equity") {
    return (action, hand) => (100 * (side.mix[action]?.[hand] ?? 0)).toFixed(1);
  }
  const gains = mode === "gain" ? side.mix.map((_, action) => gainsOf(side, action)) : null;
  return (action, hand) => amounts.text((gains ?? side.values)?.[action]?.[hand], 2).replace(" %", "");
}

function rowOf(side: NodeSide, hand: number, { columns, styles, locked, amounts, text }: Row): HTMLElement {
  const texts: Record<(typeof COLUMNS)[number], () => string> = {
    hand: () => "", weight: () => (100 * (side.reach?.[hand] ?? 0)).toFixed(0), equity: () => share(side.columns.equity?.[hand]),
    ev: () => amounts.text(side.columns.ev?.[hand], 2).replace(" %", ""), eqr: () => share(side.columns.eqr?.[hand], 0),
  };
  return h("tr", { "data-hand": side.hand[hand] },
    h("th", { scope: "row" }, ...cardSpans(side.hand[hand] ?? ""), locked.has(hand) && lockedSign()),
    ...columns.slice(1).map((name) => h("td", {}, texts[name]())),
    ...side.mix.map((row, action) => {
      const cell = h("td", { class: `share ${styles[action]}` }, text(action, hand));
      cell.style.setProperty("--share", `${100 * (row[hand] ?? 0)}%`);
      return cell;
    }));
}

/** Percent without their sign, which the heading has. */
function share(value: number | null | undefined, decimals = 1): string {
  return value === null || value === undefined || !Number.isFinite(value) ? "–" : (100 * value).toFixed(decimals);
}
