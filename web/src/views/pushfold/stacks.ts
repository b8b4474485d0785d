// The stacks of the slider: those of a sweep, or of several runs that differ only in the stack.

import { h } from "../../dom";
import type { RunDetail, RunSummary } from "../../model";

/** The name of the view. */
const VIEW = "pushfold";

export interface Stop {
  /** In big blinds. */
  stack: number;
  run: string;
}

const STAKES = ["small_blind", "ante", "bb_ante"];
/** A slider that would need more steps than this moves continuously. */
const MAX_STEPS = 2000;
const ROUNDING = 1e6;

/** Sorted by stack; the current run is among them unless its stack is unknown. */
export function stopsOf(current: RunDetail, runs: readonly RunSummary[]): Stop[] {
  if (current.stacks.length > 0) return current.stacks.map((stack) => ({ stack, run: current.id }));
  const chosen = new Map<number, RunSummary>();
  const own = stackOf(current);
  if (own !== null) chosen.set(own, current);
  for (const run of runs) {
    const stack = stackOf(run);
    if (stack === null || run.id === current.id || !isComparable(run, current)) continue;
    const rival = chosen.get(stack);
    // Runs are sorted newest first; a run with the same method is preferred.
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

/** Whether two runs are of the same game except for the stack. */
function isComparable(run: RunSummary, current: RunSummary): boolean {
  return run.game === current.game
    && run.views.includes(VIEW)
    && STAKES.every((name) => run.parameters[name] === current.parameters[name]);
}

/** Index of the stop with the nearest stack; −1 if there is none. */
export function nearestStop(stops: readonly Stop[], stack: number): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  stops.forEach((stop, index) => {
    const own = Math.abs(stop.stack - stack);
    if (own < distance) [best, distance] = [index, own];
  });
  return best;
}

/** Range and step of a slider that can reach every stop; "any" if no reasonable step does. */
export function sliderRange(stops: readonly Stop[]): { min: number; max: number; step: number | "any" } {
  const [min, max] = [stops[0]?.stack ?? 0, stops[stops.length - 1]?.stack ?? 0];
  // In integer millionths, because tenths are not exact in binary.
  const common = stops.reduce((step, { stack }) => divisor(step, Math.round((stack - min) * ROUNDING)), 0);
  const isFine = common === 0 || ((max - min) * ROUNDING) / common > MAX_STEPS;
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

  /** `onChoose` is called for every stop on the way, and with `isFinal` for the last one. */
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

  /** Arrow keys go from stop to stop, however uneven their distances. */
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
    // Setting it unnecessarily would suppress the event at the end of a drag.
    if (this.range.valueAsNumber !== stack) this.range.value = String(stack);
    this.range.setAttribute("aria-valuetext", `${stack} big blinds`);
    this.shown.textContent = `${stack} bb`;
    this.less.disabled = this.position === 0;
    this.more.disabled = this.position === this.stops.length - 1;
  }
}
