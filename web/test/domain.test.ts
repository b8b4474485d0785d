import assert from "node:assert/strict";
import { test } from "node:test";

import { domainOfX, joined, positiveExtent, roomyLog } from "../src/charts/domain";
import { isSamePlane, planeOf, rowsWithin, type Settings } from "../src/charts/plane";
import { row } from "./rows";

const LOG: Settings = { x: "iteration", isLog: true, isLogY: true, second: "regret" };

function track(rows: ReturnType<typeof row>[], more: { isRunning?: boolean; target?: number } = {}) {
  return { rows, isRunning: more.isRunning ?? false, target: more.target ?? null };
}

test("gaps, zeros, negative and infinite values have no say", () => {
  assert.deepEqual(positiveExtent([null, 0, -3, 2, Number.NaN, Infinity, 0.5, null]), [0.5, 2]);
  assert.equal(positiveExtent([null, 0, -1]), null);
  assert.equal(positiveExtent([]), null);
  assert.deepEqual(joined([1, 2], null), [1, 2]);
  assert.deepEqual(joined([1, 2], [0.5, 1.5]), [0.5, 2]);
});

test("a logarithmic domain has room at both ends, also around one value", () => {
  for (const [low, high] of [[1e-6, 2], [0.4, 0.5], [3, 3], [1e-16, 1e-16]] as const) {
    const [from, to] = roomyLog([low, high]);
    assert.ok(from < low && to > high && from > 0, `${from} ${to}`);
  }
});

test("the domain of a run that goes on changes seldom", () => {
  const ends = new Set<number>();
  for (let last = 1000; last < 2000; last += 1) ends.add(domainOfX([1, last], true, true)[1]);
  assert.ok(ends.size <= 5, String(ends.size));
  for (const end of ends) assert.ok(end > 1000);
  assert.deepEqual(domainOfX([1, 1234], true, false), [1, 1234]);
  assert.deepEqual(domainOfX([3, 1234], false, false), [0, 1234]);
  assert.deepEqual(domainOfX([900, 1000], false, false), [900, 1000]);
});

test("one row has a domain around it", () => {
  assert.deepEqual(domainOfX([8, 8], true, false), [4, 16]);
  assert.deepEqual(domainOfX([0, 0], false, true), [-0.5, 0.5]);
});

test("rows at 0 get a place to the left on a logarithmic axis", () => {
  const plane = planeOf([track([row(0, 1), row(2, 0.5), row(100, 0.1)])], LOG, null);
  assert.equal(plane?.zero, 1);
  assert.equal(plane?.least, 2);
  assert.deepEqual(plane?.x, [1, 100]);
  const linear = planeOf([track([row(0, 1), row(100, 0.1)])], { ...LOG, isLog: false }, null);
  assert.equal(linear?.zero, null);
  assert.deepEqual(linear?.x, [0, 100]);
});

test("without anything positive there is no axis, without rows no plane", () => {
  const plane = planeOf([track([row(0, 0)])], LOG, null);
  assert.equal(plane?.left, null);
  assert.equal(plane?.right, null);
  assert.equal(planeOf([track([])], LOG, null), null);
  assert.equal(planeOf([], LOG, null), null);
});

test("y follows what is in the window", () => {
  const rows = Array.from({ length: 1000 }, (_, index) => row(index + 1, 1 / (index + 1)));
  const all = planeOf([track(rows)], LOG, null);
  const some = planeOf([track(rows)], LOG, [100, 200]);
  assert.ok(all?.left && some?.left);
  assert.ok(all.left[0] < 0.001 && all.left[1] > 1);
  assert.ok(some.left[0] > 0.003 && some.left[1] < 0.02);
  assert.deepEqual(some.base, all.base);
  assert.ok(isSamePlane(all, planeOf([track(rows)], LOG, null)));
  assert.ok(!isSamePlane(all, some));
});

test("the target is in sight unless it is far below", () => {
  const rows = [row(1, 1), row(10, 0.01)];
  assert.ok((planeOf([track(rows, { target: 0.001 })], LOG, null)?.left?.[0] ?? 1) < 0.001);
  assert.ok((planeOf([track(rows, { target: 1e-9 })], LOG, null)?.left?.[0] ?? 0) > 1e-3);
});

test("the rows of a window come with one beyond each end", () => {
  const rows = [1, 2, 3, 4, 5, 6].map((iteration) => row(iteration, 1));
  const found = rowsWithin(rows, [2.5, 4.5], (one) => one.iteration).map((one) => one.iteration);
  assert.deepEqual(found, [2, 3, 4, 5]);
  assert.equal(rowsWithin(rows, [0, 9], (one) => one.iteration).length, 6);
});
