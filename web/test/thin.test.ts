import assert from "node:assert/strict";
import { test } from "node:test";

import { MAX_ROWS, thinned } from "../src/thin";
import { row } from "./rows";

const rows = (from: number, to: number): ReturnType<typeof row>[] =>
  Array.from({ length: to - from }, (_, index) => row(from + index, 1 / (1 + from + index)));

test("few rows stay as they are", () => {
  const few = rows(0, MAX_ROWS);
  assert.equal(thinned(few), few);
});

test("of many rows the first, the last and the latest stay", () => {
  const many = rows(0, 2 * MAX_ROWS);
  const kept = thinned(many);
  assert.notEqual(kept, many);
  assert.ok(kept.length <= MAX_ROWS / 2 + 2, String(kept.length));
  assert.equal(kept[0], many[0]);
  assert.deepEqual(kept.slice(-1000), many.slice(-1000));
});

test("days of rows stay in order, close on both kinds of axis", () => {
  let kept = rows(0, 100);
  const end = 500_000;
  for (let from = 100; from < end; from += 100) kept = thinned([...kept, ...rows(from, from + 100)]);
  assert.ok(kept.length <= MAX_ROWS);
  for (let index = 1; index < kept.length; index += 1) {
    const [before, now] = [kept[index - 1]?.iteration ?? 0, kept[index]?.iteration ?? 0];
    assert.ok(now > before);
    assert.ok(now - before < end / 150, `${before} to ${now} is far on a linear axis`);
    if (before >= 10) assert.ok(now / before < 1.12, `${before} to ${now} is far on a logarithmic axis`);
  }
});

test("rows at one iteration, as a damaged run may have them, are thinned too", () => {
  assert.ok(thinned(Array.from({ length: MAX_ROWS + 1 }, () => row(7, 1))).length < MAX_ROWS);
});
