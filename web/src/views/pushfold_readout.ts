// The numbers of one hand for both players: the hand under the pointer.

import { HANDS } from "../charts/hands";
import { fill, h } from "../dom";
import { percent, signed } from "../format";
import type { PushFoldChart, PushFoldSeat } from "../model";
import { gainOf, regretText } from "./pushfold_paint";

const DECIMALS = 3;
const HEADINGS = ["frequency", "EV played", "EV folded", "difference", "regret", "published"];
const UNITS = ["", "bb", "bb", "bb", "mbb", ""];

export class Readout {
  readonly element: HTMLElement;
  private readonly title = h("td", {});
  private readonly rows = h("tbody", {});

  constructor() {
    const heads = HEADINGS.map((text, index) => h("th", { scope: "col" },
      text, UNITS[index] ? h("span", { class: "unit" }, ` ${UNITS[index]}`) : null));
    this.element = h("div", { class: "readout panel" },
      h("table", {}, h("thead", {}, h("tr", {}, this.title, ...heads)), this.rows));
  }

  /** `looked` is the index of the player whose grid is in use. */
  show(chart: PushFoldChart, hand: number, looked: number): void {
    const { name, combos } = HANDS[hand] as (typeof HANDS)[number];
    fill(this.title, h("strong", {}, name), " ", h("span", { class: "combos" }, `${combos} combos`));
    fill(this.rows, ...chart.seats.map((seat, index) => {
      const published = chart.published?.[seat.action][hand];
      return row(seat, hand, published, index === looked);
    }));
  }
}

function row(seat: PushFoldSeat, hand: number, published: boolean | undefined, isLooked: boolean): HTMLElement {
  const texts = [
    percent(seat.frequency[hand]),
    signed(seat.ev[hand], DECIMALS),
    signed(seat.fold_ev, DECIMALS),
    signed(gainOf(seat, hand), DECIMALS),
    regretText(seat.regret[hand] ?? null),
    published === undefined ? "–" : published ? "yes" : "no",
  ];
  return h("tr", { "data-action": seat.action, class: isLooked ? "looked" : null },
    h("th", { scope: "row" }, seat.action), ...texts.map((text) => h("td", {}, text)));
}
