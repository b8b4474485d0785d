import assert from "node:assert/strict";
import { test } from "node:test";

import type { RangeOfSide } from "../src/model";
import { gainsOf } from "../src/views/node/cells";
import { cardsIn, filtered, filtersOf, filterWords } from "../src/views/node/filters";
import { formatAddress, parseAddress } from "../src/state";
import { node, side } from "./nodes";

const SIDE = side({
  hand: ["AsAh", "AsKs", "KhQh"], reach: [1, 0.5, 1], mix: [[0.2, 0.5, 0.9], [0.8, 0.5, 0.1]], values: [[1, 5, 3], [4, 2, null]],
});
const NODE = node({ actions: [{ kind: "check", amount: null, name: "check" }, { kind: "bet", amount: 5, name: "bet 5" }], sides: [SIDE, side()] });
const FACTS: RangeOfSide = {
  equity: 0.5, curve: [], buckets: [],
  classes: [{ kind: "made", name: "overpair", hands: [0], share: 0.4, combos: 1, equity: 1, ev: 1, mix: [] }],
};

const left = (options: Record<string, string>): number[] | null => filtered(NODE, SIDE, filtersOf(options), FACTS).reach;

test("a filter leaves the hands that pass, and the others count as absent", () => {
  assert.deepEqual(left({}), [1, 0.5, 1]);
  assert.deepEqual(left({ class: "overpair" }), [1, 0, 0]);
  assert.deepEqual(left({ class: "no such class" }), [0, 0, 0]);
  assert.deepEqual(left({ holds: "As" }), [1, 0.5, 0]);
  assert.deepEqual(left({ holds: "h" }), [1, 0, 1]);
  assert.deepEqual(left({ lacks: "Ah, Qh" }), [0, 0.5, 0]);
  assert.deepEqual(left({ does: "check" }), [0, 0.5, 1]);
  assert.deepEqual(left({ does: "bet 5", lacks: "Ks" }), [1, 0, 0]);
});

test("cards may be typed in any case, and what is no card is left out", () => {
  assert.deepEqual(cardsIn("as, KD h 1x"), ["As", "Kd", "h"]);
  assert.equal(filtersOf({ holds: "1x" }), null);
  assert.equal(filterWords(filtersOf({ class: "set", holds: "As h" }) ?? { made: null, holds: [], lacks: [], does: null }), "set · with As or h");
});

test("an action gains or loses compared with the best other one", () => {
  assert.deepEqual(gainsOf(SIDE, 0), [-3, 3, null]);
  assert.deepEqual(gainsOf(SIDE, 1), [3, -3, null]);
});

test("a link has the options of its view only", () => {
  const state = parseAddress("#/a/play?seed=4&deal=2");
  assert.equal(formatAddress({ ...state, view: "spot", options: { ...state.options, show: "ev" } }), "#/a/spot?show=ev");
  assert.equal(formatAddress({ ...state, view: "play" }), "#/a/play?seed=4&deal=2");
  assert.equal(formatAddress({ ...state, view: "" }), "#/a");
});
