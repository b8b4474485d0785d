import assert from "node:assert/strict";
import { test } from "node:test";

import type { Chips, PlayAction, PlayState } from "../src/model";
import { chipText, potOf } from "../src/views/play/chips";
import { faceWords, parseFace, shapeOf } from "../src/views/play/faces";
import { chosenBy, keyOf } from "../src/views/play/keys";
import { nearestBet, shareOfPot, sizedBets, withButtons } from "../src/views/play/sizes";
import { pathOf, scoreOf, type HandResult } from "../src/views/play/score";
import {
  namedBy, newSession, readSession, resumed, seatings, seatOf, withHand, withResult, withSeating, writeSession,
} from "../src/views/play/session";
import { TERMS } from "./rows";

function result(payoff: number, change: Partial<HandResult> = {}): HandResult {
  return {
    hand: 0, seat: 0, you: "K", opponent: "Q", board: "", actions: [], story: "", payoff, cost: 0, mistakes: 0,
    ...change,
  };
}

function over(hand: number, costs: (number | null)[]): PlayState {
  return {
    hand, seat: 0, private: "K", faces: ["K"], opponent: "J", opponent_faces: ["J"], num_hidden: 1,
    opponents: [{ seat: 1, private: "J", faces: ["J"], num_hidden: 1 }],
    public: "Q", public_faces: ["Q"],
    events: [
      { player: 0, is_you: true, action: "bet", public: "", words: "you bet 2" },
      { player: 1, is_you: false, action: "call", public: "", words: "player 1 calls 2" },
    ],
    to_act: null, chips: null, opening: [], runout: null, terms: TERMS, is_over: true, payoff: 3, payoffs: [3, -3], winner: 0,
    outcome: "showdown: you win", verdict: "no mistakes",
    review: costs.map((cost) => ({
      label: "P0:K:", words: "opening action", private: "K", public: "", line: "", actions: ["check", "bet"],
      action_data: [{ kind: "check", amount: null, name: "check" }, { kind: "bet", amount: null, name: "bet" }],
      chosen: "bet", probabilities: [0.5, 0.5], values: [1, 1], cost, mistake: 1e-3, insight: null,
    })),
    thoughts: [], ranges: null,
  };
}

test("the score: mean, interval and costs against numbers by hand", () => {
  // 1, −1, 2, −2, 5: mean 1; squared deviations 0 + 4 + 1 + 9 + 16 = 30; s = √7.5.
  const score = scoreOf([1, -1, 2, -2, 5].map((payoff) => result(payoff, { cost: 0.25, mistakes: 1 })));
  assert.equal(score.hands, 5);
  assert.equal(score.total, 5);
  assert.equal(score.mean, 1);
  assert.ok(Math.abs((score.margin ?? 0) - 1.96 * Math.sqrt(7.5 / 5)) < 1e-12);
  assert.equal(score.cost, 0.25);
  assert.equal(score.mistakes, 5);
});

test("the score of no hand and of one has no interval", () => {
  assert.deepEqual(scoreOf([]), { hands: 0, total: 0, mean: null, margin: null, cost: null, mistakes: 0 });
  assert.deepEqual([scoreOf([result(2)]).mean, scoreOf([result(2)]).margin], [2, null]);
});

test("unknown costs are left out of the mean cost", () => {
  assert.equal(scoreOf([result(1, { cost: null }), result(1, { cost: 0.5 })]).cost, 0.5);
});

test("the path of the total: the band is the interval of the mean times the hands", () => {
  const path = pathOf([result(1), result(3)]);
  assert.deepEqual(path.map((point) => point.total), [0, 1, 4]);
  // s = √2, so the total is 4 ± 1.96 · √2 · √2.
  assert.ok(Math.abs((path[2]?.high ?? 0) - (4 + 1.96 * 2)) < 1e-12);
  assert.ok(Math.abs((path[2]?.low ?? 0) - (4 - 1.96 * 2)) < 1e-12);
});

test("faces: suited cards, plain ranks and other texts", () => {
  assert.deepEqual(parseFace("Js"), { kind: "suited", rank: "J", suit: "s" });
  assert.deepEqual(parseFace("10h"), { kind: "suited", rank: "10", suit: "h" });
  assert.deepEqual(parseFace("K"), { kind: "rank", rank: "K" });
  assert.deepEqual(parseFace("13"), { kind: "rank", rank: "13" });
  for (const text of ["high", "Jx", "123", "k", "1-2", "<b>"]) {
    assert.deepEqual(parseFace(text), { kind: "text", text });
  }
  assert.equal(faceWords(parseFace("Td")), "ten of diamonds");
  assert.equal(faceWords(parseFace("7")), "7");
});

test("things are drawn by the game's word for them", () => {
  assert.deepEqual(["card", "cards", "hand class", "board"].map(shapeOf), ["card", "card", "card", "card"]);
  assert.deepEqual(["die", "value", "reason to trade", ""].map(shapeOf), ["die", "tile", "tile", "tile"]);
});

test("chips: the pot gathers the bets at the end, and amounts are short", () => {
  const chips: Chips = { pot: 2, bets: [2, 4], stacks: [null, null] };
  assert.deepEqual([potOf(chips, false), potOf(chips, true)], [2, 8]);
  assert.deepEqual([2, 9.5, 0.1 + 0.2, 1200, 1 / 3].map(chipText), ["2", "9.5", "0.3", "1,200", "0.3333"]);
});

test("keys: digits take actions, letters are left to the page", () => {
  const press = (key: string, actions: string[], canDeal = false) => chosenBy({ key }, actions, canDeal);
  assert.deepEqual(press("2", ["fold", "call"]), { action: "call" });
  for (const key of ["c", "f", "s", "3", "0", "Enter", " "]) assert.equal(press(key, ["fold", "call"]), null, key);
  // Actions called 1-1, 1-2: a digit is a number all the same.
  assert.deepEqual(press("1", ["2-1", "1-1"]), { action: "2-1" });
  // Bids are called by their digits, so digits are no numbers of actions.
  assert.deepEqual(press("1", ["0", "1", "2"]), { action: "1" });
  assert.deepEqual(press("0", ["0", "1", "2"]), { action: "0" });
  assert.equal(press("3", ["0", "1", "2"]), null);
  assert.equal(press("n", ["fold"]), null);
  for (const key of ["n", "Enter", " "]) assert.equal(press(key, [], true), "deal");
  assert.equal(press("1", [], true), null);
  assert.equal(press("d", ["fold"]), "drill");
  assert.deepEqual(press("ArrowLeft", ["fold", "call"]), { move: -1 });
});

test("keys: thirteen bids have thirteen keys, which the buttons show", () => {
  const bids = Array.from({ length: 13 }, (_, index) => `bid ${index}`);
  assert.deepEqual(chosenBy({ key: "0" }, bids, false), { action: "bid 9" });
  assert.deepEqual(chosenBy({ key: "!", code: "Digit1", shiftKey: true }, bids, false), { action: "bid 10" });
  assert.deepEqual(chosenBy({ key: "#", code: "Digit3", shiftKey: true }, bids, false), { action: "bid 12" });
  assert.equal(chosenBy({ key: "$", code: "Digit4", shiftKey: true }, bids, false), null);
  // A French keyboard types digits with shift.
  assert.deepEqual(chosenBy({ key: "1", code: "Digit1", shiftKey: true }, bids, false), { action: "bid 0" });
  assert.deepEqual([0, 8, 9, 10, 12, 20].map((index) => keyOf(index, bids)), ["1", "9", "0", "⇧1", "⇧3", null]);
  assert.deepEqual(["0", "1", "10"].map((_, index, all) => keyOf(index, all)), ["0", "1", null]);
});

test("seats alternate by the number of the hand", () => {
  assert.deepEqual([0, 1, 2].map((hand) => seatOf(hand, "alternate")), [0, 1, 0]);
  assert.deepEqual([0, 1].map((hand) => seatOf(hand, "1")), [1, 1]);
});

test("a table of three has three seats, which alternate", () => {
  assert.deepEqual(seatings(3), ["0", "1", "2", "alternate"]);
  assert.deepEqual([0, 1, 2, 3].map((hand) => seatOf(hand, "alternate", 3)), [0, 1, 2, 0]);
  const session = newSession(7, "alternate", 5, 3);
  assert.deepEqual([session.seat, withHand(session, 6).seat], [2, 0]);
  assert.equal(withSeating(session, "2").hand, 5);
  assert.deepEqual(withSeating(session, "1").hand, 6);
  assert.equal(resumed(session, namedBy({ sits: "2" }), 3).seating, "2");
  // A seat that the game does not have, and a session of another number of players.
  assert.equal(resumed(session, namedBy({ sits: "3" }), 3).seating, "alternate");
  assert.equal(resumed(session, namedBy({}), 2).players, undefined);
});

test("a hand is written down once, with what its mistakes cost", () => {
  const session = { ...newSession(7, "0"), actions: ["bet"] };
  const after = withResult(session, over(0, [0.2, 0.0001]));
  assert.equal(after.results.length, 1);
  const [written] = after.results;
  assert.deepEqual([written?.actions, written?.story, written?.payoff], [["bet"], "you bet 2, player 1 calls 2", 3]);
  assert.ok(Math.abs((written?.cost ?? 0) - 0.2001) < 1e-12);
  assert.equal(written?.mistakes, 1);
  assert.equal(withResult(after, over(0, [0])), after);
  assert.equal(withResult(session, over(0, [0.2, null])).results[0]?.cost, null);
});

test("another seat passes over a hand whose card was seen, and waits for the end of one begun", () => {
  const fresh = newSession(7, "0");
  const moved = withSeating(fresh, "1");
  assert.deepEqual([moved.hand, moved.seat], [1, 1]);
  const begun = withSeating({ ...fresh, actions: ["check"] }, "1");
  assert.deepEqual([begun.hand, begun.seat, begun.seating], [0, 0, "1"]);
  assert.equal(withHand(begun, 1).seat, 1);
  assert.equal(withSeating(fresh, "alternate").hand, 0);
});

test("the address resumes the stored session, or begins the one that it names", () => {
  const stored = withHand(withResult(newSession(7, "alternate"), over(0, [])), 1);
  assert.equal(resumed(stored, namedBy({})), stored);
  assert.equal(resumed(stored, namedBy({ seed: "7", deal: "0" })), stored);
  assert.equal(resumed(stored, namedBy({ seed: "7", deal: "5" })).hand, 5);
  const other = resumed(stored, namedBy({ seed: "8", deal: "4", sits: "1" }));
  assert.deepEqual([other.seed, other.hand, other.seat, other.results.length], [8, 4, 1, 0]);
  assert.deepEqual(namedBy({ seed: "-1", deal: "x", sits: "both" }), { seed: null, hand: null, seating: null });
  assert.equal(resumed(stored, namedBy({ sits: "2" })), stored);
});

test("a session is stored by run; what is damaged is left alone", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  } as Storage;
  writeSession("a", newSession(7, "1"), storage);
  assert.deepEqual(readSession("a", storage), newSession(7, "1"));
  assert.equal(readSession("b", storage), null);
  for (const key of kept.keys()) kept.set(key, '{"seed": "x"}');
  assert.equal(readSession("a", storage), null);
});

function bets(from: number, to: number): PlayAction[] {
  const raises = Array.from({ length: to - from }, (_, index) => from + index);
  return [
    { kind: "fold", amount: null, name: "fold", words: "fold" },
    { kind: "call", amount: 2, name: "call", words: "call 1 to win 3" },
    ...raises.map((amount): PlayAction => (
      { kind: "raise", amount, name: `raise ${amount}`, words: `raise to ${amount}` }
    )),
    { kind: "all-in", amount: to, name: `all-in ${to}`, words: `all-in ${to}` },
  ];
}

test("many sizes of a bet have one control, few have a button each", () => {
  const [many, few] = [bets(4, 200), bets(4, 8)];
  assert.equal(sizedBets(many).length, 196);
  assert.deepEqual(withButtons(many).map(({ name }) => name), ["fold", "call", "all-in 200"]);
  assert.deepEqual([sizedBets(few), withButtons(few)], [[], few]);
});

test("a share of the pot is added to what is called first", () => {
  // Blinds 1 and 2: the pot is 4 after calling, so a bet of the pot raises to 6.
  assert.equal(shareOfPot(1, { pot: 0, bets: [1, 2], stacks: [199, 198] }), 6);
  assert.equal(shareOfPot(0.5, { pot: 12, bets: [0, 0], stacks: [194, 194] }), 6);
});

test("a size that cannot be bet becomes the nearest that can", () => {
  const sizes = sizedBets(bets(4, 200));
  assert.deepEqual([-1, 4, 17.4, 1000].map((wanted) => nearestBet(sizes, wanted).name), [
    "raise 4", "raise 4", "raise 17", "raise 199",
  ]);
});
