// The seed of the cards: shown, and typed to play the same cards again.

import { h } from "../../dom";
import { wholeNumber } from "./session";

export class SeedField {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private seed = 0;

  constructor(private readonly begin: (seed: number) => void) {
    this.input = h("input", {
      class: "seed number", inputmode: "numeric", autocomplete: "off", spellcheck: "false",
      title: "a whole number; the same seed deals the same cards",
      onchange: () => this.change(),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === "Escape") this.show(this.seed);
        // Digits are actions again once the seed is typed.
        if (event.key === "Enter" || event.key === "Escape") this.input.blur();
      },
    });
    this.element = h("label", { class: "seed-field soft" }, "seed ", this.input);
  }

  show(seed: number): void {
    this.seed = seed;
    this.input.removeAttribute("aria-invalid");
    this.input.value = String(seed);
    this.input.size = Math.max(4, this.input.value.length);
  }

  private change(): void {
    const seed = wholeNumber(this.input.value.trim());
    if (seed === null) this.input.setAttribute("aria-invalid", "true");
    else if (seed !== this.seed) this.begin(seed);
    else this.show(seed);
  }
}
