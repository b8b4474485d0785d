// Runs of one folder, such as those of a grid or of a series, as one entry of the list that opens.

import type { RunSummary } from "../../model";

/** As many runs in one folder below the served one are a group. */
const LEAST = 3;

export type Entry =
  | { kind: "run"; id: string; run: RunSummary; isInside: boolean }
  | { kind: "group"; id: string; name: string; runs: readonly RunSummary[]; isOpen: boolean };

/** The folder of a run, below the served one; empty for runs directly in that. */
export function folderOf({ name }: Pick<RunSummary, "name">): string {
  return name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
}

/** Runs in their order, with groups at the place of their first run; only groups that are open show their runs. */
export function entriesOf(runs: readonly RunSummary[], isOpen: (folder: string) => boolean): Entry[] {
  const byFolder = new Map<string, RunSummary[]>();
  for (const run of runs) byFolder.set(folderOf(run), [...(byFolder.get(folderOf(run)) ?? []), run]);
  const entries: Entry[] = [];
  const begun = new Set<string>();
  for (const run of runs) {
    const folder = folderOf(run);
    const together = byFolder.get(folder) ?? [];
    if (folder === "" || together.length < LEAST) entries.push({ kind: "run", id: run.id, run, isInside: false });
    else if (!begun.has(folder)) {
      begun.add(folder);
      const open = isOpen(folder);
      entries.push({ kind: "group", id: `folder ${folder}`, name: folder, runs: together, isOpen: open });
      if (open) entries.push(...together.map((one): Entry => ({ kind: "run", id: one.id, run: one, isInside: true })));
    }
  }
  return entries;
}
