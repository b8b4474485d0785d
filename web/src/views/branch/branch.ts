// A quantal response branch: the strategy at some infosets, and the exploitability, as β grows.

import * as api from "../../api";
import { historyPanel } from "../../charts/history";
import type { AxisKind } from "../../charts/lines";
import type { Panel } from "../../charts/panel_model";
import { PanelChart } from "../../charts/panels";
import type { Change, RunData } from "../../data";
import { h } from "../../dom";
import { downloadCsv, type Cell } from "../../download";
import { downloadGroup, pictureSaves } from "../../download_group";
import { messageOf } from "../../errors";
import { oneOf, short } from "../../format";
import { frameAt } from "../../frames";
import type { InfosetHistory } from "../../model";
import { Newest } from "../../newest";
import { clamp } from "../../numbers";
import type { AppState } from "../../state";
import type { Context, View } from "../../view";
import { choiceOf, chosenIn } from "./choice";
import { InfosetChooser, MAX_CHOSEN } from "./chooser";

/** Room below the chart, and for titles and the axis. */
const MARGIN = 20;
const HEADS = 42;

const AXES: readonly { kind: AxisKind; words: string }[] = [
  { kind: "log1p", words: "log from 0" },
  { kind: "log", words: "log" },
  { kind: "linear", words: "linear" },
];

export class BranchView implements View {
  readonly element = h("section", { class: "branch" });
  private readonly axes = h("div", { class: "group axes", role: "group", "aria-label": "Axis of β" });
  private readonly message = h("p", { class: "soft", role: "status", hidden: true });
  private readonly chooser: InfosetChooser;
  private readonly chart = new PanelChart((iteration) => this.pick(iteration));
  private readonly figure = h("div", { class: "figure" }, this.message, this.chart.element);
  private readonly newest = new Newest<InfosetHistory[]>();
  private histories: InfosetHistory[] = [];
  private run: RunData | null = null;
  private state: AppState | null = null;
  /** The first infoset of the run, shown if none is chosen. */
  private first: string | null = null;
  private asked = "";
  private drawn = "";

  constructor(private readonly context: Context) {
    const { store } = context;
    this.chooser = new InfosetChooser(
      (labels) => store.set(choiceOf(labels, store.state)),
      (label) => {
        this.first = label;
        this.ask({ again: false });
      },
    );
    this.axes.append(h("span", { class: "soft" }, "axis of β"), ...AXES.map(({ kind, words }) => h("button", {
      class: "button chip", "data-axis": kind, onclick: () => store.setOption("axis", kind),
    }, words)));
    this.element.append(
      h("div", { class: "toolbar" }, this.axes, h("span", { class: "space" }),
        downloadGroup([
          ...pictureSaves(this.chart.element, () => this.fileName()),
          { form: "CSV", save: () => this.saveTable() },
        ])),
      h("div", { class: "branch-body" }, this.chooser.element,
        this.figure),
    );
    new ResizeObserver(() => this.draw({ again: false })).observe(this.element);
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    if (run.id !== this.run?.id) {
      this.first = null;
      this.histories = [];
      this.asked = "";
      this.chart.element.classList.add("outdated");
    }
    this.run = run;
    this.state = state;
    const axis = this.axis();
    for (const one of this.axes.querySelectorAll("button")) {
      one.setAttribute("aria-pressed", String(one.dataset["axis"] === axis));
    }
    this.chooser.update(run.id, run.detail.terms.seats, this.chosen());
    this.ask({ again: change?.what === "frames" || change?.what === "loaded" });
    this.draw({ again: change?.what === "rows" });
  }

  leave(): void {
    this.newest.forget();
    this.chooser.forget();
    this.asked = "";
  }

  private chosen(): string[] {
    const chosen = this.state === null ? [] : chosenIn(this.state).slice(0, MAX_CHOSEN);
    return chosen.length > 0 || this.first === null ? chosen : [this.first];
  }

  private axis(): AxisKind {
    return AXES.find(({ kind }) => kind === this.state?.options["axis"])?.kind ?? "log1p";
  }

  private ask({ again }: { again: boolean }): void {
    const { run } = this;
    const labels = this.chosen();
    if (run === null || labels.length === 0) return;
    const key = JSON.stringify([run.id, ...labels]);
    if (key === this.asked && !again) return;
    this.asked = key;
    const known = new Map(again ? [] : this.histories.map((one) => [one.label, one]));
    this.newest.ask(
      key,
      () => Promise.all(labels.map((label) => known.get(label) ?? api.infoset(run.id, label))),
      (histories) => {
        this.histories = histories;
        this.message.hidden = true;
        this.chart.element.classList.remove("outdated");
        this.chooser.update(run.id, run.detail.terms.seats, labels);
        this.draw({ again: true });
      },
      (error) => {
        // The next change, such as a restored connection, requests it again.
        this.asked = "";
        this.message.textContent = messageOf(error);
        this.message.hidden = false;
      },
    );
  }

  private draw({ again }: { again: boolean }): void {
    const { run, histories } = this;
    if (run === null || histories.length === 0) return;
    const frames = run.detail.frames;
    const current = frames[frameAt(frames, this.state?.moment ?? null)]?.iteration ?? null;
    const { upper, lower } = panelHeights(histories.length, this.room());
    const labels = histories.map((one) => one.label);
    const key = JSON.stringify([run.id, this.axis(), labels, run.detail.folds, upper, lower]);
    if (key === this.drawn && !again) {
      this.chart.mark(current);
      return;
    }
    this.drawn = key;
    this.chart.draw({
      description: `Probabilities at ${labels.join(", ")}, and exploitability, by β`,
      axis: this.axis(),
      axisTitle: `β per ${oneOf(run.detail.unit)}: 0 is blind chance, a large β few mistakes`,
      axisName: "β",
      formatX: short,
      panels: [
        ...histories.map((one) => historyPanel(one, upper, titleOf(one), noteOf(one))),
        exploitabilityPanel(run, lower),
      ],
      marks: run.detail.folds.map((beta) => ({ x: beta, text: `fold at ${short(beta)}` })),
      current,
    });
  }

  /** How high the chart can be without scrolling. */
  private room(): number {
    const stage = this.element.parentElement;
    if (stage === null) return 0;
    return stage.getBoundingClientRect().bottom - this.figure.getBoundingClientRect().top - MARGIN;
  }

  private pick(iteration: number): void {
    const frames = this.run?.detail.frames ?? [];
    const frame = [...frames].reverse().find((one) => one.iteration <= iteration) ?? frames[0];
    if (frame !== undefined) this.context.store.set({ moment: frame.moment }, { replace: true });
  }

  private fileName(): string {
    return `${this.run?.detail.name ?? "run"}-branch`;
  }

  /** For each frame: β, exploitability, then every action drawn. */
  private saveTable(): void {
    const { run, histories } = this;
    const [first] = histories;
    if (run === null || first === undefined) return;
    const lost = new Map(run.rows.map((row) => [row.iteration, row.exploitability]));
    const header = ["iteration", "beta", `exploitability_${run.detail.unit}`,
      ...histories.flatMap((one) => one.actions.map((action) => `${one.label} ${action}`))];
    downloadCsv(header, first.frames.map((frame, index): Cell[] => [
      frame.iteration, frame.beta, lost.get(frame.iteration),
      ...histories.flatMap((one) => one.probabilities[index] ?? []),
    ]), this.fileName());
  }
}

function titleOf({ card, words, label }: InfosetHistory): string {
  return card === "" || words === label ? words : `${card}, ${words}`;
}

function noteOf({ words, label }: InfosetHistory): string {
  return words === label ? "" : label;
}

/** Heights of the probability panels and of the exploitability panel below them. */
function panelHeights(number: number, room: number): { upper: number; lower: number } {
  const free = room - HEADS * (number + 2);
  const lower = clamp(0.28 * free, 100, 220);
  return { upper: Math.floor(clamp((free - lower) / number, 90, 420)), lower: Math.floor(lower) };
}

function exploitabilityPanel(run: RunData, height: number): Panel {
  const rows = run.rows.filter((row) => row.beta !== null);
  return {
    title: `exploitability, ${run.detail.unit}`,
    note: "",
    scale: "log",
    isSmooth: true,
    height,
    at: rows.map((row) => row.iteration),
    x: rows.map((row) => row.beta ?? 0),
    series: [{ name: "", style: "plain", y: rows.map((row) => row.exploitability) }],
    format: short,
  };
}
