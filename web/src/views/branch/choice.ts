// The infosets drawn, kept in the address: the first as the page's infoset, the others in an option.

import { decoded } from "../../decoded";
import type { AppState } from "../../state";

/** Name of the option in the address. */
export const OPTION = "also";

/** The labels in the state; empty if there are none. */
export function chosenIn(state: Pick<AppState, "infoset" | "options">): string[] {
  if (state.infoset === null) return [];
  const others = (state.options[OPTION] ?? "").split(",").filter(Boolean).map(decoded);
  return [...new Set([state.infoset, ...others])];
}

/** The change of the state that chooses these labels. */
export function choiceOf(
  labels: readonly string[], state: Pick<AppState, "options">,
): Pick<AppState, "infoset" | "options"> {
  const [infoset = null, ...others] = labels;
  const { [OPTION]: _, ...options } = state.options;
  // Labels may contain commas.
  if (others.length > 0) options[OPTION] = others.map(encodeURIComponent).join(",");
  return { infoset, options };
}
