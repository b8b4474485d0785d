// What to study: one's own mistakes, asked again without what came later.

import * as api from "../../api";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { count, fixed, percent } from "../../format";
import type { HandPage, Mistake } from "../../model";
import { Newest } from "../../newest";
import { answered, startDrill, type Drill } from "./drill";
import { drawFelt } from "./felt";
import { didWords, judgement } from "./judgement";
import type { GroupName } from "./leaks";
import { frameAfter, framesOf } from "./replay";

const MOST = 100;
/** An answer is right if it is worth at most this much less than the best, in big blinds, or a hundredth of the pot. */
const SLACK = 0.02;

export class StudyPart {
  readonly element: HTMLElement;
  private readonly score = h("p", { role: "status" });
  private readonly question = h("h3", { tabindex: -1 });
  private readonly felt = h("div", { class: "felt" });
  private readonly answers = h("div", { class: "group answers" });
  private readonly verdict = h("div", { class: "verdict", "aria-live": "polite" });
  private readonly lists = new Newest<{ total: number; rows: Mistake[] }>();
  private readonly pages = new Newest<HandPage>();
  private rows: readonly Mistake[] = [];
  private drill: Drill = startDrill(0);
  private key = "";
  private hand: HandPage | null = null;
  private isAnswered = false;

  /** `open` shows the hand of a mistake. */
  constructor(private readonly open: (mistake: Mistake) => void) {
    this.element = h("section", { class: "study", "aria-label": "study", onkeydown: (event: KeyboardEvent) => this.press(event) },
      this.score, this.question, h("div", { class: "columns" }, h("div", {}, this.felt, this.answers), this.verdict));
  }

  show(review: string, group: GroupName | null): void {
    const key = JSON.stringify([review, group]);
    if (key === this.key) return;
    this.key = key;
    fill(this.score, "reading your mistakes …");
    for (const part of [this.question, this.felt, this.answers, this.verdict]) fill(part);
    this.lists.ask(key, () => api.mistakes(review, group, MOST), ({ rows }) => this.begin(rows, group), (error) => this.fail(error));
  }

  private fail(error: unknown): void {
    this.key = "";
    fill(this.score, messageOf(error));
  }

  private begin(rows: readonly Mistake[], group: GroupName | null): void {
    this.rows = rows.filter(({ values_bb: values }) => values !== null && Object.keys(values).length > 1);
    this.drill = startDrill(this.rows.length);
    this.ask(group === null ? "" : ` of ${group.name}`);
  }

  private ask(of = ""): void {
    const { drill } = this;
    const mistake = this.rows[drill.queue[0] ?? -1];
    this.isAnswered = false;
    fill(this.verdict);
    fill(this.score, `${count(drill.queue.length)} mistakes${of} to study · ${count(drill.right)} of ${count(drill.asked)} right · `
      + `answers cost ${fixed(drill.cost, 1)} bb`);
    if (mistake === undefined) {
      fill(this.question, this.rows.length === 0 ? "There are no mistakes here." : "All of them are right now.");
      fill(this.felt);
      fill(this.answers, this.rows.length > 0 && h("button", { class: "button", type: "button", onclick: () => this.restart() }, "begin again"));
      return;
    }
    this.load(mistake);
  }

  private restart(): void {
    this.drill = startDrill(this.rows.length);
    this.ask();
  }

  private load(mistake: Mistake): void {
    fill(this.question, `${mistake.street}, ${mistake.position}: what would you do?`);
    fill(this.answers);
    const folder = this.element.dataset["folder"];
    if (folder === undefined) return;
    this.pages.ask(`${this.key} ${mistake.file}-${mistake.row}`, () => api.handPage(folder, mistake.file, mistake.row, this.review()),
      (hand) => this.draw(hand, mistake), (error) => this.fail(error));
  }

  private review(): string | null {
    const [review] = JSON.parse(this.key) as [string];
    return review;
  }

  private draw(hand: HandPage, mistake: Mistake): void {
    this.hand = hand;
    const seat = hand.review?.player ?? 0;
    const frames = framesOf(hand);
    const before = frames[Math.max(0, frameAfter(frames, seat, mistake.nth) - 1)];
    if (before !== undefined) drawFelt(this.felt, hand, before, { seat, isOpen: false });
    const names = Object.keys(mistake.values_bb ?? {});
    fill(this.answers, ...names.map((name, at) => h("button", {
      class: "button", type: "button", "data-answer": name, onclick: () => this.answer(name),
    }, h("kbd", { "aria-hidden": "true" }, String(at + 1)), ` ${name}`)));
    this.question.focus({ preventScroll: true });
  }

  private answer(name: string): void {
    const mistake = this.rows[this.drill.queue[0] ?? -1];
    const values = mistake?.values_bb ?? null;
    if (this.isAnswered || mistake === undefined || values === null) return;
    this.isAnswered = true;
    const best = Math.max(...Object.values(values));
    const cost = best - (values[name] ?? best);
    const slack = Math.max(SLACK, mistake.pot_bb / 100);
    this.drill = answered(this.drill, cost, slack);
    for (const button of this.answers.querySelectorAll<HTMLButtonElement>("button")) {
      button.disabled = true;
      button.setAttribute("aria-pressed", String(button.dataset["answer"] === name));
    }
    const frequency = mistake.frequency === null ? "" : ` (the agent does that ${percent(mistake.frequency, 0)} of the time)`;
    const next = h("button", { class: "button primary", type: "button", onclick: () => this.ask() }, "next ", h("kbd", { "aria-hidden": "true" }, "n"));
    fill(this.verdict,
      h("p", { class: cost <= slack ? "won" : "lost" }, h("strong", {}, cost <= slack ? "Right. " : `Worth ${fixed(cost, 2)} bb less than ${mistake.best}. `),
        h("span", { class: "soft" }, `At the table you did: ${didWords(mistake)}${frequency}.`)),
      judgement(mistake),
      h("div", { class: "group" },
        next,
        h("button", { class: "button", type: "button", onclick: () => this.open(mistake) }, "whole hand")));
    // The answers are disabled, and would leave the keys to nobody.
    next.focus({ preventScroll: true });
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const names = [...this.answers.querySelectorAll<HTMLElement>("[data-answer]")].map((one) => one.dataset["answer"] ?? "");
    const name = names[Number(event.key) - 1];
    if (name !== undefined && this.hand !== null) this.answer(name);
    else if (event.key === "n" && this.isAnswered) this.ask();
    else return;
    event.preventDefault();
  }
}
