// The runs drawn together and their colours, shared by list, chart and read-out.

import { AUTOMATIC, isPlace, REPORT } from "../../places";
import { ANYWHERE, type AppState, type Store } from "../../state";

/** How many runs can be compared with the current one: every colour is used solid, then dashed. */
export const MAX_COMPARED = 11;
const COLOURS = 6;

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

/** Show another run, at its end, in the same view; in its default view where this one is not about a single strategy. */
export function chooseRun(store: Store, id: string): void {
  if (id === store.state.run) return;
  const { state } = store;
  const view = state.view === "convergence" || isPlace(state.view) ? AUTOMATIC : state.view;
  store.set({ run: id, view, moment: null, infoset: null, compare: comparedAfterChoosing(state, id) });
}

/** Show a report over flops, at the first decision. */
export function openReport(store: Store, report: string): void {
  store.set({ run: null, view: REPORT, moment: null, spot: ANYWHERE, infoset: null, compare: [], options: { report } });
}

/** Compare with the run, or no longer. */
export function toggleComparison(store: Store, id: string): void {
  const compared = comparedRuns(store.state);
  const others = compared.filter((one) => one !== id);
  store.set({ compare: others.length < compared.length ? others : [...others, id].slice(0, MAX_COMPARED) });
}

export function colourOf(position: number): string {
  return `var(--run-${position % COLOURS})`;
}

/** Whether its line is dashed, because another run has the same colour. */
export function isDashed(position: number): boolean {
  return position >= COLOURS;
}
