import assert from "node:assert/strict";
import { test } from "node:test";

import type { GridCell } from "../src/charts/hand_grid";
import { HANDS } from "../src/charts/hands";
import type { NodePage } from "../src/model";
import { csvRows } from "../src/views/pushfold/files";
import {
  amountOf, countDifferences, gainText, greatest, hasRegret, limitCells, limitText, nodesOf, playCells, regretText, shade, type Mode,
} from "../src/views/pushfold/paint";
import { node, side } from "./nodes";

const filled = <T>(value: T): T[] => HANDS.map(() => value);

interface Half {
  frequency: number[];
  ev: (number | null)[];
  regret: number[];
}

function half(player: 0 | 1, change: Partial<Half> = {}, published: boolean[] | null = null): NodePage {
  const { frequency, ev, regret } = { frequency: filled(0), ev: filled<number | null>(-1), regret: filled(0), ...change };
  const own = side({ mix: [frequency.map((share) => 1 - share), frequency], values: [filled(-0.5), ev], columns: { regret } });
  return node({
    player, unit: "bb", sides: player === 0 ? [own, side()] : [side(), own], panels: { published: published && { name: "x", source: "y", hands: published } },
    actions: [{ kind: "fold", amount: null, name: "fold" },
      player === 0 ? { kind: "all-in", amount: null, name: "push" } : { kind: "call", amount: null, name: "call" }],
  });
}

function chart(push: Partial<Half>, published: boolean[] | null = null): NodePage {
  const own = half(0, push, published);
  return { ...own, panels: { ...own.panels, reply: half(1, {}, published && filled(false)) } };
}

function first(drawn: NodePage, mode: Mode): GridCell {
  return playCells(drawn, mode, greatest(drawn, mode), false)[0] as GridCell;
}

const width = (cell: GridCell): number => cell.segments[0]?.share ?? Number.NaN;

test("a mixed hand shows both colours and its percent, however rare one action is", () => {
  const of = (share: number): GridCell => first(chart({ frequency: filled(share) }), "frequency");
  assert.deepEqual([width(of(0.46)), of(0.46).text], [0.46, "46 %"]);
  assert.deepEqual([width(of(0.006)) > 0.05, of(0.006).text], [true, "1 %"]);
  assert.deepEqual([width(of(0.994)) < 0.95, of(0.994).text], [true, "99 %"]);
  assert.deepEqual([width(of(0.9995)), of(0.9995).text, width(of(0.004))], [1, "", 0]);
});

test("what a hand gains is counted from folding, and the greatest has the strongest colour", () => {
  const ev = filled<number | null>(-0.5);
  ev[0] = 2.5;
  ev[1] = null;
  const drawn = chart({ ev });
  assert.equal(greatest(drawn, "ev"), 3);
  const [best, unknown] = playCells(drawn, "ev", 3, false);
  assert.deepEqual([best?.shade?.tone, best?.shade?.strength, best?.text], ["gain", 1, "+3.00"]);
  assert.deepEqual([unknown?.shade?.strength, unknown?.text], [0, "–"]);
  const lost = playCells(nodesOf(drawn)[1] as NodePage, "ev", 3, false)[0];
  assert.equal(lost?.shade?.tone, "loss");
  assert.match(lost.label, /, −[\d.]+ bb compared with folding$/);
});

test("the legend's amounts have the colours that they stand beside", () => {
  for (const strength of [0, 0.25, 0.5, 1]) {
    assert.ok(Math.abs(shade(amountOf(strength, 7), 7) - strength) < 1e-12);
  }
});

test("numbers in cells stay short", () => {
  assert.deepEqual([0.1234, -12.34, 123.4].map(gainText), ["+0.12", "−12.3", "+123"]);
  assert.deepEqual([1e-9, 0.00123, 0.0456, 1.5].map(regretText), ["0", "1.23", "45.6", "1500"]);
});

test("a published chart differs where one plays a hand more often than not", () => {
  const frequency = filled(0);
  frequency[0] = 0.7;
  frequency[1] = 0.4;
  const push = filled(false);
  push[1] = true;
  const drawn = chart({ frequency }, push);
  assert.equal(countDifferences(drawn), 2);
  assert.deepEqual(
    playCells(drawn, "frequency", 1, true).slice(0, 3).map(({ marks }) => marks),
    [["outline"], ["corner", "outline"], []],
  );
});

test("the table for a file has a row per hand and as many cells as headings", () => {
  const { header, rows } = csvRows(chart({}));
  assert.equal(rows.length, 169);
  assert.ok(rows.every((row) => row.length === header.length));
  assert.deepEqual(rows[1]?.slice(0, 6), ["AKs", 4, 0, -1, -0.5, -0.5]);
});

test("a cell is split between playing and folding, in the colours of these actions", () => {
  const drawn = chart({ frequency: filled(0.46) });
  const [cell] = playCells(drawn, "frequency", 1, false);
  assert.deepEqual(cell?.segments, [
    { share: 0.46, style: "action-all-in" }, { share: 0.54, style: "action-fold" },
  ]);
  assert.equal(playCells(nodesOf(drawn)[1] as NodePage, "frequency", 1, false)[0]?.segments[0]?.style, "action-call");
});

test("a hand says up to which stack it is played", () => {
  assert.deepEqual([limitText(8, 20, false), limitText(20, 20, false), limitText(8, 20, true), limitText(null, 20, false)],
    ["8", "20+", "8*", "–"]);
  const seatOf = (action: "push" | "call") => ({
    player: "small blind" as const, action, up_to: filled<number | null>(8), is_gapped: filled(false),
  });
  const cells = limitCells({ stacks: [2, 8, 20], stakes: "", seats: [seatOf("push"), seatOf("call")] }, 1);
  assert.equal(cells[0]?.label, "AA, call up to 8 bb");
  assert.ok((cells[0]?.shade?.strength ?? 0) > 0.12);
});

test("an exact solution has no regret to show", () => {
  assert.ok(!hasRegret(chart({ regret: filled(1e-16) })));
  assert.ok(hasRegret(chart({ regret: filled(1e-6) })));
});
