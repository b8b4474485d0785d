import assert from "node:assert/strict";
import { test } from "node:test";

import { HANDS } from "../src/charts/hands";
import type { TableNode } from "../src/model";
import { formatAddress, parseAddress, START } from "../src/state";
import { frequencyOf, regretOf } from "../src/views/pushfold/paint";
import { drawn } from "../src/views/push_fold_table/decision";
import { lineOfSeat, nearest, toggled } from "../src/views/push_fold_table/lines";
import { commandOf, DEFAULTS, numbersOf, optionsOf, orderOf, resized, seatNames, stakesOf } from "../src/views/push_fold_table/stakes";
import { node, side } from "./nodes";

/** Button, small blind and big blind, in the order of the server; the big blind has no decision after two folds. */
const THREE = ["", "f", "a", "af", "fa", "aa"];

test("a table comes back from its address, also without a run", () => {
  const options = { stacks: "12,8,15.5", prizes: "50,30,20", before: "fa" };
  for (const run of [null, "leduc"]) {
    const state = { ...START, run, view: "table", options };
    assert.deepEqual(parseAddress(formatAddress(state)), state);
  }
  assert.deepEqual(optionsOf(stakesOf(options)), {
    stacks: "12,8,15.5", small: null, ante: null, bbante: null, prizes: "50,30,20", others: null, bounty: null,
  });
});

test("texts of the form become a request, and the command that does the same", () => {
  const order = orderOf({ ...DEFAULTS, stacks: "10,6,4", ante: "0.125", prizes: "50 / 30, 20%", others: "5bb" }, "button: 45%", true);
  assert.deepEqual(order, {
    stacks: [10, 6, 4], small_blind: 0.5, ante: 0.125, bb_ante: 0, prizes: [50, 30, 20], others: [5], bounty: [],
    ranges: "button: 45%", is_locked: true,
  });
  assert.equal(commandOf(order), "untilt chart --stacks 10,6,4 --ante 0.125 --prizes 50,30,20 --others 5");
  assert.throws(() => numbersOf("prizes", "50,x"), /^Error: prizes: "x" is not a number; give numbers such as/);
  assert.throws(() => orderOf({ ...DEFAULTS, ante: "1,2" }, "", false), /ante: give one number/);
});

test("seats come and go in front, so that the blinds keep their stacks", () => {
  assert.deepEqual(resized(["12", "8", "15"], 5), ["12", "12", "12", "8", "15"]);
  assert.deepEqual(resized(["12", "8", "15"], 2), ["8", "15"]);
});

test("seats have the names that the server gives them", () => {
  assert.deepEqual(seatNames(2), ["small blind", "big blind"]);
  assert.deepEqual(seatNames(4), ["cutoff", "button", "small blind", "big blind"]);
  assert.deepEqual(seatNames(6), ["under the gun", "hijack", "cutoff", "button", "small blind", "big blind"]);
  assert.deepEqual(seatNames(9).slice(0, 5), ["under the gun", "under the gun + 1", "under the gun + 2", "lojack", "hijack"]);
  for (let seats = 2; seats <= 9; seats += 1) assert.equal(new Set(seatNames(seats)).size, seats);
});

test("a seat that is clicked acts after what those before it did", () => {
  assert.equal(lineOfSeat(THREE, "a", 2), "af");
  assert.equal(lineOfSeat(THREE, "aa", 1), "a");
  assert.equal(lineOfSeat(THREE, "fa", 0), "");
  // Nobody is all-in before: the big blind wins, so the nearest decision is shown.
  assert.equal(lineOfSeat(THREE, "f", 2), "fa");
  assert.equal(lineOfSeat(["", "f"], "", 2), null);
  assert.equal(nearest([], "f"), null);
});

test("a seat before does the opposite, if that leads to a decision", () => {
  assert.equal(toggled(THREE, "fa", 0), "aa");
  assert.equal(toggled(THREE, "fa", 1), "af");
  assert.equal(toggled(["", "f"], "f", 0), null);
  assert.equal(toggled(THREE, "f", 2), null);
});

test("a range of the user loses where it differs, as much as the hand would have gained", () => {
  const filled = (value: number): number[] => HANDS.map(() => value);
  const own = side({ mix: [filled(0.25), filled(0.75)], values: [filled(-1), filled(-0.6)], columns: { weight: filled(0.001) } });
  const base = node({ unit: "bb", actions: [{ kind: "fold", amount: null, name: "fold" }, { kind: "call", amount: null, name: "call" }] });
  const decision: TableNode = { ...base, player: 2, seats: ["button", "small blind", "big blind"], sides: [side(), side(), own] };
  const shown = drawn(decision, { line: "", cost: 0, hands: HANDS.map((_, hand) => (hand === 0 ? 1 : 0.25)) });
  assert.equal(frequencyOf(shown, 1), 0.75);
  assert.ok(Math.abs((regretOf(shown, 1) ?? 0) - 0.5 * 0.4) < 1e-12);
  assert.equal(regretOf(shown, 0), 0);
  assert.deepEqual(shown.panels.published?.hands.slice(0, 2), [true, false]);
  assert.equal(drawn(decision, null).panels.published, null);
});
