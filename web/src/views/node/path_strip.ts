// The current place in a tree: a station per move and per card. Each opens its alternatives; after
// the last one are the moves that can follow.

import { actionClasses } from "../../action_styles";
import { cardSigns, cardSpans } from "../../card_text";
import { fill, h } from "../../dom";
import { percent } from "../../format";
import { Menu, type Choice } from "../../menu";
import type { ActionData, NodePage, Place, Station } from "../../model";
import { withCard } from "./cells";
import type { Amounts } from "./units";

/** Of a solved spot. */
export const SEAT_NAMES = ["OOP", "IP"] as const;

export type Go = (place: Pick<Place, "line" | "board">) => void;

export class PathStrip {
  readonly element = h("nav", { class: "line-strip", "aria-label": "Line of betting" });
  private readonly menu = new Menu();

  private seats: readonly [string, string] = SEAT_NAMES;
  private amounts: Amounts | null = null;

  /** Without `hasNext` the moves that can follow are left to another part of the view. */
  constructor(private readonly go: Go, private readonly hasNext = true) {}

  /** Draw the path to a node; `start` is what the first station says. */
  draw(node: NodePage, start: readonly (string | Node)[], seats: readonly [string, string], amounts: Amounts | null = null): void {
    this.seats = seats;
    this.amounts = amounts;
    const hadFocus = this.element.contains(document.activeElement);
    const first = h("button", {
      class: "station first", title: "the first decision", onclick: () => this.go({ line: "", board: "" }),
    }, ...start);
    fill(this.element,
      h("ol", {}, ...[first, ...node.stations.map((station) => this.station(node, station))].map((one) => h("li", {}, one))),
      (this.hasNext || node.player === -1) && this.next(node));
    if (hadFocus) [...this.element.querySelectorAll("button")].at(-1)?.focus();
  }

  private station(node: NodePage, station: Station): HTMLElement {
    const { seat, chosen, choices, place } = station;
    const styles = stylesOf(choices);
    const isCard = seat === -1;
    // Cards without choices lead to the place where they can be dealt again.
    const isOpen = choices.length > 0;
    // Moves of the past are in chips where shares are of this pot.
    const named = (choice: Station["choices"][number] | undefined): string | undefined => (
      choice?.action == null ? choice?.name : this.amounts?.pastAction(choice.action) ?? choice.name);
    const items = choices.map(({ name, action, place: to }, index): Choice => ({
      text: isCard ? cardSigns(name) : named({ name, action, place: to }) ?? name,
      note: "",
      style: styles[index],
      isChosen: name === chosen,
      choose: () => this.go(isCard ? withCard(node, station, name) : to),
    }));
    const at = choices.findIndex(({ name }) => name === chosen);
    const text = isCard ? cardSpans(chosen) : [h("span", { class: "seat" }, this.seats[seat]), named(choices[at]) ?? chosen];
    const button = h("button", {
      class: `station ${isCard ? "board" : "move"}`, "data-line": place.line, "aria-haspopup": isOpen ? "menu" : null,
      title: isOpen ? null : "deal other cards",
      onclick: () => (isOpen ? this.menu.open(button, items) : this.go(place)),
    }, mark(styles[at]), ...text, h("span", { class: "more", "aria-hidden": "true" }, "▾"));
    return button;
  }

  private next(node: NodePage): HTMLElement {
    if (node.player === -1) return h("span", { class: "soft end" }, END_WORDS[node.kind]);
    const styles = actionClasses(node.actions);
    return h("span", { class: "next group", role: "group", "aria-label": "Moves that follow" },
      h("span", { class: "soft" }, `${this.seats[node.player]}:`),
      ...node.actions.map(({ name }, index) => h("button", {
        class: "station follow", "data-line": node.children[index]?.line, title: `go on after ${name}`,
        onclick: () => {
          const child = node.children[index];
          if (child) this.go(child);
        },
      }, mark(styles[index]), name, h("strong", { class: "number" }, percent(node.mix?.[index])))));
  }
}

const END_WORDS: Record<Place["kind"], string> = {
  decision: "", deal: "a card is dealt", fold: "the pot is won", showdown: "showdown", "all-in": "all-in: the board is run out",
};

function stylesOf(choices: Station["choices"]): (string | undefined)[] {
  const actions = choices.map(({ action }) => action);
  return actions.every((action): action is ActionData => action !== null) ? actionClasses(actions) : [];
}

export function mark(style: string | undefined): HTMLElement | null {
  return style === undefined ? null : h("span", { class: `swatch action ${style}`, "aria-hidden": "true" });
}
