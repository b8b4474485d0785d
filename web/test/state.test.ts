import assert from "node:assert/strict";
import { test } from "node:test";

import { ANYWHERE, type AppState, formatAddress, parseAddress, START } from "../src/state";

function state(change: Partial<AppState>): AppState {
  return { ...START, ...change };
}

test("every state comes back from its address", () => {
  const states = [
    state({ run: "a" }),
    state({ run: "sweeps/leduc sapcfr+ #1?", view: "strategy", moment: 0 }),
    state({ run: "é/ü%", view: "branch", infoset: "P0:K:cb/&=+", moment: 12 }),
    state({ run: "a", compare: ["b,c", "d e", "f/g+"], options: { x: "seconds", scale: "linear" } }),
    state({ run: "a", spot: { line: "cb/", board: "", seat: 1, hand: "A&K" } }),
    state({ run: "a", spot: { ...ANYWHERE, line: "" } }),
    state({ run: "a", spot: { ...ANYWHERE, seat: 2 } }),
  ];
  for (const one of states) assert.deepEqual(parseAddress(formatAddress(one)), one);
});

test("an address that says nothing is the start", () => {
  for (const address of ["", "#", "#/", "#//"]) assert.deepEqual(parseAddress(address), START);
  assert.equal(formatAddress(START), "#/");
});

test("what makes no sense in an address is left out", () => {
  const parsed = parseAddress("#/%E0%A4%A/nonsense?at=-1&with=&=&&");
  assert.equal(parsed.run, "%E0%A4%A");
  assert.equal(parsed.view, "");
  assert.equal(parsed.moment, null);
  assert.deepEqual(parsed.compare, []);
  assert.equal(parseAddress("#/a?at=1.5").moment, null);
  assert.equal(parseAddress("#/a?at=x").moment, null);
  for (const seat of ["", "x", "-1", "1.5"]) assert.equal(parseAddress(`#/a?seat=${seat}`).spot.seat, null);
});

test("a plus that somebody types is a plus", () => {
  const parsed = parseAddress("#/leduc-cfr+-1/strategy?with=leduc-dcfr+-1&with=b&infoset=P0:K:&search=a%20b");
  assert.equal(parsed.run, "leduc-cfr+-1");
  assert.deepEqual(parsed.compare, ["leduc-dcfr+-1", "b"]);
  assert.deepEqual([parsed.infoset, parsed.options["search"]], ["P0:K:", "a b"]);
});
