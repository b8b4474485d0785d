import assert from "node:assert/strict";
import { test } from "node:test";

import { nodesPerSecond, secondOf, secondsOf } from "../src/charts/measures";
import { millions } from "../src/format";
import { row } from "./rows";

test("nodes per second are known where nodes are counted", () => {
  assert.equal(nodesPerSecond({ nodes: 300, seconds: 2 }), 150);
  assert.equal(nodesPerSecond({ nodes: null, seconds: 2 }), null);
  assert.equal(nodesPerSecond({ nodes: 0, seconds: 0 }), null);
});

test("the right axis has what some row has, and how fast nodes are visited", () => {
  const rows = [row(1, 1, { nodes: 5 }), row(2, 1, { regret: 0.5, infosets: 7 })];
  assert.deepEqual(secondsOf(rows), ["regret", "infosets", "speed"]);
  assert.deepEqual(secondsOf([row(1, 1, { nodes: null })]), []);
  assert.deepEqual(secondsOf([row(1, 1, { drift: 0.1 }), row(2, 1, { lbr: 300 })]), ["lbr", "drift"]);
  assert.equal(secondOf(row(1, 1, { nodes: 6, seconds: 3 }), "speed"), 2);
  assert.equal(secondOf(row(1, 1, { infosets: 7 }), "infosets"), 7);
});

test("rates in millions", () => {
  assert.deepEqual([41234, 999_999, 1_360_000].map(millions), ["41,234", "999,999", "1.36 M"]);
});
