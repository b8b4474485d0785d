// Parts of runs for tests.

import type { ProgressRow, Terms } from "../src/model";

export function row(iteration: number, exploitability: number | null, more: Partial<ProgressRow> = {}): ProgressRow {
  return {
    iteration, exploitability, seconds: iteration / 1000, nash_conv: null, value: null, value_1: null, regret: null,
    residual: null, drift: null, nodes: null, infosets: null, lbr: null, lbr_margin: null, beta: null, rate: null,
    seconds_left: null, ...more,
  };
}

/** Those of a game that declares none. */
export const TERMS: Terms = {
  unit: "chips", seats: ["player 0", "player 1"], private: "card", public: "board",
  has_chips: false, has_forced_moves: false, verbs: ["choose", "choose"], rules: "",
};
