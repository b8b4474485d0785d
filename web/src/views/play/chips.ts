// Money on the felt: the pot, bets and stacks.

import { h } from "../../dom";
import type { Chips } from "../../model";

/** An amount of chips: 2, 9.5, 1,200. */
export function chipText(amount: number): string {
  return Number(amount.toPrecision(8)).toLocaleString("en-US", { maximumFractionDigits: 4 });
}

/** What lies in the middle: at the end all of it, before that without the bets of the street. */
export function potOf({ pot, bets }: Chips, isOver: boolean): number {
  return isOver ? bets.reduce((sum, bet) => sum + bet, pot) : pot;
}

/** Chips with a number; `what` says whose, for users who cannot see where they lie. */
export function chipsElement(amount: number, what: string, kind: "bet" | "pot"): HTMLElement {
  return h("span", { class: `money ${kind}`, "data-amount": amount, role: "img", "aria-label": `${what}: ${chipText(amount)}` },
    h("span", { class: "coins", "aria-hidden": "true" }),
    kind === "pot" ? h("span", { class: "pot-word" }, "pot ") : null, chipText(amount));
}
