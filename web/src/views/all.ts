// All views, in the order of their tabs. The server has the same list in dashboard/views.

import { RUNS_TABLE_OPTIONS } from "../places";
import type { ViewDescriptor } from "../view";
import { branch } from "./branch";
import { convergence } from "./convergence";
import { facts } from "./facts";
import { play } from "./play";
import { pushfold } from "./pushfold";
import { strategy } from "./strategy";

/** The first is the default view. */
export const VIEWS: readonly [ViewDescriptor, ...ViewDescriptor[]] = [
  convergence, strategy, pushfold, branch, play, facts,
];

export function findView(name: string): ViewDescriptor | undefined {
  return VIEWS.find((view) => view.name === name);
}

/** Whether a view, or the table of runs, keeps an option of this name in the address. */
export function isOption(name: string): boolean {
  return RUNS_TABLE_OPTIONS.includes(name) || VIEWS.some((view) => view.options.includes(name));
}
