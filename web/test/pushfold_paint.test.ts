import assert from "node:assert/strict";
import { test } from "node:test";

import { HANDS } from "../src/charts/hands";
import type { PushFoldChart, PushFoldSeat } from "../src/model";
import { csvRows } from "../src/views/pushfold_files";
import {
  amountOf, countDifferences, gainText, greatest, gridCells, hasRegret, limitCells, limitText, paint, regretText, shade, type CellPaint, type Mode,
} from "../src/views/pushfold_paint";

const filled = <T>(value: T): T[] => HANDS.map(() => value);

function seat(action: "push" | "call", change: Partial<PushFoldSeat> = {}): PushFoldSeat {
  return {
    player: action === "push" ? "small blind" : "big blind", action, frequency: filled(0), ev: filled(-1),
    fold_ev: -0.5, regret: filled(0), percent: 0, range: "", ...change,
  };
}

function chart(push: Partial<PushFoldSeat>, published: PushFoldChart["published"] = null): PushFoldChart {
  return {
    stack: 10, stakes: "blinds 0.5/1", value: 0, exploitability: 0,
    seats: [seat("push", push), seat("call")], published,
  };
}

function first(drawn: PushFoldChart, mode: Mode): CellPaint {
  return paint(drawn, drawn.seats[0], mode, greatest(drawn, mode))[0] as CellPaint;
}

test("a mixed hand shows both colours and its percent, however rare one action is", () => {
  const of = (share: number): CellPaint => first(chart({ frequency: filled(share) }), "frequency");
  assert.deepEqual([of(0.46).width, of(0.46).detail], [0.46, "46 %"]);
  assert.deepEqual([of(0.006).width > 0.05, of(0.006).detail], [true, "1 %"]);
  assert.deepEqual([of(0.994).width < 0.95, of(0.994).detail], [true, "99 %"]);
  assert.deepEqual([of(0.9995).width, of(0.9995).detail, of(0.004).width], [1, "", 0]);
});

test("what a hand gains is counted from folding, and the greatest has the strongest colour", () => {
  const ev = filled<number | null>(-0.5);
  ev[0] = 2.5;
  ev[1] = null;
  const drawn = chart({ ev });
  assert.equal(greatest(drawn, "ev"), 3);
  const [best, unknown] = paint(drawn, drawn.seats[0], "ev", 3);
  assert.deepEqual([best?.tone, best?.strength, best?.detail], ["gain", 1, "+3.00"]);
  assert.deepEqual([unknown?.strength, unknown?.detail], [0, "–"]);
  assert.equal(paint(drawn, drawn.seats[1], "ev", 3)[0]?.tone, "loss");
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
  const drawn = chart({ frequency }, { name: "x", source: "y", push, call: filled(false) });
  assert.equal(countDifferences(drawn), 2);
  assert.deepEqual(
    paint(drawn, drawn.seats[0], "frequency", 1).slice(0, 3).map((cell) => cell.differs),
    [true, true, false],
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
  const [cell] = gridCells(paint(drawn, drawn.seats[0], "frequency", 1), "push", false);
  assert.deepEqual(cell?.segments, [
    { share: 0.46, style: "action-all-in" }, { share: 0.54, style: "action-fold" },
  ]);
  assert.equal(gridCells(paint(drawn, drawn.seats[1], "frequency", 1), "call", false)[0]?.segments[0]?.style, "action-call");
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
