// The convergence of a run: the chart with a choice of axes, the numbers at a point, and downloads.

import * as api from "../../api";
import { nearest, rowOfIteration } from "../../charts/lookup";
import { type Second, SECOND_WORDS, secondsOf } from "../../charts/measures";
import type { Settings } from "../../charts/plane";
import { slopeOf, type Slope } from "../../charts/slope";
import { rowsOf, type Change, type RunData } from "../../data";
import { fill, h, setText } from "../../dom";
import { downloadCsv } from "../../download";
import { downloadGroup, pictureSaves } from "../../download_group";
import { count, duration, fixed, short } from "../../format";
import { frameAt } from "../../frames";
import type { FrameInfo, ProgressRow } from "../../model";
import type { AppState } from "../../state";
import type { Context, View } from "../../view";
import { ConvergenceChart } from "./chart";
import { RunKey } from "./key";
import { ReadOut, type PowerLaw } from "./readout";
import type { ShownRun } from "./scene";
import { TABLE_HEADER, tableRows } from "./table";
import { comparedRuns, MAX_COMPARED, shownRuns } from "../runs/shown";

export class ConvergenceView implements View {
  readonly element: HTMLElement;
  readonly showsOthers = true;
  private readonly chart = new ConvergenceChart();
  private readonly readOut = new ReadOut();
  private readonly runKey = new RunKey((run) => this.toggle(run), (run) => this.chart.lift(run));
  private readonly slopeNote = h("p", { class: "slope soft", role: "note", hidden: true });
  private readonly choices: { name: string; value: string | null; button: HTMLButtonElement }[] = [];
  private readonly right = h("select", {
    class: "right-axis", onchange: () => this.context.store.setOption("right", this.right.value),
  });
  private readonly rightLabel = h("label", { class: "group" }, "right axis", this.right);
  private readonly reset = h("button", {
    class: "button reset-zoom", type: "button", hidden: true, onclick: () => this.chart.resetZoom(),
  }, "reset zoom");
  private all: ShownRun[] = [];
  /** Those that are not hidden. */
  private runs: ShownRun[] = [];
  private hidden = new Set<string>();
  private settings: Settings | null = null;
  private frame: FrameInfo | null = null;
  private key = "";
  private reading: number | null = null;

  constructor(private readonly context: Context) {
    this.element = h("section", { class: "convergence" },
      h("div", { class: "toolbar" },
        this.choice("x", "x axis", [["iterations", null], ["seconds", "seconds"]]),
        this.choice("scale", "scale of the x axis", [["log x", null], ["linear x", "linear"]]),
        this.choice("y", "scale of the y axis", [["log y", null], ["linear y", "linear"]]),
        this.rightLabel, this.reset, h("span", { class: "space" }), downloadGroup([
          ...pictureSaves(this.chart.svg, () => this.fileName()),
          { form: "CSV", save: () => this.saveRows() },
        ])),
      this.runKey.element, this.chart.element, this.readOut.element, this.slopeNote);
    this.chart.onLift = (run) => this.runKey.mark(run);
    this.chart.onRead = (x) => this.read(x);
    this.chart.onZoom = (isZoomed) => {
      this.reset.hidden = !isZoomed;
    };
    // The slope is fitted to the window that was drawn.
    this.chart.onDraw = () => this.drawReadOut();
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    if (change?.what === "connection" || change?.what === "runs") return;
    const runs = shownRuns(state).flatMap((id, position): ShownRun[] => {
      const known = id === run.id ? run : this.context.data.get(id);
      return known === null ? [] : [{ run: known, position }];
    });
    // A run that was fetched again is a new object, with all its rows.
    const isOther = runs.length !== this.all.length || runs.some((one, index) => one.run !== this.all[index]?.run);
    this.all = runs;
    this.hidden = new Set([...this.hidden].filter((id) => runs.length > 1 && runs.some((one) => one.run.id === id)));
    this.runs = runs.filter((one) => !this.hidden.has(one.run.id));
    this.runKey.update(runs, this.hidden, Math.max(0, comparedRuns(state).length - MAX_COMPARED));
    const settings = this.settingsOf(run, state);
    const key = JSON.stringify([settings, [...this.hidden]]);
    if (isOther || key !== this.key || change?.what === "loaded" || change?.what === "status") {
      this.key = key;
      this.settings = settings;
      this.drawChoices(state, run);
      this.chart.show(this.runs, settings, run.id);
    } else if (change?.what === "rows") this.chart.append();
    const { frames } = run.detail;
    this.frame = state.moment === null ? null : (frames[frameAt(frames, state.moment)] ?? null);
    this.chart.showFrame(this.frame);
    this.drawReadOut();
  }

  leave(): void {
    this.chart.stop();
  }

  private toggle(run: string): void {
    if (!this.hidden.delete(run)) this.hidden.add(run);
    const { store, data } = this.context;
    const current = store.state.run === null ? null : data.get(store.state.run);
    if (current !== null) this.update(current, store.state, null);
  }

  /** The measures for the right axis: with several runs there is no room for a second kind of lines. */
  private seconds(run: RunData): Second[] {
    return this.all.length > 1 ? [] : secondsOf(run.rows);
  }

  private settingsOf(run: RunData, { options }: AppState): Settings {
    const offered = this.seconds(run);
    const wanted = offered.find((name) => name === options["right"]);
    return {
      x: options["x"] === "seconds" ? "seconds" : "iteration",
      isLog: options["scale"] !== "linear",
      isLogY: options["y"] !== "linear",
      second: options["right"] === "none" ? null : (wanted ?? offered[0] ?? null),
    };
  }

  /** A group of buttons, one of them pressed; the choice is kept in the address. */
  private choice(name: string, label: string, options: [string, string | null][]): HTMLElement {
    const buttons = options.map(([text, value]) => {
      const button = h("button", {
        class: "button", type: "button", "data-option": `${name}=${value ?? text}`,
        onclick: () => this.context.store.setOption(name, value),
      }, text);
      this.choices.push({ name, value, button });
      return button;
    });
    return h("div", { class: "group joined", role: "group", "aria-label": label }, ...buttons);
  }

  private drawChoices({ options }: AppState, run: RunData): void {
    for (const { name, value, button } of this.choices) {
      const values = this.choices.flatMap((one) => (one.name === name ? [one.value] : []));
      const chosen = values.includes(options[name] ?? null) ? (options[name] ?? null) : null;
      button.setAttribute("aria-pressed", String(value === chosen));
    }
    const offered = this.seconds(run);
    this.rightLabel.hidden = offered.length === 0;
    const names: (Second | "none")[] = [...offered, "none"];
    fill(this.right, ...names.map((name) => (
      h("option", { value: name }, name === "none" ? "none" : SECOND_WORDS[name]))));
    this.right.value = this.settings?.second ?? "none";
  }

  private read(x: number | null): void {
    this.reading = x;
    this.drawReadOut();
  }

  private drawReadOut(): void {
    const { reading, runs, frame } = this;
    const at = reading === null ? null : this.chart.rowsAt(reading);
    const rows = runs.map(({ run, position }, index) => {
      const row = at !== null ? at[index] : frame !== null ? this.rowAtFrame(run, frame) : run.rows[run.rows.length - 1];
      return { detail: run.detail, position, row: row ?? null, slope: this.slopeText(run) };
    });
    const caption = at !== null ? "at the reading line" : frame !== null ? "at the frame of the replay" : "latest";
    const isSpoken = reading !== null && document.activeElement === this.chart.element;
    const second = this.settings?.second ?? null;
    const isMeasured = runs.some(({ run }) => run.rows.some((row) => row.exploitability !== null || row.value !== null));
    // Where exploitability is not measured, everything that is measured is shown.
    const seconds = isMeasured ? (second === null ? [] : [second]) : secondsOf(runs.flatMap(({ run }) => run.rows));
    this.readOut.update(caption, rows, { seconds, isMeasured: isMeasured || seconds.length === 0 }, isSpoken);
    this.drawSlopeNote();
  }

  /** The power law of the run over the last decade shown: T to the −1.5. */
  private slopeText(run: RunData): PowerLaw | null {
    const slope = this.slope(run);
    return slope === null ? null : { base: this.settings?.x === "seconds" ? "t" : "T", exponent: fixed(slope.exponent, 2) };
  }

  private slope(run: RunData): Slope | null {
    const { window } = this.chart;
    const x = this.settings?.x ?? "iteration";
    // The rows of a branch are points of a path, not steps towards its end.
    if (window === null || run.rows.some((row) => row.beta !== null)) return null;
    return slopeOf(run.rows, (row) => row[x], window);
  }

  private drawSlopeNote(): void {
    const slope = this.runs[0] === undefined ? null : this.slope(this.runs[0].run);
    this.slopeNote.hidden = slope === null;
    if (slope === null) return;
    const isTime = this.settings?.x === "seconds";
    const [from, to] = [slope.from, slope.to].map((x) => (isTime ? duration(x) : count(x)));
    const factor = 10 ** -slope.exponent;
    const change = factor >= 1 ? `${short(factor)} times smaller` : `${short(1 / factor)} times larger`;
    setText(this.slopeNote, `Fitted to the last decade shown, ${isTime ? "" : "iterations "}${from} to ${to}: with ten `
      + `times the ${isTime ? "time t" : "iterations T"}, exploitability becomes ${change}.`);
  }

  /** The row of the frame, and for each compared run its row at the same x. */
  private rowAtFrame(run: RunData, frame: FrameInfo): ProgressRow | null {
    const x = this.settings?.x ?? "iteration";
    if (run.id === this.runs[0]?.run.id) return rowOfIteration(run.rows, frame.iteration);
    return run.rows[nearest(run.rows, frame[x], (row) => row[x])] ?? null;
  }

  private fileName(): string {
    return `${this.runs.map(({ run }) => run.detail.name).slice(0, 2).join("-") || "run"}-convergence`;
  }

  /** All rows that the server returns, including those left out of the chart. */
  private async saveRows(): Promise<void> {
    const tables = await Promise.all(this.runs.map(async ({ run }) => (
      tableRows(run.detail, run.isWhole ? run.rows : rowsOf(await api.progress(run.id, api.MAX_POINTS))))));
    downloadCsv(TABLE_HEADER, tables.flat(), this.fileName());
  }
}
