// A range at a node as cells of the grid, and the hands behind a cell.

import { cardsOf } from "../../card_text";
import { gathered, type GridCell } from "../../charts/hand_grid";
import { combosOf, HANDS } from "../../charts/hands";
import { h } from "../../dom";
import { fixed, percent } from "../../format";
import type { ActionData, NodePage, NodeSide, Place, Station } from "../../model";

export const MODES = ["strategy", "ev", "equity"] as const;
export type Mode = (typeof MODES)[number];

/** The style of a range whose owner does not act. */
export const RANGE_STYLE = "spot-range";

/** A hand with less weight, which would be shown as 0.0 %, counts as absent. */
export const LEAST = 0.0005;

/** The grid, the suits and the locks ask for the same side. */
const classesOf = new WeakMap<readonly string[], (number | null)[][]>();

/** For each of the 169 classes, the positions of its hands in a side; null for a combo that is not in the range. */
export function handsByClass(side: Pick<NodeSide, "hand">, board: string): (number | null)[][] {
  let found = classesOf.get(side.hand);
  if (found === undefined) {
    found = sorted(side, board);
    classesOf.set(side.hand, found);
  }
  return found;
}

function sorted(side: Pick<NodeSide, "hand">, board: string): (number | null)[][] {
  const dealt = new Set(cardsOf(board));
  const place = new Map<string, number>();
  side.hand.forEach((hand, index) => {
    place.set(hand, index);
    place.set(hand.slice(2) + hand.slice(0, 2), index);
  });
  return HANDS.map((hand) => combosOf(hand)
    .filter((combo) => !cardsOf(combo).some((card) => dealt.has(card)))
    .map((combo) => place.get(combo) ?? null));
}

/** The mean of a column over some hands, by weight; null if none of them is there. */
export function meanOf(side: NodeSide, hands: readonly (number | null)[], column: readonly (number | null)[]): number | null {
  let [sum, total] = [0, 0];
  for (const hand of hands) {
    const value = hand === null ? null : column[hand];
    if (hand === null || value === null || value === undefined) continue;
    const weight = side.reach?.[hand] ?? 0;
    sum += weight * value;
    total += weight;
  }
  return total > 0 ? sum / total : null;
}

/** The class to show first: `wanted` if some of it is in the range, else the first that is; `wanted` if none is. */
export function shownClass(side: NodeSide, board: string, wanted: number): number {
  const classes = handsByClass(side, board);
  const isHere = (index: number): boolean =>
    (classes[index] ?? []).some((hand) => hand !== null && (side.reach?.[hand] ?? 0) >= LEAST);
  return isHere(wanted) ? wanted : (classes.map((_, index) => index).find(isHere) ?? wanted);
}

/** The cells of a side. `styles` are those of the actions; `most` is what the strongest shade of an EV stands for. */
export function cellsOf(node: NodePage, side: NodeSide, mode: Mode, styles: readonly string[]): GridCell[] {
  const isActing = side.mix.length > 0;
  const locks = new Set(side.columns.locked);
  const evs = side.columns.ev ?? [];
  const most = Math.max(...evs.map((ev) => Math.abs(ev ?? 0)), 1e-9);
  return handsByClass(side, node.board ?? "").map((hands, index) => {
    const combos = hands.map((hand) => ({
      weight: hand === null ? 0 : (side.reach?.[hand] ?? 0),
      shares: hand === null ? [] : isActing ? side.mix.map((row) => row[hand] ?? 0) : [1],
    }));
    const { weight, segments } = gathered(combos, isActing ? styles : [RANGE_STYLE]);
    const name = HANDS[index]?.name ?? "";
    const ev = meanOf(side, hands, evs);
    const equity = meanOf(side, hands, side.columns.equity ?? []);
    const isHere = weight >= LEAST;
    const held = hands.filter((hand): hand is number => hand !== null && (side.reach?.[hand] ?? 0) > 0);
    const locked = held.filter((hand) => locks.has(hand)).length;
    const mixed = isActing ? mixWords(node.actions, segments.map(({ share }) => share)) : "in the range";
    const worth = evs.length > 0 ? `EV ${fixed(ev, 1)}, equity ${percent(equity)}, ` : "";
    const facts = `${mixed}; ${worth}weight ${percent(weight)}`;
    const shade = !isHere || mode === "strategy" ? null
      : mode === "ev"
        ? { tone: (ev ?? 0) < 0 ? "loss" : "gain", strength: Math.abs(ev ?? 0) / most }
        : { tone: "gain", strength: equity ?? 0 };
    return {
      segments: isHere ? segments : [],
      weight,
      shade,
      text: !isHere || mode === "strategy" ? "" : mode === "ev" ? fixed(ev, 0) : (100 * (equity ?? 0)).toFixed(0),
      isBold: false,
      marks: isHere && locked > 0 ? ["corner"] : [],
      label: isHere ? `${name}: ${facts}${lockWords(locked, held.length)}` : `${name}: not here`,
      frequency: weight,
    };
  });
}

export function mixWords(actions: readonly ActionData[], shares: readonly number[], decimals = 1): string {
  return actions.map(({ name }, action) => `${name} ${percent(shares[action], decimals)}`).join(", ");
}

function lockWords(locked: number, all: number): string {
  return locked === 0 ? "" : locked === all ? "; locked" : `; ${locked} of ${all} locked`;
}

/** The corner that marks locked hands in the grid, beside text. */
export function lockMark(): HTMLElement {
  return h("span", { class: "lock-mark", "aria-hidden": "true" });
}

/** The sign after a hand that is locked. */
export function lockedSign(): HTMLElement {
  return h("span", { class: "locked", title: "locked: this was given, not solved" }, lockMark(), h("span", { class: "spoken" }, " locked"));
}

/** The place with another card in the line; what follows the card is kept if possible. */
export function withCard(node: Place, station: Station, card: string): Place {
  const choice = station.choices.find(({ name }) => name === card)?.place ?? station.place;
  const cards = cardsOf(node.board ?? "");
  const at = cardsOf(station.place.board ?? "").length - 1;
  if (cards.some((one, index) => index !== at && one === card)) return choice;
  cards[at] = card;
  return { line: node.line, board: cards.join(""), kind: node.kind };
}

export const COLUMNS = ["hand", "weight", "equity", "ev", "eqr"] as const;

/** The hands of a side in the order of a column (one of COLUMNS or the name of an action); `-` in front: ascending. */
export function sortedHands(node: NodePage, side: NodeSide, order: string): number[] {
  const isUp = order.startsWith("-");
  const name = isUp ? order.slice(1) : order;
  const action = side.mix[node.actions.findIndex((one) => one.name === name)];
  const keys: readonly (number | null)[] = action
    ?? (name === "weight" ? side.reach : name === "equity" || name === "ev" || name === "eqr" ? side.columns[name] : null)
    ?? side.hand.map(handKey);
  const here = side.hand.flatMap((_, index) => ((side.reach?.[index] ?? 0) >= LEAST ? [index] : []));
  return here.sort((one, other) => {
    const [mine, theirs] = [keys[one] ?? null, keys[other] ?? null];
    if (mine === null || theirs === null) return mine === theirs ? one - other : mine === null ? 1 : -1;
    return (isUp ? mine - theirs : theirs - mine) || one - other;
  });
}

const RANKS = "23456789TJQKA";
const SUITS = "cdhs";

/** Higher cards first, then suits. */
function handKey(hand: string): number {
  const [one = 0, other = 0] = cardsOf(hand).map((card) => RANKS.indexOf(card.charAt(0)) * 4 + SUITS.indexOf(card.charAt(1)));
  return 52 * Math.max(one, other) + Math.min(one, other);
}
