// The fields of the form as a spot, and presets of bet sizes.

import { cardsOf } from "../../card_text";
import type { SpotDocument } from "../../model";

export interface Preset {
  name: string;
  bets: string;
  raises: string;
}

export const PRESETS: readonly Preset[] = [
  { name: "one size", bets: "60%", raises: "2.5x" },
  { name: "one size and all-in", bets: "60%, a", raises: "2.5x" },
  { name: "small and large", bets: "33%, 75%", raises: "50%, a" },
  { name: "three sizes and all-in", bets: "33%, 75%, 150%, a", raises: "50%, 100%, a" },
  { name: "geometric", bets: "e", raises: "2.5x" },
];

export const STREETS = ["flop", "turn", "river"] as const;
/** Rows of the table of sizes, as in the names of `Sizes`. */
export const SIZE_ROWS = ["bets", "raises", "donk", "oop_bets", "oop_raises", "ip_bets", "ip_raises"] as const;

/** Fields of the rules by which bets become all-in, are added or merged, with their labels. */
export const THRESHOLDS = [
  ["add_all_in", "offer all-in up to, × pot (1.5)"],
  ["force_all_in", "all-in if at most is left, × pot (0.15)"],
  ["merge", "merge sizes closer than (0.1)"],
] as const;

/** The name of the sizes of a row on a street: `oop_turn_bets`. */
export function sizeName(row: string, street: string | null): string {
  if (street === null) return row;
  const [kind, seat] = row.split("_").reverse();
  return [seat, street, kind].filter((part) => part !== undefined).join("_");
}

/** The texts of the form's fields, by name. */
export type Fields = Record<string, string>;

export function documentOf(fields: Fields, ranges: { oop: string; ip: string }): SpotDocument {
  const sizes: Record<string, string | number> = { bets: fields["bets"] ?? "", raises: fields["raises"] ?? "" };
  for (const row of SIZE_ROWS) {
    for (const street of [null, ...STREETS]) {
      const name = sizeName(row, street);
      const text = fields[name]?.trim() ?? "";
      if (text !== "") sizes[name] = text;
    }
  }
  if (isGiven(fields["max_raises"])) sizes["max_raises"] = Number(fields["max_raises"]);
  const thresholds = THRESHOLDS.filter(([name]) => isGiven(fields[name])).map(([name]) => [name, Number(fields[name])]);
  return {
    board: (fields["board"] ?? "").trim(),
    pot: Number(fields["pot"]),
    stack: Number(fields["stack"]),
    ...(isGiven(fields["rake"]) ? { rake: Number(fields["rake"]) / 100 } : {}),
    ...(isGiven(fields["rake_cap"]) ? { rake_cap: Number(fields["rake_cap"]) } : {}),
    ranges,
    sizes,
    ...(thresholds.length > 0 ? { thresholds: Object.fromEntries(thresholds) as Record<string, number> } : {}),
  };
}

/** The fields that a spot fills. */
export function fieldsOf(spot: SpotDocument): Fields {
  const numbers = [...Object.entries(spot.sizes), ...Object.entries(spot.thresholds ?? {})];
  const sizes = numbers.map(([name, value]) => [name, String(value)]);
  return {
    board: spot.board,
    pot: String(spot.pot),
    stack: String(spot.stack),
    rake: spot.rake ? String(100 * spot.rake) : "",
    rake_cap: spot.rake_cap === undefined ? "" : String(spot.rake_cap),
    ...Object.fromEntries(sizes),
  };
}

/** The locks of a spot as text, one per line. */
export function lockTexts(spot: SpotDocument): string {
  return (spot.locks ?? []).map(({ line, lock, actions, board }) => {
    const groups = lock ?? Object.entries(actions ?? {}).map(([name, hands]) => `${name} = ${hands}`).join("; ");
    return `${line}${board === undefined ? "" : ` @ ${board}`}: ${groups}`;
  }).join("\n");
}

/** The noise of both players, shares of the pot, as the form has it: `2%` or `oop=1%,ip=10%`; empty for Nash. */
export function noiseText(noise: readonly [number, number] | null): string {
  if (noise === null) return "";
  const [oop, ip] = noise.map((share) => `${Number((100 * share).toPrecision(12))}%`) as [string, string];
  return oop === ip ? oop : `oop=${oop},ip=${ip}`;
}

/** The lines of a text that are not empty. */
export function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** The board after a card was added or removed; a full board stays as it is. */
export function toggled(board: string, card: string): string {
  const cards = cardsOf(board.replace(/[\s,]+/g, ""));
  if (cards.includes(card)) return cards.filter((one) => one !== card).join("");
  return cards.length >= 5 ? cards.join("") : [...cards, card].join("");
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== "";
}
