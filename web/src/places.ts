// What the address may name in place of a view.

/** The view that fits the run. */
export const AUTOMATIC = "";

/** The table of all runs, which belongs to no run. */
export const RUNS_TABLE = "runs";

/** The front door, which belongs to no run. */
export const HOME = "home";

/** The form of a new spot, which belongs to no run either. */
export const NEW_SPOT = "new";

/** A report over flops, which is no run. */
export const REPORT = "report";

/** Hand histories and their reviews, which belong to no run. */
export const HANDS = "hands";

/** Push/fold at a table of any seats, stacks and prizes, which belongs to no run. */
export const TABLE = "table";

/** Places that can be shown without a run. */
const WITHOUT_RUN: readonly string[] = [HOME, NEW_SPOT, REPORT, HANDS, TABLE];

/** Names of their options in the address; no view shares one. */
const PLACE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  [RUNS_TABLE]: ["sort", "find"],
  [REPORT]: ["report", "flop", "suits", "pairing", "near", "high", "ranks", "by", "shade"],
  [TABLE]: ["stacks", "small", "ante", "bbante", "prizes", "others", "bounty", "before", "hues"],
  [HANDS]: ["folder", "review", "part", "player", "pot", "street", "moves", "played", "kind", "leak", "window"],
};

/** Whether the address names something other than a view of a run. */
export function isPlace(view: string): boolean {
  return view === RUNS_TABLE || isWithoutRun(view);
}

export function isWithoutRun(view: string): boolean {
  return WITHOUT_RUN.includes(view);
}

/** The options of a place; none for views. */
export function optionsOfPlace(view: string): readonly string[] {
  return PLACE_OPTIONS[view] ?? [];
}

export function isOptionOfPlace(name: string): boolean {
  return Object.values(PLACE_OPTIONS).some((names) => names.includes(name));
}
