// Rows of a run for tests.

import type { ProgressRow } from "../src/model";

export function row(iteration: number, exploitability: number | null, more: Partial<ProgressRow> = {}): ProgressRow {
  return {
    iteration, exploitability, seconds: iteration / 1000, nash_conv: null, value: null, regret: null,
    residual: null, drift: null, beta: null, rate: null, seconds_left: null, ...more,
  };
}
