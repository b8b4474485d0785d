import assert from "node:assert/strict";
import { test } from "node:test";

import { cardsOf } from "../src/card_text";
import { HANDS } from "../src/charts/hands";
import type { ChartNode } from "../src/model";
import { chartCells, chartCombos, dealtAtRandom } from "../src/views/chart_cells";

const AA = 0;
const KK = HANDS.findIndex(({ name }) => name === "KK");

function column(entries: Record<number, number>): (number | null)[] {
  return HANDS.map((_, hand) => entries[hand] ?? null);
}

/** Two aces of three are here, one of them half; one king blocks nothing. */
const NODE: ChartNode = {
  line: "cc/", board: "As7d2c", kind: "decision", words: "call, check /", street: "flop", player: 1, pot: 4,
  stacks: [38, 38], missing: 0, children: [], mix: [0.5, 0.5], stations: [], is_reached: true, num_combos: 1.5,
  actions: [{ kind: "check", amount: null, name: "check" }, { kind: "bet", amount: 4, name: "bet 4" }],
  class_weight: column({ [AA]: 0.5, [KK]: 0 }),
  class_mix: [column({ [AA]: 0.25 }), column({ [AA]: 0.75 })],
  hand: ["AdAc", "AhAc", "AhAd"], hand_weight: [0, 1, 0.5],
  hand_mix: [[0, 0.2, 0.35], [0, 0.8, 0.65]],
};

test("a cell is split by the mix of its class, as high as its weight", () => {
  const [aces] = chartCells(NODE, ["passive", "bold"]);
  assert.deepEqual(aces?.segments, [{ style: "passive", share: 0.25 }, { style: "bold", share: 0.75 }]);
  assert.equal(aces?.weight, 0.5);
  assert.match(aces?.label ?? "", /^AA: check 25\.0 %, bet 4 75\.0 %/);
});

test("a class that is not here, or that the board blocks, is blank", () => {
  for (const cell of [chartCells(NODE, ["a", "b"])[KK], chartCells(NODE, ["a", "b"])[KK + 1]]) {
    assert.deepEqual(cell?.segments, []);
    assert.match(cell?.label ?? "", /not here/);
  }
});

test("combos are found whatever the order of their cards, without those that the board blocks", () => {
  const combos = chartCombos(NODE, AA);
  assert.deepEqual(combos.map(({ name }) => name).sort(), ["AdAc", "AhAc", "AhAd"]);
  assert.deepEqual(combos.find(({ name }) => name === "AhAd"), { name: "AhAd", weight: 0.5, shares: [0.35, 0.65] });
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
