// A range by painting a 13 × 13 grid and by text; the server reads and writes the text, so both always agree.

import * as api from "../../api";
import { HandGrid, type GridCell } from "../../charts/hand_grid";
import { HANDS } from "../../charts/hands";
import { fill, freshId, h } from "../../dom";
import { messageOf } from "../../errors";
import { fixed, percent } from "../../format";
import { Newest } from "../../newest";
import type { RangeText } from "../../model";
import { RANGE_STYLE } from "../node/cells";
import { RangeShelf } from "./range_shelf";

const REST_MS = 250;
const BRUSHES = [1, 0.75, 0.5, 0.25, 0];

export class RangeEditor {
  readonly element: HTMLElement;
  private readonly grid: HandGrid;
  private readonly text: HTMLTextAreaElement;
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly size = h("span", { class: "soft number" });
  private readonly slider: HTMLInputElement;
  private readonly brushes: HTMLButtonElement[];
  private readonly newest = new Newest<RangeText>();
  private weights: number[] = HANDS.map(() => 0);
  private brush = 1;
  /** The weight that the pointer paints while it is down. */
  private painting: number | null = null;
  private changes: Record<string, number> = {};
  /** Counts what was typed and painted. */
  private edits = 0;
  private rest = 0;

  constructor(readonly name: string, private readonly changed: () => void) {
    const [problemId] = [freshId("range-problem")];
    this.problem.id = problemId;
    this.text = h("textarea", {
      rows: 3, spellcheck: "false", "aria-label": `range ${name} as text`, "aria-describedby": problemId,
      placeholder: "66+, A8s+, KQo, AJs:0.5, top 15%", oninput: () => this.typed(),
    });
    this.slider = h("input", {
      type: "range", min: 0, max: 100, step: 5, value: 100, "aria-label": `weight to paint, ${name}`,
      oninput: () => this.setBrush(Number(this.slider.value) / 100),
    });
    this.brushes = BRUSHES.map((weight) => h("button", {
      type: "button", class: "button small", "data-weight": weight, onclick: () => this.setBrush(weight),
    }, `${100 * weight} %`));
    this.grid = new HandGrid(`range ${name}: Enter paints a hand`, {
      look: () => undefined,
      choose: () => undefined,
    });
    this.listen();
    this.element = h("section", { class: "panel range-editor", "data-range": name, "aria-label": `Range ${name}` },
      h("h2", {}, `${name} `, this.size),
      h("div", { class: "brush", role: "group", "aria-label": "weight to paint" }, h("span", { class: "soft" }, "paint"), ...this.brushes, this.slider),
      this.grid.element, this.text, this.problem,
      new RangeShelf(name, this.text, (text) => this.replace(text)).element);
    this.setBrush(1);
    this.draw();
  }

  get value(): string {
    return this.text.value.trim();
  }

  set value(text: string) {
    this.text.value = text;
    this.ask();
  }

  /** Another range in place of this one, as if it had been typed. */
  private replace(text: string): void {
    this.text.value = text.trim();
    this.typed();
  }

  private setBrush(weight: number): void {
    this.brush = weight;
    this.slider.value = String(Math.round(100 * weight));
    for (const button of this.brushes) button.setAttribute("aria-pressed", String(Number(button.dataset["weight"]) === weight));
  }

  private listen(): void {
    const { element } = this.grid;
    element.addEventListener("pointerdown", (event) => {
      const hand = handAt(event.target);
      if (hand < 0 || event.button !== 0) return;
      event.preventDefault();
      // A hand that already has the weight is taken out, and so are those the pointer moves over.
      this.painting = this.weights[hand] === this.brush ? 0 : this.brush;
      this.paint(hand, this.painting);
    });
    element.addEventListener("pointermove", (event) => {
      if (this.painting === null) return;
      // A finger keeps its first target.
      const hand = handAt(document.elementFromPoint(event.clientX, event.clientY));
      if (hand >= 0 && element.contains(document.elementFromPoint(event.clientX, event.clientY))) this.paint(hand, this.painting);
    });
    const end = (): void => {
      this.painting = null;
    };
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
    element.addEventListener("keydown", (event) => {
      const hand = handAt(event.target);
      if ((event.key !== "Enter" && event.key !== " ") || hand < 0) return;
      event.preventDefault();
      this.paint(hand, this.weights[hand] === this.brush ? 0 : this.brush);
    });
  }

  private paint(hand: number, weight: number): void {
    const name = HANDS[hand]?.name;
    if (name === undefined || this.weights[hand] === weight) return;
    this.weights[hand] = weight;
    this.changes[name] = weight;
    this.edits += 1;
    this.draw();
    this.askSoon(0);
  }

  private typed(): void {
    this.changes = {};
    this.edits += 1;
    this.askSoon(REST_MS);
  }

  private askSoon(wait: number): void {
    window.clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.ask(), wait);
  }

  private ask(): void {
    const [text, changes, edits] = [this.text.value, { ...this.changes }, this.edits];
    const isPainted = Object.keys(changes).length > 0;
    this.newest.ask("range", () => api.editRange(text, changes), (range) => {
      // What was typed or painted meanwhile is asked for next, with all changes so far.
      if (this.text.value !== text || this.edits !== edits) return;
      if (isPainted) {
        this.text.value = range.text;
        this.changes = {};
      }
      this.weights = range.weights;
      this.fail(null);
      fill(this.size, `${fixed(range.combos, range.combos % 1 === 0 ? 0 : 1)} combos, ${percent(range.percent / 100)}`);
      this.draw();
      this.changed();
    }, (error) => {
      this.fail(messageOf(error));
      this.changed();
    });
  }

  private fail(message: string | null): void {
    this.problem.hidden = message === null;
    this.problem.textContent = message;
    this.text.setAttribute("aria-invalid", String(message !== null));
  }

  private draw(): void {
    this.grid.draw(this.weights.map((weight, hand): GridCell => ({
      segments: weight > 0 ? [{ share: 1, style: RANGE_STYLE }] : [],
      weight,
      shade: null,
      text: weight > 0 && weight < 1 ? (100 * weight).toFixed(0) : "",
      isBold: false,
      marks: [],
      label: `${HANDS[hand]?.name ?? ""}: weight ${percent(weight, 0)}`,
      frequency: weight,
    })));
  }
}

function handAt(target: EventTarget | null): number {
  const name = target instanceof Element ? target.closest<SVGGElement>(".cell")?.dataset["hand"] : undefined;
  return name === undefined ? -1 : HANDS.findIndex((hand) => hand.name === name);
}
