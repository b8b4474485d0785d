// Flops of a report: which are left by the filters of the address, and what they are worth together.

import type { FlopRow, ReportPage } from "../../model";

export const RANKS = "AKQJT98765432";

/** The filters by texture, each with what it may be. */
export const TEXTURES = {
  suits: ["rainbow", "two-tone", "monotone"],
  pairing: ["unpaired", "paired", "trips"],
  near: ["connected", "one-gap", "disconnected"],
  high: [...RANKS],
} as const satisfies Record<string, readonly string[]>;

export type Texture = keyof typeof TEXTURES;

/** What a column of the table shows, and what shades the map. */
export type Measure = `ev ${0 | 1}` | `equity ${0 | 1}` | `eqr ${0 | 1}` | `action ${number}`;

const TEXTURE_OF: Record<Texture, (row: FlopRow) => string> = {
  suits: ({ suits }) => suits, pairing: ({ pairing }) => pairing, near: ({ connectedness }) => connectedness, high: ({ flop }) => flop.charAt(0),
};

/** The rows that pass the filters; values that no filter has are no filter. */
export function filteredFlops(rows: readonly FlopRow[], options: Readonly<Record<string, string>>): FlopRow[] {
  const wanted = (Object.keys(TEXTURES) as Texture[]).filter((name) => (TEXTURES[name] as readonly string[]).includes(options[name] ?? ""));
  const { ranks } = options;
  return rows.filter((row) => wanted.every((name) => TEXTURE_OF[name](row) === options[name]) && (ranks === undefined || cellOf(row.flop) === ranks));
}

export function isFiltered(options: Readonly<Record<string, string>>): boolean {
  return options["ranks"] !== undefined || (Object.keys(TEXTURES) as Texture[]).some((name) => options[name] !== undefined);
}

/** The cell of the map to which a flop belongs: its two highest ranks, suited unless it is a rainbow; pairs alike. */
export function cellOf(flop: string): string {
  const [first, second] = [flop.charAt(0), flop.charAt(2)];
  if (first === second) return first + second;
  return `${first}${second}${new Set([flop.charAt(1), flop.charAt(3), flop.charAt(5)]).size === 3 ? "o" : "s"}`;
}

export function valueOf(row: Pick<FlopRow, "mix" | "ev" | "equity" | "eqr">, measure: Measure): number | null {
  const [name, place] = measure.split(" ") as ["ev" | "equity" | "eqr" | "action", string];
  return (name === "action" ? row.mix : row[name])[Number(place)] ?? null;
}

export interface Total extends Pick<FlopRow, "mix" | "ev" | "equity" | "eqr"> {
  /** The share of all deals. */
  weight: number;
}

/** The mean of rows by weight; equity realization is that of the means. */
export function totalOf(rows: readonly FlopRow[], { actions, pot_here: pot }: Pick<ReportPage, "actions" | "pot_here">): Total {
  const weight = rows.reduce((sum, row) => sum + row.weight, 0);
  const mean = (measure: Measure): number | null => {
    const known = rows.filter((row) => row.weight > 0);
    if (weight === 0 || known.some((row) => valueOf(row, measure) === null)) return null;
    return known.reduce((sum, row) => sum + row.weight * (valueOf(row, measure) ?? 0), 0) / weight;
  };
  const ev: Total["ev"] = [mean("ev 0"), mean("ev 1")];
  const equity: Total["equity"] = [mean("equity 0"), mean("equity 1")];
  const eqr = ([0, 1] as const).map((seat) => (ev[seat] === null || !equity[seat] ? null : ev[seat] / (equity[seat] * pot)));
  return { weight, mix: actions.map((_, index) => mean(`action ${index}`)), ev, equity, eqr: eqr as Total["eqr"] };
}

/** Rows with the greatest value first; `flop` keeps their order. Unknown values are last. */
export function sortedFlops(rows: readonly FlopRow[], by: Measure | "flop" | "weight"): FlopRow[] {
  if (by === "flop") return [...rows];
  const keyOf = (row: FlopRow): number => (by === "weight" ? row.weight : valueOf(row, by)) ?? -Infinity;
  return [...rows].sort((one, other) => keyOf(other) - keyOf(one));
}

/** How far a value is from the mean, for a shade: -1 to 1; null if it is unknown. */
export function shadesOf(rows: readonly FlopRow[], measure: Measure, mean: number | null): (value: number | null) => number | null {
  const distances = rows.map((row) => Math.abs((valueOf(row, measure) ?? mean ?? 0) - (mean ?? 0)));
  const most = Math.max(1e-9, ...distances);
  return (value) => (value === null || mean === null ? null : Math.max(-1, Math.min(1, (value - mean) / most)));
}
