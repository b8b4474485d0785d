// The rows of the runs in the chart, as a table to download.

import type { Cell } from "../../download";
import type { ProgressRow, RunDetail } from "../../model";

const COLUMNS: readonly (keyof ProgressRow)[] = [
  "iteration", "seconds", "exploitability", "nash_conv", "value", "value_1", "regret", "residual", "drift",
  "beta", "nodes", "infosets", "lbr", "lbr_margin", "rate",
];

export const TABLE_HEADER: string[] = ["run", "game", "method", "unit", ...COLUMNS];

export function tableRows(detail: RunDetail, rows: readonly ProgressRow[]): Cell[][] {
  const { name, game, method, unit } = detail;
  return rows.map((row) => [name, game, method, unit, ...COLUMNS.map((column) => row[column])]);
}
