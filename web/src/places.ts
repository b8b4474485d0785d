// What the address may name in place of a view.

/** The view that fits the run. */
export const AUTOMATIC = "";

/** The table of all runs, which belongs to no run. */
export const RUNS_TABLE = "runs";

/** Names of its options in the address. */
export const RUNS_TABLE_OPTIONS: readonly string[] = ["sort", "find"];

/** The front door, which belongs to no run. */
export const HOME = "home";

/** The form of a new spot, which belongs to no run either. */
export const NEW_SPOT = "new";
