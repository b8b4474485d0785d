import assert from "node:assert/strict";
import { test } from "node:test";

import { linearTexts, linearTicks, logTexts, logTicks } from "../src/charts/ticks";

test("a tick at every power of ten, the multiples between as faint lines", () => {
  const { labelled, faint } = logTicks(0.5e-3, 20, 12);
  assert.deepEqual(labelled, [0.001, 0.01, 0.1, 1, 10]);
  assert.ok(faint.includes(0.002) && faint.includes(9) && faint.includes(20));
  assert.ok(!faint.includes(0.01));
});

test("with little room every so many powers, always the same ones", () => {
  const { labelled, faint } = logTicks(1e-9, 1, 4);
  assert.deepEqual(labelled.map((value) => Math.round(Math.log10(value))), [-9, -6, -3, 0]);
  assert.ok(faint.every((value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9));
  const moved = logTicks(1e-8, 10, 4).labelled;
  assert.deepEqual(moved.map((value) => Math.round(Math.log10(value))), [-6, -3, 0]);
});

test("within a decade or two also 2 and 5", () => {
  assert.deepEqual(logTicks(0.03, 0.6, 10).labelled, [0.05, 0.1, 0.2, 0.5]);
  assert.deepEqual(logTicks(4, 43, 10).labelled, [5, 10, 20]);
});

test("within a factor of two even steps", () => {
  const { labelled } = logTicks(1.21, 1.39, 8);
  assert.deepEqual(labelled, [1.25, 1.3, 1.35]);
});

test("labels of a logarithmic axis never come closer than there is room for", () => {
  for (let decades = 0.01; decades < 14; decades *= 1.07) {
    for (const most of [2, 3, 5, 8, 15]) {
      for (const low of [1e-12, 3.7e-5, 1, 61]) {
        const { labelled } = logTicks(low, low * 10 ** decades, most);
        for (let index = 1; index < labelled.length; index += 1) {
          const apart = Math.log10((labelled[index] ?? 0) / (labelled[index - 1] ?? 0)) / decades;
          // Even steps crowd a little towards the upper end.
          assert.ok(apart > 0.6 / most, `${apart} at ${low}, ${decades}, ${most}: ${labelled.join()}`);
        }
      }
    }
  }
});

test("no ticks where there is no range", () => {
  for (const [low, high] of [[0, 1], [-1, 1], [2, 2], [3, 2], [Number.NaN, 1], [1, Infinity]] as const) {
    assert.deepEqual(logTicks(low, high, 5), { labelled: [], faint: [] });
  }
});

test("texts of a logarithmic axis", () => {
  assert.deepEqual(logTexts([1e-6, 1e-3, 0.01, 0.1, 1, 10, 1000, 10_000, 1e5]),
    ["10⁻⁶", "10⁻³", "0.01", "0.1", "1", "10", "1,000", "10,000", "10⁵"]);
  assert.deepEqual(logTexts([2e-15, 5e-4, 0.02, 0.5, 20, 2000, 5e6]),
    ["2×10⁻¹⁵", "5×10⁻⁴", "0.02", "0.5", "20", "2,000", "5×10⁶"]);
  assert.deepEqual(logTexts([1.25, 1.3, 1.35]), ["1.25", "1.3", "1.35"]);
  assert.deepEqual(logTexts([1.2341e-7, 1.2342e-7]), ["1.2341×10⁻⁷", "1.2342×10⁻⁷"]);
});

test("a linear axis", () => {
  const { labelled } = linearTicks(0, 20_000, 5);
  assert.deepEqual(linearTexts(labelled), ["0", "5,000", "10,000", "15,000", "20,000"]);
  assert.deepEqual(linearTexts([0, 0.005, 0.01]), ["0.000", "0.005", "0.010"]);
  assert.deepEqual(linearTicks(1, 1, 5).labelled, []);
});
