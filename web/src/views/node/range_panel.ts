// Range against range: the distribution of equity, who has the better range and more of the best hands.

import { fill, h } from "../../dom";
import { percent } from "../../format";
import type { RangeFacts } from "../../model";
import { EquityGraph } from "./equity_graph";

/** Parts of a range by equity; the server has the same. */
const BUCKETS = [
  ["best", "75 % and more"], ["good", "50 to 75 %"], ["weak", "33 to 50 %"], ["trash", "less than 33 %"],
] as const;
/** Differences below this are none, as a share. */
const EQUAL = 0.005;

export class RangePanel {
  readonly element = h("section", { class: "range-panel", "aria-label": "Range against range" });
  readonly graph = new EquityGraph();
  private readonly head = h("div", { class: "advantages" });
  private readonly table = h("table", { class: "buckets" });

  constructor() {
    fill(this.element, this.head, this.graph.element, this.table);
  }

  draw(facts: RangeFacts, seats: readonly [string, string]): void {
    const [one, other] = facts.sides;
    const better = (difference: number): string => (
      Math.abs(difference) < EQUAL ? "neither" : difference > 0 ? seats[0] : seats[1]);
    const range = (one.equity ?? 0) - (other.equity ?? 0);
    const best = (one.buckets[0] ?? 0) - (other.buckets[0] ?? 0);
    fill(this.head,
      advantage("range advantage", better(range), `equity ${percent(one.equity)} v ${percent(other.equity)}`),
      advantage("nut advantage", better(best), `hands with 75 % equity: ${percent(one.buckets[0])} v ${percent(other.buckets[0])}`));
    this.graph.draw(facts, seats);
    fill(this.table,
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "equity"),
        ...seats.map((seat, index) => h("th", { scope: "col" }, h("span", { class: `swatch seat-${index}`, "aria-hidden": "true" }), seat)))),
      h("tbody", {}, ...BUCKETS.map(([name, words], index) => h("tr", { "data-bucket": name },
        h("th", { scope: "row" }, name, h("span", { class: "soft" }, ` ${words}`)),
        ...[one, other].map(({ buckets }, seat) => {
          const cell = h("td", { class: `share seat-${seat}` }, percent(buckets[index]));
          cell.style.setProperty("--share", `${100 * (buckets[index] ?? 0)}%`);
          return cell;
        })))));
  }
}

function advantage(name: string, who: string, words: string): HTMLElement {
  return h("div", { "data-advantage": name.split(" ")[0] ?? "" },
    h("span", { class: "soft" }, name), h("strong", {}, who), h("span", { class: "soft number" }, words));
}
