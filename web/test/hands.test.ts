import assert from "node:assert/strict";
import { test } from "node:test";

import { combosOf, HANDS } from "../src/charts/hands";
import { gathered, neighbour } from "../src/charts/hand_grid";

const indexOf = (name: string): number => HANDS.findIndex((hand) => hand.name === name);

test("the grid begins with AA, has suited hands above its diagonal and ends with 22", () => {
  assert.equal(HANDS.length, 169);
  assert.deepEqual(HANDS.slice(0, 3).map((hand) => hand.name), ["AA", "AKs", "AQs"]);
  assert.deepEqual(HANDS.slice(12, 15).map((hand) => hand.name), ["A2s", "AKo", "KK"]);
  assert.equal(HANDS[168]?.name, "22");
  assert.equal(new Set(HANDS.map((hand) => hand.name)).size, 169);
});

test("pairs have 6 combos, suited hands 4, offsuit ones 12; all together 1,326", () => {
  assert.equal(HANDS[indexOf("TT")]?.combos, 6);
  assert.equal(HANDS[indexOf("T9s")]?.combos, 4);
  assert.equal(HANDS[indexOf("T9o")]?.combos, 12);
  assert.equal(HANDS.reduce((sum, hand) => sum + hand.combos, 0), 1326);
});

test("keys move in the grid and stop at its edges", () => {
  const from = indexOf("KQs");
  assert.equal(neighbour(from, "ArrowLeft", false), indexOf("KK"));
  assert.equal(neighbour(from, "ArrowDown", false), indexOf("QQ"));
  assert.equal(neighbour(from, "End", false), indexOf("K2s"));
  assert.equal(neighbour(from, "End", true), indexOf("22"));
  assert.equal(neighbour(indexOf("AA"), "ArrowUp", false), indexOf("AA"));
  assert.equal(neighbour(from, "x", false), null);
});

test("1,326 combos are behind the 169 cells, each once", () => {
  const all = HANDS.flatMap((hand) => {
    const combos = combosOf(hand);
    assert.equal(combos.length, hand.combos, hand.name);
    return combos.map((combo) => [combo.slice(0, 2), combo.slice(2)].sort().join(""));
  });
  assert.equal(new Set(all).size, 1326);
});

test("a cell is split by what its combos do, weighted by how much of them is in the range", () => {
  const combos = [{ weight: 1, shares: [1, 0] }, { weight: 0.5, shares: [0, 1] }, { weight: 0, shares: [0, 1] }];
  const { weight, segments } = gathered(combos, ["action-call", "action-fold"]);
  assert.equal(weight, 0.5);
  assert.deepEqual(segments.map(({ share }) => share.toFixed(4)), ["0.6667", "0.3333"]);
  assert.deepEqual(gathered([], ["a"]), { weight: 0, segments: [{ style: "a", share: 0 }] });
});
