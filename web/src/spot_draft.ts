// What the form of new spots begins with when it is opened from a node of a solved one.

import type { SpotDocument } from "./model";

export interface Draft {
  spot: SpotDocument;
  /** Such as "2%"; empty for Nash. */
  noise: string;
}

let draft: Draft | null = null;

export function leaveDraft(spot: SpotDocument, noise = ""): void {
  draft = { spot, noise };
}

/** The draft, which is then used up; null if there is none. */
export function takeDraft(): Draft | null {
  const found = draft;
  draft = null;
  return found;
}
