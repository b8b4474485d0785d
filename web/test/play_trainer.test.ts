import assert from "node:assert/strict";
import { test } from "node:test";

import type { ReviewedDecision } from "../src/model";
import { judged, passes, streetOf, tallied, verdictOf } from "../src/views/play/trainer";

const decision = (change: Partial<ReviewedDecision>): ReviewedDecision => ({
  label: "P0:K:", words: "facing a bet", private: "K", public: "", line: "cb", actions: ["fold", "call"], action_data: [],
  chosen: "call", probabilities: [0.2, 0.8], values: [0, 1], cost: 0, mistake: 0.01, insight: null, ...change,
});

test("a verdict says best, fine, or mistake with its cost", () => {
  assert.deepEqual(verdictOf(decision({}), "chips"), { kind: "best", words: "best: call" });
  assert.equal(verdictOf(decision({ chosen: "fold" }), "chips").words, "fine: fold is as good; the strategy: call 80 %");
  assert.equal(verdictOf(decision({ chosen: "fold", cost: 0.005 }), "chips").kind, "fine");
  assert.equal(verdictOf(decision({ chosen: "fold", cost: 1.5 }), "chips").words, "mistake: fold costs 1.50 chips; the strategy: call 80 %");
  assert.equal(verdictOf(decision({ cost: null }), "chips").kind, "unknown");
});

test("streets are those of the board", () => {
  assert.deepEqual(["", "Td9d6h", "Td9d6hQc", "Td9d6hQc2s", "K"].map(streetOf), ["preflop", "flop", "turn", "river", "after the board"]);
});

test("decisions are counted by situation, the dearest first, and filtered", () => {
  const hands = judged({
    seat: 1,
    review: [decision({}), decision({ words: "first to act", public: "Td9d6h", cost: 2 }), decision({ cost: 0.5 })],
  });
  assert.deepEqual(hands.map(({ isMistake }) => isMistake), [false, true, true]);
  assert.deepEqual(tallied(hands, ({ words }) => words), [
    { name: "first to act", decisions: 1, mistakes: 1, cost: 2 },
    { name: "facing a bet", decisions: 2, mistakes: 1, cost: 0.5 },
  ]);
  assert.equal(hands.filter((one) => passes({ street: "flop", seat: null }, one)).length, 1);
  assert.equal(hands.filter((one) => passes({ street: null, seat: 0 }, one)).length, 0);
});
