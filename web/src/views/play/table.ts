// The table: what all players hold, the board, the money, and who did what.

import { fill, h } from "../../dom";
import type { Opponent, PlayState, Seat } from "../../model";
import { chipsElement, chipText, potOf } from "./chips";
import { cardElement, faceElement, hiddenElement } from "./faces";

/** Draw the current state of the hand. */
export function fillTable(felt: HTMLElement, state: PlayState): void {
  // In the order in which they act after the person: around the table, from left to right.
  const others = state.opponents;
  const pot = state.chips === null ? 0 : potOf(state.chips, state.is_over);
  felt.classList.toggle("many", others.length > 1);
  fill(felt,
    around(others.map((other) => place(state, other.seat, opponentsThings(state, other)))),
    around(others.map(({ seat }) => bet(state, seat))),
    h("div", { class: "middle" },
      pot > 0 ? chipsElement(pot, "pot", "pot") : null,
      board(state),
      state.runout === null ? null : h("p", { class: "runout" }, state.runout.words),
      story(state)),
    bet(state, state.seat),
    place(state, state.seat, held(state.faces, state)),
  );
}

/** One opponent sits opposite; several share the far side of the table. */
function around(parts: HTMLElement[]): HTMLElement {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : h("div", { class: "around" }, ...parts);
}

function place(state: PlayState, player: Seat, things: HTMLElement[]): HTMLElement {
  const isYou = player === state.seat;
  const stack = state.chips?.stacks[player] ?? null;
  const name = state.terms.seats[player];
  const isWinner = state.winner === player;
  return h("div", { class: `place ${isYou ? "you" : "opponent"}${isWinner ? " winner" : ""}`, "data-seat": player },
    h("span", { class: "who" }, h("span", { class: "name" }, isYou ? `you, ${name}` : name),
      stack === null ? null : h("span", { class: "stack", "data-amount": stack }, `stack ${chipText(stack)}`)),
    h("span", { class: "cards" }, ...things),
    bubble(state, player));
}

function held(faces: readonly string[], { terms }: PlayState): HTMLElement[] {
  return faces.map((face) => faceElement(face, terms.private));
}

function opponentsThings(state: PlayState, { faces, num_hidden: count }: Opponent): HTMLElement[] {
  if (faces?.length) return held(faces, state);
  return Array.from({ length: count }, () => hiddenElement(state.terms.private));
}

/** What the player has put in on this street, in front of the seat; at the end it is in the pot. */
function bet({ chips, is_over: isOver, seat, terms }: PlayState, player: Seat): HTMLElement {
  const amount = chips === null || isOver ? 0 : chips.bets[player] ?? 0;
  const whose = player === seat ? "your bet" : `bet of ${terms.seats[player]}`;
  return h("div", { class: "bet-place", "data-player": player }, amount > 0 ? chipsElement(amount, whose, "bet") : null);
}

function board({ public_faces: faces, runout, terms }: PlayState): HTMLElement {
  const shown = runout === null
    ? faces.map((face) => faceElement(face, terms.public))
    : runout.faces.map(cardElement);
  const name = runout === null ? terms.public || "board" : "board";
  return h("span", { class: "cards board", role: "group", "aria-label": name, hidden: shown.length === 0 }, ...shown);
}

/** The player's last action, shown at their seat. */
function bubble(state: PlayState, player: Seat): HTMLElement {
  const own = state.events.filter((event) => event.player === player);
  const last = own[own.length - 1];
  return h("span", { class: "bubble", "aria-hidden": "true", hidden: last === undefined }, last?.action);
}

/** All actions in order, with the cards dealt in between. */
function story(state: PlayState): HTMLElement {
  const items = state.opening.map((text) => h("li", { class: "chip dealt" }, text));
  let board = "";
  // What is not a board, such as a quote, was a player's move.
  const isBoard = state.terms.public === "board";
  const turnBoard = (now: string): void => {
    const added = now.startsWith(board) ? now.slice(board.length) : now;
    if (added !== "" && isBoard) items.push(h("li", { class: "chip dealt" }, `${added} on the board`));
    board = now;
  };
  for (const event of state.events) {
    turnBoard(event.public);
    items.push(h("li", { class: event.is_you ? "chip yours" : "chip theirs" }, event.words));
  }
  turnBoard(state.public);
  return h("ol", { class: "story", "aria-label": "what happened" }, ...items);
}
