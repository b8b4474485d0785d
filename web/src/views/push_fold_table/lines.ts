// Decisions of a push/fold table by their lines: a letter for each seat before, `a` all-in or `f` fold.

const OPPOSITE: Record<string, string> = { a: "f", f: "a" };

/**
 * The line, of those with the same number of seats, that agrees with `wanted` in most of them. Of several the last: the
 * server sorts them so that those are all-in who act last.
 */
export function nearest(lines: readonly string[], wanted: string): string | null {
  let best: string | null = null;
  let most = -1;
  for (const line of lines.filter(({ length }) => length === wanted.length)) {
    const same = [...line].filter((letter, seat) => letter === wanted[seat]).length;
    if (same >= most) [best, most] = [line, same];
  }
  return best;
}

/** The decision of a seat that is nearest to the one shown; null if the seat has none. */
export function lineOfSeat(lines: readonly string[], current: string, seat: number): string | null {
  return nearest(lines, current.slice(0, seat).padEnd(seat, "f"));
}

/** The decision after a seat does the opposite; null if there is none. */
export function toggled(lines: readonly string[], current: string, seat: number): string | null {
  const letter = OPPOSITE[current.charAt(seat)];
  if (letter === undefined) return null;
  const wanted = current.slice(0, seat) + letter + current.slice(seat + 1);
  return nearest(lines.filter((line) => line[seat] === letter), wanted);
}
