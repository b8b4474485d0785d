// The stacks that a slider offers: those of a sweep, or of several runs that differ in the stack.

import { h } from "../dom";
import type { RunDetail, RunSummary } from "../model";

/** The name of the view, among those that a run offers. */
const VIEW = "pushfold";

export interface Stop {
  /** In big blinds. */
  stack: number;
  run: string;
}

const STAKES = ["small_blind", "ante", "bb_ante"];
/** A slider with more steps than this is stepless. */
const MOST_STEPS = 2000;
const ROUNDING = 1e6;

/** By ascending stack; the run that is looked at is among them unless its stack is unknown. */
export function stopsOf(current: RunDetail, runs: readonly RunSummary[]): Stop[] {
  if (current.kind === "sweep") return current.stacks.map((stack) => ({ stack, run: current.id }));
  const chosen = new Map<number, RunSummary>();
  const own = stackOf(current);
  if (own !== null) chosen.set(own, current);
  for (const run of runs) {
    const stack = stackOf(run);
    if (stack === null || run.id === current.id || !isComparable(run, current)) continue;
    const rival = chosen.get(stack);
    // Runs come newest first; one by the same method goes before those by others.
    const isBetter = rival !== undefined && rival.id !== current.id
      && rival.method !== current.method && run.method === current.method;
    if (rival === undefined || isBetter) chosen.set(stack, run);
  }
  return [...chosen]
    .map(([stack, run]) => ({ stack, run: run.id }))
    .sort((one, other) => one.stack - other.stack);
}

function stackOf(run: RunSummary): number | null {
  const stack = run.parameters["stack"];
  return typeof stack === "number" ? stack : null;
}

/** Whether a run is of the same game but for the stack. */
function isComparable(run: RunSummary, current: RunSummary): boolean {
  return run.game === current.game
    && (run.kind === "solve" || run.kind === "training")
    && run.views.includes(VIEW)
    && STAKES.every((name) => run.parameters[name] === current.parameters[name]);
}

/** Position of the stop whose stack is the nearest; −1 if there is none. */
export function nearestStop(stops: readonly Stop[], stack: number): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  stops.forEach((stop, index) => {
    const own = Math.abs(stop.stack - stack);
    if (own < distance) [best, distance] = [index, own];
  });
  return best;
}

/** Ends and step of a slider that can stand on every stop; "any" if no step of sensible size does. */
export function sliderRange(stops: readonly Stop[]): { min: number; max: number; step: number | "any" } {
  const [min, max] = [stops[0]?.stack ?? 0, stops[stops.length - 1]?.stack ?? 0];
  // In whole millionths, because tenths are not exact in binary.
  const common = stops.reduce((step, { stack }) => divisor(step, Math.round((stack - min) * ROUNDING)), 0);
  const isFine = common === 0 || ((max - min) * ROUNDING) / common > MOST_STEPS;
  return { min, max, step: isFine ? "any" : common / ROUNDING };
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

/** Neighbours of a position, the nearest first. */
export function outward(length: number, position: number, most: number): number[] {
  const found: number[] = [];
  for (let distance = 1; distance < length && found.length < most; distance += 1) {
    for (const index of [position + distance, position - distance]) {
      if (index >= 0 && index < length) found.push(index);
    }
  }
  return found.slice(0, most);
}

/** A slider in big blinds with a button on either side. */
export class StackSlider {
  readonly element: HTMLElement;
  private readonly range = h("input", {
    type: "range", "aria-label": "stack in big blinds",
    oninput: () => this.choose(nearestStop(this.stops, this.range.valueAsNumber), false),
    onchange: () => this.choose(nearestStop(this.stops, this.range.valueAsNumber), true),
    onkeydown: (event: KeyboardEvent) => this.step(event),
  });
  private readonly shown = h("output", { class: "stack-value number" });
  private readonly less = h("button", {
    class: "icon", "aria-label": "smaller stack", onclick: () => this.choose(this.position - 1, true),
  }, "−");
  private readonly more = h("button", {
    class: "icon", "aria-label": "larger stack", onclick: () => this.choose(this.position + 1, true),
  }, "+");
  private stops: readonly Stop[] = [];
  private position = -1;

  /** `onChoose` hears of every stop on the way, and with `isFinal` of the one that was meant. */
  constructor(private readonly onChoose: (stop: Stop, isFinal: boolean) => void) {
    this.element = h("div", { class: "stack group" },
      h("span", { class: "soft" }, "stack"), this.less, this.range, this.more, this.shown);
  }

  show(stops: readonly Stop[], stack: number): void {
    this.stops = stops;
    this.position = nearestStop(stops, stack);
    this.element.hidden = stops.length < 2;
    const { min, max, step } = sliderRange(stops);
    Object.assign(this.range, { min: String(min), max: String(max), step: String(step) });
    this.mark();
  }

  private choose(position: number, isFinal: boolean): void {
    const stop = this.stops[position];
    if (stop === undefined) return;
    this.position = position;
    this.mark();
    this.onChoose(stop, isFinal);
  }

  /** Keys go from stop to stop, however uneven these are. */
  private step(event: KeyboardEvent): void {
    const last = this.stops.length - 1;
    const next = {
      ArrowLeft: this.position - 1, ArrowDown: this.position - 1,
      ArrowRight: this.position + 1, ArrowUp: this.position + 1,
      PageDown: Math.max(0, this.position - 5), PageUp: Math.min(last, this.position + 5),
      Home: 0, End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(next, true);
  }

  private mark(): void {
    const stack = this.stops[this.position]?.stack;
    if (stack === undefined) return;
    // Set without need, it would keep the browser from telling of the end of a drag.
    if (this.range.valueAsNumber !== stack) this.range.value = String(stack);
    this.range.setAttribute("aria-valuetext", `${stack} big blinds`);
    this.shown.textContent = `${stack} bb`;
    this.less.disabled = this.position === 0;
    this.more.disabled = this.position === this.stops.length - 1;
  }
}
