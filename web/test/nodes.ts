// Nodes for tests.

import type { NodePage, NodeSide } from "../src/model";

export function side(change: Partial<NodeSide> = {}): NodeSide {
  return {
    num_hands: change.hand?.length ?? 0, total: null, means: {}, hand: [], label: [], board: [], reach: null, mix: [],
    values: null, columns: {}, ...change,
  };
}

export function node(change: Partial<NodePage> = {}): NodePage {
  return {
    line: "", board: "", kind: "decision", words: "", street: "", player: 0, unit: "chips", seats: null, actions: [],
    children: [], pot: null, chips: null, reach: null, is_reached: true, mix: null, stations: [], sides: [side(), side()],
    panels: {}, ...change,
  };
}
