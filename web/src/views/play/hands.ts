// Hands as a table, newest first; a new row does not redraw the others.

import { h } from "../../dom";
import { downloadCsv } from "../../download";
import { signed } from "../../format";
import type { HandResult } from "./score";

const HEADINGS = ["hand", "seat", "you", "opp.", "board", "what happened", "result", "cost"];

/** `open` shows a hand on the table; `canOpen` says whether it can. */
export class HandsTable<Result extends HandResult> {
  readonly element: HTMLElement;
  private readonly body = h("tbody", {});
  private readonly publicHeading = h("th", { scope: "col", class: "board-cell" }, "board");
  private rows: { result: Result; row: HTMLElement }[] = [];
  private current: Result | null = null;

  constructor(
    private readonly open: (result: Result) => void,
    private readonly canOpen: (result: Result) => boolean = () => true,
  ) {
    this.element = h("div", { class: "hands-table" }, h("table", {},
      h("thead", {}, h("tr", {}, ...HEADINGS.map((text) => (
        text === "board" ? this.publicHeading : h("th", { scope: "col", title: text === "opp." ? "opponent" : null }, text)
      )))), this.body));
  }

  /** `current` is the hand on the table, `publicWord` the game's word for what both players see. */
  show(results: readonly Result[], current: Result | null, publicWord: string): void {
    const isLonger = this.rows.every(({ result }, index) => result === results[index]);
    if (!isLonger) {
      this.body.replaceChildren();
      this.rows = [];
    }
    const added = results.slice(this.rows.length).map((result) => ({ result, row: this.row(result) }));
    for (const { row } of added) this.body.prepend(row);
    this.rows.push(...added);
    this.publicHeading.textContent = publicWord || "board";
    this.element.classList.toggle("without-board", results.every((result) => result.board === ""));
    if (current === this.current && added.length === 0) return;
    this.current = current;
    for (const { result, row } of this.rows) row.classList.toggle("current", result === current);
  }

  private row(result: Result): HTMLElement {
    const number = result.hand + 1;
    return h("tr", { "data-hand": result.hand },
      h("td", {}, this.canOpen(result)
        ? h("button", { class: "link number", "aria-label": `show hand ${number}`, onclick: () => this.open(result) }, number)
        : number),
      h("td", { class: "number" }, result.seat),
      h("td", {}, result.you),
      h("td", {}, result.opponent),
      h("td", { class: "board-cell" }, result.board),
      h("td", { class: "told" }, result.story),
      h("td", { class: `number ${result.payoff < 0 ? "lost" : "won"}` }, signed(result.payoff, 2)),
      h("td", { class: "number" }, result.cost === null ? "–" : result.cost.toFixed(3)));
  }
}

export function saveHands(results: readonly (HandResult & { seed: number })[], unit: string, name: string): void {
  const header = [
    "seed", "hand", "seat", "you", "opponent", "board", "actions", `result_${unit}`, `cost_${unit}`, "mistakes",
  ];
  const rows = results.map((one) => [
    one.seed, one.hand + 1, one.seat, one.you, one.opponent, one.board, one.story, one.payoff, one.cost, one.mistakes,
  ]);
  downloadCsv(header, rows, name);
}
