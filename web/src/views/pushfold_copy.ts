// A range as text, and a button that copies it.

import { h } from "../dom";

const TOLD_MS = 2500;
const LABEL = "copy range";

export class RangeText {
  readonly text = h("code", { class: "range", tabindex: 0 });
  readonly button: HTMLButtonElement;
  private timer = 0;

  constructor(action: string) {
    this.text.setAttribute("aria-label", `${action} range`);
    this.button = h("button", { class: "button copy", "aria-live": "polite", onclick: () => void this.copy() }, LABEL);
    this.button.disabled = true; // until there is a range to copy
  }

  show(range: string): void {
    this.button.disabled = range === "";
    if (this.text.textContent !== range) this.text.textContent = range;
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.text.textContent ?? "");
      this.say("copied");
    } catch {
      // Without permission to write, the browser's copy command copies the selection.
      getSelection()?.selectAllChildren(this.text);
      this.say("press Ctrl+C");
    }
  }

  private say(text: string): void {
    // Shown in the button, so nothing moves.
    this.button.textContent = text;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.button.textContent = LABEL), TOLD_MS);
  }
}
