// The history of a game: all hands ever played, the mistakes to drill, and the last hands.

import { fill, h } from "../../dom";
import { downloadGroup } from "../../download_group";
import { count, signed } from "../../format";
import type { History, PastHand } from "./history";
import { HandsTable, saveHands } from "./hands";

const MAX_SHOWN = 5;

export class HistoryPanel {
  readonly element: HTMLElement;
  private readonly totals = h("p", { class: "totals number" });
  private readonly spots = h("ol", { class: "spots" });
  private readonly table: HandsTable<PastHand>;
  private readonly hands: HTMLDetailsElement;
  private readonly summary = h("summary", {});
  private history: History | null = null;
  private current: PastHand | null = null;
  private run = "";
  private unit = "chips";
  private publicWord = "";
  private name = "";

  constructor(open: (hand: PastHand) => void, clear: () => void) {
    this.table = new HandsTable(open, (hand) => hand.run === this.run);
    this.hands = h("details", { ontoggle: () => this.showHands() }, this.summary, this.table.element,
      downloadGroup([{ form: "CSV", save: () => saveHands(this.history?.recent ?? [], this.unit, this.name) }], "all hands"));
    this.element = h("section", { class: "history panel", "aria-label": "history of this game", hidden: true },
      h("header", {}, h("h2", {}, "All sessions"),
        h("button", { class: "button small clear", onclick: clear }, "clear")),
      this.totals, this.spots, this.hands);
  }

  /** `run` is the run whose hands can be shown again: another one's opponent plays differently. */
  show(history: History, run: string, unit: string, publicWord: string, name: string): void {
    const isSame = history === this.history && run === this.run;
    [this.history, this.run, this.unit, this.publicWord, this.name] = [history, run, unit, publicWord, name];
    if (isSame) return;
    this.element.hidden = history.hands === 0;
    this.totals.textContent = totalsOf(history, unit);
    const worst = [...history.spots].sort((one, other) => other.cost - one.cost).slice(0, MAX_SHOWN);
    fill(this.spots, ...worst.map((spot) => h("li", {},
      h("span", { class: "spot" }, spot.you ? `${spot.you}: ` : "", spot.words),
      h("span", { class: "soft" }, ` you: ${spot.chosen}${spot.times > 1 ? `, ${spot.times} times` : ""}`),
      h("span", { class: "number lost" }, ` ${signed(-spot.cost, 2)}`))));
    this.spots.hidden = worst.length === 0;
    this.summary.textContent = lastHands(history.recent.length);
    this.showHands();
  }

  private showHands(): void {
    if (this.hands.open && this.history !== null) this.table.show(this.history.recent, this.current, this.publicWord);
  }
}

export function totalsOf({ hands, total, mistakes, cost }: History, unit: string): string {
  if (hands === 0) return "no hands yet";
  const words = [
    `${count(hands)} ${hands === 1 ? "hand" : "hands"}`,
    `${signed(total, 2)} ${unit} (${signed(total / hands, 3)} a hand)`,
    `${count(mistakes)} ${mistakes === 1 ? "mistake" : "mistakes"}`,
    `gave away ${cost.toFixed(2)}`,
  ];
  return words.join(" · ");
}

function lastHands(number: number): string {
  return number === 1 ? "the last hand" : `the last ${count(number)} hands`;
}
