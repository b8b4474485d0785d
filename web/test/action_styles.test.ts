import assert from "node:assert/strict";
import { test } from "node:test";

import { actionClasses, kindClass, nameHash, step } from "../src/action_styles";
import type { ActionData } from "../src/model";

function action(name: string): ActionData {
  const found = /^(fold|check|call|bet|raise|all-in)(?: (\d+))?$/.exec(name);
  if (found === null) return { kind: "other", amount: null, name };
  return { kind: found[1] as ActionData["kind"], amount: found[2] === undefined ? null : Number(found[2]), name };
}

function classes(...names: string[]): string[] {
  return actionClasses(names.map(action));
}

test("an action looks the same wherever it is in the list", () => {
  assert.deepEqual(classes("fold", "call", "raise"), ["action-fold", "action-call", "action-bet-1"]);
  assert.deepEqual(classes("check", "bet"), ["action-check", "action-bet-1"]);
  assert.equal(classes("bid 3", "liar")[1], classes("liar")[0]);
  assert.equal(kindClass("all-in"), "action-all-in");
});

test("bets are darker by size, whatever their order", () => {
  assert.deepEqual(classes("bet 150", "check", "bet 33", "bet 75", "all-in"),
    ["action-bet-3", "action-check", "action-bet-0", "action-bet-2", "action-all-in"]);
});

// The same numbers as in tests/charts/test_palette.py.
test("steps and hashes are those of the charts in Python", () => {
  assert.deepEqual([0, 1].map((rank) => step(rank, 2)), [0, 3]);
  assert.deepEqual([0, 1, 2, 3].map((rank) => step(rank, 4)), [0, 1, 2, 3]);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map((rank) => step(rank, 7)), [0, 1, 1, 2, 2, 3, 3]);
  assert.equal(nameHash(""), (0x811c9dc5 ^ 0x811c) >>> 0);
  assert.equal(nameHash("a"), (0xe40c292c ^ 0xe40c) >>> 0);
  assert.equal(nameHash("3 × 5 – bluff"), 0xb2912f9c);
});
