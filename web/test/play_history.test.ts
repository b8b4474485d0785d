import assert from "node:assert/strict";
import { test } from "node:test";

import type { PlayState, ReviewedDecision } from "../src/model";
import { dealOf, pastDeal, sessionDeal } from "../src/views/play/deal";
import {
  clearHistory, emptyHistory, gameKey, nextSpot, readHistory, withHand, withMistakes, withoutSpot, writeHistory,
  type History, type PastHand, type Spot,
} from "../src/views/play/history";
import { totalsOf } from "../src/views/play/past";
import { newSession } from "../src/views/play/session";
import { TERMS } from "./rows";

function storageOf(kept: Map<string, string>): Storage {
  return {
    get length() { return kept.size; },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
}

function decision(label: string, cost: number | null): ReviewedDecision {
  return {
    label, words: "facing a bet", private: "Q", public: "", line: "b", actions: ["fold", "call"],
    action_data: [{ kind: "fold", amount: null, name: "fold" }, { kind: "call", amount: null, name: "call" }],
    chosen: "call", probabilities: [1, 0], values: [0, 0], cost, mistake: 1e-3, insight: null,
  };
}

function over(hand: number, review: ReviewedDecision[]): PlayState {
  return {
    hand, seat: 1, private: "Q", faces: ["Q"], opponent: "K", opponent_faces: ["K"], num_hidden: 1,
    opponents: [{ seat: 0, private: "K", faces: ["K"], num_hidden: 1 }], public: "",
    public_faces: [], events: [], to_act: null, chips: null, opening: [], runout: null, terms: TERMS, is_over: true,
    payoff: -2, payoffs: [2, -2], winner: 0, outcome: "you lose", verdict: "", review, thoughts: [], ranges: null,
  };
}

function past(hand: number, change: Partial<PastHand> = {}): PastHand {
  return {
    hand, seat: 1, you: "Q", opponent: "K", board: "", actions: ["check", "call"], story: "", payoff: -2, cost: 0.5,
    mistakes: 1, run: "kuhn", seed: 7, at: 1000 + hand, ...change,
  };
}

function spot(label: string, cost: number, times = 1): Spot {
  return {
    seat: 0, label, words: "", you: "", board: "", actions: [], chosen: "call", cost, times, seed: 1, hand: 1,
  };
}

test("a hand adds to the totals once, whichever tab plays it", () => {
  const state = over(3, [decision("P1:Q:c", 0), decision("P1:Q:cb", 0.5)]);
  const one = withHand(emptyHistory(), past(3), state);
  assert.deepEqual([one.hands, one.total, one.decisions, one.mistakes, one.cost], [1, -2, 2, 1, 0.5]);
  assert.equal(withHand(one, past(3), state), one);
  const two = withHand(one, past(3, { seed: 8 }), state);
  assert.deepEqual([two.hands, two.recent.length], [2, 2]);
});

test("a mistake is kept with the way to it, and counted when it is made again", () => {
  const state = over(3, [decision("P1:Q:c", 0), decision("P1:Q:cb", 0.5)]);
  const [first] = withMistakes(emptyHistory(), 7, ["check", "call"], state).spots;
  assert.deepEqual([first?.label, first?.actions, first?.chosen, first?.times], ["P1:Q:cb", ["check"], "call", 1]);
  const again = withMistakes(withMistakes(emptyHistory(), 7, ["check", "call"], state), 9, ["check", "call"], state);
  assert.deepEqual(again.spots.map(({ times, seed }) => [times, seed]), [[2, 9]]);
  assert.deepEqual(withoutSpot(again, again.spots[0] ?? spot("", 0)).spots, []);
  const right = over(4, [decision("P1:Q:c", 0.0005), decision("P1:Q:cb", null)]);
  assert.deepEqual(withMistakes(emptyHistory(), 7, [], right).spots, []);
});

test("the costliest habit is drilled first, and another one than just before", () => {
  const spots = [spot("a", 1), spot("b", 0.4, 3), spot("c", 0.1)];
  assert.equal(nextSpot(spots, null)?.label, "b");
  assert.equal(nextSpot(spots, spots[1] ?? null)?.label, "a");
  assert.equal(nextSpot([spot("a", 1)], spot("a", 1))?.label, "a");
  assert.equal(nextSpot([], null), null);
});

test("a history is bounded: 200 hands, the 60 costliest mistakes, 30 games", () => {
  let history = emptyHistory();
  for (let hand = 0; hand < 300; hand += 1) {
    history = withHand(history, past(hand), over(hand, [decision(`P1:${hand}:b`, 0.01 + hand)]));
  }
  assert.deepEqual([history.hands, history.recent.length, history.recent[0]?.hand], [300, 200, 100]);
  assert.equal(history.spots.length, 60);
  assert.equal(Math.min(...history.spots.map(({ cost }) => cost)), 240.01);
  const kept = new Map<string, string>();
  for (let game = 0; game < 40; game += 1) {
    writeHistory(`game ${game}`, { ...emptyHistory(), at: game }, storageOf(kept));
  }
  assert.equal(kept.size, 30);
  assert.ok(kept.has("untilt-history game 39"));
  assert.ok(!kept.has("untilt-history game 9"));
});

test("what is damaged is left out, and what a newer page wrote is left alone", () => {
  const kept = new Map<string, string>();
  const storage = storageOf(kept);
  const key = "untilt-history kuhn";
  const good = withHand(emptyHistory(), past(1), over(1, [decision("P1:Q:b", 0.5)]));
  writeHistory("kuhn", good, storage);
  assert.deepEqual(readHistory("kuhn", storage), good);
  for (const text of ["", "{", "[]", "3", "null", '{"version": 1}', '{"version": 0, "hands": 3}',
    JSON.stringify({ ...good, hands: -1 }), JSON.stringify({ ...good, total: "x" }), JSON.stringify({ ...good, recent: {} })]) {
    kept.set(key, text);
    assert.deepEqual(readHistory("kuhn", storage), emptyHistory(), text);
  }
  const mixed = { ...good, recent: [...good.recent, 3, { ...past(2), payoff: "x" }], spots: [null, ...good.spots, { label: 3 }] };
  kept.set(key, JSON.stringify(mixed));
  assert.deepEqual(readHistory("kuhn", storage), good);
  const newer = JSON.stringify({ version: 2, other: true });
  kept.set(key, newer);
  writeHistory("kuhn", good, storage);
  assert.equal(kept.get(key), newer);
  clearHistory("kuhn", storage);
  assert.equal(kept.size, 0);
});

test("a storage that is full or blocked stops nothing", () => {
  const broken = new Proxy({} as Storage, { get: () => () => { throw new Error("blocked"); } });
  writeHistory("kuhn", emptyHistory(), broken);
  assert.deepEqual(readHistory("kuhn", broken), emptyHistory());
  clearHistory("kuhn", broken);
});

test("runs of the same game share a history, other parameters do not", () => {
  assert.equal(gameKey({ game: "leduc", parameters: { ranks: 3, bets: 2 } }), gameKey({ game: "leduc", parameters: { bets: 2, ranks: 3 } }));
  assert.notEqual(gameKey({ game: "leduc", parameters: { ranks: 3 } }), gameKey({ game: "leduc", parameters: { ranks: 4 } }));
});

test("totals in words", () => {
  const history: History = { ...emptyHistory(), hands: 214, total: -12.5, mistakes: 1, cost: 8.214 };
  assert.equal(totalsOf(history, "bb"), "214 hands · −12.50 bb (−0.058 a hand) · 1 mistake · gave away 8.21");
  assert.equal(totalsOf(emptyHistory(), "bb"), "no hands yet");
});

test("the hand on the table: the current one, or an earlier one as it was played", () => {
  const session = { ...newSession(7, "0"), hand: 2, actions: ["bet"], results: [past(1)] };
  assert.deepEqual(dealOf(session, 2), sessionDeal(session));
  assert.deepEqual(dealOf(session, 1), pastDeal(7, past(1)));
  assert.deepEqual(dealOf(session, 1), { kind: "past", seed: 7, hand: 1, seat: 1, actions: ["check", "call"] });
  assert.deepEqual(dealOf(session, 9), sessionDeal(session));
});
