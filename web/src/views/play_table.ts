// The table: both players' cards, the board, and who did what.

import { fill, h } from "../dom";
import type { PlayState, Player } from "../model";
import { cardElement, faceDown } from "./play_faces";

type Name = (player: Player) => string;

/** Draw the current state of the hand; `nameOf` returns the name of a seat. */
export function fillTable(felt: HTMLElement, state: PlayState, nameOf: Name): void {
  const other: Player = state.seat === 0 ? 1 : 0;
  fill(felt,
    h("div", { class: "place opponent" },
      h("span", { class: "who" }, `opponent, ${nameOf(other)}`),
      h("span", { class: "cards" }, ...opponentCards(state)),
      bubble(state, false)),
    h("div", { class: "middle" },
      h("span", {
        class: "cards board", role: "group", "aria-label": "board", hidden: state.public_faces.length === 0,
      }, ...state.public_faces.map(cardElement)),
      story(state)),
    h("div", { class: "place you" },
      bubble(state, true),
      h("span", { class: "cards" }, ...state.faces.map(cardElement)),
      h("span", { class: "who" }, `you, ${nameOf(state.seat)}`)),
  );
}

function opponentCards(state: PlayState): HTMLElement[] {
  if (state.opponent_faces?.length) return state.opponent_faces.map(cardElement);
  return Array.from({ length: Math.max(1, state.faces.length) }, faceDown);
}

/** The player's last action, shown at their seat. */
function bubble(state: PlayState, isYou: boolean): HTMLElement {
  const own = state.events.filter((event) => event.is_you === isYou);
  const last = own[own.length - 1];
  return h("span", { class: "bubble", "aria-hidden": "true", hidden: last === undefined }, last?.action);
}

/** All actions in order, with the cards dealt in between. */
function story(state: PlayState): HTMLElement {
  const items: HTMLElement[] = [];
  let board = "";
  const turnBoard = (now: string): void => {
    if (now !== board) items.push(h("li", { class: "chip dealt" }, `${now} on the board`));
    board = now;
  };
  for (const event of state.events) {
    turnBoard(event.public);
    items.push(h("li", { class: event.is_you ? "chip yours" : "chip theirs" },
      h("span", { class: "actor" }, event.is_you ? "you" : "opponent"), ` ${event.action}`));
  }
  turnBoard(state.public);
  return h("ol", { class: "story", "aria-label": "what happened" }, ...items);
}
