import assert from "node:assert/strict";
import { test } from "node:test";

import { ANYWHERE, type Spot } from "../src/state";
import { filterKey, filtersOf, isFiltered } from "../src/views/strategy/filters";
import { frameRef } from "../src/views/strategy/pages";

const GAME = {
  cards: ["J", "Q", "K"],
  boards: ["", "K"],
  lines: [{ player: 0 as const, line: "", words: "opening action", infosets: 3 }],
};

function spot(change: Partial<Spot>): Spot {
  return { ...ANYWHERE, ...change };
}

test("an empty board or line is a filter, a missing one is none", () => {
  assert.deepEqual(filtersOf(spot({ board: "", line: "" }), undefined, GAME), {
    card: undefined, board: "", line: "", search: undefined,
  });
  assert.ok(isFiltered(filtersOf(spot({ board: "" }), "", GAME)));
  assert.ok(!isFiltered(filtersOf(ANYWHERE, undefined, GAME)));
});

test("what another game left in the address does not count", () => {
  assert.ok(!isFiltered(filtersOf(spot({ hand: "A", board: "2", line: "cb" }), "", GAME)));
});

test("lists with other filters have other keys", () => {
  const keys = [{}, { board: "" }, { line: "" }, { card: "K" }, { search: "K" }].map(filterKey);
  assert.equal(new Set(keys).size, keys.length);
});

test("a frame keeps its name when its place changes", () => {
  const frame = (moment: number) => ({ moment, iteration: 10 * moment, seconds: 0, beta: null });
  const [before, thinned] = [[0, 1, 2, 3, 4].map(frame), [0, 2, 4].map(frame)];
  assert.equal(frameRef(before, 4).name, frameRef(thinned, null).name);
  assert.deepEqual(frameRef(thinned, 3), { position: 1, name: "2@20", iteration: 20 });
  assert.equal(frameRef([], null).position, -1);
});
