// The fields of the filters, and what they leave of a range.

import { fill, h, setAttribute } from "../../dom";
import { fixed } from "../../format";
import type { NodePage, NodeSide } from "../../model";
import { filterWords, type Filters } from "./filters";
import type { Amounts } from "./units";

export class FilterBar {
  readonly element: HTMLDetailsElement;
  private readonly title = h("summary", {}, "filter hands");
  private readonly left = h("span", { class: "soft number", role: "status" });
  private readonly clear = h("button", {
    class: "button small", type: "button", hidden: true,
    onclick: () => this.change({ class: null, holds: null, lacks: null, does: null }),
  }, "clear");
  private readonly holds = this.field("holds", "with", "As, or s for spades");
  private readonly lacks = this.field("lacks", "without", "Kd Qd");
  private readonly does = h("select", {
    name: "does", onchange: () => this.change({ does: this.does.value === "" ? null : this.does.value }),
  });
  private readonly doesLabel = h("label", {}, h("span", { class: "soft" }, "mostly"), this.does);
  private drawn = "";

  constructor(private readonly change: (options: Record<string, string | null>) => void) {
    this.element = h("details", { class: "filter-bar" }, this.title,
      h("div", { class: "fields" },
        h("label", {}, h("span", { class: "soft" }, "with"), this.holds),
        h("label", {}, h("span", { class: "soft" }, "without"), this.lacks), this.doesLabel));
  }

  /** What is left of a range; shown beside the grid whether or not the fields are open. */
  get state(): HTMLElement {
    return h("span", { class: "group filter-state" }, this.left, this.clear);
  }

  draw(node: NodePage, whole: NodeSide, left: NodeSide, filters: Filters | null, options: Record<string, string>, amounts: Amounts): void {
    this.clear.hidden = filters === null;
    const [all, some] = [whole, left].map(({ reach }) => (reach ?? []).reduce((sum, one) => sum + one, 0)) as [number, number];
    fill(this.left, filters === null ? "" : `${filterWords(filters)}: ${fixed(some, 1)} of ${fixed(all, 1)} combos`);
    for (const [input, name] of [[this.holds, "holds"], [this.lacks, "lacks"]] as const) {
      if (document.activeElement !== input) input.value = options[name] ?? "";
    }
    const actions = whole.mix.length > 0 ? node.actions : [];
    this.doesLabel.hidden = actions.length === 0;
    const key = JSON.stringify(actions.map((action) => amounts.action(action)));
    if (key !== this.drawn) {
      this.drawn = key;
      fill(this.does, h("option", { value: "" }, "any action"),
        ...actions.map((action) => h("option", { value: action.name }, amounts.action(action))));
    }
    this.does.value = actions.some(({ name }) => name === filters?.does) ? filters?.does ?? "" : "";
    setAttribute(this.title, "data-active", filters === null ? null : "true");
  }

  private field(name: "holds" | "lacks", label: string, placeholder: string): HTMLInputElement {
    const input = h("input", {
      type: "text", name, "aria-label": `${label} one of these cards`, placeholder, spellcheck: "false", autocomplete: "off",
      onchange: () => this.change({ [name]: input.value.trim() === "" ? null : input.value.trim() }),
    });
    return input;
  }
}
