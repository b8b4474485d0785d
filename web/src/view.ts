// What a view is, and what it is given to show.

import type { Change, DataStore, RunData } from "./data";
import type { AppState, Store } from "./state";

/** What the page has to know of a view to offer it; the list of all is in `views/all.ts`. */
export interface ViewDescriptor {
  /** As the server lists it among the views of a run, and as addresses have it. */
  readonly name: string;
  /** Of its tab. */
  readonly title: string;
  /** The key that shows it. */
  readonly key: string;
  /** Whether going through the frames of a run shows something. */
  readonly isReplayed: boolean;
  /** Whether it takes letters, digits and the space bar for itself. */
  readonly takesKeys?: boolean;
  /** Names of what it keeps in the address; no other view has the same. */
  readonly options: readonly string[];
  /** Called once, when the view is first shown. */
  load(context: Context): View;
}

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
