// What a view is, and what it is given to show.

import type { Change, DataStore, RunData } from "./data";
import type { AppState, Store } from "./state";

export interface Context {
  readonly store: Store;
  readonly data: DataStore;
}

export interface View {
  /** Whether it shows the runs beside the one that is looked at, and so hears of their changes. */
  readonly showsOthers?: boolean;
  /** Put into the page while the view is shown. */
  readonly element: HTMLElement;
  /**
   * Show the run; called when the view comes up, and whenever the state or something of the run has
   * changed while it is up. `change` is null if the state has changed. Redraw only what differs.
   */
  update(run: RunData, state: AppState, change: Change | null): void;
  /** Called when another view takes its place: stop timers. */
  leave?(): void;
}
