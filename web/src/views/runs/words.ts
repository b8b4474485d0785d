// A run in words, and runs in order.

import { duration, moment, plainValue, short, withUnit } from "../../format";
import type { RunStatus, RunSummary } from "../../model";
import { nameOf } from "../noise/rungs";

/** Before the name of a run that has a star. */
export const STAR = "★";

/** A mark next to the word, so colour is not the only sign. */
export const STATUS_MARKS: Record<RunStatus, string> = {
  running: "●",
  finished: "✓",
  interrupted: "■",
  damaged: "✕",
};

/** The user's name for a run, or else what it is of. */
export function titleOf(run: RunSummary): string {
  return run.label.name || run.title || run.game || run.name;
}

/** What the iterations of a run are, short where there is little room. */
export function shortSteps({ steps }: RunSummary): string {
  return steps === "iterations" ? "it" : steps;
}

/** The columns of the table of runs. */
export const COLUMNS = [
  { name: "game", isNumber: false },
  { name: "parameters", isNumber: false },
  { name: "method", isNumber: false },
  { name: "status", isNumber: false },
  { name: "exploitability", isNumber: true },
  { name: "time", isNumber: true },
  { name: "created", isNumber: false },
  { name: "folder", isNumber: false },
] as const;

export type ColumnName = (typeof COLUMNS)[number]["name"];

interface RunCell {
  text: string;
  /** What the column is sorted by; null if unknown. */
  key: string | number | null;
}

/** What the table shows of a run. */
export function cellsOf(run: RunSummary): Record<ColumnName, RunCell> {
  const plain = (text: string): RunCell => ({ text, key: text || null });
  const { last } = run;
  // 0 if the time was not recorded, as in documents.
  const seconds = last?.seconds || null;
  return {
    game: plain(titleOf(run)),
    parameters: plain(parameterWords(run.changed)),
    method: plain(methodWords(run)),
    status: { text: `${STATUS_MARKS[run.status]} ${run.status}`, key: run.status },
    exploitability: {
      text: withUnit(short(last?.exploitability), run.unit),
      key: last?.exploitability ?? null,
    },
    time: { text: duration(seconds), key: seconds },
    created: { text: moment(run.created), key: run.created },
    folder: plain(run.problem === null ? run.name : `${run.name}: ${run.problem}`),
  };
}

/** "dcfr", or "quantal 2 %" of a spot with noise. */
export function methodWords({ method, spot }: RunSummary): string {
  const noise = spot?.noise ?? null;
  return noise === null ? method : `${method} ${nameOf(noise)}`;
}

/** "ranks 3 · suits merged" */
export function parameterWords(parameters: RunSummary["parameters"]): string {
  return Object.entries(parameters)
    .map(([name, value]) => {
      const words = name.replace(/_/g, " ");
      if (name === "menu" && typeof value === "string") return `bets ${menuWords(value)}`;
      return typeof value === "boolean" ? (value ? words : `no ${words}`) : `${words} ${plainValue(value)}`;
    })
    .join(" · ");
}

/** A menu of bets as it was probably typed, `50%, a / 100%; at most 3 a street`; others stay as they are. */
export function menuWords(menu: string): string {
  const capped = /^capped_bets\((.*), (\d+)\)$/.exec(menu);
  const inner = capped?.[1] ?? menu;
  const streets = /^by_street\((.*)\)$/.exec(inner)?.[1] ?? inner;
  if (!/^(sizes\('[^']*'\)(, )?)+$/.test(streets)) return menu;
  const sizes = [...streets.matchAll(/sizes\('([^']*)'\)/g)].map(([, text]) => text).join(" / ");
  return capped === null ? sizes : `${sizes}; at most ${capped[2]} a street`;
}

/** Whether all words occur in what is shown of the run. */
export function isMatch(run: RunSummary, search: string): boolean {
  const text = [run.game, run.title, run.label.note, run.label.is_starred ? STAR : "", ...Object.values(cellsOf(run)).map((cell) => cell.text)].join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** Sorted by a column; unknown values come last in either direction, ties stay in the given order. */
export function sortedBy(runs: readonly RunSummary[], name: ColumnName, isDown: boolean): RunSummary[] {
  const keyed = runs.map((run) => ({ run, key: cellsOf(run)[name].key }));
  return keyed.sort(({ key: one }, { key: other }) => {
    if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
    const order = typeof one === "number" && typeof other === "number"
      ? one - other : String(one).localeCompare(String(other), "en", { numeric: true });
    return isDown ? -order : order;
  }).map(({ run }) => run);
}

/** The order of the list: ties stay in the server's order, runs of unknown age come last. */
export function newestFirst(runs: readonly RunSummary[]): RunSummary[] {
  return [...runs].sort((one, other) => {
    const [mine, theirs] = [one.created ?? "", other.created ?? ""];
    return mine === theirs ? 0 : mine < theirs ? 1 : -1;
  });
}
