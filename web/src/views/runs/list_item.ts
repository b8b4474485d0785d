// One run in the list. The element stays while the run is visible; only differences are updated.

import { create } from "d3-selection";

import { sparkPath } from "../../charts/sparkline";
import { h, setAttribute, setText } from "../../dom";
import { count, moment, short } from "../../format";
import type { RunSummary } from "../../model";
import { colourOf, isDashed, MAX_COMPARED } from "./shown";
import { methodWords, parameterWords, shortSteps, STAR, STATUS_MARKS, titleOf } from "./words";

const WIDTH = 56;
const HEIGHT = 16;
const PAD = 2;

export interface ItemState {
  run: RunSummary;
  sparkline: readonly number[];
  /** Index of its colour; −1 if it is not drawn. */
  position: number;
  canCompare: boolean;
  /** Whether the tab key reaches it: one item of the list. */
  isReachable: boolean;
}

export class RunItem {
  readonly element: HTMLLIElement;
  private readonly button: HTMLButtonElement;
  private readonly compare: HTMLInputElement;
  private readonly swatch = h("span", { class: "swatch", "aria-hidden": "true" });
  private readonly title = h("span", { class: "title" });
  private readonly what = h("span", { class: "what" });
  private readonly mark = h("span", { class: "mark", "aria-hidden": "true" });
  private readonly status = h("span", { class: "word" });
  private readonly iteration = h("span", { class: "iteration" });
  private readonly exploitability = h("span", { class: "exploitability" });
  private readonly name = h("bdi", { class: "name" });
  private readonly created = h("span", { class: "created" });
  private readonly line = create("svg:svg").append("path");
  private drawn = "";

  constructor(id: string, choose: (id: string) => void, compare: (id: string) => void) {
    const svg = this.line.node()?.ownerSVGElement ?? null;
    if (svg !== null) {
      const attributes = {
        class: "sparkline", width: WIDTH, height: HEIGHT, "aria-hidden": "true",
        viewBox: `${-PAD} ${-PAD} ${WIDTH + 2 * PAD} ${HEIGHT + 2 * PAD}`,
      };
      for (const [name, value] of Object.entries(attributes)) setAttribute(svg, name, value);
    }
    this.button = h("button", { class: "run", type: "button", "data-run": id, onclick: () => choose(id) },
      h("span", { class: "first" }, this.title, svg),
      this.what,
      h("span", { class: "second" },
        h("span", { class: "state" }, this.mark, this.status), this.iteration, this.exploitability),
      h("span", { class: "third" }, h("span", { class: "place" }, this.name), this.created),
    );
    this.compare = h("input", {
      type: "checkbox", "data-compare": id, tabindex: -1, onchange: () => compare(id),
    });
    this.element = h("li", { class: "run-item", "data-item": id },
      h("label", { class: "compare" }, this.compare, this.swatch), this.button);
  }

  focus(): void {
    this.button.focus({ preventScroll: true });
  }

  focusBox(): void {
    this.compare.focus({ preventScroll: true });
  }

  update({ run, sparkline, position, canCompare, isReachable }: ItemState): void {
    this.button.tabIndex = isReachable ? 0 : -1;
    const isDamaged = run.status === "damaged";
    this.element.dataset["status"] = run.status;
    setText(this.title, isDamaged ? run.name : `${run.label.is_starred ? `${STAR} ` : ""}${titleOf(run)}`);
    setText(this.what, [run.label.name === "" ? "" : run.title, methodWords(run), parameterWords(run.changed)].filter(Boolean).join(" · "));
    setText(this.mark, STATUS_MARKS[run.status]);
    setText(this.status, run.status);
    setText(this.iteration, run.last === null || isDamaged ? "" : `${count(run.last.iteration)} ${shortSteps(run)}`);
    setText(this.exploitability, isDamaged ? "" : short(run.last?.exploitability));
    setText(this.name, isDamaged ? (run.problem ?? "") : run.name);
    setText(this.created, isDamaged ? "" : run.created === null ? "" : moment(run.created));
    const facts = [run.name, run.label.note, run.problem, `created ${moment(run.created)}`].filter(Boolean).join("\n");
    if (this.button.title !== facts) this.button.title = facts;
    setAttribute(this.button, "aria-current", position === 0 ? "true" : null);

    this.compare.checked = position > 0;
    this.compare.disabled = position === 0 || (position < 0 && (isDamaged || !canCompare));
    this.compare.setAttribute("aria-label", `compare ${run.name}`);
    this.element.classList.toggle("shown", position >= 0);
    const hint = canCompare || position > 0 ? "compare" : `${MAX_COMPARED} runs are already compared`;
    if (this.compare.title !== hint) this.compare.title = hint;
    this.swatch.style.color = position < 0 ? "transparent" : colourOf(position);
    this.swatch.classList.toggle("dashed", isDashed(position));
    this.drawLine(sparkline);
  }

  /** Move the item to its place in the list. */
  place(top: number, index: number, of: number): void {
    this.element.style.transform = `translateY(${top}px)`;
    this.element.setAttribute("aria-posinset", String(index + 1));
    this.element.setAttribute("aria-setsize", String(of));
  }

  private drawLine(values: readonly number[]): void {
    const path = sparkPath(values, WIDTH, HEIGHT);
    if (path === this.drawn) return;
    this.drawn = path;
    this.line.attr("d", path);
  }
}
