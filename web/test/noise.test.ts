import assert from "node:assert/strict";
import { test } from "node:test";

import type { RunSummary } from "../src/model";
import { cumulated, placesOf } from "../src/views/noise/bands";
import { nameOf, rungsOf } from "../src/views/noise/rungs";
import { TERMS } from "./rows";

type Noise = [number, number] | null;

function solution(id: string, noise: Noise, fingerprint = "river"): RunSummary {
  return {
    id, name: id, kind: "spot", steps: "iterations", game: "spot", title: "", method: "", status: "finished", problem: null, parameters: {},
    changed: {}, created: null, unit: "chips", infosets: null, terms: TERMS, views: ["spot", "noise"], last: null, sparkline: [],
    spot: { fingerprint, noise }, label: { name: "", note: "", is_starred: false },
  };
}

test("rungs are the solutions of one spot, the noisiest first and Nash last", () => {
  const runs = [
    solution("nash", null), solution("two", [0.02, 0.02]), solution("other", [0.1, 0.1], "turn"), solution("ten", [0.1, 0.1]),
  ];
  const names = rungsOf(runs[1] as RunSummary, runs).map(({ run }) => run);
  assert.deepEqual(names, ["ten", "two", "nash"]);
});

test("a spot that was solved once has no rungs, and neither has a game", () => {
  assert.deepEqual(rungsOf(solution("two", [0.02, 0.02]), [solution("two", [0.02, 0.02])]), []);
  assert.deepEqual(rungsOf({ ...solution("kuhn", null), spot: null }, [solution("nash", null)]), []);
});

test("unequal noises are a branch of their own, with the same ratio", () => {
  const runs = [solution("equal", [0.1, 0.1]), solution("weak", [0.02, 0.2]), solution("weaker", [0.05, 0.5]), solution("nash", null)];
  assert.deepEqual(rungsOf(runs[1] as RunSummary, runs).map(({ run }) => run), ["weaker", "weak", "nash"]);
  assert.deepEqual(rungsOf(runs[0] as RunSummary, runs).map(({ run }) => run), ["equal", "nash"]);
  assert.deepEqual(rungsOf(runs[3] as RunSummary, runs).map(({ run }) => run), ["equal", "nash"]);
  assert.deepEqual(rungsOf(runs[3] as RunSummary, runs.slice(1)).map(({ run }) => run), ["weaker", "weak", "nash"]);
});

test("of several runs with the same noise the one shown is taken, else the newest", () => {
  const runs = [solution("new", [0.1, 0.1]), solution("old", [0.1, 0.1]), solution("nash", null)];
  assert.deepEqual(rungsOf(runs[2] as RunSummary, runs).map(({ run }) => run), ["new", "nash"]);
  assert.deepEqual(rungsOf(runs[1] as RunSummary, runs).map(({ run }) => run), ["old", "nash"]);
});

test("a noise is named by its percentage, both if they differ", () => {
  assert.equal(nameOf([0.05, 0.05]), "5 %");
  assert.equal(nameOf([0.025, 0.025]), "2.5 %");
  assert.equal(nameOf([0.01, 0.1]), "1 % v 10 %");
  assert.equal(nameOf([0.0025, 0.0025]), "0.25 %");
  assert.equal(nameOf([2, 2]), "200 %");
  assert.equal(nameOf(null), "Nash");
});

test("noisy rungs are on a logarithmic axis, Nash beside it", () => {
  const [most, middle, least, nash] = placesOf([0.2, 0.02, 0.002, 0], 600) as [number, number, number, number];
  assert.ok(most < middle && middle < least && least < nash && nash < 600);
  assert.ok(Math.abs(middle - most - (least - middle)) < 1e-9);
});

test("bands are stacked up to the whole", () => {
  assert.deepEqual(cumulated([0.25, 0.5, 0.25]), [0, 0.25, 0.75, 1]);
  assert.deepEqual(cumulated([0, 0]), [0, 0, 0]);
});
