// A run in words.

import type { RunStatus, RunSummary } from "../model";

/** A mark next to the word, so colour is not the only sign. */
export const STATUS_MARKS: Record<RunStatus, string> = {
  running: "●",
  finished: "✓",
  interrupted: "■",
  damaged: "✕",
};

/** "ranks 3 · suits merged" */
export function parameterWords(parameters: RunSummary["parameters"]): string {
  return Object.entries(parameters)
    .map(([name, value]) => {
      const words = name.replace(/_/g, " ");
      return typeof value === "boolean" ? (value ? words : `no ${words}`) : `${words} ${value}`;
    })
    .join(" · ");
}

/** Whether all words occur in the run's name, title, game or method. */
export function isMatch(run: RunSummary, search: string): boolean {
  const text = [run.name, run.title, run.game, run.method].join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** A short date and time: 16 Nov, 03:37. */
export function dayAndTime(iso: string | null): string {
  const date = new Date(iso ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

/** The order of the list: ties stay in the server's order, runs of unknown age come last. */
export function newestFirst(runs: readonly RunSummary[]): RunSummary[] {
  return [...runs].sort((one, other) => {
    const [mine, theirs] = [one.created ?? "", other.created ?? ""];
    return mine === theirs ? 0 : mine < theirs ? 1 : -1;
  });
}
