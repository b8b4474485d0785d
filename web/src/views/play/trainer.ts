// What is learnt from decisions: a verdict after each, and the score by street and by situation, which can be filtered.

import { fill, h } from "../../dom";
import { count, percent } from "../../format";
import type { PlayState, Seat, ReviewedDecision } from "../../model";
import { MISTAKE } from "./score";

const MOST_SHOWN = 8;
const STREETS: Readonly<Record<number, string>> = { 0: "preflop", 3: "flop", 4: "turn", 5: "river" };
const CARDS = /^(?:[2-9TJQKA][cdhs])*$/;
const FEEDBACK = "untilt-play-feedback";

/** A decision as the score keeps it. */
export interface Judged {
  seat: Seat;
  street: string;
  words: string;
  /** Null if unknown. */
  cost: number | null;
  isMistake: boolean;
}

export interface Verdict {
  kind: "best" | "fine" | "mistake" | "unknown";
  words: string;
}

/** What to say right after a decision: the best, as good or nearly, or a mistake with its cost. */
export function verdictOf(decision: ReviewedDecision, unit: string): Verdict {
  const { cost, mistake, chosen, actions, probabilities } = decision;
  if (cost === null) return { kind: "unknown", words: `${chosen}: what it costs is unknown` };
  const most = Math.max(...probabilities);
  const mostly = actions[probabilities.indexOf(most)] ?? "";
  const usual = `the strategy: ${mostly} ${percent(most, 0)}`;
  if (cost > mistake) return { kind: "mistake", words: `mistake: ${chosen} costs ${cost.toFixed(cost < 0.1 ? 3 : 2)} ${unit}; ${usual}` };
  if (mostly === chosen) return { kind: "best", words: `best: ${chosen}` };
  return cost > MISTAKE ? { kind: "fine", words: `fine: ${chosen} costs next to nothing; ${usual}` } : { kind: "fine", words: `fine: ${chosen} is as good; ${usual}` };
}

/** The street of a decision in poker; what is seen of another game. */
export function streetOf(seen: string): string {
  if (CARDS.test(seen) && seen.length !== 2) return STREETS[seen.length / 2] ?? "other";
  return seen === "" ? "before the board" : "after the board";
}

/** The reviewed decisions of a hand. */
export function judged({ review, seat }: Pick<PlayState, "review" | "seat">): Judged[] {
  return (review ?? []).map(({ public: seen, words, cost, mistake }) => ({
    seat, street: streetOf(seen), words, cost, isMistake: cost !== null && cost > mistake,
  }));
}

export interface Tally {
  name: string;
  decisions: number;
  mistakes: number;
  /** Of all whose cost is known. */
  cost: number;
}

/** Decisions counted by a name, the dearest first. */
export function tallied(decisions: readonly Judged[], nameOf: (decision: Judged) => string): Tally[] {
  const found = new Map<string, Tally>();
  for (const one of decisions) {
    const name = nameOf(one);
    const before = found.get(name) ?? { name, decisions: 0, mistakes: 0, cost: 0 };
    found.set(name, { name, decisions: before.decisions + 1, mistakes: before.mistakes + Number(one.isMistake), cost: before.cost + (one.cost ?? 0) });
  }
  return [...found.values()].sort((one, other) => other.cost - one.cost || other.decisions - one.decisions);
}

/** Which decisions count, and which mistakes are drilled; null is all. */
export interface Which {
  street: string | null;
  seat: Seat | null;
}

export function passes(which: Which, one: { street: string; seat: Seat }): boolean {
  return (which.street === null || which.street === one.street) && (which.seat === null || which.seat === one.seat);
}

/** The score by street and situation, with the filter. */
export class TrainerPanel {
  readonly element: HTMLElement;
  which: Which = { street: null, seat: null };
  private readonly street = h("select", { "aria-label": "street of the decisions", onchange: () => this.choose() });
  private readonly seat = h("select", { "aria-label": "seat of the decisions", onchange: () => this.choose() });
  private readonly total = h("p", { class: "soft number", role: "status" });
  private readonly tables = h("div", { class: "tallies" });
  private decisions: readonly Judged[] = [];
  private seats: readonly string[] = [];
  private unit = "";
  private drawn = "";

  /** `changed` is called when another filter is chosen. */
  constructor(private readonly changed: () => void) {
    this.element = h("section", { class: "trainer panel", "aria-label": "score by street and situation", hidden: true },
      h("header", {}, h("h2", {}, "By situation"), h("span", { class: "group" }, this.street, this.seat)), this.total, this.tables);
  }

  show(decisions: readonly Judged[], seats: readonly string[], unit: string): void {
    [this.decisions, this.seats, this.unit] = [decisions, seats, unit];
    this.element.hidden = decisions.length === 0;
    const streets = [...new Set(decisions.map(({ street }) => street))];
    const key = JSON.stringify([streets, seats, decisions.length, this.which, unit]);
    if (key === this.drawn) return;
    this.drawn = key;
    fill(this.street, h("option", { value: "" }, "all streets"), ...streets.map((name) => h("option", { value: name }, name)));
    fill(this.seat, h("option", { value: "" }, seats.length === 2 ? "both seats" : "all seats"), ...seats.map((name, index) => h("option", { value: String(index) }, name)));
    this.street.value = this.which.street ?? "";
    this.seat.value = this.which.seat === null ? "" : String(this.which.seat);
    this.draw();
  }

  private choose(): void {
    this.which = { street: this.street.value || null, seat: this.seat.value === "" ? null : Number(this.seat.value) };
    this.show(this.decisions, this.seats, this.unit);
    this.changed();
  }

  private draw(): void {
    const left = this.decisions.filter((one) => passes(this.which, one));
    const right = left.filter(({ isMistake }) => !isMistake).length;
    const cost = left.reduce((sum, one) => sum + (one.cost ?? 0), 0);
    this.total.textContent = left.length === 0 ? "no such decision yet"
      : `${count(right)} of ${count(left.length)} decisions right (${percent(right / left.length, 0)}), gave away ${cost.toFixed(2)} ${this.unit}`;
    fill(this.tables, table("street", tallied(left, ({ street }) => street)), table("situation", tallied(left, ({ words }) => words).slice(0, MOST_SHOWN)));
  }
}

function table(title: string, rows: readonly Tally[]): HTMLElement {
  return h("table", {},
    h("thead", {}, h("tr", {}, ...[title, "decisions", "mistakes", "cost"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, ...rows.map(({ name, decisions, mistakes, cost }) => h("tr", {},
      h("th", { scope: "row" }, name), h("td", { class: "number" }, count(decisions)), h("td", { class: "number" }, count(mistakes)),
      h("td", { class: "number" }, cost.toFixed(2))))));
}

/**
 * Whether a verdict follows each decision at once; yes unless somebody does not want it. A blueprint plays out boards for
 * its verdict, which takes half a second: it is asked only if somebody wants it.
 */
export function readFeedback(isBlueprint: boolean): boolean {
  try {
    return (localStorage.getItem(keyOf(isBlueprint)) ?? (isBlueprint ? "no" : "yes")) === "yes";
  } catch {
    return !isBlueprint;
  }
}

function keyOf(isBlueprint: boolean): string {
  return isBlueprint ? `${FEEDBACK}-blueprint` : FEEDBACK;
}

export function writeFeedback(wanted: boolean, isBlueprint: boolean): void {
  try {
    localStorage.setItem(keyOf(isBlueprint), wanted ? "yes" : "no");
  } catch {
    // If nothing may be stored, the choice lasts until a reload.
  }
}
