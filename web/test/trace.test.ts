import assert from "node:assert/strict";
import { test } from "node:test";

import { dot, Trace } from "../src/charts/trace";

function trace(points: [number, number | null][]): Trace {
  const made = new Trace();
  for (const [x, y] of points) made.add(x, y);
  return made;
}

test("few points are drawn as they are", () => {
  assert.equal(trace([[0, 5], [10, 3.25], [20, 1]]).path(), "M0,5h0L10,3.3L20,1");
  assert.equal(trace([]).path(), "");
});

test("gaps break the line, and a point between gaps is seen", () => {
  assert.equal(trace([[0, 1], [5, null], [9, 2], [12, Number.NaN], [15, 3], [20, 4]]).path(),
    "M0,1h0M9,2h0M15,3h0L20,4");
  assert.equal(trace([[0, null], [1, null]]).path(), "");
});

test("of one column of pixels the lowest and the highest are drawn, in their order", () => {
  assert.equal(trace([[3.1, 5], [3.2, 9], [3.3, 1], [3.4, 4], [7, 2]]).path(), "M3.2,9h0L3.3,1L7,2");
  assert.equal(trace([[3.1, 1], [3.5, 9], [3.9, 5]]).path(), "M3.1,1h0L3.5,9");
});

test("100,000 points on 900 columns make at most two points a column and keep the extremes", () => {
  const made = new Trace();
  for (let index = 0; index < 100_000; index += 1) made.add((900 * index) / 100_000, 200 + 100 * Math.sin(index));
  const places = made.path().match(/[ML][^MLh]+/g) ?? [];
  assert.ok(places.length <= 1800 && places.length > 1700, String(places.length));
  const heights = places.map((place) => Number(place.split(",")[1]));
  assert.ok(Math.min(...heights) <= 100.1 && Math.max(...heights) >= 299.9);
  assert.equal(made.count, 100_000);
});

test("adding later is the same as adding at once", () => {
  const points = Array.from({ length: 500 }, (_, index): [number, number | null] => (
    [index / 7, index % 50 === 0 ? null : Math.cos(index)]));
  const made = new Trace();
  for (const [x, y] of points) {
    made.add(x, y);
    made.path();
  }
  assert.equal(made.path(), trace(points).path());
});

test("a dot is a line of no length", () => {
  assert.equal(dot(1.26, 2), "M1.3,2h0");
});
