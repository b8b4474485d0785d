import assert from "node:assert/strict";
import { test } from "node:test";

import type { FlopRow } from "../src/model";
import { cellOf, filteredFlops, shadesOf, sortedFlops, totalOf } from "../src/views/report/flops";

const row = (flop: string, weight: number, bet: number, suits = "two-tone"): FlopRow => ({
  flop, suits, pairing: "unpaired", connectedness: "disconnected", run: null, weight, mix: [1 - bet, bet],
  ev: [10 * bet, 60 - 10 * bet], equity: [0.5, 0.5], eqr: [null, null], exploitability: 0.1,
});
const ROWS = [row("AsQs7h", 0.6, 0.2), row("Ks8h4d", 0.3, 0.5, "rainbow"), row("8s8h2d", 0.1, 1, "rainbow")];
const ACTIONS = [{ name: "check", kind: "check", amount: null }, { name: "bet 30", kind: "bet", amount: 30 }] as const;
const names = (rows: readonly FlopRow[]): string[] => rows.map(({ flop }) => flop);

test("flops are filtered by texture, height and group", () => {
  assert.deepEqual(names(filteredFlops(ROWS, { suits: "rainbow" })), ["Ks8h4d", "8s8h2d"]);
  assert.deepEqual(names(filteredFlops(ROWS, { suits: "rainbow", high: "K" })), ["Ks8h4d"]);
  assert.deepEqual(names(filteredFlops(ROWS, { ranks: "AQs" })), ["AsQs7h"]);
  assert.equal(filteredFlops(ROWS, { suits: "no such" }).length, 3);
});

test("a flop belongs to the cell of its two highest ranks", () => {
  assert.deepEqual(names(ROWS).map(cellOf), ["AQs", "K8o", "88"]);
});

test("the total is weighted by deals, and EQR is that of the means", () => {
  const total = totalOf(ROWS, { actions: [...ACTIONS], pot_here: 60 });
  assert.equal(total.mix[1]?.toFixed(4), "0.3700");
  assert.equal(total.ev[0]?.toFixed(4), "3.7000");
  assert.equal(total.eqr[0]?.toFixed(4), (3.7 / 30).toFixed(4));
  assert.equal(totalOf(ROWS.slice(1), { actions: [...ACTIONS], pot_here: 60 }).mix[1]?.toFixed(4), "0.6250");
  assert.equal(totalOf([], { actions: [...ACTIONS], pot_here: 60 }).ev[0], null);
});

test("rows are sorted by a measure, and shaded around the mean", () => {
  assert.deepEqual(names(sortedFlops(ROWS, "action 1")), ["8s8h2d", "Ks8h4d", "AsQs7h"]);
  const shade = shadesOf(ROWS, "action 1", 0.37);
  assert.equal(shade(1), 1);
  assert.ok((shade(0.2) ?? 0) < 0);
  assert.equal(shade(null), null);
});
