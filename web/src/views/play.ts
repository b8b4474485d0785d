// Play against the equilibrium of a run. The server stores no hands: it replays a hand from its number
// and the actions so far. The browser stores these, so a hand survives a reload or a server restart.

import * as api from "../api";
import type { Change, RunData } from "../data";
import { fill, h } from "../dom";
import { messageOf } from "../errors";
import { signed } from "../format";
import type { PlayState, Player, RunDetail } from "../model";
import type { AppState } from "../state";
import { isTyping } from "../typing";
import type { Context, View, ViewDescriptor } from "../view";
import { actionButtons } from "./play_actions";
import { ScoreBoard } from "./play_board";
import { chosenBy } from "./play_keys";
import { fillReview } from "./play_review";
import {
  freshSeed, namedBy, newSession, readSession, resultOf, resumed, SEATINGS, withHand, withResult, withSeating,
  writeSession, type PlaySession, type Seating,
} from "./play_session";
import { fillTable } from "./play_table";

export const play: ViewDescriptor = {
  name: "play",
  title: "Play",
  key: "p",
  isReplayed: false,
  takesKeys: true,
  options: ["seed", "hand", "seat"],
  about: () => "Play against the strategy found; after each hand it says what the equilibrium would have done.",
  load: (context) => new PlayView(context),
};

class PlayView implements View {
  readonly element = h("section", { class: "play" });
  private readonly felt = h("div", { class: "felt" });
  private readonly turn = h("p", { class: "turn", role: "status" });
  private readonly result = h("span", { class: "result number", hidden: true });
  private readonly actions = h("div", { class: "actions", role: "group", "aria-label": "your action", tabindex: -1 });
  private readonly dealButton = h("button", { class: "button primary deal", onclick: () => this.deal() });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly review = h("section", { class: "review panel", "aria-label": "review", hidden: true });
  private readonly board = new ScoreBoard((hand) => this.look(hand));
  private readonly about = h("span", { class: "about soft number" });
  private readonly seats = h("div", { class: "seat group", role: "group", "aria-label": "your seat" });
  private readonly note = h("span", { class: "note soft" });
  private run: RunDetail | null = null;
  private session: PlaySession = newSession(0, "alternate");
  /** The hand on the table: the session's current hand, or an earlier one. */
  private hand = 0;
  private state: PlayState | null = null;
  private isWaiting = false;
  /** Whether the focus was on a button that is disabled while waiting. */
  private hadFocus = false;
  private requests = 0;
  private retry: (() => void) | null = null;
  private written = "";
  private readonly onKey = (event: KeyboardEvent): void => this.press(event);

  constructor(private readonly context: Context) {
    fill(this.element,
      h("div", { class: "toolbar" },
        h("span", { class: "soft seat-word" }, "your seat"), this.seats, this.note,
        h("span", { class: "space" }),
        this.about,
        h("button", { class: "button new-session", onclick: () => this.startOver() }, "new session")),
      h("div", { class: "columns" },
        h("div", { class: "main" },
          h("div", { class: "table" }, this.felt,
            h("div", { class: "desk" }, h("div", { class: "words" }, this.result, this.turn), this.problem,
              this.actions)),
          this.review),
        h("div", { class: "aside" }, this.board.score, this.board.hands)));
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    addEventListener("keydown", this.onKey);
    if (run.id !== this.run?.id) {
      this.sitDown(run.detail, state);
      return;
    }
    this.run = run.detail;
    this.showNote();
    if (change === null) this.follow(state);
    if (change?.what === "connection" && this.context.data.connection === "live") this.retry?.();
  }

  leave(): void {
    removeEventListener("keydown", this.onKey);
  }

  private sitDown(run: RunDetail, state: AppState): void {
    const isOthers = this.run !== null && optionsKey(state.options) === this.written;
    this.run = run;
    // Cards and actions of another run must not stay while this run's are loading.
    for (const part of [this.felt, this.actions, this.turn]) fill(part);
    this.result.hidden = this.review.hidden = this.problem.hidden = true;
    this.begin(resumed(readSession(run.id), namedBy(isOthers ? {} : state.options)),
      isOthers ? null : namedBy(state.options).hand);
  }

  /** The address has changed, by the back button or by this view. */
  private follow(state: AppState): void {
    if (optionsKey(state.options) === this.written) return;
    const named = namedBy(state.options);
    this.begin(resumed(this.session, named), named.hand);
  }

  private begin(session: PlaySession, hand: number | null): void {
    this.session = session;
    this.hand = hand !== null && resultOf(session, hand) !== null ? hand : session.hand;
    this.state = null;
    this.keep();
    this.showSeats();
    void this.ask(this.known());
  }

  /** The actions taken in the hand on the table. */
  private known(): string[] {
    return this.isPast ? (resultOf(this.session, this.hand)?.actions ?? []) : this.session.actions;
  }

  private get isPast(): boolean {
    return this.hand !== this.session.hand;
  }

  private async ask(actions: string[]): Promise<void> {
    const { run, hand, session } = this;
    if (run === null) return;
    this.requests += 1;
    const number = this.requests;
    const seat = this.isPast ? (resultOf(session, hand)?.seat ?? 0) : session.seat;
    this.wait(true);
    try {
      const state = await api.play(run.id, session.seed, hand, seat, actions);
      if (number === this.requests) this.take(state, actions);
    } catch (error) {
      if (number === this.requests) this.say(error, () => void this.ask(actions));
    }
  }

  private take(state: PlayState, actions: string[]): void {
    this.retry = null;
    this.problem.hidden = true;
    this.state = state;
    if (!this.isPast) this.session = withResult({ ...this.session, actions }, state);
    this.keep();
    this.wait(false);
    this.showState(state);
  }

  private act(action: string): void {
    if (!this.isWaiting && this.state?.to_act?.actions.includes(action)) void this.ask([...this.known(), action]);
  }

  private deal(): void {
    if (this.isWaiting) return;
    // From an earlier hand, return to the one being played.
    const isNew = !this.isPast || resultOf(this.session, this.session.hand) !== null;
    if (isNew) this.session = withHand(this.session, this.session.hand + 1);
    this.look(this.session.hand);
  }

  private look(hand: number): void {
    this.hand = hand;
    this.keep();
    void this.ask(this.known());
  }

  private startOver(): void {
    this.begin(newSession(freshSeed(), this.session.seating), null);
  }

  private sit(seating: Seating): void {
    const before = this.session;
    this.session = withSeating(before, seating);
    this.showSeats();
    if (this.session.hand !== before.hand) this.look(this.session.hand);
    else this.keep();
  }

  /** Store the session, and its position in the address. */
  private keep(): void {
    if (this.run === null) return;
    writeSession(this.run.id, this.session);
    const { store } = this.context;
    const { seed, seating } = this.session;
    const options = { ...store.state.options, seed: String(seed), hand: String(this.hand), seat: seating };
    this.written = optionsKey(options);
    if (optionsKey(store.state.options) !== this.written) store.set({ options }, { replace: true });
  }

  private press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event)) return;
    const chosen = chosenBy(event, this.state?.to_act?.actions ?? [], this.canDeal());
    if (chosen === null || chosen === "drill") return;
    event.preventDefault();
    if (chosen === "deal") this.deal();
    else if ("move" in chosen) this.moveFocus(chosen.move);
    else this.act(chosen.action);
  }

  /** Move the focus along the actions, from the last to the first and back. */
  private moveFocus(by: 1 | -1): void {
    const buttons = [...this.actions.querySelectorAll("button")];
    const now = buttons.findIndex((button) => button === document.activeElement);
    const next = now < 0 ? (by === 1 ? 0 : buttons.length - 1) : (now + by + buttons.length) % buttons.length;
    buttons[next]?.focus();
  }

  private canDeal(): boolean {
    return this.state?.is_over === true;
  }

  private wait(isWaiting: boolean): void {
    this.isWaiting = isWaiting;
    if (isWaiting) this.hadFocus = this.actions.contains(document.activeElement);
    this.element.classList.toggle("waiting", isWaiting);
    this.element.setAttribute("aria-busy", String(isWaiting));
    for (const button of this.actions.querySelectorAll("button")) button.disabled = isWaiting;
  }

  private say(error: unknown, retry: () => void): void {
    this.retry = retry;
    this.wait(false);
    fill(this.problem, messageOf(error),
      h("button", { class: "button", onclick: retry }, "try again"),
      h("button", { class: "button", onclick: () => this.deal() }, "skip this hand"));
    this.problem.hidden = false;
  }

  private showState(state: PlayState): void {
    const unit = this.run?.unit ?? "chips";
    fillTable(this.felt, state, (player) => this.seatName(player));
    this.turn.textContent = state.to_act ? `your turn: ${state.to_act.words}` : this.endWords(state);
    this.result.hidden = !state.is_over;
    const payoff = state.payoff ?? 0;
    this.result.className = `result number ${payoff < 0 ? "lost" : payoff > 0 ? "won" : "even"}`;
    this.result.textContent = state.is_over ? `${signed(state.payoff, 2)} ${unit}` : "";
    this.showActions(state);
    this.review.hidden = state.review === null;
    if (state.review !== null) fillReview(this.review, state.review, unit);
    this.board.show(this.session, this.hand, unit, `play-${this.run?.name ?? ""}-${this.session.seed}`);
    this.about.textContent = `hand ${this.hand + 1}, seed ${this.session.seed}`;
    this.showNote();
    // Not on an action: the key that dealt the hand would also take the action.
    if (this.hadFocus) (state.is_over ? this.dealButton : this.actions).focus();
  }

  private endWords({ payoff, events }: PlayState): string {
    const words = !payoff ? "nobody wins" : payoff > 0 ? "you win" : "you lose";
    // A hand class has no cards, so no board can be dealt: the average result of the two classes is paid.
    const isByEquity = this.run?.terms.private === "hand class" && events[events.length - 1]?.action === "call";
    return isByEquity ? `${words}: a called all-in pays its exact equity` : words;
  }

  private showActions(state: PlayState): void {
    if (state.to_act !== null) {
      fill(this.actions, ...actionButtons(state.to_act.action_data, (action) => this.act(action)));
      return;
    }
    const isOpen = this.isPast && resultOf(this.session, this.session.hand) === null;
    fill(this.dealButton, isOpen ? `back to hand ${this.session.hand + 1}` : "next hand",
      h("kbd", { "aria-hidden": "true" }, "n"));
    fill(this.actions, this.dealButton);
  }

  private seatName(player: Player): string {
    return this.run?.terms.seats[player] ?? `player ${player}`;
  }

  private showSeats(): void {
    fill(this.seats, ...SEATINGS.map((seating) => h("button", {
      class: "button", "data-seat": seating, "aria-pressed": String(seating === this.session.seating),
      onclick: () => this.sit(seating),
    }, seating === "alternate" ? seating : this.seatName(seating === "1" ? 1 : 0))));
    this.showNote();
  }

  private showNote(): void {
    const { seating, seat, hand } = this.session;
    const isLater = seating !== "alternate" && Number(seating) !== seat && resultOf(this.session, hand) === null;
    this.note.textContent = isLater
      ? "starting with the next hand"
      : this.run?.status === "running" ? "still running: the opponent is still learning" : "";
  }
}

/** The options of this view as one text, for comparison. */
function optionsKey(options: Record<string, string>): string {
  return [options["seed"], options["hand"], options["seat"]].join();
}
