// The score of a session next to the table: numbers, chart, hands.

import { h } from "../../dom";
import { downloadGroup, pictureSaves } from "../../download_group";
import { count, signed } from "../../format";
import type { TableTerms } from "../../model";
import { TotalChart } from "./chart";
import { HandsTable, saveHands } from "./hands";
import { pathOf, scoreOf, type HandResult, type Score } from "./score";
import type { PlaySession } from "./session";

const FIELDS: [keyof Score | "interval", string][] = [
  ["hands", "hands"],
  ["total", "total"],
  ["mean", "per hand"],
  ["interval", "95 % interval"],
  ["cost", "cost per hand"],
  ["mistakes", "mistakes"],
];

export class ScoreBoard {
  readonly score: HTMLElement;
  readonly hands: HTMLElement;
  private readonly chart = new TotalChart();
  private readonly table: HandsTable<HandResult>;
  private readonly texts = new Map<string, HTMLElement>();
  private readonly unitText = h("span", { class: "soft" });
  private shown: PlaySession["results"] | null = null;
  private session: PlaySession | null = null;
  private unit = "chips";
  private name = "";

  constructor(open: (result: HandResult) => void) {
    this.table = new HandsTable(open);
    const fields = FIELDS.map(([name, text]) => {
      const value = h("dd", { "data-field": name, class: "number" });
      this.texts.set(name, value);
      return h("div", {}, h("dt", {}, text), value);
    });
    this.score = h("section", { class: "score panel", "aria-label": "score" },
      h("header", {}, h("h2", {}, "Score"), this.unitText),
      h("dl", {}, ...fields), this.chart.element,
      downloadGroup(pictureSaves(this.chart.element, () => this.name), "chart"));
    this.hands = h("section", { class: "hands panel", "aria-label": "hands of the session" },
      h("header", {}, h("h2", {}, "Hands"),
        downloadGroup([{ form: "CSV", save: () => this.save() }], "hands")),
      this.table.element);
  }

  /** `current` is the hand on the table, `name` the name for downloads. */
  show(session: PlaySession, current: HandResult | null, { unit, public: seen }: TableTerms, name: string): void {
    this.table.show(session.results, current, seen);
    this.hands.hidden = session.results.length === 0;
    if (session.results === this.shown && name === this.name) return;
    [this.session, this.shown, this.unit, this.name] = [session, session.results, unit, name];
    this.unitText.textContent = `in ${unit}`;
    const score = scoreOf(session.results);
    this.write("hands", count(score.hands));
    this.write("total", signed(score.total, 2));
    this.write("mean", signed(score.mean, 3));
    this.write("interval", score.margin === null ? "–" : `± ${score.margin.toFixed(3)}`);
    this.write("cost", score.cost === null ? "–" : score.cost.toFixed(3));
    this.write("mistakes", count(score.mistakes));
    this.chart.draw(pathOf(session.results), unit);
  }

  private write(name: string, text: string): void {
    const element = this.texts.get(name);
    if (element !== undefined) element.textContent = text;
  }

  private save(): void {
    const { session } = this;
    if (session === null) return;
    saveHands(session.results.map((result) => ({ ...result, seed: session.seed })), this.unit, this.name);
  }
}
