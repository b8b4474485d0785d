// The 169 hand classes, in the order of the grid: AA, AKs … A2s, AKo, KK … 22.

const RANKS = "AKQJT98765432";

export const NUM_RANKS = RANKS.length;

export interface HandClass {
  /** AA, AKs, AKo. */
  name: string;
  row: number;
  column: number;
  /** How many of the 1,326 combos it contains. */
  combos: number;
}

/** Pairs on the diagonal, suited hands above it, offsuit ones below. */
export const HANDS: readonly HandClass[] = Array.from({ length: NUM_RANKS * NUM_RANKS }, (_, index) => {
  const [row, column] = [Math.floor(index / NUM_RANKS), index % NUM_RANKS];
  // The higher rank comes first; ranks decrease to the right and downwards.
  const ranks = RANKS.charAt(Math.min(row, column)) + RANKS.charAt(Math.max(row, column));
  if (row === column) return { name: ranks, row, column, combos: 6 };
  return row < column
    ? { name: `${ranks}s`, row, column, combos: 4 }
    : { name: `${ranks}o`, row, column, combos: 12 };
});

const SUITS = "shdc";

/** The combos behind a hand class, such as AsKs: 6 of a pair, 4 suited, 12 offsuit; 1,326 in all. */
export function combosOf({ name, row, column }: HandClass): string[] {
  const [high, low] = [name.charAt(0), name.charAt(1)];
  const found: string[] = [];
  for (const [index, one] of [...SUITS].entries()) {
    for (const [number, other] of [...SUITS].entries()) {
      const isSame = index === number;
      const isOurs = row === column ? index < number : row < column ? isSame : !isSame;
      if (isOurs) found.push(`${high}${one}${low}${other}`);
    }
  }
  return found;
}
