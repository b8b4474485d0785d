// The numbers of one hand for both players: the hand under the pointer.

import { kindClass } from "../action_styles";
import { HANDS } from "../charts/hands";
import { fill, h } from "../dom";
import { percent, signed } from "../format";
import type { PushFoldChart, PushFoldSeat } from "../model";
import { gainOf, regretText } from "./pushfold_paint";

const DECIMALS = 3;

/** Name, unit and text of each row; `published` is whether the published chart plays the hand. */
const ROWS: [string, string, (seat: PushFoldSeat, hand: number, published: boolean | undefined) => string][] = [
  ["frequency", "", (seat, hand) => percent(seat.frequency[hand])],
  ["EV played", "bb", (seat, hand) => signed(seat.ev[hand], DECIMALS)],
  ["EV folded", "bb", (seat) => signed(seat.fold_ev, DECIMALS)],
  ["difference", "bb", (seat, hand) => signed(gainOf(seat, hand), DECIMALS)],
  ["regret", "mbb", (seat, hand) => regretText(seat.regret[hand] ?? null)],
  ["published", "", (_, __, published) => (published === undefined ? "–" : published ? "yes" : "no")],
];

export class Readout {
  readonly element: HTMLElement;
  private readonly head = h("tr", {});
  private readonly rows = h("tbody", {});

  constructor() {
    this.element = h("div", { class: "readout panel" }, h("table", {}, h("thead", {}, this.head), this.rows));
  }

  /** `looked` is the index of the player whose grid is in use. */
  show(chart: PushFoldChart, hand: number, looked: number): void {
    const { name, combos } = HANDS[hand] as (typeof HANDS)[number];
    fill(this.head,
      h("td", {}, h("strong", {}, name), " ", h("span", { class: "combos soft" }, `${combos} combos`)),
      ...chart.seats.map(({ action }, index) => h("th", {
        scope: "col", "data-action": action, class: `${kindClass(action === "push" ? "all-in" : "call")} ${index === looked ? "looked" : ""}`,
      }, action)));
    fill(this.rows, ...ROWS.map(([title, unit, text]) => h("tr", {},
      h("th", { scope: "row" }, title, unit === "" ? null : h("span", { class: "unit soft" }, ` ${unit}`)),
      ...chart.seats.map((seat, index) => h("td", {
        "data-action": seat.action, class: index === looked ? "looked" : null,
      }, text(seat, hand, chart.published?.[seat.action][hand]))))));
  }
}
