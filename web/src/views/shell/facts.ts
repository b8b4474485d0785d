// What is known about a run apart from its strategy: what was asked, the result, where it is, and the
// command that made it.

import * as api from "../../api";
import { copyButton } from "../../copying";
import type { Change, RunData } from "../../data";
import { h } from "../../dom";
import { messageOf } from "../../errors";
import { count, duration, moment, plainValue, short, signed, withUnit } from "../../format";
import { term, type Word } from "../../glossary";
import type { RunDetail, RunFacts, Terms } from "../../model";
import { Newest } from "../../newest";
import type { Context, View } from "../../view";
import { LabelPanel } from "../runs/label_panel";
import { menuWords, STATUS_MARKS } from "../runs/words";

/** Name and text; a fact without a text is left out. */
type Fact = [string, string | null];

/** Facts whose names have definitions. */
const EXPLAINED: Record<string, Word> = { infosets: "infoset", exploitability: "exploitability", "β": "β" };

export class FactsView implements View {
  readonly element = h("section", { class: "facts" });
  private readonly newest = new Newest<RunFacts>();
  /** These stay when the facts are drawn again, so that the button keeps saying "copied". */
  private readonly command = h("code", {});
  private readonly copy = copyButton("copy", this.command);
  private readonly label: LabelPanel;
  private shown: RunFacts | null = null;
  private id = "";

  constructor(context: Context) {
    this.label = new LabelPanel(context);
    this.element.append(this.label.element);
  }

  update({ id, detail }: RunData, _: unknown, change: Change | null): void {
    if (change?.what === "rows" || change?.what === "frames") return;
    if (id !== this.id) this.shown = null;
    this.id = id;
    this.draw(detail, null);
    this.newest.ask(id, () => api.facts(id), (found) => {
      this.shown = found;
      this.draw(detail, null);
    }, (error) => this.draw(detail, messageOf(error)));
  }

  leave(): void {
    this.newest.forget();
  }

  private draw(detail: RunDetail, problem: string | null): void {
    const { shown } = this;
    this.label.draw(detail);
    // The label stays in the page: what is taken out of it loses the focus.
    for (const part of [...this.element.children]) if (part !== this.label.element) part.remove();
    this.element.append(
      this.commandPanel(shown, problem ?? detail.problem),
      panel("Asked", askedFacts(detail), detail.terms),
      panel("Result", resultFacts(detail), detail.terms),
      panel("Origin", [
        ["folder", shown?.folder ?? detail.name],
        ["created", detail.created === null ? null : moment(detail.created)],
        ["untilt", shown?.version ?? null],
        ...Object.entries(shown?.machine ?? {}).map(([name, value]): Fact => [name, String(value)]),
      ], detail.terms));
  }

  private commandPanel(shown: RunFacts | null, problem: string | null): HTMLElement {
    this.command.textContent = shown?.command ?? "";
    return h("section", { class: "panel command", "aria-label": "Repeating the run" },
      h("h2", {}, "Repeat it"),
      shown?.command != null && h("div", { class: "line" }, h("pre", { tabindex: 0 }, this.command), this.copy),
      shown?.note != null && h("p", { class: "soft" }, shown.command === null ? `No command: ${shown.note}.` : `${shown.note}.`),
      problem !== null && h("p", { class: "problem" }, problem));
  }
}

function panel(title: string, found: readonly Fact[], terms: Terms): HTMLElement {
  return h("section", { class: "panel" }, h("h2", {}, title),
    h("dl", {}, ...found.flatMap(([name, text]) => {
      const word = EXPLAINED[name];
      const written = word === undefined ? name : term(word, terms, name);
      return text === null ? [] : [h("div", {}, h("dt", {}, written), h("dd", {}, text))];
    })));
}

function askedFacts({ title, game, parameters, changed, method, options, seed, stop, unit, steps }: RunDetail): Fact[] {
  const named = (values: RunDetail["parameters"], suffix: (name: string) => string): Fact[] => (
    Object.entries(values).map(([name, value]) => [
      name.replace(/_/g, " "), (name === "menu" ? menuWords(String(value)) : plainValue(value)) + suffix(name)]));
  return [
    ["game", title === game ? title : `${title} (${game})`],
    ...named(parameters, (name) => (name in changed ? "" : " (default)")),
    ["method", method],
    ...named(options, () => ""),
    ["seed", seed === null ? null : String(seed)],
    [`stop after ${steps}`, stop.iterations === null ? null : count(stop.iterations)],
    ["stop at exploitability", stop.target === null ? null : withUnit(short(stop.target), unit)],
    ["stop after", stop.seconds === null ? null : duration(stop.seconds)],
  ];
}

function resultFacts({ status, infosets, last, unit, terms, steps }: RunDetail): Fact[] {
  return [
    ["status", `${STATUS_MARKS[status]} ${status}`],
    ["infosets", infosets === null ? null : count(infosets)],
    [steps, last === null ? null : count(last.iteration)],
    ["time", last?.seconds ? duration(last.seconds) : null],  // 0 if it was not recorded
    ["exploitability", last?.exploitability == null ? null : withUnit(short(last.exploitability), unit)],
    [`value of ${terms.seats[0]}`, last?.value == null ? null : withUnit(signed(last.value, 5), unit)],
    [`value of ${terms.seats[1]}`, last?.value_1 == null ? null : withUnit(signed(last.value_1, 5), unit)],
    ["β", last?.beta == null ? null : short(last.beta)],
  ];
}
