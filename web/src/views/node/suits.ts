// The suits of a chosen cell: every combo of the class that the board leaves, with its mix, its weight and, if they are
// known, EV and equity.

import { actionClasses } from "../../action_styles";
import { cardSpans, cardsOf } from "../../card_text";
import { gathered } from "../../charts/hand_grid";
import { combosOf, HANDS } from "../../charts/hands";
import { fill, h } from "../../dom";
import { percent } from "../../format";
import { mixBar } from "../../mix_bar";
import type { NodePage, NodeSide } from "../../model";
import { handsByClass, lockedSign, meanOf, mixWords, RANGE_STYLE } from "./cells";
import type { Amounts } from "./units";

export class Suits {
  readonly element = h("section", { class: "spot-combos panel", "aria-label": "Suits of the hand" });

  draw(node: NodePage, side: NodeSide, index: number, amounts: Amounts): void {
    const hand = HANDS[index];
    if (hand === undefined) return;
    const dealt = new Set(cardsOf(node.board ?? ""));
    const names = combosOf(hand).filter((combo) => !cardsOf(combo).some((card) => dealt.has(card)));
    const found = handsByClass(side, node.board ?? "")[index] ?? [];
    const { ev, equity } = side.columns;
    const { weight } = gathered(found.map((place) => ({ weight: weightOf(side, place), shares: [] })), []);
    const isMixed = side.mix.length > 0 && (ev !== undefined || weight > 0);
    const styles = side.mix.length > 0 ? actionClasses(node.actions) : [RANGE_STYLE];
    const words = ev !== undefined
      ? `EV ${amounts.full(meanOf(side, found, ev), 2)} · equity ${percent(meanOf(side, found, equity ?? []))}`
      : weight === 0 ? "not here" : `${percent(weight)} of it gets here`;
    fill(this.element,
      h("h2", {}, hand.name, " ", h("span", { class: "soft" }, words)),
      isMixed && this.actions(node, side, found, styles, amounts),
      h("ul", { class: "combos" }, ...names.map((name, place) => comboOf(node, side, name, found[place] ?? null, styles, amounts))));
  }

  /** What the hand does, what each action is worth, and what it loses compared with the best one. */
  private actions(node: NodePage, side: NodeSide, found: readonly (number | null)[], styles: readonly string[], amounts: Amounts): HTMLElement {
    const values = side.values === null ? null : node.actions.map((_, action) => meanOf(side, found, side.values?.[action] ?? []));
    const best = Math.max(...(values ?? []).map((value) => value ?? -Infinity));
    return h("table", { class: "mixes" },
      values !== null && h("thead", {}, h("tr", {}, h("td", {}), ...["played", `EV${amounts.heading}`, "loses"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...node.actions.map((one, action) => h("tr", {},
        h("th", { scope: "row" }, h("span", { class: `swatch action ${styles[action]}`, "aria-hidden": "true" }), amounts.action(one)),
        h("td", {}, h("strong", { class: "number" }, percent(meanOf(side, found, side.mix[action] ?? [])))),
        values !== null && h("td", { class: "soft number" }, amounts.text(values[action], 2)),
        values !== null && h("td", { class: "soft number" }, values[action] == null ? "–" : amounts.text(best - (values[action] ?? 0), 2))))));
  }
}

function comboOf(
  node: NodePage, side: NodeSide, name: string, hand: number | null, styles: readonly string[], amounts: Amounts,
): HTMLElement {
  const weight = weightOf(side, hand);
  const { ev, equity, locked } = side.columns;
  if (hand === null || weight === 0) {
    return h("li", { class: "combo absent", "data-hand": name }, h("span", { class: "cards" }, ...cardSpans(name)), h("span", { class: "soft" }, "not here"));
  }
  const shares = side.mix.length > 0 ? side.mix.map((row) => row[hand] ?? 0) : [1];
  const bar = mixBar(shares, styles);
  bar.style.setProperty("--weight", String(weight));
  const words = side.mix.length > 0 ? mixWords(node.actions, shares, ev === undefined ? 1 : 0) : "";
  const worth = ev === undefined ? "" : `EV ${amounts.full(ev[hand])} · eq ${percent(equity?.[hand], 0)} · `;
  return h("li", { class: "combo", "data-hand": name, title: words },
    h("span", { class: "cards" }, ...cardSpans(name), locked?.includes(hand) === true && lockedSign()), bar,
    h("span", { class: "spoken" }, words),
    h("span", { class: "soft number" }, `${worth}weight ${percent(weight, 0)}`));
}

function weightOf(side: NodeSide, hand: number | null): number {
  return hand === null ? 0 : (side.reach?.[hand] ?? 0);
}
