// A range as text, and a button that copies it.

import { h } from "../dom";

const TOLD_MS = 2500;

export class RangeText {
  readonly text = h("code", { class: "range", tabindex: 0 });
  readonly button: HTMLButtonElement;
  private readonly told = h("span", { class: "told soft", role: "status" });
  private timer = 0;

  constructor(private readonly action: string) {
    this.text.setAttribute("aria-label", `${action} range`);
    this.button = h("button", { class: "button copy", onclick: () => void this.copy() }, "copy range");
  }

  /** Button and what became of it. */
  get controls(): HTMLElement {
    return h("span", { class: "group" }, this.told, this.button);
  }

  show(range: string): void {
    if (this.text.textContent !== range) this.text.textContent = range;
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.text.textContent ?? "");
      this.tell(`${this.action} range copied`);
    } catch {
      // Without leave to write, the browser's own command copies what is selected.
      getSelection()?.selectAllChildren(this.text);
      this.tell("selected: copy it with Ctrl+C");
    }
  }

  private tell(text: string): void {
    this.told.textContent = text;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.told.textContent = ""), TOLD_MS);
  }
}
