// What the form of new spots begins with when it is opened from a node of a solved one.

import type { SpotDocument } from "./model";

let draft: SpotDocument | null = null;

export function leaveDraft(spot: SpotDocument): void {
  draft = spot;
}

/** The draft, which is then used up; null if there is none. */
export function takeDraft(): SpotDocument | null {
  const found = draft;
  draft = null;
  return found;
}
