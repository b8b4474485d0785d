import assert from "node:assert/strict";
import { test } from "node:test";

import type { StrategyRow } from "../src/model";
import { compared } from "../src/views/strategy/compare";

function row(label: string, ...probabilities: number[]): StrategyRow {
  const actions = probabilities.map((_, index) => `action ${index}`);
  return {
    label, card: "", board: "", line: "", words: "", actions, action_data: [], probabilities, values: [], own_reach: 1,
  };
}

test("the largest difference comes first, and what the other lacks last", () => {
  const rows = [row("a", 0.5, 0.5), row("b", 1, 0), row("only here", 1, 0), row("c", 0.2, 0.8)];
  const others = [row("c", 0.4, 0.6), row("b", 0, 1), row("a", 0.5, 0.5)];
  const found = compared(rows, others);
  assert.deepEqual(found.map((one) => one.label), ["b", "c", "a", "only here"]);
  assert.deepEqual(found.map((one) => one.other?.difference.toFixed(3)), ["1.000", "0.200", "0.000", undefined]);
});

test("infosets with other actions are not compared", () => {
  assert.equal(compared([row("a", 0.5, 0.5)], [row("a", 0.2, 0.3, 0.5)])[0]?.other, null);
});
