// Which infosets are drawn, kept in the address: the first as the infoset of the page, others beside.

import { decoded } from "../decoded";
import type { AppState } from "../state";

/** Its name in the address. */
export const OPTION = "also";

/** The labels that the state names; empty if it names none. */
export function chosenIn(state: Pick<AppState, "infoset" | "options">): string[] {
  if (state.infoset === null) return [];
  const others = (state.options[OPTION] ?? "").split(",").filter(Boolean).map(decoded);
  return [...new Set([state.infoset, ...others])];
}

/** What of the state changes when these labels are chosen. */
export function choiceOf(
  labels: readonly string[], state: Pick<AppState, "options">,
): Pick<AppState, "infoset" | "options"> {
  const [infoset = null, ...others] = labels;
  const { [OPTION]: _, ...options } = state.options;
  // Labels may hold commas.
  if (others.length > 0) options[OPTION] = others.map(encodeURIComponent).join(",");
  return { infoset, options };
}
