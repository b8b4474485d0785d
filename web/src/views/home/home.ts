// The front door: what this is, three ways to begin, examples that open without solving, and the newest runs.

import { fill, h } from "../../dom";
import { count, moment, short, withUnit } from "../../format";
import type { RunSummary } from "../../model";
import { AUTOMATIC, NEW_SPOT, RUNS_TABLE, TABLE } from "../../places";
import { ANYWHERE } from "../../state";
import type { Context } from "../../view";
import { openReport } from "../runs/shown";
import { newestFirst, STAR, STATUS_MARKS, titleOf } from "../runs/words";
import { river, pushFold, kuhn } from "./pictures";

const RECENT = 6;

interface Door {
  title: string;
  words: string;
  picture: () => SVGElement;
  /** Something new to make: the place, and what the button says. */
  make?: { place: string; words: string };
  /** The example to open, its view, and what the button says. */
  example: string;
  view: string;
  open: string;
}

const DOORS: readonly Door[] = [
  {
    title: "Solve a spot", example: "river", view: "spot", open: "open a solved river", picture: river,
    make: { place: NEW_SPOT, words: "new spot" },
    words: "Board, two ranges, bet sizes: see what every hand should do, what it is worth, and who has the better range.",
  },
  {
    title: "Push/fold charts", example: "pushfold", view: "pushfold", open: "open two-player charts", picture: pushFold,
    make: { place: TABLE, words: "set up a table" },
    words: "Short stacks before the flop: which hands to push all-in, and with which to call. For 2 to 9 seats, any stacks, chips or prizes.",
  },
  {
    title: "Learn with Kuhn poker", example: "kuhn", view: "strategy", open: "open Kuhn poker", picture: kuhn,
    words: "Three cards, one bet: the smallest game in which bluffing pays. Watch the solver find out, and play against it.",
  },
];

export class Home {
  readonly element = h("section", { class: "home", "aria-label": "Home" });
  private readonly recent = h("div", { class: "recent" });
  private drawn = "";

  constructor(private readonly context: Context) {
    fill(this.element,
      h("header", {}, h("h2", {}, "Poker strategies that cannot be exploited"),
        h("p", { class: "lead" }, "Untilt computes equilibria of poker games, shows what every hand does, and plays them against you.")),
      h("div", { class: "doors" }, ...DOORS.map((door) => this.door(door))),
      this.recent,
      h("p", { class: "soft" }, "Every button here is a command in the terminal, too: ",
        h("code", {}, "untilt spot"), ", ", h("code", {}, "untilt chart"), ", ", h("code", {}, "untilt solve kuhn"),
        ". The documentation opens with ", h("code", {}, "untilt docs"), ". A quantal response document (.json) can be dropped on this page."));
  }

  update(): void {
    const { runs, reports } = this.context.data;
    const sorted = newestFirst(runs);
    // Runs with a star first.
    const newest = [...sorted.filter(({ label }) => label.is_starred), ...sorted.filter(({ label }) => !label.is_starred)].slice(0, RECENT);
    const key = JSON.stringify([newest.map(({ id, status, last, label }) => [id, status, last?.exploitability, label]), reports.map(({ id, solved }) => [id, solved])]);
    if (key === this.drawn) return;
    this.drawn = key;
    fill(this.recent, newest.length > 0 && h("h3", {}, "Your newest runs"),
      newest.length > 0 && h("ul", {}, ...newest.map((run) => h("li", {}, this.link(run)))),
      runs.length > newest.length && h("button", {
        class: "link", type: "button", onclick: () => this.context.store.set({ view: RUNS_TABLE, run: runs[0]?.id ?? null }),
      }, `all ${runs.length} runs`),
      reports.length > 0 && h("h3", {}, "Spots on many flops"),
      reports.length > 0 && h("ul", {}, ...reports.map(({ id, name, solved, flops }) => h("li", {}, h("button", {
        type: "button", class: "recent-run", onclick: () => openReport(this.context.store, id),
      }, h("strong", {}, name), h("span", { class: "soft number" }, solved < flops ? `${count(solved)} of ${count(flops)} flops` : `${count(flops)} flops`))))));
  }

  private door({ title, words, picture, make, example, view, open }: Door): HTMLElement {
    return h("section", { class: "door panel", "data-door": example },
      h("div", { class: "door-picture", "aria-hidden": "true" }, picture()),
      h("h3", {}, title), h("p", { class: "soft" }, words),
      h("div", { class: "group" },
        make !== undefined && h("button", { class: "button primary", type: "button", onclick: () => this.context.store.set({ view: make.place }) }, make.words),
        this.context.data.isListed(`.example-${example}`) && h("button", { class: make !== undefined ? "button" : "button primary", type: "button", onclick: () => this.open(`.example-${example}`, view) }, open)));
  }

  private link(run: RunSummary): HTMLElement {
    const gain = run.last?.exploitability;
    return h("button", { type: "button", class: "recent-run", onclick: () => this.open(run.id, AUTOMATIC) },
      h("strong", {}, `${run.label.is_starred ? `${STAR} ` : ""}${titleOf(run)}`), h("span", { class: "soft" }, `${STATUS_MARKS[run.status]} ${run.method}`),
      h("span", { class: "soft number" }, gain == null ? "" : `exploitability ${withUnit(short(gain), run.unit)}`),
      h("span", { class: "soft number" }, moment(run.created)));
  }

  private open(run: string, view: string): void {
    this.context.store.set({ run, view, moment: null, spot: ANYWHERE, infoset: null, compare: [], options: {} });
  }
}
