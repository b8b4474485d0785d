// A range as text, and a button that copies it.

import { copyButton } from "../../copying";
import { h } from "../../dom";

export class RangeText {
  readonly text = h("code", { class: "range", tabindex: 0 });
  readonly button = copyButton("copy range", this.text);

  constructor(action: string) {
    this.text.setAttribute("aria-label", `${action} range`);
    this.button.disabled = true; // until there is a range to copy
  }

  show(range: string): void {
    this.button.disabled = range === "";
    if (this.text.textContent !== range) this.text.textContent = range;
  }
}
