// The runs drawn together and their colours, shared by list, chart and read-out.

import type { AppState, Store } from "../state";

/** How many runs can be compared with the current one: there are no more colours. */
export const MAX_COMPARED = 5;

/** The current run and those compared with it; the position is the index of the colour. */
export function shownRuns(state: AppState): string[] {
  if (state.run === null) return [];
  return [state.run, ...comparedRuns(state).slice(0, MAX_COMPARED)];
}

/** The runs to compare with, without the current one. */
export function comparedRuns(state: AppState): string[] {
  return [...new Set(state.compare)].filter((id) => id !== state.run);
}

/** The runs to compare with once `id` is chosen: the previous run takes its place. */
export function comparedAfterChoosing(state: AppState, id: string): string[] {
  const { run } = state;
  return comparedRuns(state).flatMap((one) => (one !== id ? [one] : run === null ? [] : [run]));
}

/** Show another run, at its end. */
export function chooseRun(store: Store, id: string): void {
  if (id === store.state.run) return;
  store.set({ run: id, moment: null, infoset: null, compare: comparedAfterChoosing(store.state, id) });
}

export function colourOf(position: number): string {
  return `var(--run-${position})`;
}
