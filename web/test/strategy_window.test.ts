import assert from "node:assert/strict";
import { test } from "node:test";

import { pagesOf, placesOf, rowAt, rowsInSight } from "../src/views/strategy/window";

const even = (total: number): Float64Array => placesOf(total, () => 60);

test("rows in sight at the top, within and at the end", () => {
  assert.deepEqual(rowsInSight(0, 600, even(5000), 0), { first: 0, end: 10 });
  assert.deepEqual(rowsInSight(90, 600, even(5000), 0), { first: 1, end: 12 });
  assert.deepEqual(rowsInSight(5000 * 60 - 600, 600, even(5000), 0), { first: 4990, end: 5000 });
});

test("rows have their own heights", () => {
  const places = placesOf(4, (index) => [100, 20, 300, 50][index] ?? 0);
  assert.deepEqual([...places], [0, 100, 120, 420, 470]);
  assert.deepEqual(rowsInSight(110, 100, places, 0), { first: 1, end: 3 });
  assert.deepEqual([-5, 0, 99, 100, 119, 120, 900].map((place) => rowAt(places, place)), [0, 0, 0, 1, 1, 2, 3]);
});

test("some more rows on either side, but never beyond the list", () => {
  assert.deepEqual(rowsInSight(600, 600, even(5000), 4), { first: 6, end: 24 });
  assert.deepEqual(rowsInSight(0, 600, even(12), 4), { first: 0, end: 12 });
});

test("a list that is below or above what is seen has few rows or none", () => {
  assert.deepEqual(rowsInSight(-10_000, 600, even(5000)), { first: 0, end: 0 });
  assert.deepEqual(rowsInSight(-550, 600, even(5000), 0), { first: 0, end: 1 });
  assert.deepEqual(rowsInSight(10_000, 600, even(20)), { first: 20, end: 20 });
  assert.deepEqual(rowsInSight(0, 600, even(0)), { first: 0, end: 0 });
});

test("pages cover the range and begin at multiples of their size", () => {
  assert.deepEqual(pagesOf({ first: 0, end: 20 }, 60), [0]);
  assert.deepEqual(pagesOf({ first: 55, end: 70 }, 60), [0, 60]);
  assert.deepEqual(pagesOf({ first: 60, end: 120 }, 60), [60]);
  assert.deepEqual(pagesOf({ first: 59, end: 181 }, 60), [0, 60, 120, 180]);
  assert.deepEqual(pagesOf({ first: 20, end: 20 }, 60), []);
});
