// The suits of a chosen cell: every combo of the class that the board leaves, with its mix, weight, EV and equity.

import { actionClasses } from "../action_styles";
import { cardSpans } from "../card_text";
import { combosOf, HANDS } from "../charts/hands";
import { cardsOf } from "../card_text";
import { fill, h } from "../dom";
import { fixed, percent } from "../format";
import { mixBar } from "../mix_bar";
import type { SpotNode, SpotSide } from "../model";
import { handsByClass, lockedSign, meanOf, RANGE_STYLE } from "./spot_cells";

export class SpotCombos {
  readonly element = h("section", { class: "spot-combos panel", "aria-label": "Suits of the hand" });

  draw(node: SpotNode, side: SpotSide, index: number): void {
    const hand = HANDS[index];
    if (hand === undefined) return;
    const dealt = new Set(cardsOf(node.board));
    const names = combosOf(hand).filter((combo) => !cardsOf(combo).some((card) => dealt.has(card)));
    const found = handsByClass(side, node.board)[index] ?? [];
    const styles = side.mix.length > 0 ? actionClasses(node.actions) : [RANGE_STYLE];
    fill(this.element,
      h("h2", {}, hand.name, " ", h("span", { class: "soft" },
        `EV ${fixed(meanOf(side, found, side.ev), 2)} · equity ${percent(meanOf(side, found, side.equity))}`)),
      side.mix.length > 0 && h("ul", { class: "mixes" }, ...node.actions.map(({ name }, action) => h("li", {},
        h("span", { class: `swatch action ${styles[action]}`, "aria-hidden": "true" }), name,
        h("strong", { class: "number" }, percent(meanOf(side, found, side.mix[action] ?? []))),
        h("span", { class: "soft number" }, `EV ${fixed(meanOf(side, found, side.action_ev[action] ?? []), 2)}`)))),
      h("ul", { class: "combos" }, ...names.map((name, place) => comboOf(node, side, name, found[place] ?? null, styles))));
  }
}

function comboOf(node: SpotNode, side: SpotSide, name: string, hand: number | null, styles: readonly string[]): HTMLElement {
  const weight = hand === null ? 0 : (side.weight[hand] ?? 0);
  if (hand === null || weight === 0) {
    return h("li", { class: "combo absent", "data-hand": name }, h("span", { class: "cards" }, ...cardSpans(name)), h("span", { class: "soft" }, "not here"));
  }
  const shares = side.mix.length > 0 ? side.mix.map((row) => row[hand] ?? 0) : [1];
  const bar = mixBar(shares, styles);
  bar.style.setProperty("--weight", String(weight));
  const words = side.mix.length > 0 ? node.actions.map((one, action) => `${one.name} ${percent(shares[action], 0)}`).join(", ") : "";
  return h("li", { class: "combo", "data-hand": name, title: words },
    h("span", { class: "cards" }, ...cardSpans(name), side.locked.includes(hand) && lockedSign()), bar,
    h("span", { class: "spoken" }, words),
    h("span", { class: "soft number" }, `EV ${fixed(side.ev[hand], 1)} · eq ${percent(side.equity[hand], 0)} · weight ${percent(weight, 0)}`));
}
