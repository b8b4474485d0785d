// Bets of many sizes: a slider, a number and shares of the pot instead of a button per size.

import { h } from "../../dom";
import type { Chips, PlayAction } from "../../model";

/** More sizes of a bet than this are chosen with a slider. */
export const MAX_BUTTONS = 8;

/** The bets and raises of a turn that only differ in size, ascending; all-in has its own button. */
export function sizedBets(data: readonly PlayAction[]): PlayAction[] {
  const bets = data.filter(({ kind, amount }) => (kind === "bet" || kind === "raise") && amount !== null);
  return bets.length > MAX_BUTTONS ? bets : [];
}

/** The actions that have a button, and so a key: all but bets that a slider chooses. */
export function withButtons(data: readonly PlayAction[]): PlayAction[] {
  const bets = new Set(sizedBets(data));
  return data.filter((action) => !bets.has(action));
}

/** A bet of a share of the pot: what is called first, then that share of the pot, in whole chips. */
export function shareOfPot(share: number, { pot, bets }: Chips): number {
  const level = Math.max(...bets);
  return level + Math.round(share * (pot + 2 * level));
}

/** The size nearest to a number, as the action that bets it. */
export function nearestBet(bets: readonly PlayAction[], wanted: number): PlayAction {
  return bets.reduce((best, bet) => (
    Math.abs((bet.amount ?? 0) - wanted) < Math.abs((best.amount ?? 0) - wanted) ? bet : best
  ));
}

const SHARES: readonly (readonly [string, number])[] = [["⅓", 1 / 3], ["½", 1 / 2], ["¾", 3 / 4], ["pot", 1]];

/** A slider and a number that agree, buttons for shares of the pot, and the button that bets. */
export function sizeControl(
  bets: readonly PlayAction[], chips: Chips | null, style: string, take: (action: string) => void,
): HTMLElement {
  const [least, most] = [bets[0]?.amount ?? 0, bets[bets.length - 1]?.amount ?? 0];
  const limits = { min: least, max: most, step: 1 };
  const slider = h("input", { ...limits, type: "range", "aria-label": "size of the bet" });
  const typed = h("input", { ...limits, type: "number", "aria-label": "size of the bet, typed", inputmode: "numeric" });
  const button = h("button", { class: `button action ${style}`, onclick: () => take(chosen.name) });
  let chosen = nearestBet(bets, least);
  const show = (wanted: number, isTyped = false): void => {
    chosen = nearestBet(bets, wanted);
    const amount = String(chosen.amount);
    slider.value = amount;
    if (!isTyped) typed.value = amount;
    button.textContent = chosen.words;
    button.dataset["action"] = chosen.name;
  };
  slider.addEventListener("input", () => show(Number(slider.value)));
  typed.addEventListener("input", () => show(Number(typed.value), true));
  typed.addEventListener("change", () => show(Number(typed.value)));
  typed.addEventListener("keydown", (event) => {
    if (event.key === "Enter") take(chosen.name);
  });
  const shares = chips === null ? [] : SHARES.map(([words, share]) => (
    h("button", { class: "button share", onclick: () => show(shareOfPot(share, chips)) }, words)
  ));
  show(chips === null ? least : shareOfPot(1 / 2, chips));
  return h("div", { class: "sizes", role: "group", "aria-label": "bet" }, button, typed, slider, ...shares);
}
