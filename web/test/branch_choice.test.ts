import assert from "node:assert/strict";
import { test } from "node:test";

import { choiceOf, chosenIn } from "../src/views/branch/choice";

test("what is chosen comes back from the state, whatever is in the labels", () => {
  const labels = ["P0:K:", "P1:a,b:c%2C", "P1:Q:cb"];
  const state = choiceOf(labels, { options: { axis: "log" } });
  assert.equal(state.infoset, "P0:K:");
  assert.equal(state.options["axis"], "log");
  assert.deepEqual(chosenIn(state), labels);
});

test("one infoset needs no option, and none is none", () => {
  assert.deepEqual(choiceOf(["P0:K:"], { options: { also: "P0%3AQ%3A" } }), { infoset: "P0:K:", options: {} });
  assert.deepEqual(chosenIn({ infoset: null, options: { also: "P0:K:" } }), []);
});

test("a label that is named twice is drawn once, and a broken one does no harm", () => {
  assert.deepEqual(chosenIn({ infoset: "P0:K:", options: { also: "P0%3AK%3A,%E0%A4%A,," } }), ["P0:K:", "%E0%A4%A"]);
});
