// A recorded hand as frames: the table before the first action, after every deal and action, and at the end.

import type { HandMove, HandPage } from "../../model";

export const STREETS = ["preflop", "flop", "turn", "river"] as const;
const BOARD_LETTERS = [0, 6, 8, 10];

export interface Frame {
  street: number;
  /** Cards on the board, as text. */
  board: string;
  /** Chips of the streets before, and antes. */
  pot: number;
  /** By player: what lies in front on this street. */
  bets: readonly number[];
  /** Null if not known. */
  stacks: readonly (number | null)[];
  hasFolded: readonly boolean[];
  /** The action that led here; null after a deal. */
  move: HandMove | null;
  /** Which action of its player that is, from 0. */
  nth: number;
  isOver: boolean;
}

export function framesOf(hand: HandPage): Frame[] {
  const stacks = hand.stacks.map((stack, player) => plus(stack, -(hand.antes[player] ?? 0) - (hand.posts[player] ?? 0)));
  let bets = [...hand.posts];
  let pot = sum(hand.antes);
  const hasFolded = hand.players.map(() => false);
  const taken = hand.players.map(() => 0);
  const frames: Frame[] = [];
  const add = (street: number, move: HandMove | null, nth = 0): void => {
    frames.push({
      street, board: hand.board.slice(0, BOARD_LETTERS[street]), pot, bets: [...bets], stacks: [...stacks],
      hasFolded: [...hasFolded], move, nth, isOver: false,
    });
  };
  hand.streets.forEach((moves, street) => {
    if (street > 0) {
      pot += sum(bets);
      bets = bets.map(() => 0);
    }
    add(street, null);
    for (const move of moves) {
      const { player } = move;
      const before = bets[player] ?? 0;
      // A fold or a check puts nothing in.
      const after = Math.max(before, move.amount);
      stacks[player] = plus(stacks[player] ?? null, before - after);
      bets[player] = after;
      hasFolded[player] ||= move.move === "fold";
      add(street, move, taken[player]);
      taken[player] = (taken[player] ?? 0) + 1;
    }
  });
  const last = frames.at(-1);
  if (last !== undefined) {
    frames.push({
      ...last, pot: hand.pot, bets: bets.map(() => 0), move: null, isOver: true,
      stacks: hand.gains === null ? last.stacks : hand.stacks.map((stack, player) => plus(stack, hand.gains?.[player] ?? 0)),
    });
  }
  return frames;
}

/** The number of the frame after the `nth` action of a player; −1 if there is none. */
export function frameAfter(frames: readonly Frame[], player: number, nth: number): number {
  return frames.findIndex(({ move, nth: at }) => move !== null && move.player === player && at === nth);
}

/** An action in words, with amounts in big blinds. */
export function moveWords(move: HandMove, bigBlind: number): string {
  const amount = bbText(move.amount, bigBlind);
  const verb = { fold: "folds", check: "checks", call: "calls", bet: `bets ${amount}`, raise: `raises to ${amount}` }[move.move];
  return move.is_all_in ? `${verb}, all-in` : verb;
}

/** Chips in big blinds: 12, 2.5, 0.33. */
export function bbText(chips: number, bigBlind: number): string {
  return `${Number((chips / bigBlind).toFixed(2))} bb`;
}

/** A stack in big blinds, if it is known. */
export function stackText(chips: number | null, bigBlind: number): string {
  return chips === null ? "unknown" : bbText(chips, bigBlind);
}

function plus(stack: number | null, chips: number): number | null {
  return stack === null ? null : stack + chips;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
