import assert from "node:assert/strict";
import { test } from "node:test";

import type { RunSummary } from "../src/model";
import { START } from "../src/state";
import { advanced, secondsBetween } from "../src/views/replay_clock";
import { dayAndTime, isMatch, newestFirst, parameterWords } from "../src/views/run_words";
import { comparedRuns, comparedAfterChoosing, shownRuns } from "../src/views/shown_runs";
import { TERMS } from "./rows";

function run(change: Partial<RunSummary>): RunSummary {
  return {
    id: "a", name: "runs/leduc-dcfr-1", kind: "solve", game: "leduc", title: "Leduc Hold'em", method: "dcfr",
    parameters: {}, status: "finished", problem: null, created: null, unit: "chips", terms: TERMS, infosets: null,
    views: [], last: null, sparkline: [], ...change,
  };
}

test("parameters in words", () => {
  assert.equal(parameterWords({ ranks: 3, suits: "merged", small_blind: 0.5, ante: false, limit: true }),
    "ranks 3 · suits merged · small blind 0.5 · no ante · limit");
  assert.equal(parameterWords({}), "");
});

test("a search is for all of its words, anywhere", () => {
  assert.ok(isMatch(run({}), "LEDUC dcfr"));
  assert.ok(isMatch(run({}), "hold runs/"));
  assert.ok(!isMatch(run({}), "leduc kuhn"));
});

test("the list has the newest first and those of unknown age last", () => {
  const ages = [null, "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"];
  const sorted = newestFirst(ages.map((created, index) => run({ id: String(index), created })));
  assert.deepEqual(sorted.map(({ id }) => id), ["2", "1", "0"]);
  assert.equal(dayAndTime(null), "");
  assert.equal(dayAndTime("nonsense"), "");
});

test("the run that is looked at has the first colour, whatever else is compared", () => {
  const state = { ...START, run: "a", compare: ["b", "a", "b", "c", "d", "e", "f", "g"] };
  assert.deepEqual(shownRuns(state), ["a", "b", "c", "d", "e", "f"]);
  assert.deepEqual(comparedRuns(state), ["b", "c", "d", "e", "f", "g"]);
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
