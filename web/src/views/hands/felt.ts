// A table of any number of players, at one frame of a hand.

import { cardSpans } from "../../card_text";
import { fill, h } from "../../dom";
import { signed } from "../../format";
import type { HandPage } from "../../model";
import { bbText, moveWords, stackText, type Frame } from "./replay";

/** Half the width and height of the ellipse of seats, and of that of the bets, in percent. */
const SEATS = [41, 36] as const;
const BETS = [25, 17] as const;

export interface Seen {
  /** The player at the bottom. */
  seat: number;
  /** Whether all known cards are shown, or only those of this player. */
  isOpen: boolean;
}

/** Draw a frame. */
export function drawFelt(element: HTMLElement, hand: HandPage, frame: Frame, { seat, isOpen }: Seen): void {
  const count = hand.players.length;
  const angle = (player: number): number => Math.PI / 2 + (2 * Math.PI * ((player - seat + count) % count)) / count;
  const parts = hand.players.map((name, player) => {
    const held = hand.hands[player] ?? null;
    const isShown = held !== null && (isOpen || player === seat);
    const isActing = frame.move?.player === player;
    const gain = frame.isOver ? (hand.gains?.[player] ?? null) : null;
    const place = h("div", {
      class: `seat${isActing ? " acting" : ""}${frame.hasFolded[player] ? " folded" : ""}${player === seat ? " you" : ""}`,
      "data-player": player,
    },
      h("span", { class: "held" }, ...(isShown ? cardSpans(held) : frame.hasFolded[player] ? [] : [h("span", { class: "hidden-cards", "aria-label": "hidden cards" }, "🂠🂠")])),
      h("span", { class: "name", title: name }, name),
      h("span", { class: "soft number" }, `${hand.positions[player]} · ${stackText(frame.stacks[player] ?? null, hand.big_blind)}`),
      frame.isOver && gain !== null && gain !== 0 ? h("span", { class: gain > 0 ? "won" : "lost" }, `${signed(gain / hand.big_blind, 2)} bb`)
        : h("span", { class: "did" }, isActing && frame.move !== null ? moveWords(frame.move, hand.big_blind) : ""));
    put(place, angle(player), SEATS);
    const bet = frame.bets[player] ?? 0;
    if (bet === 0) return [place];
    const chips = h("span", { class: "bet number" }, bbText(bet, hand.big_blind));
    put(chips, angle(player), BETS);
    return [place, chips];
  });
  fill(element,
    h("div", { class: "middle" },
      h("span", { class: "board" }, ...cardSpans(frame.board)),
      h("span", { class: "pot number" }, `pot ${bbText(frame.pot + frame.bets.reduce((total, bet) => total + bet, 0), hand.big_blind)}`)),
    ...parts.flat());
}

function put(element: HTMLElement, angle: number, [width, height]: readonly [number, number]): void {
  element.style.left = `${50 + width * Math.cos(angle)}%`;
  element.style.top = `${50 + height * Math.sin(angle)}%`;
}
