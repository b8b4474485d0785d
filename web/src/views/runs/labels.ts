// Short names for runs that are compared: only what tells them apart.

import type { RunSummary } from "../../model";
import { methodWords, parameterWords } from "./words";

/** One label per run, all different where the runs' folders are. */
export function labelsOf(runs: readonly RunSummary[]): string[] {
  const joined = (...parts: string[]): string => parts.filter(Boolean).join(" · ");
  const ways: ((run: RunSummary) => string)[] = [
    methodWords,
    (run) => joined(methodWords(run), parameterWords(run.changed)),
    (run) => joined(run.game, methodWords(run)),
    (run) => joined(run.game, methodWords(run), parameterWords(run.changed)),
    (run) => run.name.split("/").pop() ?? run.name,
  ];
  for (const way of ways) {
    const labels = runs.map(way);
    if (new Set(labels).size === labels.length && labels.every(Boolean)) return labels;
  }
  return runs.map((run) => run.name);
}
