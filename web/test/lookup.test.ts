import assert from "node:assert/strict";
import { test } from "node:test";

import { firstFrom, nearest, rowOfIteration } from "../src/charts/lookup";
import { frameAt } from "../src/frames";
import { row } from "./rows";

const ROWS = [1, 2, 4, 100].map((iteration) => row(iteration, 1 / iteration));
const of = (one: { iteration: number }): number => one.iteration;

test("the first row from a key on", () => {
  assert.equal(firstFrom(ROWS, 0, of), 0);
  assert.equal(firstFrom(ROWS, 2, of), 1);
  assert.equal(firstFrom(ROWS, 3, of), 2);
  assert.equal(firstFrom(ROWS, 101, of), 4);
});

test("the nearest row, by the distance that is seen", () => {
  assert.equal(nearest(ROWS, 0, of), 0);
  assert.equal(nearest(ROWS, 2.9, of), 1);
  assert.equal(nearest(ROWS, 3.1, of), 2);
  assert.equal(nearest(ROWS, 30, of), 2);
  assert.equal(nearest(ROWS, 30, of, Math.log10), 3);
  assert.equal(nearest(ROWS, 5000, of), 3);
  assert.equal(nearest([], 5, of), -1);
});

test("the row of an iteration", () => {
  assert.equal(rowOfIteration(ROWS, 4)?.iteration, 4);
  assert.equal(rowOfIteration(ROWS, 90)?.iteration, 100);
  assert.equal(rowOfIteration([], 90), null);
});

test("the frame of a moment", () => {
  const frames = [0, 3, 7].map((moment) => ({ moment, iteration: moment + 1, seconds: 0, beta: null }));
  assert.equal(frameAt(frames, null), 2);
  assert.equal(frameAt(frames, 0), 0);
  assert.equal(frameAt(frames, 2), 0);
  assert.equal(frameAt(frames, 3), 1);
  assert.equal(frameAt(frames, 99), 2);
  assert.equal(frameAt([], null), -1);
  assert.equal(frameAt([], 3), -1);
});
