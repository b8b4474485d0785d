// The board of a blueprint's node: a field to type it, and a deck where cards are missing.

import { cardSigns, cardsOf } from "../../card_text";
import { Deck, DECK_RANKS, DECK_SUITS } from "../../deck";
import { h } from "../../dom";
import type { NodePage } from "../../model";
import { toggled } from "../new_spot/document";

export class DealingPanel {
  readonly element: HTMLElement;
  readonly label: HTMLElement;
  private readonly deck = new Deck("Cards of the board", (card) => this.toggle(card));
  private readonly title = h("h2", {});
  private readonly board = h("input", {
    name: "board", "aria-label": "Board", placeholder: "Td9d6h", spellcheck: "false", autocomplete: "off",
    onchange: () => this.go(this.board.value.replace(/[\s,]+/g, "")),
  });
  private dealt = "";
  private missing = 0;

  /** `go` leads to the same line on another board; `asked` is the board that was asked for last, on this line. */
  constructor(private readonly go: (board: string) => void, private readonly asked: () => string) {
    this.label = h("label", { class: "board-field" }, h("span", { class: "soft" }, "board"), this.board);
    this.element = h("section", { class: "spot-runouts", "aria-label": "Cards to deal", hidden: true },
      this.title, this.deck.element,
      h("div", { class: "group" }, h("button", {
        class: "button", onclick: () => this.go(dealtAtRandom(this.dealt, this.missing)),
      }, "deal at random")));
  }

  draw(node: NodePage): void {
    const { kind, street, panels: { missing } } = node;
    const isDeal = missing !== undefined && kind === "deal";
    [this.dealt, this.missing] = [node.board ?? "", missing ?? 0];
    const chosen = cardsOf(this.dealt);
    this.label.hidden = missing === undefined || (!isDeal && chosen.length === 0);
    this.element.hidden = !isDeal;
    if (document.activeElement !== this.board) this.board.value = this.dealt;
    this.title.textContent = missing === 1 ? `Deal a card for the ${street}` : `Deal ${missing} cards for the ${street}`;
    this.deck.draw((card) => ({
      isDisabled: false, isChosen: chosen.includes(card),
      label: chosen.includes(card) ? `take back ${cardSigns(card)}` : `deal ${cardSigns(card)}`,
    }));
  }

  private toggle(card: string): void {
    // Cards may be dealt faster than the server answers: then more of them are in the address than here.
    const board = toggled(this.asked(), card);
    if (cardsOf(board).length <= cardsOf(this.dealt).length + this.missing) this.go(board);
  }
}

/** The board with this many more cards, drawn at random. */
export function dealtAtRandom(board: string, missing: number, random: () => number = Math.random): string {
  const dealt = cardsOf(board);
  const left = [...DECK_SUITS].flatMap((suit) => [...DECK_RANKS].map((rank) => rank + suit)).filter((card) => !dealt.includes(card));
  for (let number = 0; number < missing; number += 1) dealt.push(...left.splice(Math.floor(random() * left.length), 1));
  return dealt.join("");
}
