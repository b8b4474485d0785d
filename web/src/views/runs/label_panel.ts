// The name, the note and the star of a run, which its user may change; kept in the folder of the run.

import * as api from "../../api";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import type { RunDetail, RunLabel } from "../../model";
import type { Context } from "../../view";

const MAX_NAME = 80;
const MAX_NOTE = 2000;

export class LabelPanel {
  readonly element = h("section", { class: "panel run-label", "aria-label": "Name and note" });
  private readonly name = h("input", { type: "text", maxlength: MAX_NAME, "aria-label": "name of the run", autocomplete: "off", onchange: () => this.save() });
  private readonly note = h("textarea", { rows: 3, maxlength: MAX_NOTE, "aria-label": "note about the run", onchange: () => this.save() });
  private readonly star = h("input", { type: "checkbox", onchange: () => this.save() });
  private readonly said = h("span", { class: "soft", role: "status" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private run = "";
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly context: Context) {
    fill(this.element, h("h2", {}, "Name and note"),
      h("div", { class: "line" }, h("label", {}, h("span", { class: "soft" }, "name"), this.name), h("label", { class: "check" }, this.star, " ★ star"), this.said),
      h("label", {}, h("span", { class: "soft" }, "note"), this.note), this.problem);
  }

  draw({ id, label, title }: RunDetail): void {
    const isOther = id !== this.run;
    this.run = id;
    // Examples and documents belong to nobody's folder.
    this.element.hidden = id.startsWith(".");
    this.name.placeholder = title;
    if (isOther) {
      this.said.textContent = "";
      this.problem.hidden = true;
    }
    // What is being typed stays.
    if (isOther || !this.element.contains(document.activeElement)) this.show(label);
  }

  private show({ name, note, is_starred: isStarred }: RunLabel): void {
    this.name.value = name;
    this.note.value = note;
    this.star.checked = isStarred;
  }

  /** One at a time: of two changes, the later must be the one that is kept. */
  private save(): void {
    const { run } = this;
    const label = { name: this.name.value, note: this.note.value, is_starred: this.star.checked };
    this.last = this.last.then(() => this.send(run, label));
  }

  private async send(run: string, label: RunLabel): Promise<void> {
    const { data } = this.context;
    try {
      await api.label(run, label);
      this.problem.hidden = true;
      this.said.textContent = "saved";
      await Promise.all([data.refreshRuns(), data.load(run, { again: true })]);
    } catch (error) {
      this.said.textContent = "";
      this.problem.hidden = false;
      this.problem.textContent = messageOf(error);
    }
  }
}
