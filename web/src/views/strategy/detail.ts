// One infoset in detail: the history of its strategy, and the current values of its actions.

import { actionClasses } from "../../action_styles";
import * as api from "../../api";
import { historyPanel, isBranch } from "../../charts/history";
import { PanelChart } from "../../charts/panels";
import type { RunData } from "../../data";
import { fill, h } from "../../dom";
import { downloadCsv } from "../../download";
import { downloadGroup, pictureSaves } from "../../download_group";
import { messageOf } from "../../errors";
import { count, percent, short, signed } from "../../format";
import { frameAt } from "../../frames";
import type { InfosetHistory } from "../../model";
import { Newest } from "../../newest";
import type { AppState } from "../../state";
import { swatch } from "./row";
import { cardFace } from "./card";

const CHART_HEIGHT = 120;

export class InfosetDetail {
  readonly element = h("aside", { class: "detail", "aria-label": "Infoset", hidden: true });
  private readonly head = h("div", { class: "detail-head" });
  private readonly numbers = h("div", { class: "numbers" });
  private readonly message = h("p", { class: "soft", role: "status", hidden: true });
  private readonly chart = new PanelChart((iteration) => this.pick(iteration));
  private readonly figure = h("div", { class: "figure" }, this.chart.element);
  private readonly body = h("div", { class: "detail-body" }, this.figure, this.numbers);
  private readonly newest = new Newest<InfosetHistory>();
  private history: InfosetHistory | null = null;
  private key = "";
  private run: RunData | null = null;
  private moment: number | null = null;

  constructor(
    private readonly open: (label: string | null) => void,
    private readonly goTo: (moment: number) => void,
  ) {
    this.element.append(this.head, this.message, this.body);
  }

  update(run: RunData, state: AppState, hasNewFrames: boolean): void {
    const label = state.infoset;
    const key = label === null ? "" : `${run.id}|${label}`;
    this.run = run;
    this.moment = state.moment;
    this.element.hidden = label === null;
    if (label === null) {
      this.key = "";
      this.history = null;
      this.newest.forget();
      return;
    }
    if (key !== this.key || hasNewFrames) this.ask(run, label, key);
    else this.show({ isNew: false });
  }

  forget(): void {
    this.newest.forget();
    this.key = "";
  }

  /** The server is back: repeat failed requests. */
  retry(): void {
    const { run, key } = this;
    const label = this.element.dataset["label"];
    if (!this.message.hidden && run !== null && key !== "" && label !== undefined) this.ask(run, label, key);
  }

  private ask(run: RunData, label: string, key: string): void {
    if (key !== this.key) {
      this.history = null;
      this.element.dataset["label"] = label;
      this.showOutdated(true);
    }
    this.key = key;
    this.newest.ask(key, () => api.infoset(run.id, label), (history) => {
      this.history = history;
      this.message.hidden = true;
      this.showOutdated(false);
      this.show({ isNew: true });
    }, (error) => {
      // While a run is running, the next frame requests it again; what is shown until then is not wrong.
      if (this.history !== null) return;
      this.showOutdated(false);
      this.drawHead(label, null);
      this.message.textContent = messageOf(error);
      this.message.hidden = false;
      this.figure.hidden = true;
      fill(this.numbers);
    });
  }

  private show({ isNew }: { isNew: boolean }): void {
    const { history, run } = this;
    if (history === null || run === null) return;
    const current = history.frames[frameAt(history.frames, this.moment)];
    if (isNew) {
      this.drawHead(history.label, history);
      const onBranch = isBranch(history.frames);
      const first = history.frames[0]?.iteration ?? 0;
      this.figure.hidden = history.frames.length < 2;
      this.chart.draw({
        description: `Probabilities of ${history.actions.join(", ")} at ${history.label} over the run`,
        axis: onBranch ? "log1p" : first > 0 ? "log" : "log1p",
        axisTitle: onBranch ? "β" : "iteration",
        axisName: onBranch ? "β" : "iteration",
        formatX: onBranch ? short : count,
        panels: [historyPanel(history, CHART_HEIGHT, "probability", "")],
        marks: [],
        current: current?.iteration ?? null,
      });
    } else {
      this.chart.mark(current?.iteration ?? null);
    }
    this.drawNumbers(history, run.detail.unit);
  }

  /** Until the response arrives, the content belongs to another infoset. */
  private showOutdated(isOutdated: boolean): void {
    for (const part of [this.head, this.body]) part.classList.toggle("outdated", isOutdated);
  }

  private drawHead(label: string, history: InfosetHistory | null): void {
    const parent = history?.parent ?? null;
    const hadFocus = this.head.contains(document.activeElement);
    const close = h("button", {
      class: "icon close", "aria-label": "Close", title: "Close (Escape)", onclick: () => this.open(null),
    }, "×");
    fill(this.head,
      history !== null && history.card !== "" && cardFace(history.card),
      h("h2", {}, history?.words ?? label),
      history !== null && h("span", { class: "soft" }, this.run?.detail.terms.seats[history.player] ?? ""),
      history !== null && history.words !== label && h("code", { class: "label" }, label),
      parent !== null && h("span", { class: "parent" }, "before: ", h("button", {
        class: "link", "data-parent": parent.label, onclick: () => this.open(parent.label),
      }, parent.label), ` by ${parent.action}`),
      h("span", { class: "space" }),
      history !== null && this.downloads(history),
      close,
    );
    if (hadFocus) close.focus();
  }

  private downloads(history: InfosetHistory): HTMLElement {
    const name = `${this.run?.detail.name ?? "run"}-${history.label}`;
    return downloadGroup([
      ...pictureSaves(this.chart.element, () => name),
      { form: "CSV", save: () => this.saveTable(history, name) },
    ]);
  }

  private saveTable(history: InfosetHistory, name: string): void {
    const unit = this.run?.detail.unit ?? "chips";
    const header = ["iteration", "seconds", "beta", ...history.actions,
      ...history.actions.map((action) => `value of ${action}, ${unit}`)];
    downloadCsv(header, history.frames.map((frame, index) => [
      frame.iteration, frame.seconds, frame.beta,
      ...(history.probabilities[index] ?? []), ...(history.values[index] ?? []),
    ]), name);
  }

  private drawNumbers(history: InfosetHistory, unit: string): void {
    const index = frameAt(history.frames, this.moment);
    const frame = history.frames[index];
    const [shares, values] = [history.probabilities[index] ?? [], history.values[index] ?? []];
    const when = frame === undefined ? ""
      : frame.beta === null ? `iteration ${count(frame.iteration)}` : `β ${short(frame.beta)}`;
    const styles = actionClasses(history.action_data);
    fill(this.numbers, h("table", {},
      h("caption", { class: "soft" }, when),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "action"), h("th", { scope: "col" }, "share"),
        h("th", { scope: "col" }, `value, ${unit}`))),
      h("tbody", {}, ...history.actions.map((action, number) => h("tr", {},
        h("th", { scope: "row" }, swatch(styles[number] ?? ""), action),
        h("td", {}, percent(shares[number])),
        h("td", {}, signed(values[number])),
      ))),
    ));
  }

  private pick(iteration: number): void {
    const frame = this.history?.frames.find((one) => one.iteration === iteration);
    if (frame !== undefined) this.goTo(frame.moment);
  }
}
