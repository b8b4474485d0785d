import assert from "node:assert/strict";
import { test } from "node:test";

import { axisOver, spread } from "../src/charts/lines";

test("the logarithm of one more has a place for 0 and ticks that keep their distance", () => {
  const axis = axisOver("log1p", [0, 0.1, 3, 100], 50, 850, 46);
  assert.equal(axis.place(0), 50);
  assert.equal(axis.place(100), 850);
  const texts = axis.ticks.map((tick) => tick.text);
  for (const wanted of ["0", "1", "10", "100"]) assert.ok(texts.includes(wanted), `no ${wanted} in ${texts}`);
  axis.ticks.slice(1).forEach((tick, index) => assert.ok(tick.at - (axis.ticks[index]?.at ?? 0) >= 46));
});

test("beside a logarithm 0 stands at the end, with a break", () => {
  const axis = axisOver("log", [0, 0.01, 100], 50, 850, 46);
  assert.equal(axis.place(0), 50);
  assert.ok(axis.gap !== null && axis.gap > 50 && axis.gap < axis.place(0.01));
  assert.deepEqual(axis.ticks.map((tick) => tick.text), ["0", "0.01", "0.1", "1", "10", "100"]);
  assert.equal(axisOver("log", [1, 1000], 50, 850, 46).gap, null);
});

test("an axis stands even where there is little to show", () => {
  for (const kind of ["log", "log1p", "linear"] as const) {
    for (const values of [[], [0], [5], [0, 0]]) {
      const axis = axisOver(kind, values, 0, 100, 40);
      for (const value of values) assert.ok(Number.isFinite(axis.place(value)), `${kind} ${values}`);
    }
  }
});

test("of crowded ticks the more important ones stay", () => {
  assert.deepEqual(spread([0, 10, 5, 4, 9], (value) => value, 5), [0, 5, 10]);
});

test("one value alone stands in the middle of a logarithmic axis, with ticks around it", () => {
  const axis = axisOver("log", [1, 1], 0, 100, 20);
  assert.equal(axis.place(1), 50);
  assert.deepEqual(axis.ticks.map(({ text }) => text), ["0.5", "1", "2"]);
});

test("an axis over very many values needs no more room on the stack", () => {
  const many = Array.from({ length: 300_000 }, (_, index) => index / 1000);
  assert.ok(axisOver("log", many, 0, 100, 20).ticks.length > 1);
});
