import assert from "node:assert/strict";
import { test } from "node:test";

import type { LineInfo, Player } from "../src/model";
import { infosetsFrom, lineTree, pathTo, type LineNode } from "../src/views/strategy_lines";

function decision(player: Player, line: string, infosets = 3): LineInfo {
  return { player, line, words: `words of ${line}`, infosets };
}

const KUHN = [decision(0, ""), decision(0, "cb"), decision(1, "c"), decision(1, "b")];
const LEDUC = [
  ...KUHN, decision(0, "cc/", 9), decision(1, "cc/c", 9), decision(1, "cc/b", 9), decision(0, "cbc/", 9),
  decision(1, "br", 3),
];

/** The tree as text: moves, indented by depth. */
function outline(node: LineNode, depth = 0): string[] {
  const own = `${"  ".repeat(depth)}${node.move}`;
  return [own, ...node.children.flatMap((child) => outline(child, depth + 1))];
}

test("a line per move, named by what it means where it is made", () => {
  assert.deepEqual(outline(lineTree(KUHN)), ["start", "  check", "    bet", "  bet"]);
});

test("a new street belongs to the move that ended the one before", () => {
  assert.deepEqual(outline(lineTree(LEDUC)), [
    "start",
    "  check",
    "    bet",
    "      call, next street",
    "    check, next street",
    "      check",
    "      bet",
    "  bet",
    "    raise",
  ]);
});

test("bets of different sizes are different moves, named with their amounts", () => {
  const lines = ["", "b60", "b120", "b120r300", "b120r300c/", "b120r300c/c"];
  const root = lineTree(lines.map((line, index) => decision(index % 2 === 0 ? 0 : 1, line)));
  assert.deepEqual(outline(root), [
    "start",
    "  bet 60",
    "  bet 120",
    "    raise 300",
    "      call, next street",
    "        check",
  ]);
});

test("a check on a new street is no call, whatever was bet before", () => {
  const [, , node] = pathTo(lineTree([decision(0, ""), decision(1, "bc/"), decision(0, "bc/c")]), "bc/c");
  assert.equal(node?.move, "check");
});

test("decisions are at the node of their line, those of both players", () => {
  const root = lineTree([decision(0, ""), decision(1, "", 5)]);
  assert.deepEqual(root.decisions.map((one) => one.player), [0, 1]);
  assert.equal(infosetsFrom(root), 8);
});

test("all infosets below a node are counted", () => {
  const root = lineTree(LEDUC);
  assert.equal(infosetsFrom(root), LEDUC.reduce((sum, one) => sum + one.infosets, 0));
});

test("lines in words of their own fall apart at blanks", () => {
  const root = lineTree([decision(0, ""), decision(1, "1-1"), decision(0, "1-1 1-2"), decision(0, "1-1 2-2")]);
  assert.deepEqual(outline(root), ["start", "  1-1", "    1-2", "    2-2"]);
  assert.deepEqual(pathTo(root, "1-1 2-2").map((node) => node.line), ["", "1-1", "1-1 2-2"]);
});

test("moves after which nobody decides are joined to the next", () => {
  const root = lineTree([decision(0, ""), decision(1, "xyz"), decision(1, "q")]);
  assert.deepEqual(outline(root), ["start", "  x y z", "  q"]);
  assert.deepEqual(pathTo(root, "xyz").map((node) => node.line), ["", "xyz"]);
});

test("the path to a line goes from the start", () => {
  const root = lineTree(LEDUC);
  assert.deepEqual(pathTo(root, "cc/b").map((node) => node.move), ["start", "check", "check, next street", "bet"]);
  assert.deepEqual(pathTo(root, ""), [root]);
  assert.deepEqual(pathTo(root, "never"), [root]);
});

test("a game without lines has a root only", () => {
  assert.deepEqual(outline(lineTree([])), ["start"]);
});
