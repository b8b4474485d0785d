import assert from "node:assert/strict";
import { test } from "node:test";

import type { StrategyRow } from "../src/model";
import { groupByCard, needsHeadings } from "../src/views/strategy/groups";

function row(card: string, line = ""): StrategyRow {
  return {
    label: `P0:${card}:${line}`, card, board: "", line, words: "", actions: ["check", "bet"],
    action_data: [], probabilities: [0.5, 0.5], values: [0, null], own_reach: 1,
  };
}

test("rows are grouped by card, in their order", () => {
  const groups = groupByCard([row("J"), row("J", "cb"), row("Q"), row("K"), row("K", "cb")]);
  assert.deepEqual(groups.map((group) => [group.card, group.rows.length]), [["J", 2], ["Q", 1], ["K", 2]]);
  assert.equal(groups[2]?.rows[1]?.label, "P0:K:cb");
  assert.ok(needsHeadings(groups));
});

test("hands with a row each need no headings, nor does a game without cards", () => {
  assert.ok(!needsHeadings(groupByCard([row("AA"), row("AKs"), row("AQs")])));
  assert.ok(!needsHeadings(groupByCard([row(""), row("", "a"), row("", "b")])));
  assert.ok(!needsHeadings([]));
});
