// The state of the run: connection, game, method, iteration, exploitability, value, rate, time left.
// Every field is an element; only its text changes.

import { rowOfIteration } from "../../charts/lookup";
import { nodesPerSecond } from "../../charts/measures";
import type { Connection, RunData } from "../../data";
import { h, setText } from "../../dom";
import { count, duration, millions, short, signed } from "../../format";
import { frameAt } from "../../frames";
import type { ProgressRow, RunDetail } from "../../model";
import type { Context } from "../../view";
import { shortSteps, STATUS_MARKS } from "../runs/words";

const CONNECTION_WORDS: Record<Connection, string> = {
  connecting: "connecting",
  live: "connected",
  lost: "lost, reconnecting",
  asleep: "asleep",
};

/** The text of a field, or null if it is hidden. */
type Text = (run: RunDetail, row: ProgressRow | null, isReplay: boolean) => string | null;

const HOW_TO_RESUME = "continue it with untilt solve --resume, or a training with its regret file";

const FIELDS: { name: string; label: string; text: Text }[] = [
  { name: "game", label: "game", text: (run) => run.title },
  { name: "method", label: "method", text: (run) => run.method },
  { name: "status", label: "status", text: (run) => `${STATUS_MARKS[run.status]} ${run.status}` },
  { name: "beta", label: "β", text: (_, row) => known(row?.beta, short) },
  { name: "iteration", label: "iteration", text: (_, row) => known(row?.iteration, count) },
  { name: "residual", label: "residual norm", text: (_, row) => known(row?.residual, short) },
  {
    name: "exploitability",
    label: "exploitability",
    text: (run, row) => known(row?.exploitability, (value) => `${short(value)} ${run.unit}`),
  },
  {
    name: "value",
    label: "value",
    text: (run, row) => known(row?.value, (value) => `${signed(value, 5)} ${run.unit}`),
  },
  {
    name: "rate",
    label: "rate",
    text: (run, row) => known(row?.rate || null, (rate) => (
      `${millions(rate)} ${shortSteps(run)}/s`)),
  },
  {
    name: "nodes",
    label: "nodes visited",
    text: (_, row) => known(row === null ? null : nodesPerSecond(row), (rate) => `${millions(rate)}/s`),
  },
  { name: "infosets", label: "infosets met", text: (_, row) => known(row?.infosets, count) },
  {
    name: "left",
    label: "time left",
    text: (run, row, isReplay) => (run.status === "running" && !isReplay ? known(row?.seconds_left, timeLeft) : null),
  },
];

export class StatusBar {
  readonly element: HTMLElement;
  private readonly connection = h("span", { class: "connection", "data-field": "connection", role: "status" });
  private readonly replay = h("span", { class: "replaying", "data-field": "replay", hidden: true }, "replay");
  private readonly fields = FIELDS.map(({ name, label, text }) => {
    const value = h("dd", { "data-field": name });
    const title = h("dt", {}, label);
    return { name, title, value, box: h("div", { class: `field of-${name}`, hidden: true }, title, value), text };
  });

  constructor(private readonly context: Context) {
    this.element = h("div", { class: "status", role: "group", "aria-label": "State of the run" },
      h("div", { class: "signs" }, this.connection, this.replay),
      h("dl", {}, ...this.fields.map((field) => field.box)));
  }

  update(run: RunData | null): void {
    const { connection } = this.context.data;
    this.connection.dataset["connection"] = connection;
    setText(this.connection, CONNECTION_WORDS[connection]);
    const row = run === null ? null : this.row(run);
    const isReplay = run !== null && this.context.store.state.moment !== null;
    this.replay.hidden = !isReplay;
    for (const { name, title, value, box, text } of this.fields) {
      if (name === "value" && run !== null) setText(title, `value of ${run.detail.terms.seats[0]}`);
      const written = run === null ? null : text(run.detail, row, isReplay);
      box.hidden = written === null;
      if (written !== null) setText(value, written);
    }
    const hint = run?.detail.status === "interrupted" ? HOW_TO_RESUME : "";
    if (this.element.title !== hint) this.element.title = hint;
  }

  /** The last row, or in a replay the frame's row. */
  private row(run: RunData): ProgressRow | null {
    const { moment } = this.context.store.state;
    const frame = moment === null ? undefined : run.detail.frames[frameAt(run.detail.frames, moment)];
    if (frame !== undefined) return rowOfIteration(run.rows, frame.iteration);
    return run.rows[run.rows.length - 1] ?? run.detail.last;
  }
}

function known(value: number | null | undefined, write: (value: number) => string): string | null {
  return value === null || value === undefined ? null : write(value);
}

/** Less than a second is not worth a number. */
function timeLeft(seconds: number): string {
  return seconds < 1 ? "less than 1 s" : duration(seconds);
}
