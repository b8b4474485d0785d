// All views, in the order of their tabs. The server has the same list in dashboard/views.

import type { ViewDescriptor } from "../view";
import { branch } from "./branch";
import { convergence } from "./convergence";
import { play } from "./play";
import { pushfold } from "./pushfold";
import { strategy } from "./strategy";

/** The first is the default view. */
export const VIEWS: readonly [ViewDescriptor, ...ViewDescriptor[]] = [convergence, strategy, pushfold, branch, play];

export function findView(name: string): ViewDescriptor | undefined {
  return VIEWS.find((view) => view.name === name);
}

/** Whether a view keeps an option of this name in the address. */
export function isOption(name: string): boolean {
  return VIEWS.some((view) => view.options.includes(name));
}
