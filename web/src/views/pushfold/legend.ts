// The legend of the grids.

import { fill, h } from "../../dom";
import type { NodePage } from "../../model";
import { actionOf, amountOf, gainText, nodesOf, regretText, type Mode } from "./paint";

const GAIN_STEPS = [-1, -0.75, -0.5, 0, 0.5, 0.75, 1];
const REGRET_STEPS = [0, 0.25, 0.5, 0.75, 1];

/** What the numbers of a mode are. */
export const AMOUNTS = { ev: "bb gained over folding", regret: "mbb lost compared with the better action" };

/** Write the legend of a mode; `most` is the amount with the strongest colour. */
export function fillLegend(element: HTMLElement, chart: NodePage, mode: Mode, most: number, amounts = AMOUNTS): void {
  if (mode === "frequency") {
    fill(element,
      ...nodesOf(chart).map(actionOf).map((action) => swatch(`play ${action}`, 1, action)),
      swatch("fold", 1, "fold"),
      h("span", { class: "soft" }, "a mixed hand is filled in proportion to its frequency"));
    return;
  }
  if (mode === "limit") {
    fill(element, h("span", { class: "soft" },
      "played at every stack up to this one, in bb; +: also at the deepest stack, *: played again deeper, –: never"));
    return;
  }
  if (mode === "ev") {
    fill(element,
      h("span", { class: "soft" }, amounts.ev),
      ...GAIN_STEPS.map((step) => swatch(
        step < 0 ? "loss" : "gain", Math.abs(step),
        step === 0 ? "0" : gainText(Math.sign(step) * amountOf(Math.abs(step), most)),
      )),
      h("span", { class: "soft" }, "bold: played"));
    return;
  }
  fill(element,
    h("span", { class: "soft" }, amounts.regret),
    ...REGRET_STEPS.map((step) => swatch("regret", step, regretText(amountOf(step, most)))),
    h("span", { class: "soft" }, "bold: played"));
}

function swatch(tone: string, strength: number, text: string): HTMLElement {
  const colour = h("span", { class: `colour ${tone}` });
  colour.style.opacity = String(strength);
  return h("span", { class: "swatch" }, h("span", { class: "base" }, colour), h("span", { class: "number" }, text));
}
