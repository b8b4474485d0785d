// The numbers of one hand for both players: the hand under the pointer.

import { kindClass } from "../../action_styles";
import { HANDS } from "../../charts/hands";
import { fill, h } from "../../dom";
import { percent, signed } from "../../format";
import type { NodePage } from "../../model";
import { actionOf, frequencyOf, gainOf, nodesOf, regretOf, regretText, valueOf } from "./paint";

const DECIMALS = 3;

/** Name, unit and text of each row. */
const ROWS: [string, string, (node: NodePage, hand: number) => string][] = [
  ["frequency", "", (node, hand) => percent(frequencyOf(node, hand))],
  ["EV played", "bb", (node, hand) => signed(valueOf(node, "played", hand), DECIMALS)],
  ["EV folded", "bb", (node, hand) => signed(valueOf(node, "folded", hand), DECIMALS)],
  ["difference", "bb", (node, hand) => signed(gainOf(node, hand), DECIMALS)],
  ["regret", "mbb", (node, hand) => regretText(regretOf(node, hand))],
  ["published", "", ({ panels: { published } }, hand) => (!published ? "–" : published.hands[hand] === true ? "yes" : "no")],
];

export class Readout {
  readonly element: HTMLElement;
  private readonly head = h("tr", {});
  private readonly rows = h("tbody", {});

  constructor() {
    this.element = h("div", { class: "readout panel" }, h("table", {}, h("thead", {}, this.head), this.rows));
  }

  /** `looked` is the index of the player whose grid is in use. */
  show(chart: NodePage, hand: number, looked: number): void {
    const { name, combos } = HANDS[hand] as (typeof HANDS)[number];
    const nodes = nodesOf(chart);
    fill(this.head,
      h("td", {}, h("strong", {}, name), " ", h("span", { class: "combos soft" }, `${combos} combos`)),
      ...nodes.map(actionOf).map((action, index) => h("th", {
        scope: "col", "data-action": action, class: `${kindClass(action === "push" ? "all-in" : "call")} ${index === looked ? "looked" : ""}`,
      }, action)));
    fill(this.rows, ...ROWS.map(([title, unit, text]) => h("tr", {},
      h("th", { scope: "row" }, title, unit === "" ? null : h("span", { class: "unit soft" }, ` ${unit}`)),
      ...nodes.map((node, index) => h("td", {
        "data-action": actionOf(node), class: index === looked ? "looked" : null,
      }, text(node, hand))))));
  }
}
