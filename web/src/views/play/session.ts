// A session at the table, stored by the browser while its tab is open: the server stores nothing.

import type { PlayState, Seat } from "../../model";
import type { HandResult } from "./score";
import { judged } from "./trainer";

/** A seat, such as "0", or "alternate": all of them in turn. */
export type Seating = string;

export const ALTERNATE = "alternate";

/** All seatings of a table. */
export function seatings(players: number): Seating[] {
  return [...Array.from({ length: players }, (_, seat) => String(seat)), ALTERNATE];
}

export interface PlaySession {
  seed: number;
  seating: Seating;
  /** The hand being played; its seat is fixed. */
  hand: number;
  seat: Seat;
  actions: string[];
  results: HandResult[];
  /** The number of players; missing in sessions of two. */
  players?: number;
}

/** The session in the address; each part may be missing. */
export interface Named {
  seed: number | null;
  hand: number | null;
  seating: Seating | null;
}

const PREFIX = "untilt-play ";
const SKIPS = "untilt-play-skips";

export function namedBy(options: Record<string, string>): Named {
  return {
    seed: wholeNumber(options["seed"]),
    hand: wholeNumber(options["deal"]),
    seating: /^(\d{1,2}|alternate)$/.test(options["sits"] ?? "") ? options["sits"] ?? null : null,
  };
}

/** A non-negative integer that a double holds exactly; null for any other text. */
export function wholeNumber(text: string | undefined): number | null {
  const number = text === undefined || text === "" ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
}

export function seatOf(hand: number, seating: Seating, players = 2): Seat {
  return seating === ALTERNATE ? hand % players : Number(seating);
}

export function freshSeed(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number;
}

export function newSession(seed: number, seating: Seating, hand = 0, players = 2): PlaySession {
  const session = { seed, seating, hand, seat: seatOf(hand, seating, players), actions: [], results: [] };
  return players === 2 ? session : { ...session, players };
}

/** The session in the address: the stored one if it matches, else a new one. */
export function resumed(stored: PlaySession | null, named: Named, players = 2): PlaySession {
  const seating = named.seating !== null && seatings(players).includes(named.seating) ? named.seating : null;
  const isOther = stored === null || (stored.players ?? 2) !== players;
  if (isOther || (named.seed !== null && named.seed !== stored.seed)) {
    return newSession(named.seed ?? freshSeed(), seating ?? ALTERNATE, named.hand ?? 0, players);
  }
  const session = seating === null ? stored : { ...stored, seating };
  const { hand } = named;
  if (hand === null || hand === session.hand || resultOf(session, hand) !== null) return session;
  return withHand(session, hand);
}

export function resultOf(session: PlaySession, hand: number): HandResult | null {
  return session.results.find((result) => result.hand === hand) ?? null;
}

/** Continue with this hand. */
export function withHand(session: PlaySession, hand: number): PlaySession {
  return { ...session, hand, seat: seatOf(hand, session.seating, session.players), actions: [] };
}

/**
 * Change seats. A hand that has begun is played to its end; one that was only dealt is skipped, because
 * its cards have been seen from the other seat.
 */
export function withSeating(session: PlaySession, seating: Seating): PlaySession {
  const changed = { ...session, seating };
  const isBegun = session.actions.length > 0 || resultOf(session, session.hand) !== null;
  if (isBegun || seatOf(session.hand, seating, session.players) === session.seat) return changed;
  return withHand(changed, session.hand + 1);
}

/** The session after a hand has ended; unchanged if the hand was already recorded. */
export function withResult(session: PlaySession, state: PlayState): PlaySession {
  if (!state.is_over || resultOf(session, state.hand) !== null) return session;
  return { ...session, results: [...session.results, resultOfState(state, session.actions)] };
}

function resultOfState(state: PlayState, actions: string[]): HandResult {
  const costs = (state.review ?? []).map((decision) => decision.cost);
  return {
    hand: state.hand,
    seat: state.seat,
    you: state.private,
    opponent: state.opponents.map((one) => one.private ?? "–").join(" "),
    board: state.public,
    actions,
    story: state.events.map((event) => event.words).join(", "),
    payoff: state.payoff ?? 0,
    cost: costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
    mistakes: (state.review ?? []).filter(({ cost, mistake }) => (cost ?? 0) > mistake).length,
    decisions: judged(state),
  };
}

export function readSession(run: string, storage?: Storage): PlaySession | null {
  try {
    const stored: unknown = JSON.parse((storage ?? sessionStorage).getItem(PREFIX + run) ?? "null");
    return isSession(stored) ? stored : null;
  } catch {
    return null;
  }
}

export function writeSession(run: string, session: PlaySession, storage?: Storage): void {
  try {
    (storage ?? sessionStorage).setItem(PREFIX + run, JSON.stringify(session));
  } catch {
    // If the storage is full or blocked, a reload starts over.
  }
}

/** Whether hands without a decision are skipped, in every game. */
export function readSkips(): boolean {
  try {
    return localStorage.getItem(SKIPS) === "yes";
  } catch {
    return false;
  }
}

export function writeSkips(skips: boolean): void {
  try {
    localStorage.setItem(SKIPS, skips ? "yes" : "no");
  } catch {
    // If nothing may be stored, the choice lasts until a reload.
  }
}

function isSession(value: unknown): value is PlaySession {
  if (value === null || typeof value !== "object") return false;
  const { seed, seating, hand, seat, actions, results, players = 2 } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(players) || (players as number) < 2 || (players as number) > 100) return false;
  const all = seatings(players as number);
  return Number.isSafeInteger(seed) && Number.isSafeInteger(hand)
    && all.includes(String(seat)) && typeof seating === "string" && all.includes(seating)
    && Array.isArray(actions) && Array.isArray(results);
}
