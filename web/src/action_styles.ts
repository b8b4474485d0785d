// Actions look the same everywhere: their style follows from their meaning. Fold, check, call and all-in
// have a colour each, bets and raises go from light to dark by size, and other actions have a colour and a
// hatch that depend on their name alone. The colours are in palette.css, which untilt.charts.palette writes.

import type { ActionData } from "./model";

/** Steps between the smallest and the largest bet; with more sizes, neighbours share a step. */
const SIZES = 4;
const OTHERS = 4;
const HATCHES = 4;

/** The CSS classes of the actions of one decision; they set --colour, --on (for text) and --pattern. */
export function actionClasses(actions: readonly ActionData[]): string[] {
  const sizes = [...new Set(actions.filter(isBet).map(sizeOf))].sort((one, other) => one - other);
  return actions.map((action) => (
    isBet(action) ? `action-bet-${step(sizes.indexOf(sizeOf(action)), sizes.length)}` : classOf(action)
  ));
}

/** The class of a poker action that stands alone. */
export function kindClass(kind: ActionData["kind"]): string {
  return classOf({ kind, amount: null, name: kind });
}

/** The step of the `rank`-th smallest of several sizes; a single one is in between. */
export function step(rank: number, sizes: number): number {
  return sizes === 1 ? 1 : Math.floor((2 * rank * (SIZES - 1) + sizes - 1) / (2 * (sizes - 1)));
}

/** The 32-bit FNV-1a hash of a name's UTF-8 bytes, spread to its low bits. */
export function nameHash(name: string): number {
  let number = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) number = Math.imul(number ^ byte, 0x01000193) >>> 0;
  return (number ^ (number >>> 16)) >>> 0;
}

function isBet({ kind }: ActionData): boolean {
  return kind === "bet" || kind === "raise";
}

function sizeOf({ amount }: ActionData): number {
  return amount ?? 0;
}

function classOf(action: ActionData): string {
  if (isBet(action)) return `action-bet-${step(0, 1)}`;
  if (action.kind !== "other") return `action-${action.kind}`;
  const number = nameHash(action.name);
  return `action-other-${number % OTHERS} hatch-${Math.floor(number / OTHERS) % HATCHES}`;
}
