import assert from "node:assert/strict";
import { test } from "node:test";

import { marksOf, roundSteps, steps } from "../src/charts/marks";
import { secondsOf } from "../src/charts/measures";
import { sparkPath, sparkValues } from "../src/charts/sparkline";
import { row } from "./rows";

const withBetas = (betas: (number | null)[]) => betas.map((beta, index) => row(index, 1, { beta }));

test("beta steps where it differs from the row before", () => {
  const found = steps(withBetas([null, 1, 1, 2, 2, null, 2, 4]));
  assert.deepEqual(found.map(({ row: index, beta }) => [index, beta]), [[3, 2], [7, 4]]);
  assert.deepEqual(steps(withBetas([null, null])), []);
});

test("of many steps those to round betas are marked", () => {
  const rows = withBetas(Array.from({ length: 100 }, (_, index) => index / 10));
  assert.deepEqual(roundSteps(rows).map(({ beta }) => beta), [0.1, 0.2, 0.5, 1, 2, 5]);
  assert.deepEqual(marksOf(rows, []).map(({ beta }) => beta), [0.1, 0.2, 0.5, 1, 2, 5]);
});

test("a fold is marked where the path turns round", () => {
  const found = marksOf(withBetas([0, 1, 2, 3, 2.5, 2.2, 3, 4]), [3, 2.2]).filter(({ isFold }) => isFold);
  assert.deepEqual(found.map(({ row: index, beta }) => [index, beta]), [[3, 3], [5, 2.2]]);
  assert.deepEqual(marksOf([], [3]), []);
});

test("the right axis prefers the residual, then regret, then drift", () => {
  assert.deepEqual(secondsOf([row(1, 1, { drift: 1, regret: 2 }), row(2, 1, { residual: 0 })]),
    ["residual", "regret", "drift"]);
  assert.deepEqual(secondsOf([row(1, 1)]), []);
});

test("sparklines", () => {
  assert.equal(sparkPath([0, -1, -2], 10, 4), "M0.0,0.0L5.0,2.0L10.0,4.0");
  assert.equal(sparkPath([3, 3], 10, 4), "M0.0,2.0L10.0,2.0");
  assert.equal(sparkPath([], 10, 4), "");
  assert.equal(sparkPath([1], 10, 4), "M10.0,2.0h0");
  const rows = Array.from({ length: 1000 }, (_, index) => row(index, index === 999 ? 1e-6 : 1));
  const values = sparkValues(rows);
  assert.equal(values.length, 40);
  assert.equal(Math.round(values[39] ?? 0), -6);
  assert.deepEqual(sparkValues([row(1, 0), row(2, null)]), []);
});
