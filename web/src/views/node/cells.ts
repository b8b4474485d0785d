// A range at a node as cells of the grid, and the hands behind a cell.

import { cardsOf } from "../../card_text";
import { gathered, type GridCell } from "../../charts/hand_grid";
import { combosOf, HANDS } from "../../charts/hands";
import { h } from "../../dom";
import { percent } from "../../format";
import type { ActionData, NodePage, NodeSide, Place, Station } from "../../model";
import { Amounts } from "./units";

export const MODES = ["strategy", "ev", "equity", "gain"] as const;
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

/** The class to show first: `wanted` if some of it is in the range, else the one with most weight; 0 if none is. */
export function shownClass(side: NodeSide, board: string, wanted: number | null): number {
  const weights = handsByClass(side, board).map((hands) => hands.reduce<number>((sum, hand) => {
    const weight = hand === null ? 0 : (side.reach?.[hand] ?? 0);
    return sum + (weight >= LEAST ? weight : 0);
  }, 0));
  if (wanted !== null && (weights[wanted] ?? 0) > 0) return wanted;
  const most = Math.max(...weights);
  return most > 0 ? weights.indexOf(most) : (wanted ?? 0);
}

/** What each hand gains by an action compared with its best other action: less than 0 is what the action loses. */
export function gainsOf(side: NodeSide, action: number): (number | null)[] {
  return side.hand.map((_, hand) => {
    const own = side.values?.[action]?.[hand] ?? null;
    const others = (side.values ?? []).flatMap((row, index) => (index === action || row[hand] == null ? [] : [row[hand]]));
    return own === null || others.length === 0 ? null : own - Math.max(...others);
  });
}

/** What shades and numbers of cells stand for. */
export interface Shown {
  mode: Mode;
  amounts: Amounts;
  /** The position of the action whose gain is shown. */
  action: number;
}

/** Cells that show the strategy alone, with amounts in chips. */
export function strategyOf(node: NodePage): Shown {
  return { mode: "strategy", amounts: new Amounts("chips", node), action: 0 };
}

/** The cells of a side. `styles` are those of the actions; `most` is what the strongest shade of an EV stands for. */
export function cellsOf(node: NodePage, side: NodeSide, { mode, amounts, action }: Shown, styles: readonly string[]): GridCell[] {
  const isActing = side.mix.length > 0;
  const locks = new Set(side.columns.locked);
  const isGain = mode === "gain" && isActing;
  const evs = side.columns.ev ?? [];
  const gains = isGain ? gainsOf(side, action) : [];
  const most = Math.max(...(isGain ? gains : evs).map((ev, hand) => ((side.reach?.[hand] ?? 0) >= LEAST ? Math.abs(ev ?? 0) : 0)), 1e-9);
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
    const gain = isGain ? meanOf(side, hands, gains) : null;
    const worth = evs.length > 0 ? `EV ${amounts.full(ev)}, equity ${percent(equity)}, ` : "";
    const gained = isGain ? `${node.actions[action]?.name ?? ""} gains ${amounts.full(gain, 2)}, ` : "";
    const facts = `${mixed}; ${gained}${worth}weight ${percent(weight)}`;
    const number = isGain ? gain : ev;
    const shade = !isHere || mode === "strategy" || (mode === "gain" && !isGain) ? null
      : mode === "equity" ? { tone: "gain", strength: equity ?? 0 }
        : { tone: (number ?? 0) < 0 ? "loss" : "gain", strength: Math.min(1, Math.abs(number ?? 0) / most) };
    const texts: Record<Mode, () => string> = {
      strategy: () => "", ev: () => cellText(amounts, ev), equity: () => (100 * (equity ?? 0)).toFixed(0),
      gain: () => (isGain ? cellText(amounts, gain) : ""),
    };
    return {
      segments: isHere ? segments : [],
      weight,
      shade,
      text: isHere ? texts[mode]() : "",
      isBold: false,
      marks: isHere && locked > 0 ? ["corner"] : [],
      label: isHere ? `${name}: ${facts}${lockWords(locked, held.length)}` : `${name}: not here`,
      frequency: weight,
    };
  });
}

/** A number short enough for a cell. */
function cellText(amounts: Amounts, value: number | null): string {
  return amounts.text(value, value !== null && Math.abs(value) < 9.95 ? 1 : 0).replace(" %", "").replace(/\.0$/, "");
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
