import assert from "node:assert/strict";
import { test } from "node:test";

import { cardsOf } from "../src/card_text";
import { combosOf, HANDS } from "../src/charts/hands";
import { cellsOf, handsByClass, strategyOf } from "../src/views/node/cells";
import { dealtAtRandom } from "../src/views/node/dealing";
import { node, side } from "./nodes";

const AA = 0;
const KK = HANDS.findIndex(({ name }) => name === "KK");

/** Two aces of three are here, one of them half; one king blocks nothing. */
const SIDE = side({
  total: 1.5, hand: ["AdAc", "AhAc", "AhAd"], reach: [0, 1, 0.5], mix: [[0, 0.2, 0.35], [0, 0.8, 0.65]],
});
const NODE = node({
  line: "cc/", board: "As7d2c", words: "call, check /", street: "flop", player: 1, pot: 4, mix: [0.25, 0.75],
  actions: [{ kind: "check", amount: null, name: "check" }, { kind: "bet", amount: 4, name: "bet 4" }],
  sides: [side(), SIDE], panels: { missing: 0 },
});

test("a cell is split by the mix of its class, as high as its weight", () => {
  const [aces] = cellsOf(NODE, SIDE, strategyOf(NODE), ["passive", "bold"]);
  assert.deepEqual(aces?.segments.map(({ style }) => style), ["passive", "bold"]);
  for (const [index, share] of [0.25, 0.75].entries()) assert.ok(Math.abs((aces?.segments[index]?.share ?? 0) - share) < 1e-12);
  assert.equal(aces?.weight, 0.5);
  assert.match(aces?.label ?? "", /^AA: check 25\.0 %, bet 4 75\.0 %; weight 50\.0 %$/);
});

test("a class that is not here, or that the board blocks, is blank", () => {
  for (const cell of [KK, KK + 1].map((hand) => cellsOf(NODE, SIDE, strategyOf(NODE), ["a", "b"])[hand])) {
    assert.deepEqual(cell?.segments, []);
    assert.match(cell?.label ?? "", /not here/);
  }
});

test("combos are found whatever the order of their cards, without those that the board blocks", () => {
  const names = combosOf(HANDS[AA] as (typeof HANDS)[number]).filter((name) => !name.includes("As"));
  const hands = handsByClass(SIDE, "As7d2c")[AA] ?? [];
  assert.deepEqual(names.map((name) => [...cardsOf(name)].sort().join("")).sort(), ["AcAd", "AcAh", "AdAh"]);
  assert.deepEqual([...hands].sort(), [0, 1, 2]);
  for (const [index, hand] of hands.entries()) {
    assert.deepEqual(cardsOf(SIDE.hand[hand ?? -1] ?? "").sort(), cardsOf(names[index] ?? "").sort());
  }
});

test("cards dealt at random follow those that lie there, none twice", () => {
  let state = 7;
  const random = (): number => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  for (let number = 0; number < 50; number += 1) {
    const cards = cardsOf(dealtAtRandom("As7d2c", 2, random));
    assert.deepEqual(cards.slice(0, 3), ["As", "7d", "2c"]);
    assert.equal(new Set(cards).size, 5);
  }
});
