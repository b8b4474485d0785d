// Betting lines as a tree: one node per move, under it what can follow.

import type { LineInfo } from "../model";

export interface LineNode {
  line: string;
  /** The move that led here in words: "bet", "call, next street"; "start" for the root. */
  move: string;
  /** The decisions on this very line, one per player at most; none where nobody decides. */
  decisions: LineInfo[];
  children: LineNode[];
}

/** Letters of labels; other games have their own, which stand for themselves. */
const STANDARD = /^([cf]|[bra](\d+(\.\d+)?)?|\/)*$/;
const MOVES: Record<string, string> = { b: "bet", r: "raise", a: "all-in", f: "fold" };

/** The tree of the lines that occur; moves after which nobody decides are joined to the next. */
export function lineTree(lines: readonly LineInfo[]): LineNode {
  const split = splitter(lines.map((one) => one.line));
  const root: LineNode = { line: "", move: "start", decisions: [], children: [] };
  const nodes = new Map<string, LineNode>([["", root]]);
  for (const decision of lines) {
    let node = root;
    for (const { line, move } of split(decision.line)) {
      let next = nodes.get(line);
      if (next === undefined) {
        next = { line, move, decisions: [], children: [] };
        nodes.set(line, next);
        node.children.push(next);
      }
      node = next;
    }
    node.decisions.push(decision);
  }
  root.children = root.children.map(joined);
  return root;
}

/** Nodes from the root to the line, both included; only the root for a line that is not there. */
export function pathTo(root: LineNode, line: string): LineNode[] {
  const path = [root];
  let node: LineNode | undefined = root;
  while (node.line !== line) {
    node = node.children.find((child) => line === child.line || isOnTheWay(child, line));
    if (node === undefined) return [root];
    path.push(node);
  }
  return path;
}

/** Infosets on the line and on all that follow from it. */
export function infosetsFrom(node: LineNode): number {
  const own = node.decisions.reduce((sum, one) => sum + one.infosets, 0);
  return node.children.reduce((sum, child) => sum + infosetsFrom(child), own);
}

/** Who decides what on the line, in words; a line in a game's own letters has no other words. */
export function decidedOn(node: LineNode): string {
  return node.decisions
    .map((one) => (one.words === one.line ? `player ${one.player}` : `player ${one.player}, ${one.words}`))
    .join("; ");
}

function isOnTheWay(node: LineNode, line: string): boolean {
  return node.children.some((child) => child.line === line || isOnTheWay(child, line));
}

/** The node, or where nobody decides and one move follows, what follows with both moves. */
function joined(node: LineNode): LineNode {
  const [only] = node.children;
  if (node.decisions.length === 0 && only !== undefined && node.children.length === 1) {
    return joined({ ...only, move: `${node.move} ${only.move}` });
  }
  return { ...node, children: node.children.map(joined) };
}

interface Step {
  /** The line up to and with this move. */
  line: string;
  move: string;
}

/** How the lines of a game fall into moves: at blanks if there are any, else by letters. */
function splitter(lines: readonly string[]): (line: string) => Step[] {
  if (lines.some((line) => /\s/.test(line))) {
    return (line) => [...line.matchAll(/\S+/g)].map((match) => ({
      line: line.slice(0, match.index + match[0].length),
      move: match[0],
    }));
  }
  const isStandard = lines.every((line) => STANDARD.test(line));
  // A new street comes with the move that ended the one before.
  const moves = isStandard ? /(?:[cf]|[bra][\d.]*)?\/|[cf]|[bra][\d.]*/g : /[^/]?\/|[^/]/gu;
  return (line) => [...line.matchAll(moves)].map((match) => {
    const before = line.slice(0, match.index);
    return {
      line: before + match[0],
      move: isStandard ? moveWords(match[0], before) : match[0],
    };
  });
}

function moveWords(move: string, before: string): string {
  const street = before.slice(before.lastIndexOf("/") + 1);
  const letter = move[0] ?? "";
  const amount = move.slice(1).replace("/", "");
  const name = letter === "c" ? (/[bra]/.test(street) ? "call" : "check") : (MOVES[letter] ?? "");
  const words = amount === "" ? name : `${name} ${amount}`;
  return move.endsWith("/") ? `${words}${words && ", "}next street` : words;
}
