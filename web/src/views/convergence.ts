// The convergence of a run: the chart with a choice of axes, the numbers at a point, and downloads.

import * as api from "../api";
import { nearest, rowOfIteration } from "../charts/lookup";
import { type Second, SECOND_WORDS, secondsOf } from "../charts/measures";
import type { Settings } from "../charts/plane";
import { rowsOf, type Change, type RunData } from "../data";
import { fill, h } from "../dom";
import { downloadCsv } from "../download";
import { downloadGroup, pictureSaves } from "../download_group";
import { frameAt } from "../frames";
import type { FrameInfo, ProgressRow } from "../model";
import type { AppState } from "../state";
import type { Context, View, ViewDescriptor } from "../view";
import { ConvergenceChart } from "./convergence_chart";
import { ReadOut } from "./convergence_readout";
import type { ShownRun } from "./convergence_scene";
import { TABLE_HEADER, tableRows } from "./convergence_table";
import { shownRuns } from "./shown_runs";

export const convergence: ViewDescriptor = {
  name: "convergence",
  title: "Convergence",
  key: "c",
  isReplayed: true,
  options: ["x", "scale", "right"],
  load: (context) => new ConvergenceView(context),
};

class ConvergenceView implements View {
  readonly element: HTMLElement;
  readonly showsOthers = true;
  private readonly chart = new ConvergenceChart();
  private readonly readOut = new ReadOut();
  private readonly choices: { name: string; value: string | null; button: HTMLButtonElement }[] = [];
  private readonly right = h("select", {
    class: "right-axis", onchange: () => this.context.store.setOption("right", this.right.value),
  });
  private readonly rightLabel = h("label", { class: "group" }, "right axis", this.right);
  private readonly reset = h("button", {
    class: "button reset-zoom", type: "button", hidden: true, onclick: () => this.chart.resetZoom(),
  }, "reset zoom");
  private runs: ShownRun[] = [];
  private settings: Settings | null = null;
  private frame: FrameInfo | null = null;
  private key = "";
  private reading: number | null = null;

  constructor(private readonly context: Context) {
    this.element = h("section", { class: "convergence" },
      h("div", { class: "toolbar" },
        this.choice("x", "x axis", [["iterations", null], ["seconds", "seconds"]]),
        this.choice("scale", "scale of the x axis", [["log", null], ["linear", "linear"]]),
        this.rightLabel, this.reset, h("span", { class: "space" }), downloadGroup([
          ...pictureSaves(this.chart.svg, () => this.fileName()),
          { form: "CSV", save: () => this.saveRows() },
        ])),
      this.chart.element, this.readOut.element);
    this.chart.onRead = (x) => this.read(x);
    this.chart.onZoom = (isZoomed) => {
      this.reset.hidden = !isZoomed;
    };
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    if (change?.what === "connection" || change?.what === "runs") return;
    const runs = shownRuns(state).flatMap((id, position): ShownRun[] => {
      const known = id === run.id ? run : this.context.data.get(id);
      return known === null ? [] : [{ run: known, position }];
    });
    // A run that was fetched again is a new object, with all its rows.
    const isOther = runs.length !== this.runs.length || runs.some((one, index) => one.run !== this.runs[index]?.run);
    this.runs = runs;
    const settings = this.settingsOf(run, state);
    const key = [settings.x, settings.isLog, settings.second].join();
    if (isOther || key !== this.key || change?.what === "loaded" || change?.what === "status") {
      this.key = key;
      this.settings = settings;
      this.drawChoices(state, run);
      this.chart.show(this.runs, settings);
    } else if (change?.what === "rows") this.chart.append();
    const { frames } = run.detail;
    this.frame = state.moment === null ? null : (frames[frameAt(frames, state.moment)] ?? null);
    this.chart.showFrame(this.frame);
    this.drawReadOut();
  }

  leave(): void {
    this.chart.stop();
  }

  private settingsOf(run: RunData, { options }: AppState): Settings {
    const offered = secondsOf(run.rows);
    const wanted = offered.find((name) => name === options["right"]);
    return {
      x: options["x"] === "seconds" ? "seconds" : "iteration",
      isLog: options["scale"] !== "linear",
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
    const offered = secondsOf(run.rows);
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
      return { detail: run.detail, position, row: row ?? null };
    });
    const caption = at !== null ? "at the reading line" : frame !== null ? "at the frame of the replay" : "latest";
    const isSpoken = reading !== null && document.activeElement === this.chart.element;
    this.readOut.update(caption, rows, this.settings?.second ?? null, isSpoken);
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
