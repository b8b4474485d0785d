// Named ranges of the served folder: fetched once, and again after every change, by whoever shows them.

import * as api from "./api";
import type { NamedRange } from "./model";

type Listener = (ranges: readonly NamedRange[]) => void;

const listeners: Listener[] = [];
let ranges: readonly NamedRange[] | null = null;

/** Call `listener` with the ranges, now if they are known, and whenever they change. */
export function listenToRanges(listener: Listener): void {
  listeners.push(listener);
  if (ranges !== null) listener(ranges);
  else void api.namedRanges().then(tell, () => undefined);
}

export async function saveRange(name: string, text: string): Promise<void> {
  tell(await api.saveRange(name, text));
}

export async function removeRange(name: string): Promise<void> {
  tell(await api.removeRange(name));
}

function tell(found: readonly NamedRange[]): void {
  ranges = found;
  for (const listener of listeners) listener(found);
}
