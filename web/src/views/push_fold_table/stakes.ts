// What is played for at a push/fold table, as texts of the form, which are also the options in the address.

import type { TableOrder } from "../../model";

export const MIN_SEATS = 2;
export const MAX_SEATS = 9;

/** What a field holds if the address does not say. */
export const DEFAULTS = { stacks: "10,10,10", small: "0.5", ante: "0", bbante: "0", prizes: "", others: "", bounty: "" };

export type Field = keyof typeof DEFAULTS;
export type Stakes = Record<Field, string>;

export const FIELDS = Object.keys(DEFAULTS) as Field[];

/** How a message, and the command, call a field. */
const NAMES: Record<Field, string> = {
  stacks: "stacks", small: "small blind", ante: "ante", bbante: "big-blind ante", prizes: "prizes", others: "others", bounty: "bounty",
};

export function stakesOf(options: Readonly<Record<string, string>>): Stakes {
  return Object.fromEntries(FIELDS.map((name) => [name, options[name] ?? DEFAULTS[name]])) as Stakes;
}

/** The options in the address: without what needs no saying. */
export function optionsOf(stakes: Stakes): Record<string, string | null> {
  return Object.fromEntries(FIELDS.map((name) => [name, stakes[name] === DEFAULTS[name] ? null : stakes[name]]));
}

/** The numbers in a text such as `50, 30/20`; throws what is wrong with it, in one line. */
export function numbersOf(name: Field, text: string): number[] {
  return text.split(/[\s,;/]+/).filter(Boolean).map((part) => {
    const number = Number(part.replace(/(bb|%)$/i, ""));
    if (!Number.isFinite(number)) throw new Error(`${NAMES[name]}: ${JSON.stringify(part)} is not a number; give numbers such as 50, 30, 20`);
    return number;
  });
}

function numberOf(name: Field, text: string): number {
  const [number, ...more] = numbersOf(name, text);
  if (number === undefined || more.length > 0) throw new Error(`${NAMES[name]}: give one number`);
  return number;
}

/** The request to solve a table; throws what is wrong with a text. */
export function orderOf(stakes: Stakes, ranges: string, isLocked: boolean): TableOrder {
  const list = (name: Field): number[] => numbersOf(name, stakes[name]);
  return {
    stacks: list("stacks"), small_blind: numberOf("small", stakes.small), ante: numberOf("ante", stakes.ante),
    bb_ante: numberOf("bbante", stakes.bbante), prizes: list("prizes"), others: list("others"), bounty: list("bounty"),
    ranges, is_locked: isLocked,
  };
}

/** The command that solves the same table in the terminal. */
export function commandOf({ stacks, small_blind, ante, bb_ante, prizes, others, bounty }: TableOrder): string {
  const parts = [`untilt chart --stacks ${stacks.join(",")}`];
  if (small_blind !== 0.5) parts.push(`--blinds ${small_blind}/1`);
  if (ante !== 0) parts.push(`--ante ${ante}`);
  if (bb_ante !== 0) parts.push(`--bb-ante ${bb_ante}`);
  for (const [name, list] of Object.entries({ prizes, others, bounty })) {
    if (list.length > 0) parts.push(`--${name} ${list.join(",")}`);
  }
  return parts.join(" ");
}

/** The stacks of a table of so many seats: seats come and go in front, so that the blinds keep theirs. */
export function resized(stacks: readonly string[], numSeats: number): string[] {
  const missing = Math.max(0, numSeats - stacks.length);
  const front = stacks[0] ?? "10";
  return [...Array.from({ length: missing }, () => front), ...stacks].slice(-numSeats);
}

const EARLY = ["under the gun", "under the gun + 1", "under the gun + 2", "lojack", "hijack", "cutoff"];
const LATE = ["button", "small blind", "big blind"];

/** The names of the seats, as the server gives them with a chart. */
export function seatNames(numSeats: number): string[] {
  if (numSeats <= LATE.length) return LATE.slice(-numSeats);
  const late = [...EARLY.slice(numSeats >= 8 ? 3 : numSeats >= 6 ? 4 : 5), ...LATE];
  return [...EARLY.slice(0, numSeats - late.length), ...late];
}
