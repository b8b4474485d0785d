// Which runs are drawn together, and in which colours: list, chart and read-out agree on it.

import type { AppState, Store } from "../state";

/** So many runs can stand beside the one that is looked at: there are colours for no more. */
export const MOST_BESIDE = 5;

/** The run that is looked at and those beside it; the position is the number of the colour. */
export function shownRuns(state: AppState): string[] {
  if (state.run === null) return [];
  return [state.run, ...beside(state).slice(0, MOST_BESIDE)];
}

/** The runs to compare with, without the one that is looked at. */
export function beside(state: AppState): string[] {
  return [...new Set(state.compare)].filter((id) => id !== state.run);
}

/** What to compare with once `id` is looked at: the run that gives way takes its place. */
export function besideAfterChoosing(state: AppState, id: string): string[] {
  const { run } = state;
  return beside(state).flatMap((one) => (one !== id ? [one] : run === null ? [] : [run]));
}

/** Look at another run, from its end. */
export function chooseRun(store: Store, id: string): void {
  if (id === store.state.run) return;
  store.set({ run: id, moment: null, infoset: null, compare: besideAfterChoosing(store.state, id) });
}

export function colourOf(position: number): string {
  return `var(--run-${position})`;
}
