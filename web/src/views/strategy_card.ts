// A private card as a small card face, or as a plain tile if it is no card that everybody knows.

import { h } from "../dom";

const CARD = /^(10|[2-9TJQKA])([cdhs])?$/;
const SUITS: Record<string, string> = { c: "♣", d: "♦", h: "♥", s: "♠" };

export function cardFace(card: string): HTMLElement {
  const match = CARD.exec(card);
  if (match === null) return h("span", { class: "face tile" }, card);
  const [, rank = "", suit] = match;
  return h("span", { class: "face", "data-suit": suit }, rank, suit && SUITS[suit]);
}
