// Where a player loses: decisions by street, position and so on, and the dearest ones.

import * as api from "../../api";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { count, fixed } from "../../format";
import type { LeakGroup, LeakReport, Mistake } from "../../model";
import { Newest } from "../../newest";
import { didWords } from "./judgement";

const SHOWN = 8;
const DEAREST = 40;

export interface GroupName {
  by: string;
  name: string;
}

export class LeaksPart {
  readonly element = h("section", { class: "leaks", "aria-label": "leaks" });
  private readonly facts = h("div", { class: "panel leak-facts" });
  private readonly groups = h("div", { class: "groups" });
  private readonly dearest = h("section", { class: "panel dearest" });
  private readonly reports = new Newest<LeakReport>();
  private readonly lists = new Newest<{ total: number; rows: Mistake[] }>();
  private report: LeakReport | null = null;
  private key = "";
  private chosen = "";

  /** `choose` shows only one group, or all; `open` shows a hand, `study` drills the mistakes of a group. */
  constructor(
    private readonly choose: (group: GroupName | null) => void, private readonly open: (mistake: Mistake) => void,
    private readonly study: () => void,
  ) {
    fill(this.element, this.facts, h("div", { class: "columns" }, this.groups, this.dearest));
  }

  show(review: string, group: GroupName | null): void {
    if (review !== this.key) {
      this.key = review;
      this.report = null;
      fill(this.facts, h("p", { class: "soft" }, "reading the review …"));
      fill(this.groups);
      this.reports.ask(review, () => api.leakReport(review), (report) => this.draw(report, group), (error) => this.fail(error));
    } else if (this.report !== null) this.mark(group);
    const chosen = JSON.stringify([review, group]);
    if (chosen === this.chosen) return;
    this.chosen = chosen;
    this.lists.ask(chosen, () => api.mistakes(review, group, DEAREST), (found) => this.drawMistakes(found, group), (error) => this.fail(error));
  }

  private fail(error: unknown): void {
    this.key = "";
    fill(this.facts, h("p", { class: "lost", role: "alert" }, messageOf(error)));
  }

  private draw(report: LeakReport, group: GroupName | null): void {
    this.report = report;
    const { cost_mbb: cost, interval_mbb: interval, total_bb: total } = report;
    const half = interval === null ? "" : ` ± ${count((interval[1] - interval[0]) / 2)}`;
    const fields: [string, string][] = [
      ["player", report.player], ["hands", count(report.hands)], ["decisions", count(report.decisions)],
      ["judged", `${count(report.judged)} by ${report.agents.map((one) => one.split("/").filter(Boolean).at(-1) ?? one).join(", ")}`],
      ["cost a decision", cost === null ? "–" : `${count(cost)}${half} mbb`],
      ["in all", total === null ? "–" : `${fixed(total, 1)} bb`],
      ["per 100 hands", total === null || report.hands === 0 ? "–" : `${fixed((100 * total) / report.hands, 1)} bb`],
    ];
    const reasons = Object.entries(report.not_judged);
    fill(this.facts, h("dl", {}, ...fields.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, text)))),
      reasons.length > 0 && h("details", {}, h("summary", {}, `${count(reasons.reduce((sum, [, one]) => sum + one, 0))} decisions not judged`),
        h("ul", {}, ...reasons.map(([reason, number]) => h("li", {}, `${count(number)}: ${reason}`)))));
    fill(this.groups, ...Object.entries(report.by).map(([by, { words, groups }]) => this.panel(by, words, groups)));
    this.mark(group);
  }

  private panel(by: string, words: string, groups: readonly LeakGroup[]): HTMLElement {
    const most = Math.max(...groups.map(({ total_bb: total }) => total), 1e-9);
    const rows = groups.map((group, at) => this.row(by, group, most, at >= SHOWN));
    const more = groups.length <= SHOWN ? null : h("button", {
      class: "link", type: "button", onclick: () => {
        for (const row of rows) row.hidden = false;
        more?.remove();
      },
    }, `${groups.length - SHOWN} more`);
    return h("section", { class: "panel", "data-by": by }, h("h3", {}, `By ${words}`),
      h("table", {},
        h("thead", {}, h("tr", {}, ...["", "decisions", "cost each, mbb", "in all, bb", ""].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, ...rows)), more);
  }

  private row(by: string, group: LeakGroup, most: number, isHidden: boolean): HTMLTableRowElement {
    const { name, count: number, cost_mbb: cost, interval_mbb: interval, total_bb: total } = group;
    const bar = h("span", { class: "bar" });
    bar.style.width = `${Math.max(0, (100 * total) / most)}%`;
    const half = interval === null ? "" : ` ± ${count((interval[1] - interval[0]) / 2)}`;
    return h("tr", { "data-name": name, hidden: isHidden },
      h("th", { scope: "row" }, h("button", { class: "link", type: "button", onclick: () => this.choose({ by, name }) }, name)),
      h("td", { class: "number" }, count(number)), h("td", { class: "number" }, `${count(cost)}${half}`),
      h("td", { class: "number" }, fixed(total, 1)), h("td", { class: "track" }, bar));
  }

  private mark(group: GroupName | null): void {
    for (const row of this.groups.querySelectorAll<HTMLElement>("tr[data-name]")) {
      const by = row.closest<HTMLElement>("[data-by]")?.dataset["by"];
      row.toggleAttribute("aria-current", group !== null && by === group.by && row.dataset["name"] === group.name);
    }
  }

  private drawMistakes({ total, rows }: { total: number; rows: Mistake[] }, group: GroupName | null): void {
    const title = group === null ? "The dearest decisions" : `The dearest: ${group.name}`;
    fill(this.dearest,
      h("header", {}, h("h3", {}, title),
        group !== null && h("button", { class: "button small", type: "button", onclick: () => this.choose(null) }, "all"),
        rows.length > 0 && h("button", { class: "button small primary", type: "button", onclick: this.study }, "study these")),
      h("p", { class: "soft" }, `${count(total)} decisions cost something${rows.length < total ? `; the first ${count(rows.length)}` : ""}`),
      h("ol", {}, ...rows.map((row) => h("li", {}, h("button", { type: "button", class: "mistake", onclick: () => this.open(row) },
        h("strong", { class: "lost number" }, `${fixed(row.cost_bb, 1)} bb`),
        h("span", {}, `${row.street}, ${row.position}, ${row.held}`),
        h("span", { class: "soft" }, `${row.line}: ${didWords(row)}, best ${row.best}`),
        h("span", { class: "soft number" }, `pot ${fixed(row.pot_bb, 1)} bb · ${row.hand}`))))));
  }
}
