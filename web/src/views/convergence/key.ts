// The compared runs as buttons above the chart: a click hides a run, the pointer or the focus lifts it.

import { fill, h } from "../../dom";
import type { ShownRun } from "./scene";
import { labelsOf } from "../runs/labels";
import { colourOf, isDashed } from "../runs/shown";

export class RunKey {
  readonly element = h("div", { class: "key", role: "group", "aria-label": "Runs in the chart; press one to hide or show it" });
  private key = "";

  constructor(
    private readonly toggle: (run: string) => void,
    private readonly lift: (run: string | null) => void,
  ) {}

  /** Show a button per run; nothing for a single run. `left` is the number of runs there is no room for. */
  update(runs: readonly ShownRun[], hidden: ReadonlySet<string>, left: number): void {
    const labels = labelsOf(runs.map(({ run }) => run.detail));
    this.element.hidden = runs.length < 2;
    const key = JSON.stringify([runs.map(({ run, position }) => [run.id, position]), labels, left]);
    if (key !== this.key) this.build(runs, labels, left);
    this.key = key;
    for (const button of this.element.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(!hidden.has(button.dataset["of"] ?? "")));
    }
  }

  /** Mark the run whose line is lifted. */
  mark(run: string | null): void {
    for (const button of this.element.querySelectorAll("button")) {
      button.classList.toggle("lifted", button.dataset["of"] === run);
    }
  }

  private build(runs: readonly ShownRun[], labels: readonly string[], left: number): void {
    fill(this.element, ...runs.map(({ run, position }, index) => {
      const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
      swatch.classList.toggle("dashed", isDashed(position));
      swatch.style.color = colourOf(position);
      const { id, detail } = run;
      return h("button", {
        type: "button", "data-of": id, title: detail.name,
        onclick: () => this.toggle(id),
        onpointerenter: () => this.lift(id), onpointerleave: () => this.lift(null),
        onfocus: () => this.lift(id), onblur: () => this.lift(null),
      }, swatch, labels[index] ?? detail.name);
    }), left > 0 && h("p", { class: "soft" }, `${left} more cannot be drawn: untick some runs`));
  }
}
