// A run in words.

import type { RunStatus, RunSummary } from "../model";

/** A mark beside the word, so that colour is not the only sign. */
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
