// The library of ranges beside an editor: load one, keep what is in the editor under a name, remove it, copy and paste.

import { copyButton } from "../../copying";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { fixed } from "../../format";
import type { NamedRange } from "../../model";
import { listenToRanges, removeRange, saveRange } from "../../range_library";

const MAX_NAME = 60;

export class RangeShelf {
  readonly element: HTMLElement;
  private readonly select: HTMLSelectElement;
  private readonly name: HTMLInputElement;
  private readonly remove = h("button", { type: "button", class: "button small", hidden: true, onclick: () => void this.removeChosen() }, "remove");
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly said = h("span", { class: "soft", role: "status" });
  private ranges: readonly NamedRange[] = [];

  /** `text` is that of the editor; `load` puts another one there. */
  constructor(of: string, private readonly text: HTMLTextAreaElement, private readonly load: (text: string) => void) {
    this.select = h("select", { "aria-label": `ranges that are kept, for ${of}`, onchange: () => this.choose() });
    this.name = h("input", { type: "text", maxlength: MAX_NAME, "aria-label": `name under which to keep range ${of}`, placeholder: "name", autocomplete: "off" });
    // The button copies what an element says; the editor's field has its text as a value.
    const copied = h("span", { hidden: true });
    const copy = copyButton("copy", copied);
    copy.classList.add("small");
    copy.addEventListener("click", () => (copied.textContent = text.value), { capture: true });
    this.element = h("div", { class: "range-shelf" },
      h("div", { class: "group" }, this.select, this.remove),
      h("div", { class: "group" }, this.name, h("button", { type: "button", class: "button small", onclick: () => void this.keep() }, "keep"),
        copy, h("button", { type: "button", class: "button small", onclick: () => void this.paste() }, "paste"), this.said), copied, this.problem);
    listenToRanges((ranges) => this.show(ranges));
  }

  private show(ranges: readonly NamedRange[]): void {
    const chosen = this.select.value;
    this.ranges = ranges;
    fill(this.select, h("option", { value: "" }, ranges.length === 0 ? "no range is kept yet" : "ranges that are kept …"),
      ...ranges.map(({ name, combos, problem }) => h("option", { value: name, disabled: problem !== null, title: problem },
        problem === null ? `${name} (${fixed(combos, combos % 1 === 0 ? 0 : 1)})` : `${name}: damaged`)));
    this.select.disabled = ranges.length === 0;
    this.select.value = ranges.some(({ name }) => name === chosen) ? chosen : "";
    this.remove.hidden = this.select.value === "";
  }

  private choose(): void {
    const range = this.ranges.find(({ name }) => name === this.select.value);
    this.remove.hidden = range === undefined;
    if (range === undefined) return;
    this.name.value = range.name;
    this.load(range.text);
  }

  private async keep(): Promise<void> {
    const name = this.name.value.trim();
    await this.attempt(() => saveRange(name, this.text.value), "kept");
    if (this.problem.hidden) {
      this.select.value = name;
      this.remove.hidden = false;
    }
  }

  private async removeChosen(): Promise<void> {
    await this.attempt(() => removeRange(this.select.value), "removed");
  }

  private async paste(): Promise<void> {
    await this.attempt(async () => this.load(await navigator.clipboard.readText()), "pasted");
  }

  private async attempt(act: () => Promise<void>, done: string): Promise<void> {
    try {
      await act();
      this.problem.hidden = true;
      this.said.textContent = done;
    } catch (error) {
      this.said.textContent = "";
      this.problem.hidden = false;
      this.problem.textContent = messageOf(error);
    }
  }
}
