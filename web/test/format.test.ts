import assert from "node:assert/strict";
import { test } from "node:test";

import { csv } from "../src/download";
import {
  capital,
  count,
  duration,
  durationRange,
  fixed,
  moment,
  oneOf,
  percent,
  powerOfTen,
  short,
  signed,
  withUnit,
} from "../src/format";
import { TABLE_HEADER, tableRows } from "../src/views/convergence/table";
import type { RunDetail } from "../src/model";
import { row } from "./rows";

test("one of what is counted", () => {
  assert.deepEqual(["chips", "bb"].map(oneOf), ["chip", "bb"]);
});

test("three digits", () => {
  assert.equal(short(8.0712e-7), "8.07×10⁻⁷");
  assert.equal(short(0.012345), "0.0123");
  assert.equal(short(-0.5), "−0.5");
  assert.equal(short(41234.4), "41,234");
  assert.equal(short(1.5e9), "1.50×10⁹");
  assert.equal(short(0), "0");
  for (const unknown of [null, undefined, Number.NaN, Infinity]) assert.equal(short(unknown), "–");
});

test("whole numbers, signs, shares", () => {
  assert.equal(count(1234567), "1,234,567");
  assert.equal(count(-1200), "−1,200");
  assert.equal(signed(0.125), "+0.125");
  assert.equal(signed(-1), "−1.000");
  assert.equal(signed(-0.0001), "0.000");
  assert.equal(signed(1234.5, 2), "+1,234.50");
  assert.equal(fixed(-1234.5, 1), "−1,234.5");
  assert.equal(fixed(null), "–");
  assert.equal(percent(1 / 3), "33.3 %");
  assert.equal(percent(1), "100 %");
  assert.equal(percent(null), "–");
});

test("spans of time", () => {
  assert.equal(duration(0.000321), "0.32 ms");
  assert.equal(duration(0.0123), "12 ms");
  assert.equal(duration(3.42), "3.4 s");
  assert.equal(duration(42), "42 s");
  assert.equal(duration(59.7), "1 min");
  assert.equal(duration(125), "2 min 5 s");
  assert.equal(duration(1600), "27 min");
  assert.equal(duration(3723), "1 h 2 min");
  assert.equal(duration(7199.9), "2 h");
  assert.equal(durationRange(20.3, 45.1), "20 to 45 s");
  assert.equal(durationRange(48, 121), "48 s to 2 min");
  assert.equal(durationRange(4790, 9000), "1 h 20 min to 2 h 30 min");
  assert.equal(durationRange(0.31, 0.309), "310 ms");
  assert.equal(durationRange(0.0009, 0.006), "less than 100 ms");
  assert.equal(moment(null), "–");
  const now = new Date(2026, 5, 1);
  assert.equal(moment(new Date(2026, 2, 4, 3, 7).toISOString(), now), "4 Mar, 03:07");
  assert.equal(moment(new Date(2025, 2, 4, 3, 7).toISOString(), now), "4 Mar 2025, 03:07");
  assert.equal(moment("nonsense"), "–");
});

test("powers of ten", () => {
  assert.deepEqual([1e-12, 1e-3, 0.01, 1, 1e4, 1e5].map(powerOfTen),
    ["10⁻¹²", "10⁻³", "0.01", "1", "10,000", "10⁵"]);
});

test("cells with commas, quotes and line ends are quoted", () => {
  assert.equal(csv([["a,b", 'say "no"', "two\nlines", "plain"], [1.5, null, undefined, true]]),
    '"a,b","say ""no""","two\nlines",plain\r\n1.5,,,true\r\n');
  assert.equal(csv([]), "");
});

test("the table of a run has a cell for every column", () => {
  const detail = { name: "a, b", game: "kuhn", method: "qre", unit: "chips" } as RunDetail;
  const [first] = tableRows(detail, [row(3, 0.5, { value: 4, value_1: 1, beta: 2 })]);
  assert.equal(first?.length, TABLE_HEADER.length);
  assert.equal(csv([first ?? []]), '"a, b",kuhn,qre,chips,3,0.003,0.5,,4,1,,,,2,,,,,\r\n');
});

test("numbers just below a limit are written like the limit", () => {
  assert.equal(short(999.6), "1,000");
  assert.equal(short(999.4), "999");
  assert.equal(duration(0.9996), "1.0 s");
  assert.equal(duration(9.96), "10 s");
});

test("what is unknown has no unit", () => {
  assert.equal(withUnit(short(null), "chips"), "–");
  assert.equal(withUnit(short(0.5), "chips"), "0.5 chips");
});

test("a heading begins with a capital letter", () => {
  assert.deepEqual(["player 0", "Ann", ""].map(capital), ["Player 0", "Ann", ""]);
});
