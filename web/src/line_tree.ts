// Betting lines as a tree with one node per move.

import type { ActionData, LineInfo, LineMove, Terms } from "./model";

export interface LineNode {
  line: string;
  /** The move that led here in words: "bet", "call, next street"; "start" for the root. */
  move: string;
  /** That move as data; null for the root, and for an end of a street without a move. */
  action: ActionData | null;
  /** The decisions on exactly this line, at most one per player; none if nobody decides. */
  decisions: LineInfo[];
  children: LineNode[];
}

/** The tree of the lines that occur; a move after which nobody decides is joined to the next one. */
export function lineTree(lines: readonly LineInfo[], moves: readonly LineMove[]): LineNode {
  const moveTo = new Map(moves.map((move) => [move.line, move]));
  const root: LineNode = { line: "", move: "start", action: null, decisions: [], children: [] };
  const nodes = new Map<string, LineNode>([["", root]]);
  for (const decision of lines) {
    let node = root;
    for (const { line, words, action } of movesTo(decision.line, moveTo)) {
      let next = nodes.get(line);
      if (next === undefined) {
        next = { line, move: words, action, decisions: [], children: [] };
        nodes.set(line, next);
        node.children.push(next);
      }
      node = next;
    }
    node.decisions.push(decision);
  }
  root.children = ordered(root.children.map(joined));
  return root;
}

/** Nodes from the root to the line, both included; only the root if the line does not exist. */
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

/** Number of infosets on the line and on all lines that continue it. */
export function infosetsFrom(node: LineNode): number {
  const own = node.decisions.reduce((sum, one) => sum + one.infosets, 0);
  return node.children.reduce((sum, child) => sum + infosetsFrom(child), own);
}

/** Who decides what on the line, in words; a line in a game's own notation has no other words. */
export function decidedOn(node: LineNode, seats: Terms["seats"]): string {
  return node.decisions
    .map((one) => (one.words === one.line ? seats[one.player] : `${seats[one.player]}, ${one.words}`))
    .join("; ");
}

/** The moves from the start to the line, in order. */
function movesTo(line: string, moveTo: ReadonlyMap<string, LineMove>): LineMove[] {
  const path: LineMove[] = [];
  for (let move = moveTo.get(line); move !== undefined; move = moveTo.get(move.before)) path.unshift(move);
  return path;
}

function isOnTheWay(node: LineNode, line: string): boolean {
  return node.children.some((child) => child.line === line || isOnTheWay(child, line));
}

/** The node, or if nobody decides there and one move follows, the next node with both moves. */
function joined(node: LineNode): LineNode {
  const [only] = node.children;
  if (node.decisions.length === 0 && only !== undefined && node.children.length === 1) {
    return joined({ ...only, move: `${node.move} ${only.move}` });
  }
  return { ...node, children: ordered(node.children.map(joined)) };
}

const KINDS: readonly string[] = ["fold", "check", "call", "bet", "raise", "all-in", "other"];

/** Passive moves first, then by size; moves of a game's own stay in order. */
function ordered(nodes: LineNode[]): LineNode[] {
  const rank = ({ action }: LineNode): number => (action === null ? KINDS.length : KINDS.indexOf(action.kind));
  return nodes.sort((one, other) => (
    rank(one) - rank(other) || (one.action?.amount ?? 0) - (other.action?.amount ?? 0)));
}
