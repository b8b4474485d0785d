import assert from "node:assert/strict";
import { test } from "node:test";

import { HANDS } from "../src/charts/hands";
import { neighbour } from "../src/views/pushfold_grid";

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
