import assert from "node:assert/strict";
import { test } from "node:test";

import { deckNeighbour } from "../src/deck";
import type { NodePage, NodeSide, Station } from "../src/model";
import { formatAddress, parseAddress } from "../src/state";
import { automaticView } from "../src/views/shell/automatic";
import { documentOf, fieldsOf, linesOf, lockTexts, noiseText, sizeName, toggled } from "../src/views/new_spot/document";
import { cellsOf, handsByClass, meanOf, shownClass, sortedHands, strategyOf, withCard } from "../src/views/node/cells";
import { lockText, wholeShares } from "../src/views/node/locks";
import { HANDS } from "../src/charts/hands";
import { node, side } from "./nodes";

const EV = [10, 4, -2, null];
const SIDE: NodeSide = side({
  total: 2.5, means: { ev: 3, equity: 0.5, eqr: 1 },
  hand: ["AsAh", "AhAd", "KsQs", "KhQh"],
  reach: [1, 0.5, 1, 0],
  mix: [[0, 0.5, 1, 0], [1, 0.5, 0, 1]],
  values: [[1, 2, 3, null], [4, 5, 6, null]],
  columns: { equity: [0.9, 0.8, 0.3, null], ev: EV, eqr: [1, 0.5, null, null] },
});

const NODE: NodePage = node({
  line: "cc/", board: "2c2d2h3c9s", street: "river", pot: 100,
  actions: [{ kind: "check", amount: null, name: "check" }, { kind: "bet", amount: 50, name: "bet 50" }],
  mix: [0.4, 0.6], sides: [SIDE, SIDE],
  panels: { spot: { board: "2c2d2h", pot: 100, stack: 1, rake: 0,
    spot: { board: "2c2d2h", pot: 100, stack: 1, ranges: { oop: "AA", ip: "KK" }, sizes: { bets: "60%" } } } },
});

const at = (name: string): number => HANDS.findIndex((hand) => hand.name === name);

test("a cell is as high as its share of the combos that the board leaves", () => {
  const cells = cellsOf(NODE, SIDE, strategyOf(NODE), ["one", "two"]);
  assert.equal(cells[at("AA")]?.weight, 1.5 / 6);
  assert.deepEqual(cells[at("AA")]?.segments.map(({ share }) => share), [0.25 / 1.5, 1.25 / 1.5]);
  assert.equal(cells[at("KQs")]?.weight, 1 / 4);
  assert.equal(cells[at("72o")]?.weight, 0);
  assert.deepEqual(cells[at("72o")]?.segments, []);
  // Three of the six pairs of nines are dealt.
  assert.equal(handsByClass(SIDE, "2c2d2h3c9s")[at("99")]?.length, 3);
});

test("a class that is not in the range gives way to the one with most weight", () => {
  assert.equal(shownClass(SIDE, "2c2d2h3c9s", at("KQs")), at("KQs"));
  assert.equal(shownClass(SIDE, "2c2d2h3c9s", at("72o")), at("AA"));
  const without = { ...SIDE, reach: [0, 0, 1, 0] };
  assert.equal(shownClass(without, "2c2d2h3c9s", at("AA")), at("KQs"));
  assert.equal(shownClass({ ...SIDE, reach: [0, 0, 0, 0] }, "2c2d2h3c9s", at("AA")), at("AA"));
});

test("a cell with locked hands has a corner, and says how many of those that are here", () => {
  const cells = cellsOf(NODE, { ...SIDE, columns: { ...SIDE.columns, locked: [0, 2, 3] } }, strategyOf(NODE), ["one", "two"]);
  assert.deepEqual(cells[at("AA")]?.marks, ["corner"]);
  assert.match(cells[at("AA")]?.label ?? "", /; 1 of 2 locked$/);
  assert.match(cells[at("KQs")]?.label ?? "", /; locked$/);
  assert.deepEqual(cells[at("72o")]?.marks, []);
  assert.deepEqual(cellsOf(NODE, SIDE, strategyOf(NODE), ["one", "two"])[at("AA")]?.marks, []);
});

test("cells show EV and equity as shades, losses in another tone", () => {
  assert.equal(cellsOf(NODE, SIDE, { ...strategyOf(NODE), mode: "ev" }, [])[at("KQs")]?.shade?.tone, "loss");
  assert.equal(cellsOf(NODE, SIDE, { ...strategyOf(NODE), mode: "ev" }, [])[at("AA")]?.text, "8");
  assert.equal(cellsOf(NODE, SIDE, { ...strategyOf(NODE), mode: "equity" }, [])[at("KQs")]?.text, "30");
  assert.equal(meanOf(SIDE, [3, null], EV), null);
});

test("the table sorts by any column, both ways, unknown last, absent hands left out", () => {
  assert.deepEqual(sortedHands(NODE, SIDE, "ev"), [0, 1, 2]);
  assert.deepEqual(sortedHands(NODE, SIDE, "-ev"), [2, 1, 0]);
  assert.deepEqual(sortedHands(NODE, SIDE, "-eqr"), [1, 0, 2]);
  assert.deepEqual(sortedHands(NODE, SIDE, "check"), [2, 1, 0]);
  assert.deepEqual(sortedHands(NODE, SIDE, "hand"), [0, 1, 2]);
  assert.deepEqual(sortedHands(NODE, SIDE, "no such column"), [0, 1, 2]);
});

test("another card keeps the line and later cards unless it is one of them", () => {
  const place = { line: "cc/", board: "2c2d2h3c", kind: "decision" as const };
  const other = { line: "cc/", board: "2c2d2h9s", kind: "decision" as const };
  const station: Station = { seat: -1, chosen: "3c", place, choices: [{ name: "9s", action: null, place: other }] };
  assert.equal(withCard(NODE, station, "Ks").board, "2c2d2hKs9s");
  assert.deepEqual(withCard(NODE, station, "9s"), other);
});

test("the fields of the form are a spot, and a spot fills the fields", () => {
  const spot = documentOf(
    { board: " Td9d6h ", pot: "200", stack: "900", rake: "5", bets: "60%", raises: "2.5x", river_donk: "50%", max_raises: "2", ip_bets: " " },
    { oop: "AA", ip: "KK" });
  assert.deepEqual(spot, {
    board: "Td9d6h", pot: 200, stack: 900, rake: 0.05, ranges: { oop: "AA", ip: "KK" },
    sizes: { bets: "60%", raises: "2.5x", river_donk: "50%", max_raises: 2 },
  });
  assert.deepEqual(documentOf(fieldsOf(spot), spot.ranges), spot);
  const close = { ...spot, thresholds: { add_all_in: 2, force_all_in: 0, merge: 0.2 } };
  assert.deepEqual(documentOf(fieldsOf(close), spot.ranges), close);
  assert.equal(sizeName("oop_bets", "turn"), "oop_turn_bets");
  assert.equal(sizeName("donk", "river"), "river_donk");
  assert.equal(sizeName("ip_raises", null), "ip_raises");
});

test("cards are put on the board and taken back, five at most", () => {
  assert.equal(toggled("Td9d", "6h"), "Td9d6h");
  assert.equal(toggled("Td, 9d 6h", "9d"), "Td6h");
  assert.equal(toggled("2c2d2h2s3c", "As"), "2c2d2h2s3c");
});

test("arrow keys stay within the deck", () => {
  assert.equal(deckNeighbour(0, "ArrowLeft"), 0);
  assert.equal(deckNeighbour(0, "ArrowDown"), 13);
  assert.equal(deckNeighbour(51, "ArrowRight"), 51);
  assert.equal(deckNeighbour(14, "End"), 25);
  assert.equal(deckNeighbour(14, "x"), null);
});

test("a solved spot opens in its browser, and the form has an address without a run", () => {
  assert.equal(automaticView({ views: ["convergence", "spot", "facts"], status: "finished", last: null, sparkline: [1, 0] }), "spot");
  const state = parseAddress("#//new");
  assert.deepEqual([state.run, state.view], [null, "new"]);
  assert.equal(formatAddress(state), "#//new");
});

test("locks are written one a line, and read back", () => {
  const spot = { ...documentOf({ board: "Td9d6h", pot: "1", stack: "1" }, { oop: "AA", ip: "KK" }),
    locks: [{ line: "", lock: "AA check" }, { line: "check", lock: "KK bet 100%", board: "Qc" }] };
  assert.equal(lockTexts(spot), ": AA check\ncheck @ Qc: KK bet 100%");
  assert.deepEqual(linesOf(`\n ${lockTexts(spot)} \n\n`), [": AA check", "check @ Qc: KK bet 100%"]);
  assert.deepEqual(linesOf(""), []);
  const ranges = { ...spot, locks: [{ line: "check", actions: { "bet 120": "AA:0.4", check: "rest" } }] };
  assert.equal(lockTexts(ranges), "check: bet 120 = AA:0.4; check = rest");
});

test("a lock made at a node names its line, hands and shares, and its card if it is for that alone", () => {
  const here = { ...NODE, words: "check, check / ", board: "2c2d2h9s", actions: [
    { kind: "check" as const, amount: null, name: "check" }, { kind: "bet" as const, amount: 50, name: "bet 50" }] };
  assert.equal(lockText(here, " AA, KQs ", [40, 60], false), "check, check /: AA, KQs check 40% bet 50 60%");
  assert.equal(lockText(here, "all", [0, 100], true), "check, check / @ 9s: all bet 50 100%");
  assert.equal(lockText(here, "", [0, 100], true), null);
  assert.equal(lockText(here, "AA", [10, 80], true), null);
  assert.equal(lockText(here, "AA", [110, -10], true), null);
  assert.deepEqual(wholeShares([1 / 3, 1 / 3, 1 / 3]), [33.4, 33.3, 33.3]);
  assert.deepEqual(wholeShares([0, 1]), [0, 100]);
});

test("noise is written as the form takes it", () => {
  assert.equal(noiseText(null), "");
  assert.equal(noiseText([0.02, 0.02]), "2%");
  assert.equal(noiseText([0.01, 0.07]), "oop=1%,ip=7%");
  assert.equal(noiseText([1 / 3, 1 / 3]), "33.3333333333%");
});
