import assert from "node:assert/strict";
import { test } from "node:test";

import type { LineInfo, LineMove, Player } from "../src/model";
import { decidedOn, infosetsFrom, lineTree, pathTo, type LineNode } from "../src/line_tree";

function decision(player: Player, line: string, infosets = 3): LineInfo {
  return { player, line, words: `words of ${line}`, infosets };
}

const KUHN = [decision(0, ""), decision(0, "cb"), decision(1, "c"), decision(1, "b")];
const LEDUC = [
  ...KUHN, decision(0, "cc/", 9), decision(1, "cc/c", 9), decision(1, "cc/b", 9), decision(0, "cbc/", 9),
  decision(1, "br", 3),
];

/** The tree whose moves are letters, with the end of a street, or words between blanks. */
function treeOf(lines: LineInfo[]): LineNode {
  const moves = lines.flatMap(({ line }) => {
    let before = "";
    return [...line.matchAll(/[^ ]*-[^ ]*|[^/]?\/|[^/ ]/g)].map((match): LineMove => {
      const move = { line: line.slice(0, match.index + match[0].length), before, words: match[0], action: null };
      before = move.line;
      return move;
    });
  });
  return lineTree(lines, moves);
}

/** The tree as text: moves, indented by depth. */
function outline(node: LineNode, depth = 0): string[] {
  const own = `${"  ".repeat(depth)}${node.move}`;
  return [own, ...node.children.flatMap((child) => outline(child, depth + 1))];
}

test("a node per move, in the words of the server", () => {
  assert.deepEqual(outline(treeOf(LEDUC)), [
    "start",
    "  c",
    "    b",
    "      c/",
    "    c/",
    "      c",
    "      b",
    "  b",
    "    r",
  ]);
});

test("moves that follow are in the order of play, not of appearance", () => {
  const action = (kind: "bet" | "call", amount: number | null) => ({ kind, amount, name: kind });
  const moves = [
    { line: "b9", before: "", words: "bet 9", action: action("bet", 9) },
    { line: "b3", before: "", words: "bet 3", action: action("bet", 3) },
    { line: "c", before: "", words: "call", action: action("call", null) },
  ];
  const root = lineTree(moves.map(({ line }) => decision(1, line)), moves);
  assert.deepEqual(root.children.map((node) => node.line), ["c", "b3", "b9"]);
});

test("decisions are at the node of their line, those of both players", () => {
  const root = treeOf([decision(0, ""), decision(1, "", 5)]);
  assert.deepEqual(root.decisions.map((one) => one.player), [0, 1]);
  assert.equal(infosetsFrom(root), 8);
});

test("all infosets below a node are counted", () => {
  const root = treeOf(LEDUC);
  assert.equal(infosetsFrom(root), LEDUC.reduce((sum, one) => sum + one.infosets, 0));
});

test("lines in words of their own are followed as well", () => {
  const root = treeOf([decision(0, ""), decision(1, "1-1"), decision(0, "1-1 1-2"), decision(0, "1-1 2-2")]);
  assert.deepEqual(outline(root), ["start", "  1-1", "    1-2", "    2-2"]);
  assert.deepEqual(pathTo(root, "1-1 2-2").map((node) => node.line), ["", "1-1", "1-1 2-2"]);
});

test("moves after which nobody decides are joined to the next", () => {
  const root = treeOf([decision(0, ""), decision(1, "xyz"), decision(1, "q")]);
  assert.deepEqual(outline(root), ["start", "  x y z", "  q"]);
  assert.deepEqual(pathTo(root, "xyz").map((node) => node.line), ["", "xyz"]);
});

test("the path to a line goes from the start", () => {
  const root = treeOf(LEDUC);
  assert.deepEqual(pathTo(root, "cc/b").map((node) => node.move), ["start", "c", "c/", "b"]);
  assert.deepEqual(pathTo(root, ""), [root]);
  assert.deepEqual(pathTo(root, "never"), [root]);
});

test("a game without lines has a root only", () => {
  assert.deepEqual(outline(treeOf([])), ["start"]);
});

test("who decides is named as the game names its players", () => {
  const root = treeOf(KUHN);
  assert.equal(decidedOn(root, ["Ann", "Bob"]), "Ann, words of ");
  assert.equal(decidedOn(root.children[0] as LineNode, ["Ann", "Bob"]), "Bob, words of c");
});
