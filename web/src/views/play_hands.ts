// The hands of a session as a table, newest first; a new row does not redraw the others.

import { h } from "../dom";
import { downloadCsv } from "../download";
import { signed } from "../format";
import type { HandResult } from "./play_score";

const HEADINGS = ["hand", "seat", "you", "opp.", "board", "what happened", "result", "cost"];

export class HandsTable {
  readonly element: HTMLElement;
  private readonly body = h("tbody", {});
  private shown: readonly HandResult[] = [];
  private current: number | null = null;

  constructor(private readonly open: (hand: number) => void) {
    this.element = h("div", { class: "hands-table" }, h("table", {},
      h("thead", {}, h("tr", {}, ...HEADINGS.map((text) => h("th", {
        scope: "col", class: text === "board" ? "board-cell" : null, title: text === "opp." ? "opponent" : null,
      }, text)))), this.body));
  }

  show(results: readonly HandResult[], current: number): void {
    const isLonger = this.shown.every((result, index) => result === results[index]);
    if (!isLonger) this.body.replaceChildren();
    const added = isLonger ? results.slice(this.shown.length) : results;
    for (const result of added) this.body.prepend(this.row(result));
    this.element.classList.toggle("without-board", results.every((result) => result.board === ""));
    this.shown = results;
    if (current === this.current && added.length === 0) return;
    this.current = current;
    for (const row of this.body.rows) {
      row.classList.toggle("current", row.dataset["hand"] === String(current));
    }
  }

  private row(result: HandResult): HTMLElement {
    return h("tr", { "data-hand": result.hand },
      h("td", {}, h("button", {
        class: "link number", "aria-label": `show hand ${result.hand + 1}`, onclick: () => this.open(result.hand),
      }, result.hand + 1)),
      h("td", { class: "number" }, result.seat),
      h("td", {}, result.you),
      h("td", {}, result.opponent),
      h("td", { class: "board-cell" }, result.board),
      h("td", { class: "told" }, result.story),
      h("td", { class: `number ${result.payoff < 0 ? "lost" : "won"}` }, signed(result.payoff, 2)),
      h("td", { class: "number" }, result.cost === null ? "–" : result.cost.toFixed(3)));
  }
}

export function saveHands(results: readonly HandResult[], seed: number, unit: string, name: string): void {
  const header = [
    "seed", "hand", "seat", "you", "opponent", "board", "actions", `result_${unit}`, `cost_${unit}`, "mistakes",
  ];
  const rows = results.map((one) => [
    seed, one.hand + 1, one.seat, one.you, one.opponent, one.board, one.story, one.payoff, one.cost, one.mistakes,
  ]);
  downloadCsv(header, rows, name);
}
