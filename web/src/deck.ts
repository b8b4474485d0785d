// The 52 cards as buttons, one row per suit. The deck is one tab stop: arrow keys move in it.

import { cardSpans } from "./card_text";
import { fill, h, setAttribute } from "./dom";

export const DECK_RANKS = "AKQJT98765432";
export const DECK_SUITS = "shdc";

export interface DeckCard {
  isDisabled: boolean;
  /** Null if a click on a card leads on instead of choosing it. */
  isChosen: boolean | null;
  label: string;
  /** Below the name. */
  extra?: Node | undefined;
  /** A colour behind the card, 0–1, and the number that it stands for. */
  shade?: { tone: "gain" | "loss"; strength: number; text: string } | null | undefined;
}

export class Deck {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];

  constructor(label: string, choose: (card: string) => void) {
    this.buttons = [...DECK_SUITS].flatMap((suit) => [...DECK_RANKS].map((rank) => h("button", {
      type: "button", class: "deck-card", "data-card": rank + suit, tabindex: -1, onclick: () => choose(rank + suit),
    })));
    this.buttons[0]?.setAttribute("tabindex", "0");
    this.element = h("div", {
      class: "deck", role: "group", "aria-label": `${label}; arrow keys move`,
      onkeydown: (event: KeyboardEvent) => this.key(event), onfocusin: (event: FocusEvent) => this.stopAt(event.target),
    }, ...this.buttons);
  }

  draw(cardOf: (card: string) => DeckCard): void {
    for (const button of this.buttons) {
      const card = button.dataset["card"] ?? "";
      const { isDisabled, isChosen, label, extra, shade } = cardOf(card);
      // Not `disabled`: the focus could not pass it.
      setAttribute(button, "aria-disabled", isDisabled ? "true" : null);
      setAttribute(button, "aria-pressed", isChosen === null ? null : String(isChosen));
      button.setAttribute("aria-label", label);
      setAttribute(button, "data-tone", shade?.tone ?? null);
      button.style.setProperty("--strength", `${Math.round(40 * (shade?.strength ?? 0))}%`);
      fill(button, ...cardSpans(card), extra, shade && h("span", { class: "shade-text number" }, shade.text));
    }
  }

  private stopAt(target: EventTarget | null): void {
    if (!(target instanceof HTMLButtonElement)) return;
    for (const button of this.buttons) button.tabIndex = button === target ? 0 : -1;
  }

  private key(event: KeyboardEvent): void {
    const at = this.buttons.findIndex((button) => button === document.activeElement);
    const next = deckNeighbour(at, event.key);
    if (next === null) return;
    event.preventDefault();
    this.buttons[next]?.focus();
  }
}

/** The card that a key moves to, by position; null for keys that do not move. */
export function deckNeighbour(at: number, key: string): number | null {
  const width = DECK_RANKS.length;
  const [row, column] = [Math.floor(at / width), at % width];
  const to: Record<string, [number, number]> = {
    ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
    Home: [row, 0], End: [row, width - 1],
  };
  const place = to[key];
  if (at < 0 || place === undefined) return null;
  const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));
  return clamp(place[0], DECK_SUITS.length - 1) * width + clamp(place[1], width - 1);
}
