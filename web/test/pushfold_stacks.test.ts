import assert from "node:assert/strict";
import { test } from "node:test";

import type { RunDetail, RunSummary } from "../src/model";
import { nearestStop, outward, sliderRange, stopsOf } from "../src/views/pushfold/stacks";
import { TERMS } from "./rows";

const stops = (...stacks: number[]) => stacks.map((stack) => ({ stack, run: "sweep" }));

function run(id: string, stack: number, change: Partial<RunSummary> = {}): RunSummary {
  return {
    id, name: id, kind: "solve", steps: "iterations", game: "pushfold", title: "", method: "lp", status: "finished", problem: null,
    parameters: { stack, small_blind: 0.5, ante: 0, bb_ante: 0 }, changed: {}, created: null, unit: "bb", infosets: 338,
    terms: TERMS, views: ["pushfold"], last: null, sparkline: [], spot: null, label: { name: "", note: "", is_starred: false }, ...change,
  };
}

function detail(summary: RunSummary, stacks: number[] = []): RunDetail {
  return {
    ...summary, options: {}, seed: 0, stop: { iterations: null, target: null, seconds: null },
    cards: [], boards: [], lines: [], moves: [], frames: [], stacks, folds: [],
  };
}

test("a slider steps by the greatest step that meets every stack", () => {
  assert.deepEqual(sliderRange(stops(2, 2.5, 3, 20)), { min: 2, max: 20, step: 0.5 });
  assert.deepEqual(sliderRange(stops(2, 2.1, 2.3)), { min: 2, max: 2.3, step: 0.1 });
  assert.deepEqual(sliderRange(stops(5, 8, 20)), { min: 5, max: 20, step: 3 });
  assert.equal(sliderRange(stops(1, 2.123457, 20)).step, "any");
  assert.equal(sliderRange(stops(7)).step, "any");
});

test("the nearest stack is taken", () => {
  assert.equal(nearestStop(stops(2, 4, 8), 5.5), 1);
  assert.equal(nearestStop(stops(2, 4, 8), 100), 2);
  assert.equal(nearestStop([], 3), -1);
});

test("neighbours come nearest first and end at the ends", () => {
  assert.deepEqual(outward(5, 1, 10), [2, 0, 3, 4]);
  assert.deepEqual(outward(100, 50, 3), [51, 49, 52]);
  assert.deepEqual(outward(1, 0, 3), []);
});

test("a sweep offers its own stacks", () => {
  const sweep = detail(run("sweep", 0), [2, 3]);
  assert.deepEqual(stopsOf(sweep, [run("other", 9)]), stops(2, 3));
});

test("runs of the same stakes are offered by stack, the current one and its method first", () => {
  const current = run("mine", 10);
  const runs = [
    run("newer", 10), current,
    run("by-cfr", 12, { method: "cfr+" }), run("by-lp", 12), run("by-lp-older", 12),
    run("ante", 8, { parameters: { stack: 8, small_blind: 0.5, ante: 0.1, bb_ante: 0 } }),
    run("damaged", 6, { views: [] }), run("leduc", 5, { game: "leduc" }),
    run("sweep", 4, { parameters: { stack: "4–9", small_blind: 0.5, ante: 0, bb_ante: 0 } }),
  ];
  assert.deepEqual(stopsOf(detail(current), runs), [{ stack: 10, run: "mine" }, { stack: 12, run: "by-lp" }]);
});
