// Push/fold charts: two grids of hands, for one of several stacks or for one frame of a run.

import * as api from "../../api";
import { HandGrid } from "../../charts/hand_grid";
import { HANDS } from "../../charts/hands";
import type { Change, RunData } from "../../data";
import { fill, h, setText } from "../../dom";
import { downloadGroup } from "../../download_group";
import { messageOf } from "../../errors";
import { count, short, signed, withUnit } from "../../format";
import type { NodePage, Player, PushFoldLimits, RunDetail } from "../../model";
import { TABLE } from "../../places";
import type { AppState } from "../../state";
import type { Context, View } from "../../view";
import { Answers } from "../node/answers";
import { RangeText } from "./copy";
import { percentOf, saveCsv, savePicture } from "./files";
import { fillLegend } from "./legend";
import {
  actionOf, countDifferences, greatest, hasRegret, limitCells, MODES, nodesOf, playCells, type Mode,
} from "./paint";
import { questionsFor } from "./questions";
import { Readout } from "./readout";
import { nearestStop, StackSlider, stopsOf, type Stop } from "./stacks";

const MODE_TEXTS: Record<Mode, string> = {
  frequency: "frequency", ev: "EV", regret: "regret", limit: "up to … bb",
};
/** How long a slider must rest before its stack is written to the address. */
const REST_MS = 250;

interface Half {
  grid: HandGrid;
  range: RangeText;
  heading: HTMLElement;
}

/** Less is the rounding of sums, not something that anybody could win. */
const ROUNDING_MBB = 1e-6;

export class PushFoldView implements View {
  readonly element = h("section", { class: "pushfold" });
  readonly inspector: HTMLElement;
  private readonly slider = new StackSlider((stop, isFinal) => this.chooseStop(stop, isFinal));
  private readonly readout = new Readout();
  private readonly siblings = h("nav", { class: "siblings group", "aria-label": "Runs with other stacks" });
  private readonly heading = h("h1", { class: "print-heading" });
  private readonly facts = h("p", { class: "facts" });
  private readonly legend = h("div", { class: "legend" });
  private readonly source = h("p", { class: "source soft" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly halves: readonly [Half, Half];
  private readonly modes: HTMLButtonElement[];
  private readonly publishedButton = h("button", {
    class: "button published", "aria-pressed": "false", onclick: () => this.togglePublished(),
  }, "published chart");
  private readonly charts = new Answers<NodePage>((chart) => this.show(chart), (error) => this.say(error));
  private run: RunDetail | null = null;
  private chart: NodePage | null = null;
  private limits: PushFoldLimits | null = null;
  private limitsOf = "";
  private mode: Mode = "frequency";
  private withPublished = false;
  private looked = { hand: 0, seat: 0 };
  /** The stop that a drag has reached while the address still has the previous one. */
  private dragged: Stop | null = null;
  private rest = 0;
  private askedKey = "";

  constructor(private readonly context: Context) {
    this.halves = [this.half("push", 0), this.half("call", 1)];
    this.modes = MODES.map((mode) => h("button", {
      class: "button", "data-mode": mode, "aria-pressed": "false",
      onclick: () => context.store.setOption("cells", mode === "frequency" ? null : mode),
    }, MODE_TEXTS[mode]));
    this.inspector = this.readout.element;
    this.build();
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    if (run.id !== this.run?.id) {
      this.endDrag();
      this.chart = null;
      this.limits = null;
      this.element.classList.add("waiting");
    }
    this.run = run.detail;
    const wanted = MODES.find((one) => one === state.options["cells"]) ?? "frequency";
    const mode = this.isOffered(wanted) ? wanted : "frequency";
    if (mode === "limit") void this.askForLimits(run.id);
    const withPublished = state.options["published"] === "1";
    if (mode !== this.mode || withPublished !== this.withPublished) {
      [this.mode, this.withPublished] = [mode, withPublished];
      this.draw();
    }
    this.showControls();
    this.showSpot(state);
    const isBack = change?.what === "connection" && this.context.data.connection === "live";
    this.askFor(state, isBack && !this.problem.hidden);
  }

  leave(): void {
    if (this.dragged !== null) this.settle();
    this.charts.forget();
    this.askedKey = "";
  }

  private build(): void {
    fill(this.element,
      h("div", { class: "toolbar" },
        this.slider.element,
        this.siblings,
        h("div", { class: "mode group", role: "group", "aria-label": "what cells show" }, ...this.modes),
        this.publishedButton,
        h("button", {
          class: "button whole-table", title: "Push/fold with more seats, different stacks, antes or prizes (a)",
          onclick: () => this.context.store.set({ view: TABLE }),
        }, "more seats, prizes …"),
        h("span", { class: "space" }),
        downloadGroup([
          { form: "SVG", save: () => this.savePicture("svg") },
          { form: "PNG", save: () => this.savePicture("png") },
          { form: "CSV", save: () => this.chart === null ? undefined : saveCsv(this.chart, this.fileName()) },
        ]),
      ),
      this.heading,
      this.problem,
      this.facts,
      h("div", { class: "grids" }, ...this.halves.map(({ grid, range, heading }) =>
        h("div", { class: "half" }, h("header", {}, heading, range.button), grid.element, range.text))),
      this.legend,
      this.source,
    );
  }

  private half(action: "push" | "call", seat: Player): Half {
    const label = action === "push" ? "small blind: hands to push" : "big blind: hands to call with";
    return {
      grid: new HandGrid(label, {
        look: (hand) => this.look(hand, seat),
        choose: (hand) => this.choose(hand, seat),
      }),
      range: new RangeText(action),
      heading: h("h2", {}),
    };
  }

  private stops(): Stop[] {
    return this.run === null ? [] : stopsOf(this.run, this.context.data.runs);
  }

  /** Whether the run has charts of stacks of its own, not one chart. */
  private isSweep(): boolean {
    return this.run !== null && this.run.stacks.length > 0;
  }

  private showControls(): void {
    const stops = this.stops();
    const isSweep = this.isSweep();
    if (this.dragged === null) this.slider.show(isSweep ? stops : [], this.currentStop(stops)?.stack ?? 0);
    this.slider.element.hidden = !isSweep || stops.length < 2 || this.mode === "limit";
    this.showSiblings(isSweep ? [] : stops);
    for (const button of this.modes) {
      const mode = button.dataset["mode"] as Mode;
      button.hidden = !this.isOffered(mode);
      button.setAttribute("aria-pressed", String(button.dataset["mode"] === this.mode));
    }
  }

  /** Only a sweep knows up to which stack; an exact solution has no regret. */
  private isOffered(mode: Mode): boolean {
    if (mode === "limit") return this.run !== null && this.run.stacks.length > 1;
    return mode !== "regret" || this.chart === null || hasRegret(this.chart);
  }

  /** Other runs that differ only in the stack: going there is a choice of its own, never a side effect. */
  private showSiblings(stops: readonly Stop[]): void {
    const own = this.run?.id ?? "";
    this.siblings.hidden = stops.length < 2;
    const key = JSON.stringify([own, stops]);
    if (this.siblings.hidden || this.siblings.dataset["key"] === key) return;
    this.siblings.dataset["key"] = key;
    const nameOf = (id: string): string => this.context.data.runs.find((run) => run.id === id)?.name ?? id;
    const select = h("select", {
      "aria-label": "Open the run of another stack", onchange: () => void this.changeRun(select.value),
    }, ...stops.map(({ stack, run }) => h("option", { value: run, selected: run === own }, `${stack} bb: ${nameOf(run)}`)));
    fill(this.siblings, h("span", { class: "soft" }, "run"), select);
  }

  /** Another view may have chosen a hand. */
  private showSpot({ spot }: AppState): void {
    const hand = HANDS.findIndex(({ name }) => name === spot.hand);
    if (hand >= 0 && this.looked.hand !== hand) this.looked = { hand, seat: spot.seat === 1 ? 1 : 0 };
  }

  private async askForLimits(run: string): Promise<void> {
    if (this.limitsOf === run) return;
    this.limitsOf = run;
    try {
      const limits = await api.limits(run);
      if (this.run?.id !== run) return;
      this.limits = limits;
      this.draw();
    } catch (error) {
      this.limitsOf = "";
      this.say(error);
    }
  }

  /** The stop in the address: given by the stack for a sweep, else by the run. */
  private currentStop(stops: readonly Stop[]): Stop | undefined {
    if (!this.isSweep()) return stops.find((stop) => stop.run === this.run?.id);
    const named = Number(this.context.store.state.options["stack"] ?? Number.NaN);
    return stops[Number.isFinite(named) ? nearestStop(stops, named) : Math.floor(stops.length / 2)];
  }

  private chooseStop(stop: Stop, isFinal: boolean): void {
    this.dragged = stop;
    this.askFor(this.context.store.state, false);
    window.clearTimeout(this.rest);
    if (isFinal) this.settle();
    else this.rest = window.setTimeout(() => this.settle(), REST_MS);
  }

  /** Write the chosen stop to the address. */
  private settle(): void {
    const stop = this.dragged;
    this.endDrag();
    if (stop === null) return;
    this.context.store.setOption("stack", String(stop.stack));
  }

  /** Loaded before it is shown: otherwise the page would be empty for a moment, and the list lose the focus. */
  private async changeRun(run: string): Promise<void> {
    try {
      await this.context.data.load(run);
      this.context.store.set({ run, moment: null, infoset: null });
    } catch (error) {
      this.say(error);
    }
  }

  private endDrag(): void {
    window.clearTimeout(this.rest);
    this.dragged = null;
  }

  private askFor(state: AppState, isAgain: boolean): void {
    const run = this.run;
    if (run === null) return;
    const stops = this.stops();
    const stop = this.dragged ?? this.currentStop(stops);
    const [question, ...ahead] = questionsFor(run, stops, stop, state.moment);
    if (question === undefined || (question.key === this.askedKey && !isAgain)) return;
    this.askedKey = question.key;
    this.charts.ask(run.id, question, () => ahead);
  }

  private show(chart: NodePage): void {
    this.chart = chart;
    this.problem.hidden = true;
    this.element.classList.remove("waiting");
    this.draw();
  }

  private say(error: unknown): void {
    const text = messageOf(error);
    fill(this.problem, `${text} `, h("button", {
      class: "button", onclick: () => this.askFor(this.context.store.state, true),
    }, "try again"));
    this.problem.hidden = false;
  }

  private draw(): void {
    const { chart, mode } = this;
    if (chart === null) return;
    const hasPublished = Boolean(chart.panels.published);
    const nodes = nodesOf(chart);
    const most = greatest(chart, mode === "limit" ? "frequency" : mode);
    const limits = mode === "limit" ? this.limits : null;
    this.element.dataset["mode"] = mode;
    this.halves.forEach(({ grid, range, heading }, index) => {
      const node = nodes[index];
      if (node === undefined) return;
      grid.element.dataset["action"] = actionOf(node);
      const isMarked = this.withPublished && hasPublished && mode !== "limit";
      grid.draw(limits !== null
        ? limitCells(limits, index as Player)
        : playCells(node, mode === "limit" ? "frequency" : mode, most, isMarked));
      range.show(node.panels.range ?? "");
      if (limits !== null) fill(heading, `${node.words} up to this stack, bb`);
      else {
        fill(heading, `${node.words} `,
          h("span", { class: "percent number" }, `${percentOf(node)} %`),
          h("span", { class: "of-hands" }, " of hands"));
      }
    });
    setText(this.heading, limits === null
      ? `Push/fold at ${chart.panels.stack?.stack} bb, ${chart.panels.stack?.stakes}`
      : `Push/fold by stack, ${limits.stakes}`);
    this.showControls();
    fill(this.facts, ...factsOf(chart, this.slider.element.hidden === true).map(([name, value]) =>
      h("span", { class: "fact", "data-field": name }, h("span", { class: "soft" }, `${name} `), value)));
    fillLegend(this.legend, chart, mode, most);
    this.publishedButton.hidden = mode === "limit";
    this.publishedButton.disabled = !hasPublished;
    this.publishedButton.setAttribute("aria-pressed", String(this.withPublished && hasPublished));
    this.publishedButton.title = hasPublished ? "" : "there is no published chart for these stakes";
    this.source.hidden = !this.withPublished || mode === "limit";
    fill(this.source, ...this.sourceWords(chart));
    this.look(this.looked.hand, this.looked.seat);
  }

  private sourceWords(chart: NodePage): (Node | string)[] {
    const { published } = chart.panels;
    if (!published) return ["there is no published chart for these stakes"];
    const different = countDifferences(chart);
    const numHands = nodesOf(chart).length * HANDS.length;
    return [
      h("span", { class: "key" }), " played in the published chart; outlined: the charts differ, ",
      h("strong", { class: "differences" }, count(different)), ` of ${count(numHands)} hands. Source: ${published.source}`,
    ];
  }

  private look(hand: number, seat: number): void {
    this.looked = { hand, seat };
    for (const { grid } of this.halves) grid.mark(hand);
    if (this.chart !== null) this.readout.show(this.chart, hand, seat);
  }

  /** The hand becomes part of the address, so that other views show it too. */
  private choose(hand: number, seat: Player): void {
    const line = this.run?.lines.find((one) => one.player === seat)?.line ?? null;
    this.context.store.go({ hand: HANDS[hand]?.name ?? null, seat, line }, { replace: true });
  }

  private togglePublished(): void {
    this.context.store.setOption("published", this.withPublished ? null : "1");
  }

  private async savePicture(form: "svg" | "png"): Promise<void> {
    const { chart } = this;
    if (chart === null) return;
    const grids = this.halves.map(({ grid }) => grid.element);
    const note = { frequency: "", ev: "numbers: bb gained over folding", regret: "numbers: regret in mbb",
      limit: "numbers: stack in bb up to which the hand is played" };
    await savePicture(form, this.element, chart, grids, note[this.mode], this.fileName());
  }

  private fileName(): string {
    return this.mode === "limit" ? "push-fold-by-stack" : `push-fold-${this.chart?.panels.stack?.stack ?? 0}-bb`;
  }
}

function factsOf({ panels: { stack: facts } }: NodePage, withStack: boolean): [string, string][] {
  if (facts === undefined) return [];
  const { stack, stakes, value, exploitability } = facts;
  const mbb = exploitability === null ? null : 1000 * exploitability;
  return [
    ...(withStack ? [["stack", `${stack} bb`] as [string, string]] : []),
    ["stakes", stakes],
    ["value for the small blind", withUnit(signed(value, 5), "bb per hand")],
    ["exploitability", withUnit(mbb !== null && mbb > 0 && mbb < ROUNDING_MBB ? "less than 10⁻⁶" : short(mbb), "mbb per hand")],
  ];
}
