// Cards as short coloured text: A♠.

import { h } from "./dom";
import { SUIT_SIGNS } from "./views/play/faces";

/** The cards of a text such as `Td9d6h`. */
export function cardsOf(text: string): string[] {
  return text.match(/../g) ?? [];
}

/** Cards as spans, each in the colour of its suit. */
export function cardSpans(text: string): HTMLElement[] {
  return cardsOf(text).map((card) => {
    const suit = card.charAt(1) as keyof typeof SUIT_SIGNS;
    return h("span", { class: "card-text", "data-suit": suit }, card.charAt(0) + SUIT_SIGNS[suit]);
  });
}

/** Cards as plain text with signs, for menus and labels. */
export function cardSigns(text: string): string {
  return cardsOf(text).map((card) => card.charAt(0) + SUIT_SIGNS[card.charAt(1) as keyof typeof SUIT_SIGNS]).join("");
}
