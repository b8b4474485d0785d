import assert from "node:assert/strict";
import { test } from "node:test";

import type { RunSummary } from "../src/model";
import { START } from "../src/state";
import { advanced, secondsBetween } from "../src/views/shell/replay_clock";
import { automaticView } from "../src/views/shell/automatic";
import { labelsOf } from "../src/views/runs/labels";
import { type ColumnName, isMatch, newestFirst, parameterWords, shortSteps, sortedBy, menuWords } from "../src/views/runs/words";
import { colourOf, comparedRuns, comparedAfterChoosing, isDashed, shownRuns } from "../src/views/runs/shown";
import { row, TERMS } from "./rows";

function run(change: Partial<RunSummary>): RunSummary {
  return {
    id: "a", name: "runs/leduc-dcfr-1", kind: "solve", steps: "iterations", game: "leduc", title: "Leduc Hold'em", method: "dcfr",
    parameters: {}, changed: {}, status: "finished", problem: null, created: null, unit: "chips", terms: TERMS, infosets: null,
    views: [], last: null, sparkline: [], spot: null, label: { name: "", note: "", is_starred: false }, ...change,
  };
}

test("parameters in words", () => {
  assert.equal(parameterWords({ ranks: 3, suits: "merged", small_blind: 0.5, ante: false, limit: true }),
    "ranks 3 · suits merged · small blind 0.5 · no ante · limit");
  assert.equal(parameterWords({}), "");
});

test("iterations have a short name, and other steps their own", () => {
  assert.equal(shortSteps(run({})), "it");
  assert.equal(shortSteps(run({ steps: "hands" })), "hands");
});

test("a search is for all of its words, anywhere", () => {
  assert.ok(isMatch(run({}), "LEDUC dcfr"));
  assert.ok(isMatch(run({}), "hold runs/"));
  assert.ok(!isMatch(run({}), "leduc kuhn"));
});

test("a search finds anything that is shown", () => {
  const one = run({ changed: { ranks: 13 }, status: "interrupted", last: row(5, 0.0123, { seconds: 75 }) });
  for (const words of ["ranks 13", "interrupted", "0.0123 chips", "1 min 15", "dcfr-1"]) assert.ok(isMatch(one, words), words);
  assert.ok(!isMatch(one, "ranks 14"));
});

test("a table is sorted by numbers as numbers, with unknown ones last in both directions", () => {
  const runs = [[0.5, "b10"], [null, "b9"], [0.0002, "a"]].map(([last, name]) => (
    run({ id: String(name), name: String(name), last: last === null ? null : row(1, Number(last)) })));
  const order = (...by: [ColumnName, boolean]): string => sortedBy(runs, ...by).map(({ id }) => id).join();
  assert.equal(order("exploitability", false), "a,b10,b9");
  assert.equal(order("exploitability", true), "b10,a,b9");
  assert.equal(order("folder", false), "a,b9,b10");
});

test("compared runs are named by what tells them apart", () => {
  const names = (...runs: RunSummary[]): string[] => labelsOf(runs);
  assert.deepEqual(names(run({}), run({ method: "cfr+" })), ["dcfr", "cfr+"]);
  assert.deepEqual(names(run({}), run({ changed: { ranks: 4 } })), ["dcfr", "dcfr · ranks 4"]);
  assert.deepEqual(names(run({}), run({ game: "kuhn" })), ["leduc · dcfr", "kuhn · dcfr"]);
  const noisy = (oop: number, ip: number): RunSummary => run({ method: "quantal", spot: { fingerprint: "f", noise: [oop, ip] } });
  assert.deepEqual(names(noisy(0.02, 0.02), noisy(0.01, 0.1)), ["quantal 2 %", "quantal 1 % v 10 %"]);
  assert.deepEqual(names(run({}), run({ name: "runs/leduc-dcfr-2" })), ["leduc-dcfr-1", "leduc-dcfr-2"]);
  assert.deepEqual(names(run({}), run({ name: "old/leduc-dcfr-1" })), ["runs/leduc-dcfr-1", "old/leduc-dcfr-1"]);
});

test("a run opens where there is something to see", () => {
  const views = ["convergence", "strategy", "play", "facts"];
  const opens = (change: Partial<RunSummary>): string | null => automaticView(run({ views, ...change }));
  assert.equal(opens({ sparkline: [0, -1], last: row(9, 0.1) }), "convergence");
  assert.equal(opens({ sparkline: [-18], last: row(0, 1e-18) }), "strategy");
  assert.equal(opens({ last: row(9, null) }), "convergence");
  assert.equal(opens({ status: "running", sparkline: [0], last: row(1, 1) }), "convergence");
  assert.equal(opens({ status: "running", views: ["facts"] }), null);
  assert.equal(opens({ views: ["pushfold", "facts"] }), "pushfold");
  assert.equal(opens({ status: "damaged", views: ["facts"] }), "facts");
});

test("the list has the newest first and those of unknown age last", () => {
  const ages = [null, "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"];
  const sorted = newestFirst(ages.map((created, index) => run({ id: String(index), created })));
  assert.deepEqual(sorted.map(({ id }) => id), ["2", "1", "0"]);
});

test("the run that is looked at has the first colour, whatever else is compared", () => {
  const many = [..."bcdefghijklmnop"];
  const state = { ...START, run: "a", compare: ["b", "a", ...many] };
  assert.deepEqual(shownRuns(state), [..."abcdefghijkl"]);
  assert.deepEqual(comparedRuns(state), many);
  assert.deepEqual([0, 5, 6, 11].map(isDashed), [false, false, true, true]);
  assert.equal(colourOf(7), colourOf(1));
  assert.deepEqual(shownRuns(START), []);
});

test("choosing one of the compared runs keeps them all", () => {
  const state = { ...START, run: "a", compare: ["b", "c"] };
  assert.deepEqual(comparedAfterChoosing(state, "c"), ["b", "a"]);
  assert.deepEqual(comparedAfterChoosing(state, "z"), ["b", "c"]);
});

test("a replay takes twelve seconds at speed 1", () => {
  assert.equal(advanced(0, 6, 1, 101), 50);
  assert.equal(advanced(0, 6, 0.25, 101), 12.5);
  assert.equal(advanced(90, 6, 4, 101), 100);
  assert.equal(advanced(0, 1, 1, 1), 0);
});

test("a replay that nobody saw for a while goes on where it was", () => {
  assert.equal(secondsBetween(1000, 1016), 0.016);
  assert.equal(secondsBetween(1000, 61_000), 0.25);
  assert.equal(secondsBetween(1000, 990), 0);
});

test("the menu of a blueprint is shown as sizes, not as calls", () => {
  assert.equal(menuWords("capped_bets(sizes('100%, a'), 3)"), "100%, a; at most 3 a street");
  assert.equal(menuWords("capped_bets(by_street(sizes('50%, a'), sizes('100%')), 4)"), "50%, a / 100%; at most 4 a street");
  assert.equal(menuWords("by_street(sizes('50%'), sizes('a'))"), "50% / a");
  assert.equal(menuWords("pot_fractions(1) | raise_multiples(3)"), "pot_fractions(1) | raise_multiples(3)");
});
