// What a blueprint sees: both ranges as grids, and at the end of a hand what it did with its cards and why.

import { fill, h } from "../../dom";
import { percent, signed } from "../../format";
import { HandGrid, type GridCell } from "../../charts/hand_grid";
import { HANDS } from "../../charts/hands";
import type { ClassWeights, PlayState, Thought } from "../../model";
import { basisWords } from "./review";

const LEAST = 0.0005;

/** The panel of ranges and thoughts; empty for opponents that are not blueprints. */
export class ThoughtsPanel {
  readonly element = h("section", { class: "thoughts panel", "aria-label": "what the blueprint sees", hidden: true });
  private readonly its = new HandGrid("range of the opponent", { look: () => undefined });
  private readonly yours = new HandGrid("your range", { look: () => undefined });
  private readonly moments = h("div", { class: "group moments", role: "group", "aria-label": "moment of the hand" });
  private readonly words = h("div", { class: "words" });
  private readonly grids = h("div", { class: "ranges" },
    h("figure", {}, h("figcaption", {}, "its range"), this.its.element),
    h("figure", {}, h("figcaption", {}, "your range, as it sees it"), this.yours.element));
  private readonly details = h("details", { class: "seen" },
    h("summary", {}, "What it sees"), this.moments, this.words, this.grids);
  private state: PlayState | null = null;
  private shown = -1;

  constructor() {
    fill(this.element, this.details);
  }

  show(state: PlayState): void {
    this.state = state;
    this.element.hidden = state.ranges === null && state.thoughts.length === 0;
    if (this.element.hidden) return;
    this.choose(state.is_over ? state.thoughts.length - 1 : state.thoughts.length);
  }

  /** Show one of its decisions, or the person's turn, which comes last. */
  private choose(moment: number): void {
    const { state } = this;
    if (state === null) return;
    this.shown = moment;
    const thought = state.thoughts[moment] ?? null;
    const ranges = thought?.ranges ?? state.ranges;
    fill(this.moments, ...momentsOf(state).map((words, index) => h("button", {
      class: "button small", "aria-pressed": String(index === this.shown), onclick: () => this.choose(index),
    }, words)));
    fill(this.words, ...(thought === null ? [h("p", { class: "soft" }, "Your turn, before you act.")] : thoughtWords(thought)));
    this.grids.hidden = ranges === null;
    if (ranges === null) return;
    this.its.draw(rangeCells(ranges[1 - state.seat] ?? []));
    this.yours.draw(rangeCells(ranges[state.seat] ?? []));
  }
}

/** The names of the moments that can be looked at: its decisions, and the turn. */
export function momentsOf(state: PlayState): string[] {
  const decisions = state.thoughts.map(({ chosen, board }) => `${streetOf(board)}: ${chosen ?? ""}`);
  return state.is_over ? decisions : [...decisions, "now"];
}

function streetOf(board: string): string {
  return { 0: "preflop", 6: "flop", 8: "turn", 10: "river" }[board.length] ?? board;
}

function thoughtWords(thought: Thought): HTMLElement[] {
  const lines: [string, string][] = [["with its whole range", mixWords(thought.range_mix)]];
  if (thought.range_before !== null) lines.push(["without thinking", mixWords(thought.range_before)]);
  if (thought.mix !== undefined) lines.push([`with ${thought.hand ?? ""}`, mixWords(thought.mix)]);
  if (thought.blueprint) lines.push([`with ${thought.hand ?? ""}, without thinking`, mixWords(thought.blueprint)]);
  if (thought.values !== undefined && Object.keys(thought.values).length > 0) {
    lines.push(["worth", Object.entries(thought.values).map(([name, value]) => `${name} ${signed(value, 2)}`).join(", ")]);
  }
  const basis = basisWords(thought);
  return [
    h("dl", { class: "number" }, ...lines.flatMap(([name, words]) => [h("dt", {}, name), h("dd", {}, words)])),
    ...(basis ? [h("p", { class: "soft" }, basis)] : []),
  ];
}

export function mixWords(mix: Record<string, number>): string {
  return Object.entries(mix).filter(([, share]) => share >= LEAST).map(([name, share]) => `${name} ${percent(share)}`).join(", ");
}

export function rangeCells(weights: ClassWeights): GridCell[] {
  return HANDS.map(({ name }, hand) => {
    const weight = weights[hand] ?? 0;
    return {
      segments: [],
      weight,
      shade: weight > 0 ? { tone: "gain", strength: weight } : null,
      text: weight > 0 && weight < 0.995 ? String(Math.round(100 * weight)) : "",
      isBold: false,
      marks: [],
      label: weight > 0 ? `${name}: ${percent(weight)} of the likeliest` : `${name}: not here`,
      frequency: weight,
    };
  });
}
