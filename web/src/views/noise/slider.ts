// The noise of the solution shown, as a slider over all those of the same spot.

import { h, setText } from "../../dom";
import { nameOf, type Rung } from "./rungs";

export class NoiseSlider {
  readonly element: HTMLElement;
  private readonly input = h("input", { type: "range", min: 0, step: 1, "aria-label": "Noise", oninput: () => this.moved() });
  private readonly name = h("output", { class: "number" });
  private rungs: readonly Rung[] = [];

  constructor(private readonly choose: (rung: Rung) => void) {
    this.element = h("label", {
      class: "noise-slider", hidden: true, title: "How much both players err: solutions of this spot at other noises",
    }, h("span", { class: "soft" }, "noise"), this.input, this.name);
  }

  draw(rungs: readonly Rung[], current: number): void {
    this.rungs = rungs;
    this.element.hidden = rungs.length === 0;
    this.input.max = String(Math.max(0, rungs.length - 1));
    this.input.value = String(Math.max(0, current));
    this.say(current);
  }

  private moved(): void {
    const at = Number(this.input.value);
    const rung = this.rungs[at];
    this.say(at);
    if (rung !== undefined) this.choose(rung);
  }

  private say(at: number): void {
    const words = nameOf(this.rungs[at]?.noise ?? null);
    setText(this.name, words);
    this.input.setAttribute("aria-valuetext", words);
  }
}
