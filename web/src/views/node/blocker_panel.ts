// Blockers: what it changes that the player who waits holds a card, for each card.

import { cardSigns } from "../../card_text";
import { Deck } from "../../deck";
import { fill, h } from "../../dom";
import { percent } from "../../format";
import type { NodePage, RangeFacts } from "../../model";
import type { Amounts } from "./units";

/** A change that gets the strongest shade, at least: as a share of hands, and of the pot. */
const LEAST = 0.02;

export class BlockerPanel {
  readonly element = h("section", { class: "blocker-panel", "aria-label": "Blockers" });
  private readonly deck = new Deck("Card that the other player holds", () => undefined);
  private readonly of = h("select", { "aria-label": "What changes", onchange: () => this.redraw() });
  private readonly note = h("p", { class: "soft" });
  private redraw: () => void = () => undefined;
  private drawn = "";

  constructor() {
    fill(this.element, h("p", { class: "line" }, h("label", {}, "change of ", this.of)), this.deck.element, this.note);
  }

  draw(node: NodePage, facts: RangeFacts, seats: readonly [string, string], amounts: Amounts): void {
    const { blockers } = facts;
    this.deck.element.hidden = this.of.hidden = blockers === null;
    if (blockers === null || node.player === -1) {
      this.note.textContent = "Blockers are shown where a player acts.";
      return;
    }
    const [acting, waiting] = [seats[node.player], seats[1 - node.player]] as [string, string];
    const hasEv = blockers.some(({ ev }) => ev !== null);
    const key = JSON.stringify([node.actions, acting, hasEv, amounts.heading]);
    if (key !== this.drawn) {
      this.drawn = key;
      fill(this.of, ...node.actions.map((action, index) => h("option", { value: index }, `${acting}: ${amounts.action(action)}`)),
        hasEv && h("option", { value: "ev" }, `EV of ${waiting}`));
    }
    this.redraw = () => this.draw(node, facts, seats, amounts);
    const chosen = this.of.value;
    const isEv = chosen === "ev";
    const mean = isEv ? (node.sides[node.player === 0 ? 1 : 0].means["ev"] ?? 0) : (node.mix?.[Number(chosen)] ?? 0);
    const changeOf = new Map(blockers.map(({ card, mix, ev }) => {
      const value = isEv ? ev : (mix?.[Number(chosen)] ?? null);
      return [card, value === null ? null : value - mean] as const;
    }));
    const most = Math.max((isEv ? (node.pot ?? 1) : 1) * LEAST, ...[...changeOf.values()].map((change) => Math.abs(change ?? 0)));
    const words = (change: number): string => `${change > 0 ? "+" : ""}${isEv ? amounts.text(change) : (100 * change).toFixed(1).replace("-", "−")}`;
    this.deck.draw((card) => {
      const change = changeOf.get(card) ?? null;
      return {
        isDisabled: change === null, isChosen: null,
        label: change === null ? `${cardSigns(card)}: not in a hand that gets here` : `${cardSigns(card)}: ${words(change)}`,
        shade: change === null ? null : { tone: change < 0 ? "loss" : "gain", strength: Math.abs(change) / most, text: words(change) },
      };
    });
    fill(this.note, isEv
      ? `Hands of ${waiting} with the card win so much more or less than all of its hands, which win ${amounts.full(mean)}.`
      : `If ${waiting} holds the card, ${acting} does this so many points more or less often than ${percent(mean)}.`);
  }
}
