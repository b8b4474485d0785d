import assert from "node:assert/strict";
import { test } from "node:test";

import { slopeOf } from "../src/charts/slope";
import { type LineEnd, placeNames } from "../src/views/convergence/names";
import { row } from "./rows";

const iteration = ({ iteration }: { iteration: number }): number => iteration;

test("a power law is found, whatever came before the last decade", () => {
  const rows = Array.from({ length: 400 }, (_, index) => {
    const at = Math.round(10 ** (index / 100));
    return row(at, at < 500 ? 7 : 3 * at ** -1.5);
  });
  const slope = slopeOf(rows, iteration, [1, 1e9]);
  assert.ok(Math.abs((slope?.exponent ?? 0) + 1.5) < 1e-9);
  assert.ok((slope?.from ?? 0) >= 977 && slope?.to === rows[399]?.iteration);
});

test("many rows in one place weigh no more than few", () => {
  // Two pieces of a line with slopes −1 and −2, one of them with a hundred times as many rows.
  const at = (power: number): number => 10 ** power;
  const value = (power: number): number => (power < 0.5 ? 10 ** -power : 10 ** (0.5 - 2 * power));
  const few = Array.from({ length: 11 }, (_, index) => index / 20);
  const many = Array.from({ length: 1000 }, (_, index) => 0.5 + (index + 1) / 2000);
  const rows = [...few, ...many].map((power) => row(at(power), value(power)));
  const exponent = slopeOf(rows, iteration, [0, 1e9])?.exponent ?? 0;
  assert.ok(Math.abs(exponent + 1.5) < 0.02, String(exponent));
});

test("too few rows, or rows too near to one another, say nothing", () => {
  const rows = [1, 2, 4, 8].map((at) => row(at, 1 / at));
  assert.equal(slopeOf(rows, iteration, [0, 1e9]), null);
  assert.equal(slopeOf([100, 101, 102, 103, 104].map((at) => row(at, 1 / at)), iteration, [0, 1e9]), null);
  assert.equal(slopeOf([1, 2, 3, 4, 5, 6].map((at) => row(at, 0)), iteration, [0, 1e9]), null);
});

test("names at line ends never cover one another, and stay in the plot", () => {
  const ends = [5, 6, 7, 200, 298].map((y, index): LineEnd => ({ id: String(index), text: "", colour: "", x: 0, y }));
  const at = placeNames(ends, 300).map((name) => name.at);
  at.forEach((place, index) => {
    assert.ok(place >= 7 && place <= 293, String(at));
    if (index > 0) assert.ok(place - (at[index - 1] ?? 0) >= 14.9, String(at));
  });
  assert.equal(at[3], 200);
});
