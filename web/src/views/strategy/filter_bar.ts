// Chips for what the player holds, and a search over labels.

import { fill, h } from "../../dom";
import type { RunDetail } from "../../model";
import { ANYWHERE, type Store } from "../../state";
import { isFiltered, type Filters } from "./filters";

const TYPING_MS = 150;
/** More cards than this become a drop-down list: push/fold has 169 hands. */
const MAX_CHIPS = 20;

export class FilterBar {
  readonly element = h("div", { class: "controls" });
  private readonly card = h("div", { class: "group filter-card", role: "group" });
  private readonly search = h("input", {
    class: "filter-search", type: "search", placeholder: "search labels", "aria-label": "Search labels",
    maxlength: 80, oninput: () => this.typed(),
  });
  private readonly clear = h("button", { class: "button clear", onclick: () => this.clearAll() }, "clear all");
  private drawn = "";
  private typing: number | undefined;

  constructor(private readonly store: Store) {
    this.element.append(this.card, this.search, this.clear);
  }

  update({ id, cards, terms }: RunDetail, filters: Filters): void {
    const key = JSON.stringify([id, cards, terms, filters]);
    if (key === this.drawn) return;
    this.drawn = key;
    const held = cards.filter((one) => one !== "");
    this.drawCards(terms.private, held, filters.card);
    if (document.activeElement !== this.search) this.search.value = filters.search ?? "";
    this.clear.hidden = !isFiltered(filters);
  }

  /** `word` says what a player holds. */
  private drawCards(word: string, cards: readonly string[], chosen: string | undefined): void {
    this.card.hidden = cards.length < 2 || word === "";
    if (this.card.hidden) return;
    this.card.setAttribute("aria-label", word);
    if (cards.length > MAX_CHIPS) {
      const select = h("select", {
        "aria-label": word, onchange: () => this.store.go({ hand: cards[Number(select.value)] ?? null }),
      },
      h("option", { value: -1 }, "all"),
      ...cards.map((card, index) => h("option", { value: index, selected: card === chosen }, card)));
      fill(this.card, h("span", { class: "soft" }, word), select);
      return;
    }
    const focused = this.card.contains(document.activeElement) ? document.activeElement : null;
    const again = focused instanceof HTMLElement ? focused.dataset["card"] : undefined;
    const chip = (card: string | undefined, text: string): HTMLButtonElement => h("button", {
      class: "button chip", "data-card": card ?? "*", "aria-pressed": String(card === chosen),
      onclick: () => this.store.go({ hand: card === chosen ? null : (card ?? null) }),
    }, text);
    fill(this.card, h("span", { class: "soft" }, word), chip(undefined, "all"), ...cards.map((card) => chip(card, card)));
    for (const button of this.card.querySelectorAll("button")) {
      if (button.dataset["card"] === again) button.focus();
    }
  }

  private typed(): void {
    window.clearTimeout(this.typing);
    this.typing = window.setTimeout(() => this.store.setOption("search", this.search.value.trim() || null), TYPING_MS);
  }

  private clearAll(): void {
    const { search: _, ...options } = this.store.state.options;
    this.search.value = "";
    this.store.set({ spot: { ...ANYWHERE, seat: this.store.state.spot.seat }, options });
  }
}
