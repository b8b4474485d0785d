// The noise of a player over time, with bands of 95 %, and where it changes.

import * as api from "../../api";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { count, moment, percent } from "../../format";
import type { NoiseEstimate, TiltPage } from "../../model";
import { Newest } from "../../newest";

const NAMESPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [900, 340];
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 14, 14, 40];
const WINDOWS = [50, 100, 200, 500, 1000, 5000];
const TICKS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class TiltPart {
  readonly element: HTMLElement;
  private readonly choice = h("select", { "aria-label": "hands in a period", onchange: () => this.choose(this.choice.value) });
  private readonly chart = h("div", { class: "panel tilt-chart" });
  private readonly tables = h("div", { class: "tilt-tables" });
  private readonly newest = new Newest<TiltPage>();
  private key = "";

  constructor(private readonly choose: (hands: string) => void) {
    this.element = h("section", { class: "tilt", "aria-label": "tilt" },
      h("div", { class: "toolbar" }, h("label", {}, "hands in a period ", this.choice)), this.chart, this.tables);
  }

  show(review: string, hands: number): void {
    fill(this.choice, ...[...new Set([...WINDOWS, hands])].sort((one, other) => one - other).map((one) => h("option", { value: one, selected: one === hands }, count(one))));
    const key = JSON.stringify([review, hands]);
    if (key === this.key) return;
    this.key = key;
    fill(this.chart, h("p", { class: "soft" }, "looking for changes at every hand …"));
    fill(this.tables);
    this.newest.ask(key, () => api.tilt(review, hands), (page) => this.draw(page), (error) => {
      this.key = "";
      fill(this.chart, h("p", { class: "lost", role: "alert" }, messageOf(error)));
    });
  }

  private draw(page: TiltPage): void {
    fill(this.chart, chartOf(page), h("p", { class: "soft" },
      "Noise is how much of the pot an action may be worth less than the best before it is taken 2.7 times less often. ",
      "Each step is a period, with its 95 % interval; lines mark changes that are stronger than chance."));
    const { changes, after_losses: losses } = page;
    const streets = table("By street", [["all", page.noise], ...Object.entries(page.by_street)]);
    const about = `${count(losses.losses)} losses of ${losses.loss_bb} bb or more`;
    const lost = losses.after === null || losses.otherwise === null || losses.strength === null
      ? h("section", { class: "panel" }, h("h3", {}, "After large losses"), h("p", {}, `${about}: nothing to compare.`))
      : table("After large losses", [[`the next ${losses.hands} hands`, losses.after], ["all other hands", losses.otherwise]],
        `${about}; a difference as large comes by chance with probability ${losses.strength.toFixed(3)}.`);
    const found = h("section", { class: "panel" }, h("h3", {}, "Changes"), changes.length === 0
      ? h("p", {}, "None that is stronger than chance.")
      : h("ul", {}, ...changes.map((change) => h("li", {},
        h("strong", {}, `at hand ${count(change.hand)}: `), `${noiseWords(change.before)}, then ${noiseWords(change.after)}`,
        h("span", { class: "soft" }, ` (by chance with probability ${change.strength.toFixed(3)})`)))));
    fill(this.tables, streets, found, lost);
  }
}

/** A noise with its interval: 6.1 % (5.2 to 7.3 %). */
export function noiseWords({ noise, interval: [low, high] }: NoiseEstimate): string {
  if (noise === 0) return `below ${percent(high)}`;
  if (noise === null) return `above ${percent(low)}`;
  return `${percent(noise)} (${percent(low)} to ${high === null ? "∞" : percent(high)})`;
}

function table(title: string, rows: readonly (readonly [string, NoiseEstimate])[], note = ""): HTMLElement {
  return h("section", { class: "panel" }, h("h3", {}, title), h("table", {},
    h("thead", {}, h("tr", {}, ...["", "noise", "decisions"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows.map(([name, noise]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, noiseWords(noise)),
      h("td", { class: "number" }, count(noise.decisions)))))), note !== "" && h("p", { class: "soft" }, note));
}

/** The least and the largest noise that the chart shows. */
export function boundsOf(page: TiltPage): [number, number] {
  const known = [page.noise, ...page.periods].flatMap(({ noise, interval: [low, high] }) => (
    [noise, low, high].filter((one): one is number => one !== null && one > 0)));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return Number.isFinite(low) ? [Math.max(low * 0.85, 1e-4), Math.min(Math.max(high * 1.15, low * 2), 20)] : [0.01, 1];
}

function chartOf(page: TiltPage): SVGElement {
  const last = Math.max(1, ...page.periods.map((period) => period.last + 1));
  const [low, high] = boundsOf(page);
  const x = (hand: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * hand) / last;
  const y = (noise: number): number => {
    const share = Math.log(Math.max(Math.min(noise, high), low) / low) / Math.log(high / low);
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
  };
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "tilt-picture", "aria-label": spoken(page) });
  for (const tick of TICKS.filter((one) => one >= low && one <= high)) {
    svg.append(make("line", { class: "gridline", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }),
      make("text", { x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, `${Number((100 * tick).toPrecision(2))} %`));
  }
  for (const { first, last: end, noise, interval: [bottom, top], begins } of page.periods) {
    const [from, to] = [x(first), x(end + 1)];
    const band = make("rect", { class: "band", x: from, width: Math.max(1, to - from), y: y(top ?? high), height: Math.max(1, y(bottom) - y(top ?? high)) });
    band.append(make("title", {}, `hands ${count(first)} to ${count(end)}${begins === null ? "" : `, ${moment(begins)}`}`));
    svg.append(band, make("line", { class: "step", x1: from, x2: to, y1: y(noise ?? high), y2: y(noise ?? high) }));
  }
  if (page.noise.noise !== null && page.noise.noise > 0) {
    svg.append(make("line", { class: "whole", x1: LEFT, x2: WIDTH - RIGHT, y1: y(page.noise.noise), y2: y(page.noise.noise) }));
  }
  for (const { hand } of page.changes) {
    svg.append(make("line", { class: "change", x1: x(hand), x2: x(hand), y1: TOP, y2: HEIGHT - BOTTOM }),
      make("text", { class: "change-name", x: x(hand) + 4, y: TOP + 12 }, `hand ${count(hand)}`));
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const hand = Math.round(share * last);
    svg.append(make("text", { x: x(hand), y: HEIGHT - BOTTOM + 18, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" }, count(hand)));
  }
  svg.append(make("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, "hands of the player"),
    make("line", { class: "base", x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }));
  return svg;
}

function spoken(page: TiltPage): string {
  const changes = page.changes.map(({ hand, before, after }) => `at hand ${hand} from ${noiseWords(before)} to ${noiseWords(after)}`);
  return `Noise of ${page.player} over time: ${noiseWords(page.noise)} in all; ${changes.length === 0 ? "no change" : `changes ${changes.join(", ")}`}`;
}

function make(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== "") element.textContent = text;
  return element;
}
