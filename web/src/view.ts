// What a view is, and what it is given.

import type { Change, DataStore, RunData } from "./data";
import type { Terms } from "./model";
import type { AppState, Store } from "./state";

/** What the page needs to offer a view; the list of all views is in `views/all.ts`. */
export interface ViewDescriptor {
  /** The name in the server's list of a run's views, and in the address. */
  readonly name: string;
  /** The title of its tab. */
  readonly title: string;
  /** The letter that shows it; digits belong to the views. */
  readonly key: string;
  /** Whether the view shows the frames of a replay. */
  readonly isReplayed: boolean;
  /** Whether it draws the rows of the progress, which are fetched only then. */
  readonly drawsProgress?: boolean;
  /** Whether it handles the space bar, the arrows and End itself, which otherwise control the replay. */
  readonly takesKeys?: boolean;
  /** Names of the options that it reads from and writes to the address itself; no two views share one. */
  readonly options: readonly string[];
  /** One sentence that says what the view shows, in the words of the game; see `explained` for asterisks. */
  about(terms: Terms): string;
  /** Called when the view is first shown; its code is fetched only then. */
  load(context: Context): Promise<View>;
}

export interface Context {
  readonly store: Store;
  readonly data: DataStore;
}

export interface View {
  /** Whether it shows the compared runs too, and so receives their changes. */
  readonly showsOthers?: boolean;
  /** In the page while the view is shown: the main part, which may scroll. */
  readonly element: HTMLElement;
  /** Above the main part: the current place in the game, and what is shown of it. */
  readonly strip?: HTMLElement;
  /** What is pointed at or chosen: beside the main part or, without room, below; never over it. */
  readonly inspector?: HTMLElement;
  /**
   * Show the run. Called when the view appears, and whenever the state or the run has changed while
   * it is shown. `change` is null if the state has changed. Redraw only what differs.
   */
  update(run: RunData, state: AppState, change: Change | null): void;
  /** Called when another view replaces it: stop timers. */
  leave?(): void;
}
