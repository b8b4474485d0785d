// Another solution of the same board beside this one: a lock before and after, other sizes, other noise. What the range and
// every hand do in both, what doing the other's costs here, and the lines of the street on which they differ most.

import { actionClasses } from "../../action_styles";
import * as api from "../../api";
import { cardSpans } from "../../card_text";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { count, percent, short } from "../../format";
import { LruCache } from "../../lru_cache";
import { mixBar } from "../../mix_bar";
import type { DifferenceHere, NodePage, RunSummary, SolutionDifference } from "../../model";
import { Newest } from "../../newest";
import { nameOf } from "../noise/rungs";
import { mixWords } from "./cells";
import type { Amounts } from "./units";

const KEPT = 20;
const MOST_HANDS = 40;
const MOST_LINES = 30;
/** Less than this is the rounding of what is sent, and no difference. */
const ALIKE = 1e-4;

export interface Compared {
  /** Of the other solution. */
  run: RunSummary;
  difference: SolutionDifference;
  /** The node of the other solution, for its grid; null where nobody acts. */
  node: NodePage | null;
}

export interface CompareEvents {
  /** Another run, or none, is compared with. */
  choose(run: string | null): void;
  go(line: string): void;
  /** What was asked for has come. */
  show(): void;
}

export class ComparePanel {
  readonly element = h("section", { class: "compare-panel", "aria-label": "Another solution" });
  private readonly select = h("select", { "aria-label": "the other solution", onchange: () => this.events.choose(this.select.value || null) });
  private readonly body = h("div", { class: "spot-table", tabindex: 0, role: "region", "aria-label": "Differences" });
  private readonly known = new LruCache<Compared>(KEPT);
  private readonly newest = new Newest<Compared>();
  private compared: Compared | null = null;
  private problem: string | null = null;
  private key = "";
  private drawn: unknown[] = [];

  constructor(private readonly events: CompareEvents) {
    fill(this.element, h("label", { class: "line" }, "with ", this.select), this.body);
  }

  /** What is compared at the node that was asked for last; null until it is there. */
  get current(): Compared | null {
    return this.compared;
  }

  /** Ask for the other solution's side of a node, unless it is known; `null` compares with nothing. */
  ask(run: string, other: RunSummary | null, node: NodePage): void {
    const key = JSON.stringify([run, other?.id, other?.last?.iteration, node.line, node.board]);
    if (key === this.key) return;
    this.key = key;
    this.problem = null;
    this.compared = other === null ? null : (this.known.get(key) ?? null);
    if (other === null || this.compared !== null) return;
    this.newest.ask(key, () => load(run, other, node), (found) => {
      this.known.set(key, found);
      if (key !== this.key) return;
      this.compared = found;
      this.events.show();
    }, (error) => {
      if (key !== this.key) return;
      this.problem = messageOf(error);
      this.events.show();
    });
  }

  forget(): void {
    this.newest.forget();
    this.key = "";
  }

  /** `others` are the runs that can be compared with, `name` is what this one is called. */
  draw(node: NodePage, others: readonly RunSummary[], chosen: string | null, name: string, seats: readonly [string, string], amounts: Amounts): void {
    const names = others.map(solutionName);
    const drawn = [node, this.compared, this.problem, chosen, amounts.heading, JSON.stringify(names)];
    if (drawn.every((one, index) => one === this.drawn[index])) return;
    this.drawn = drawn;
    fill(this.select, h("option", { value: "" }, others.length === 0 ? "no other solution of this board" : "choose a solution"),
      ...others.map(({ id }, index) => h("option", { value: id }, names[index])));
    this.select.disabled = others.length === 0;
    this.select.value = chosen ?? "";
    const { compared } = this;
    if (chosen === null) {
      fill(this.body, h("p", { class: "soft" }, others.length === 0
        ? "Solve this board again, with a lock, other sizes or noise, and both are shown side by side here."
        : "Two solutions of one board side by side: before and after a lock, with other sizes, or Nash and players who make mistakes."));
    } else if (this.problem !== null) fill(this.body, h("p", { class: "problem", role: "alert" }, this.problem));
    else if (compared === null) fill(this.body, h("p", { class: "soft", role: "status" }, "comparing …"));
    else {
      const other = solutionName(compared.run);
      fill(this.body, this.here(node, compared.difference.here, name, other, seats, amounts), this.hands(node, compared.difference.here, name, other, amounts),
        this.lines(compared.difference, other, seats, amounts));
    }
  }

  private here(node: NodePage, here: DifferenceHere | null, name: string, other: string, seats: readonly [string, string], amounts: Amounts): HTMLElement {
    if (here === null || node.player === -1) {
      return h("p", { class: "soft" }, node.player === -1 ? "Nobody acts here; the lines below are of this street." : `${other} has no such place.`);
    }
    const styles = actionClasses(node.actions);
    const row = (title: string, mix: readonly (number | null)[], ev: number | null, reach: number | null): HTMLElement => h("tr", {},
      h("th", { scope: "row" }, title), h("td", { class: "mix" }, mixBar(mix, styles), h("span", { class: "words" }, words(node, mix))),
      h("td", {}, amounts.text(ev, 2)), h("td", {}, percent(reach)));
    return h("div", {}, h("table", { class: "both-mixes" },
      h("thead", {}, h("tr", {}, h("th", {}, seats[node.player]), h("th", {}, "what the range does"), h("th", {}, `EV${amounts.heading}`), h("th", {}, "reached"))),
      h("tbody", {}, row(name, here.mix, here.ev, here.reach), row(other, here.other_mix, here.other_ev, here.other_reach))),
    h("p", { class: "soft" }, `${percent(here.distance)} of the range does something else. Doing here what ${other} does costs `,
      h("strong", {}, amounts.full(here.loss, 2)), ` in ${name} when the line is played, ${amounts.full(here.cost, 3)} per deal.`));
  }

  private hands(node: NodePage, here: DifferenceHere | null, name: string, other: string, amounts: Amounts): HTMLElement | null {
    if (here === null) return null;
    const { hands } = here;
    const styles = actionClasses(node.actions);
    const lost = (index: number): number => (hands.weight[index] ?? 0) * (hands.cost[index] ?? 0);
    const gap = (index: number): number => hands.mix.reduce((sum, row, action) => sum + Math.abs((row[index] ?? 0) - (hands.other_mix[action]?.[index] ?? 0)), 0) / 2;
    const places = hands.label.map((_, index) => index).filter((index) => (hands.weight[index] ?? 0) >= ALIKE && gap(index) >= ALIKE)
      .sort((one, two) => lost(two) - lost(one) || gap(two) - gap(one));
    const mixOf = (rows: readonly (readonly (number | null)[])[], index: number): HTMLElement => {
      const mix = rows.map((row) => row[index] ?? null);
      return h("td", { class: "mix", title: words(node, mix) }, mixBar(mix, styles), h("span", { class: "spoken" }, words(node, mix)));
    };
    return h("table", {}, h("caption", { class: "soft" }, `${count(places.length)} hands differ${places.length > MOST_HANDS ? `, the ${MOST_HANDS} dearest` : ""}`),
      h("thead", {}, h("tr", {}, ...["hand", "weight", name, other, `EV${amounts.heading}`, "EV there", `cost${amounts.heading}`].map((title) => (
        h("th", { scope: "col" }, h("span", { class: "head" }, title)))))),
      h("tbody", {}, ...places.slice(0, MOST_HANDS).map((index) => h("tr", { "data-hand": hands.label[index] },
        h("th", { scope: "row" }, ...cardSpans(hands.label[index] ?? "")), h("td", {}, percent(hands.weight[index], 0)),
        mixOf(hands.mix, index), mixOf(hands.other_mix, index),
        h("td", {}, amounts.text(hands.ev[index])), h("td", {}, amounts.text(hands.other_ev[index])), h("td", {}, amounts.text(hands.cost[index], 2))))));
  }

  private lines({ lines }: SolutionDifference, other: string, seats: readonly [string, string], amounts: Amounts): HTMLElement {
    return h("table", { class: "lines" }, h("caption", { class: "soft" }, `decisions of this street, by what ${other}'s mix costs per deal`),
      h("thead", {}, h("tr", {}, ...["line", "acts", "differs", `loses${amounts.heading}`, "per deal", "reached", "there"].map((title) => (
        h("th", { scope: "col" }, h("span", { class: "head" }, title)))))),
      h("tbody", {}, ...lines.slice(0, MOST_LINES).map((one) => h("tr", { "data-line": one.line },
        h("th", { scope: "row" }, h("button", {
          class: "link", type: "button", title: `${mixWords(one.actions, numbers(one.mix))}; there ${mixWords(one.actions, numbers(one.other_mix))}`,
          onclick: () => this.events.go(one.line),
        }, one.words)),
        h("td", {}, seats[one.player]), h("td", {}, percent(one.distance)), h("td", {}, amounts.text(one.loss, 2)), h("td", {}, Math.abs(one.cost ?? 0) < ALIKE ? "0" : short(one.cost)),
        h("td", {}, percent(one.reach)), h("td", {}, percent(one.other_reach))))));
  }
}

async function load(run: string, other: RunSummary, node: NodePage): Promise<Compared> {
  const difference = await api.against(run, other.id, node.line, node.board ?? "");
  const { here } = difference;
  const there = here === null ? null : await api.treeNode(other.id, "spot", here.line, node.board ?? "");
  return { run: other, difference, node: there };
}

function numbers(mix: readonly (number | null)[]): number[] {
  return mix.map((share) => share ?? 0);
}

function words(node: NodePage, mix: readonly (number | null)[]): string {
  return mix.every((share) => share === null) ? "not in its range" : mixWords(node.actions, numbers(mix));
}

/** How a solution is told from others of its board: its name, and its noise if it has some. */
export function solutionName({ name, spot }: RunSummary): string {
  return spot?.noise ? `${name} (${nameOf(spot.noise)})` : name;
}
