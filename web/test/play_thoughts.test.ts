import assert from "node:assert/strict";
import { test } from "node:test";

import type { PlayState, Thought } from "../src/model";
import { mixWords, momentsOf, rangeCells } from "../src/views/play/thoughts";

function thought(board: string, chosen: string): Thought {
  return { seat: 1, line: "", board, chosen, ranges: [], range_mix: {}, range_before: null, solved: null };
}

test("moments are the decisions of the opponent, and the turn while the hand goes on", () => {
  const thoughts = [thought("", "call"), thought("Td9d6h2c5s", "bet 12")];
  assert.deepEqual(momentsOf({ thoughts, is_over: true } as PlayState), ["preflop: call", "river: bet 12"]);
  assert.deepEqual(momentsOf({ thoughts, is_over: false } as PlayState).at(-1), "now");
});

test("cells of a range are shaded by how likely a combo is", () => {
  const weights = Array.from({ length: 169 }, () => 0);
  [weights[0], weights[1]] = [1, 0.25];
  const cells = rangeCells(weights);
  assert.equal(cells.length, 169);
  assert.deepEqual(cells.slice(0, 3).map(({ shade, text }) => [shade?.strength ?? 0, text]), [[1, ""], [0.25, "25"], [0, ""]]);
});

test("a mix leaves out what is never done", () => {
  assert.equal(mixWords({ check: 0.75, "bet 12": 0.25, "all-in 194": 0.0001 }), "check 75.0 %, bet 12 25.0 %");
});
