// What a person has played of a game, kept by the browser across sessions: totals, the last hands,
// and the spots of mistakes to drill. Anybody may have written what is stored, so it is checked
// when read.

import type { PlayState, Seat, RunSummary } from "../../model";
import type { HandResult } from "./score";

const VERSION = 1;
const PREFIX = "untilt-history ";
const MAX_HANDS = 200;
const MAX_SPOTS = 60;
const MAX_GAMES = 30;
const MAX_TEXT = 4000;
const MAX_SEATS = 100;

/** A finished hand with what is needed to show it again. */
export interface PastHand extends HandResult {
  run: string;
  seed: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** A decision that was a mistake, to be dealt again. */
export interface Spot {
  seat: Seat;
  label: string;
  words: string;
  you: string;
  board: string;
  /** The person's actions before it. */
  actions: string[];
  chosen: string;
  cost: number;
  /** How often the mistake was made. */
  times: number;
  /** The hand in which it was last made. */
  seed: number;
  hand: number;
}

export interface History {
  version: typeof VERSION;
  /** When it was last written, to find the oldest game. */
  at: number;
  hands: number;
  total: number;
  decisions: number;
  mistakes: number;
  cost: number;
  /** The last hands, oldest first. */
  recent: PastHand[];
  /** The costliest mistakes that have not been corrected yet. */
  spots: Spot[];
}

export function emptyHistory(): History {
  return { version: VERSION, at: 0, hands: 0, total: 0, decisions: 0, mistakes: 0, cost: 0, recent: [], spots: [] };
}

/** One history for all runs of the same game with the same parameters. */
export function gameKey({ game, parameters }: Pick<RunSummary, "game" | "parameters">): string {
  const given = Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
  return [game, ...given.map(([name, value]) => `${name}=${value}`)].join(" ");
}

/** The history after a hand; unchanged if it is the same hand of the same seed as one of the last. */
export function withHand(history: History, hand: PastHand, state: PlayState): History {
  const isKnown = history.recent.some((one) => (
    one.seed === hand.seed && one.hand === hand.hand && one.seat === hand.seat && one.run === hand.run
  ));
  if (isKnown) return history;
  const costs = (state.review ?? []).map(({ cost }) => cost ?? 0);
  return {
    ...withMistakes(history, hand.seed, hand.actions, state),
    at: hand.at,
    hands: history.hands + 1,
    total: history.total + hand.payoff,
    decisions: history.decisions + costs.length,
    mistakes: history.mistakes + hand.mistakes,
    cost: history.cost + costs.reduce((sum, cost) => sum + cost, 0),
    recent: [...history.recent, hand].slice(-MAX_HANDS),
  };
}

/** Add the mistakes of a finished hand to the spots to drill. */
export function withMistakes(history: History, seed: number, actions: readonly string[], state: PlayState): History {
  let { spots } = history;
  (state.review ?? []).forEach((decision, index) => {
    // In hold'em, no number of attempts would find a hand with the same cards again.
    if (decision.cost === null || decision.cost <= decision.mistake || decision.insight !== null) return;
    const before = spots.find(({ label, seat }) => label === decision.label && seat === state.seat);
    const spot: Spot = {
      seat: state.seat, label: decision.label, words: decision.words, you: decision.private, board: decision.public,
      actions: actions.slice(0, index), chosen: decision.chosen, cost: decision.cost,
      times: (before?.times ?? 0) + 1, seed, hand: state.hand,
    };
    spots = [...spots.filter((one) => one !== before), spot];
  });
  if (spots === history.spots) return history;
  // If there are too many, the cheapest go.
  const kept = new Set([...spots].sort((one, other) => other.cost - one.cost).slice(0, MAX_SPOTS));
  return { ...history, spots: spots.filter((spot) => kept.has(spot)) };
}

export function withoutSpot(history: History, spot: Spot): History {
  return { ...history, spots: history.spots.filter(({ label, seat }) => label !== spot.label || seat !== spot.seat) };
}

/** The spot to drill next: the costliest habit, and not the one just dealt if there is another. */
export function nextSpot(spots: readonly Spot[], last: Spot | null): Spot | null {
  const others = spots.filter(({ label, seat }) => label !== last?.label || seat !== last.seat);
  const open = others.length > 0 ? others : spots;
  return [...open].sort((one, other) => other.cost * other.times - one.cost * one.times)[0] ?? null;
}

export function readHistory(game: string, storage?: Storage): History {
  return parsed(read(game, storage)) ?? emptyHistory();
}

/** Store the history; nothing happens if a newer version of the page has written one, or nothing may be stored. */
export function writeHistory(game: string, history: History, storage?: Storage): void {
  if (isNewer(read(game, storage))) return;
  try {
    const kept = storage ?? localStorage;
    kept.setItem(PREFIX + game, JSON.stringify(history));
    forgetOldest(game, kept);
  } catch {
    // The storage is full or blocked: the session continues without a history.
  }
}

export function clearHistory(game: string, storage?: Storage): void {
  try {
    (storage ?? localStorage).removeItem(PREFIX + game);
  } catch {
    // Nothing may be stored, so there is nothing to remove.
  }
}

function read(game: string, storage: Storage | undefined): unknown {
  try {
    // Where nothing may be stored, even accessing the storage is an error.
    return JSON.parse((storage ?? localStorage).getItem(PREFIX + game) ?? "null");
  } catch {
    return null;
  }
}

function forgetOldest(current: string, storage: Storage): void {
  const games = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "")
    .filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
  const others = games.filter((game) => game !== current)
    .map((game) => ({ game, at: parsed(read(game, storage))?.at ?? 0 }))
    .sort((one, other) => other.at - one.at);
  for (const { game } of others.slice(MAX_GAMES - 1)) storage.removeItem(PREFIX + game);
}

function isNewer(value: unknown): boolean {
  return isRecord(value) && typeof value["version"] === "number" && value["version"] > VERSION;
}

/** A stored history whose totals are sound; hands and spots that are damaged are left out. */
function parsed(value: unknown): History | null {
  if (!isRecord(value) || value["version"] !== VERSION) return null;
  const { at, hands, total, decisions, mistakes, cost, recent, spots } = value;
  const isSound = [at, total, cost].every(isNumber) && [hands, decisions, mistakes].every(isCount)
    && Array.isArray(recent) && Array.isArray(spots);
  if (!isSound) return null;
  return {
    version: VERSION, at: at as number, hands: hands as number, total: total as number,
    decisions: decisions as number, mistakes: mistakes as number, cost: cost as number,
    recent: (recent as unknown[]).filter(isPastHand).slice(-MAX_HANDS),
    spots: (spots as unknown[]).filter(isSpot).slice(-MAX_SPOTS),
  };
}

function isPastHand(value: unknown): value is PastHand {
  if (!isRecord(value)) return false;
  const { run, you, opponent, board, story, actions, hand, seat, seed, at, payoff, cost, mistakes } = value;
  return [run, you, opponent, board, story].every(isText) && isTexts(actions)
    && [hand, seed, mistakes].every(isCount) && isSeat(seat) && isNumber(at) && isNumber(payoff)
    && (cost === null || isNumber(cost));
}

function isSpot(value: unknown): value is Spot {
  if (!isRecord(value)) return false;
  const { seat, label, words, you, board, actions, chosen, cost, times, seed, hand } = value;
  return [label, words, you, board, chosen].every(isText) && isTexts(actions)
    && [times, seed, hand].every(isCount) && isSeat(seat) && isNumber(cost);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TEXT;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isSeat(value: unknown): value is Seat {
  return isCount(value) && value < MAX_SEATS;
}
