import assert from "node:assert/strict";
import { test } from "node:test";

import type { ActionData } from "../src/model";
import { Amounts, unitsOf } from "../src/views/node/units";
import { node } from "./nodes";

const NODE = node({ pot: 300, chips: { pot: 200, bets: [100, 0], stacks: [800, 900] }, panels: { bb: 20 } });
const act = (kind: ActionData["kind"], name: string, amount: number | null = null): ActionData => ({ kind, amount, name });

test("amounts are chips, big blinds or percent of the pot", () => {
  assert.equal(new Amounts("chips", NODE).full(45), "45.0");
  assert.equal(new Amounts("bb", NODE).full(45), "2.25 bb");
  assert.equal(new Amounts("pot", NODE).full(45), "15.0 %");
  assert.equal(new Amounts("pot", NODE).full(null), "–");
});

test("a raise is in percent of the pot after the call, and in big blinds in all", () => {
  // The pot is 400 after a call of 100: a raise to 300 adds 200 to it.
  assert.equal(new Amounts("pot", NODE).action(act("raise", "raise 300", 300)), "raise 50 %");
  assert.equal(new Amounts("bb", NODE).action(act("raise", "raise 300", 300)), "raise 15 bb");
  assert.equal(new Amounts("pot", NODE).action(act("call", "call")), "call");
  const first = node({ pot: 200, chips: { pot: 200, bets: [0, 0], stacks: [900, 900] } });
  assert.equal(new Amounts("pot", first).action(act("bet", "bet 66", 66)), "bet 33 %");
  // The pot of the past was another one.
  assert.equal(new Amounts("pot", first).pastAction(act("bet", "bet 66", 66)), "bet 66");
});

test("a node without big blinds or a pot does not offer them, and falls back to chips", () => {
  assert.deepEqual(unitsOf(node()), ["chips"]);
  assert.deepEqual(unitsOf(NODE), ["chips", "bb", "pot"]);
  assert.equal(new Amounts("bb", node({ pot: 3 })).full(1.5), "1.5");
});
