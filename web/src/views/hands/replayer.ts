// One hand, action by action, with what a review says about the decisions.

import * as api from "../../api";
import { cardSpans } from "../../card_text";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { moment } from "../../format";
import type { HandPage, JudgedDecision } from "../../model";
import { Newest } from "../../newest";
import { drawFelt } from "./felt";
import { costText, judgement } from "./judgement";
import { bbText, framesOf, moveWords, STREETS, type Frame } from "./replay";

export interface Wanted {
  folder: string;
  file: number;
  row: number;
  review: string | null;
  /** The player at the bottom; null for the one reviewed, or the owner of the record. */
  player: string | null;
}

export class Replayer {
  readonly element: HTMLElement;
  private readonly felt = h("div", { class: "felt" });
  private readonly title = h("h3", { tabindex: -1 });
  private readonly facts = h("p", { class: "soft" });
  private readonly story = h("div", { class: "story" });
  private readonly verdict = h("div", { class: "verdict", "aria-live": "polite" });
  private readonly problem = h("p", { class: "lost", role: "alert", hidden: true });
  private readonly newest = new Newest<HandPage>();
  private hand: HandPage | null = null;
  private frames: Frame[] = [];
  private at = 0;
  private seat = 0;
  private key = "";

  /** `close` leads back to the list, `step` to the next hand of it (1) or the one before (−1). */
  constructor(close: () => void, step: (by: number) => void) {
    const button = (label: string, words: string, go: () => void): HTMLElement =>
      h("button", { class: "button small", type: "button", "aria-label": words, title: words, onclick: go }, label);
    this.element = h("section", { class: "replayer", "aria-label": "hand", onkeydown: (event: KeyboardEvent) => this.press(event, close, step) },
      h("div", { class: "toolbar" },
        button("← back", "back (Esc)", close),
        h("div", { class: "group" }, button("newer", "the hand above in the list (p)", () => step(-1)), button("older", "the next hand in the list (n)", () => step(1))),
        this.title),
      this.problem,
      h("div", { class: "columns" },
        h("div", {},
          this.felt,
          h("div", { class: "group steps" },
            button("«", "to the beginning (Home)", () => this.go(0)), button("‹", "one step back (←)", () => this.go(this.at - 1)),
            button("›", "one step on (→)", () => this.go(this.at + 1)), button("»", "to the end (End)", () => this.go(this.frames.length - 1)),
            button("next mistake", "to the next decision that cost something (m)", () => this.toMistake())),
          this.facts, this.verdict),
        this.story));
  }

  show(wanted: Wanted): void {
    const key = JSON.stringify(wanted);
    if (key === this.key) return;
    this.key = key;
    const { folder, file, row, review } = wanted;
    this.newest.ask(key, () => api.handPage(folder, file, row, review),
      (hand) => this.open(hand, wanted.player), (error) => this.fail(error));
  }

  focus(): void {
    this.title.focus();
  }

  private open(hand: HandPage, player: string | null): void {
    this.problem.hidden = true;
    this.hand = hand;
    this.frames = framesOf(hand);
    const named = player === null ? -1 : hand.players.indexOf(player);
    this.seat = hand.review?.player ?? (named >= 0 ? named : hand.hero ?? 0);
    fill(this.title, `${hand.site} #${hand.number}`);
    const stakes = `big blind ${hand.big_blind / hand.scale} ${hand.currency}`.trim();
    fill(this.facts, [hand.played === null ? "" : moment(hand.played), `${hand.players.length} players`, stakes,
      hand.table && `table ${hand.table}`, hand.tournament === null ? "" : `tournament ${hand.tournament}`].filter(Boolean).join(" · "));
    this.drawStory(hand);
    const first = this.mistakes().at(0);
    this.go(first ?? 0);
  }

  private fail(error: unknown): void {
    this.key = "";
    this.problem.textContent = messageOf(error);
    this.problem.hidden = false;
  }

  /** The decision that led to a frame. */
  private decisionAt(at: number): JudgedDecision | null {
    const { hand } = this;
    const { move = null, nth = 0 } = this.frames[at] ?? {};
    if (hand?.review == null || move === null || move.player !== hand.review.player) return null;
    return hand.review.decisions[nth] ?? null;
  }

  /** The frames after decisions that cost something. */
  private mistakes(): number[] {
    return this.frames.flatMap((_, at) => ((this.decisionAt(at)?.cost_bb ?? 0) > 0.005 ? [at] : []));
  }

  private toMistake(): void {
    const all = this.mistakes();
    const next = all.find((at) => at > this.at) ?? all[0];
    if (next !== undefined) this.go(next);
  }

  private go(to: number): void {
    const { hand } = this;
    this.at = Math.max(0, Math.min(this.frames.length - 1, to));
    const frame = this.frames[this.at];
    if (hand === null || frame === undefined) return;
    drawFelt(this.felt, hand, frame, { seat: this.seat, isOpen: true });
    for (const item of this.story.querySelectorAll("[data-at]")) {
      const isHere = item.getAttribute("data-at") === String(this.at);
      item.toggleAttribute("aria-current", isHere);
      if (isHere) item.scrollIntoView({ block: "nearest" });
    }
    const decision = this.decisionAt(this.at);
    fill(this.verdict, decision !== null && judgement(decision),
      hand.review === null && h("p", { class: "soft" }, "There is no review of these hands, which would say what decisions cost."));
  }

  private drawStory(hand: HandPage): void {
    let street = -1;
    const items: HTMLElement[] = [];
    this.frames.forEach((frame, at) => {
      if (frame.isOver) {
        items.push(this.line(at, hand.gains === null ? "the result is not known" : "the end", "deal"));
      } else if (frame.street !== street) {
        street = frame.street;
        const heading = this.line(at, "", "deal");
        fill(heading, h("strong", {}, STREETS[street] ?? ""), " ", ...cardSpans(frame.board), ` pot ${bbText(frame.pot + frame.bets.reduce((total, bet) => total + bet, 0), hand.big_blind)}`);
        items.push(heading);
      }
      if (frame.move === null || frame.isOver) return;
      const { player } = frame.move;
      const item = this.line(at, `${hand.positions[player]} ${moveWords(frame.move, hand.big_blind)}`, player === this.seat ? "own" : "");
      const decision = this.decisionAt(at);
      if (decision !== null) {
        item.append(h("span", { class: `mark ${!decision.judged ? "soft" : (decision.cost_bb ?? 0) > 0.005 ? "lost" : "won"}` }, costText(decision.cost_bb)));
      }
      items.push(item);
    });
    fill(this.story, ...items);
  }

  private line(at: number, text: string, kind: string): HTMLElement {
    return h("button", { type: "button", class: `moment ${kind}`, "data-at": at, onclick: () => this.go(at) }, text);
  }

  private press(event: KeyboardEvent, close: () => void, step: (by: number) => void): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = ({
      ArrowLeft: () => this.go(this.at - 1), ArrowRight: () => this.go(this.at + 1), Home: () => this.go(0),
      End: () => this.go(this.frames.length - 1), Escape: close, n: () => step(1), p: () => step(-1), m: () => this.toMistake(),
    } as Record<string, () => void>)[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }
}
