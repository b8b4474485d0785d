import assert from "node:assert/strict";
import { test } from "node:test";

import { nodesPerSecond, secondsOf } from "../src/charts/measures";
import { millions } from "../src/format";
import { row } from "./rows";

test("nodes per second are known where nodes are counted", () => {
  assert.equal(nodesPerSecond({ nodes: 300, seconds: 2 }), 150);
  assert.equal(nodesPerSecond({ nodes: null, seconds: 2 }), null);
  assert.equal(nodesPerSecond({ nodes: 0, seconds: 0 }), null);
});

test("the right axis has what some row has, nodes not among it", () => {
  assert.deepEqual(secondsOf([row(1, 1, { nodes: 5 }), row(2, 1, { regret: 0.5 })]), ["regret"]);
});

test("rates in millions", () => {
  assert.deepEqual([41234, 999_999, 1_360_000].map(millions), ["41,234", "999,999", "1.36 M"]);
});
