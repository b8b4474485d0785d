// Play against the equilibrium of a run. The server stores no hands: it replays a hand from its number
// and the actions so far. The browser stores these, so a hand survives a reload or a server restart.

import * as api from "../../api";
import type { Change, RunData } from "../../data";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { cardSigns } from "../../card_text";
import { count, percent, signed } from "../../format";
import type { PlayState, RunDetail, StartOfHands } from "../../model";
import { ANYWHERE, type AppState } from "../../state";
import { isTyping } from "../../typing";
import type { Context, View } from "../../view";
import { actionButtons } from "./actions";
import { ScoreBoard } from "./board";
import { dealOf, pastDeal, sessionDeal, type Deal } from "./deal";
import {
  clearHistory, emptyHistory, gameKey, nextSpot, readHistory, withHand as withPastHand, withMistakes, withoutSpot,
  writeHistory, type History, type PastHand, type Spot,
} from "./history";
import { chosenBy } from "./keys";
import { HistoryPanel } from "./past";
import { fillReview } from "./review";
import type { HandResult } from "./score";
import {
  freshSeed, namedBy, newSession, readSession, readSkips, resultOf, resumed, seatings, withHand, withResult, withSeating,
  writeSession, writeSkips, type PlaySession, type Seating,
} from "./session";
import { fillTable } from "./table";
import { SeedField } from "./seed";
import { ThoughtsPanel } from "./thoughts";
import { withButtons } from "./sizes";
import { comparedRuns } from "../runs/shown";
import { passes, readFeedback, streetOf, TrainerPanel, type Judged, verdictOf, writeFeedback } from "./trainer";

/** Hands in a row that may be skipped: in some seats of some games there is never a decision. */
const MAX_SKIPPED = 100;
/** Seconds that a blueprint may think about a decision, and their words. */
const THINK_TIMES = [["", "not at all"], ["0.3", "0.3 s"], ["1", "1 s"], ["3", "3 s"]] as const;

/** A line that a solution takes less often is one that it does not play. */
const RARE = 1e-4;

export class PlayView implements View {
  readonly element = h("section", { class: "play" });
  private readonly felt = h("div", { class: "felt" });
  private readonly turn = h("p", { class: "turn" });
  private readonly loading = h("p", { class: "loading", role: "status", hidden: true });
  private readonly result = h("p", { class: "result number", hidden: true });
  private readonly actions = h("div", { class: "actions", role: "group", "aria-label": "your action", tabindex: -1 });
  private readonly dealButton = h("button", { class: "button primary deal", onclick: () => this.goOn() });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly review = h("section", { class: "review panel", "aria-label": "review", hidden: true });
  private readonly thoughts = new ThoughtsPanel();
  private readonly think = h("select", { class: "think-time", "aria-label": "time to think", onchange: () => this.setThink() },
    ...THINK_TIMES.map(([value, words]) => h("option", { value }, words)));
  private readonly thinkLabel = h("label", { class: "check", hidden: true }, "it thinks ", this.think);
  private readonly rules = h("p", { class: "rules soft" });
  private readonly board = new ScoreBoard((result) => this.look(pastDeal(this.session.seed, result)));
  private readonly past = new HistoryPanel((hand) => this.look(pastDeal(hand.seed, hand)), () => this.forget());
  private readonly handNumber = h("span", { class: "hand-number soft number" });
  private readonly seed = new SeedField((seed) => this.begin(newSession(seed, this.session.seating, 0, this.players), null));
  private readonly seats = h("div", { class: "seat group", role: "group", "aria-label": "your seat" });
  private readonly skips = h("input", { type: "checkbox", class: "skips", onchange: () => this.setSkips() });
  private readonly feedback = h("input", { type: "checkbox", class: "feedback", onchange: () => this.setFeedback() });
  private readonly feedbackLabel = h("label", { class: "check", title: "Say at once whether a decision was right." }, this.feedback, " verdict after each move");
  private readonly verdict = h("p", { class: "verdict", role: "status", hidden: true });
  /** Where hands of a spot begin, and whether the solution gets there. */
  private readonly start = h("p", { class: "start soft", role: "status", hidden: true });
  private readonly trainer = new TrainerPanel(() => this.showDrill());
  private readonly drillButton = h("button", { class: "button drill", "aria-keyshortcuts": "d", onclick: () => this.toggleDrill() });
  private readonly note = h("span", { class: "note soft", role: "status" });
  private run: RunDetail | null = null;
  /** Where hands of a spot begin, if not at its start. */
  private from: StartOfHands | null = null;
  private session: PlaySession = newSession(0, "alternate");
  private history: History = emptyHistory();
  /** The hand on the table: that of the session, an earlier one, or a spot that is drilled. */
  private deal: Deal = sessionDeal(this.session);
  private drilled: Spot | null = null;
  private state: PlayState | null = null;
  private isWaiting = false;
  /** Whether the focus was on a button that is disabled while waiting. */
  private hadFocus = false;
  private requests = 0;
  private retry: (() => void) | null = null;
  /** What is about the run at the table, and must not be shown for another one. */
  private readonly ofRun = [this.thoughts.element, this.board.score, this.board.hands, this.past.element];
  private written = "";
  /** The hands without a decision that were just skipped. */
  private skipped = { hands: 0, total: 0 };
  private readonly onKey = (event: KeyboardEvent): void => this.press(event);

  constructor(private readonly context: Context) {
    this.skips.checked = readSkips();
    fill(this.element, h("div", { class: "frame" },
      h("div", { class: "toolbar" },
        h("span", { class: "soft seat-word" }, "your seat"), this.seats,
        h("label", { class: "check", title: "They count all the same." }, this.skips, " skip hands without a decision"),
        this.feedbackLabel, this.thinkLabel,
        this.note,
        h("span", { class: "space" }),
        this.drillButton,
        this.handNumber, this.seed.element,
        h("button", {
          class: "button new-session", title: "a new session with other cards", "aria-label": "new session",
          onclick: () => this.startOver(),
        }, "new")),
      h("div", { class: "columns" },
        h("div", { class: "main" },
          this.start,
          h("div", { class: "table" }, this.loading, this.felt,
            h("div", { class: "desk" }, h("div", { class: "words", role: "status" }, this.result, this.turn), this.verdict, this.problem,
              this.actions),
            this.rules),
          this.board.hands),
        h("div", { class: "aside" }, this.review, this.thoughts.element, this.board.score, this.trainer.element, this.past.element))));
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    addEventListener("keydown", this.onKey);
    const from = startOf(run.detail, state);
    if (run.id !== this.run?.id || JSON.stringify(from) !== JSON.stringify(this.from)) {
      this.from = from;
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

  private get players(): number {
    return this.run?.terms.seats.length ?? 2;
  }

  /** Hands of a spot that begin elsewhere are a session of their own. */
  private sessionKey({ id }: RunDetail): string {
    return this.from === null ? id : `${id} ${this.from.line} ${this.from.board}`;
  }

  private historyKey(run: RunDetail): string {
    return run.views.includes("spot") ? `spot ${this.sessionKey(run)}` : gameKey(run);
  }

  private sitDown(run: RunDetail, state: AppState): void {
    const isOthers = this.run !== null && optionsKey(state.options) === this.written;
    this.run = run;
    this.history = readHistory(this.historyKey(run));
    // Cards and actions of another run must not stay while this run's are loading.
    for (const part of [this.felt, this.actions, this.turn, this.handNumber]) fill(part);
    this.result.hidden = this.review.hidden = this.problem.hidden = true;
    for (const part of this.ofRun) part.hidden = true;
    this.loading.hidden = false;
    this.loading.textContent = run.views.includes("chart")
      ? `Opening ${run.title} and its card buckets, and dealing a hand …` : `Dealing a hand of ${run.title} …`;
    this.thinkLabel.hidden = !run.views.includes("chart");
    this.feedback.checked = readFeedback(run.views.includes("chart"));
    this.verdict.hidden = this.trainer.element.hidden = true;
    void this.sayStart(run);
    this.think.value = state.options["think"] ?? "";
    this.rules.textContent = run.terms.rules;
    this.rules.hidden = run.terms.rules === "";
    this.begin(resumed(readSession(this.sessionKey(run)), namedBy(isOthers ? {} : state.options), this.players),
      isOthers ? null : namedBy(state.options).hand);
  }

  /** The address has changed, by the back button or by this view. */
  private follow(state: AppState): void {
    if (optionsKey(state.options) === this.written) return;
    const named = namedBy(state.options);
    this.begin(resumed(this.session, named, this.players), named.hand);
  }

  private begin(session: PlaySession, hand: number | null): void {
    this.session = session;
    this.drilled = null;
    this.state = null;
    this.skipped = { hands: 0, total: 0 };
    this.showSeats();
    this.look(dealOf(session, hand ?? session.hand));
  }

  /** Put a hand on the table. */
  private look(deal: Deal): void {
    if (deal.kind !== "drill") this.drilled = null;
    this.deal = deal;
    this.keep();
    void this.ask(deal);
  }

  private async ask(deal: Deal): Promise<void> {
    const { run } = this;
    if (run === null) return;
    const number = this.newRequest();
    try {
      const how = { think: this.thinkTime(), feedback: this.feedback.checked };
      const state = await api.play(run.id, deal.seed, deal.hand, deal.seat, deal.actions, this.from, how);
      if (number === this.requests) this.take(deal, state);
    } catch (error) {
      if (number === this.requests) this.say(error, () => void this.ask(deal));
    }
  }

  private thinkTime(): string | null {
    return this.thinkLabel.hidden || this.think.value === "" ? null : this.think.value;
  }

  /** With another time to think it is another opponent, who never joins in the middle of a hand. */
  private setThink(): void {
    this.context.store.setOption("think", this.think.value === "" ? null : this.think.value);
    if (this.deal.actions.length === 0) this.look(this.deal);
    else this.dealNext();
  }

  private newRequest(): number {
    this.requests += 1;
    this.wait(true);
    return this.requests;
  }

  private take(deal: Deal, state: PlayState): void {
    this.retry = null;
    this.problem.hidden = true;
    this.deal = deal;
    this.state = state;
    let isNew = false;
    if (deal.kind === "session") {
      const before = { ...this.session, actions: deal.actions };
      this.session = withResult(before, state);
      isNew = this.session.results !== before.results;
    }
    if (isNew) this.record(state);
    if (deal.kind === "drill" && state.is_over) this.recordDrill(deal, state);
    this.keep();
    if (isNew && this.canSkip(state)) {
      this.skipped = { hands: this.skipped.hands + 1, total: this.skipped.total + (state.payoff ?? 0) };
      this.dealNext();
      return;
    }
    this.wait(false);
    this.showState(state);
    if (!state.is_over) this.skipped = { hands: 0, total: 0 };
  }

  private canSkip(state: PlayState): boolean {
    return this.skips.checked && state.review?.length === 0 && this.skipped.hands < MAX_SKIPPED;
  }

  private act(action: string): void {
    if (this.isWaiting || this.state?.to_act?.actions.includes(action) !== true) return;
    void this.ask({ ...this.deal, actions: [...this.deal.actions, action] });
  }

  /** The next hand; from an earlier hand, return to the one being played. */
  private goOn(): void {
    if (this.isWaiting) return;
    if (this.deal.kind === "drill") void this.dealSpot();
    else if (this.deal.kind === "past" && resultOf(this.session, this.session.hand) === null) this.look(sessionDeal(this.session));
    else this.dealNext();
  }

  private dealNext(): void {
    const [next] = this.others();
    if (next !== undefined) this.turnTo(next);
    else this.dealHere();
  }

  /** Other solved spots from which hands come in turn: the runs that are ticked in the list. */
  private others(): string[] {
    if (this.run?.views.includes("spot") !== true || this.deal.kind === "drill") return [];
    const { data, store } = this.context;
    return comparedRuns(store.state).filter((id) => data.runs.some((run) => run.id === id && run.views.includes("spot")));
  }

  /** Play the next hand of another run; this one comes again after all others. */
  private turnTo(id: string): void {
    const { store } = this.context;
    const stored = readSession(id);
    if (stored !== null && resultOf(stored, stored.hand) !== null) writeSession(id, withHand(stored, stored.hand + 1));
    const { seed: _seed, deal: _deal, ...options } = store.state.options;
    const compare = [...comparedRuns(store.state).filter((one) => one !== id), ...(this.run === null ? [] : [this.run.id])];
    this.written = optionsKey(options);
    store.set({ run: id, compare, spot: ANYWHERE, options }, { replace: true });
  }

  /** The decisions of all runs from which hands come. */
  private decisions(): Judged[] {
    const others = this.others().flatMap((id) => readSession(id)?.results ?? []);
    return [...this.session.results, ...others].flatMap(({ decisions }) => decisions ?? []);
  }

  private dealHere(): void {
    this.session = withHand(this.session, this.session.hand + 1);
    this.look(sessionDeal(this.session));
  }

  private toggleDrill(): void {
    if (this.drilled !== null) this.look(dealOf(this.session, this.session.hand));
    else if (this.drills().length > 0) void this.dealSpot();
  }

  /** Deal the spot of a mistake again: the same cards and line, with new cards for the opponent. */
  private async dealSpot(): Promise<void> {
    const { run } = this;
    const spot = nextSpot(this.drills(), this.drilled);
    if (run === null) return;
    if (spot === null) {
      this.look(dealOf(this.session, this.session.hand));
      return;
    }
    this.drilled = spot;
    const { seat, label, actions } = spot;
    const seed = freshSeed();
    const number = this.newRequest();
    try {
      const { hand } = await api.deal(run.id, { seed, hand: 0, seat, label, actions }, this.from);
      if (number !== this.requests) return;
      // A spot that hardly ever comes up is dealt with the cards it had.
      const dealt = hand === null ? { seed: spot.seed, hand: spot.hand } : { seed, hand };
      this.look({ kind: "drill", ...dealt, seat, actions });
    } catch (error) {
      if (number !== this.requests) return;
      if (error instanceof api.RequestError && error.status === 400) {
        // The game has changed since, and no longer has this spot.
        this.store(withoutSpot(this.history, spot));
        void this.dealSpot();
      } else this.say(error, () => void this.dealSpot());
    }
  }

  /** The mistakes to drill, of the streets and seats that are wanted. */
  private drills(): Spot[] {
    return this.history.spots.filter(({ seat, board }) => passes(this.trainer.which, { seat, street: streetOf(board) }));
  }

  private record(state: PlayState): void {
    const { run, session } = this;
    const result = resultOf(session, state.hand);
    if (run === null || result === null) return;
    const { decisions: _decisions, ...kept } = result; // of the session only
    const hand: PastHand = { ...kept, run: run.id, seed: session.seed, at: Date.now() };
    // Another tab may have written since.
    this.store(withPastHand(readHistory(this.historyKey(run)), hand, state));
  }

  private recordDrill({ seed, actions }: Deal, state: PlayState): void {
    const { run, drilled } = this;
    if (run === null || drilled === null) return;
    const again = state.review?.find(({ label }) => label === drilled.label);
    const isRight = again !== undefined && again.cost !== null && again.cost <= again.mistake;
    const before = readHistory(this.historyKey(run));
    this.store(withMistakes(isRight ? withoutSpot(before, drilled) : before, seed, actions, state));
  }

  private store(history: History): void {
    this.history = history;
    if (this.run !== null) writeHistory(this.historyKey(this.run), history);
  }

  private forget(): void {
    if (this.run === null || !confirm("Forget all hands and mistakes of this game?")) return;
    clearHistory(this.historyKey(this.run));
    this.history = emptyHistory();
    if (this.state !== null) this.showState(this.state);
  }

  private startOver(): void {
    this.begin(newSession(freshSeed(), this.session.seating, 0, this.players), null);
  }

  private setSkips(): void {
    writeSkips(this.skips.checked);
    if (this.skips.checked && this.deal.kind === "session" && this.state?.review?.length === 0) this.goOn();
  }

  private sit(seating: Seating): void {
    const before = this.session;
    this.session = withSeating(before, seating);
    this.showSeats();
    if (this.session.hand !== before.hand) this.look(sessionDeal(this.session));
    else this.keep();
  }

  /** Store the session, and its position in the address. */
  private keep(): void {
    if (this.run === null) return;
    writeSession(this.sessionKey(this.run), this.session);
    const { store } = this.context;
    const { seed, seating } = this.session;
    const isOfSession = this.deal.kind !== "drill" && this.deal.seed === seed;
    const hand = isOfSession ? this.deal.hand : this.session.hand;
    const options = { ...store.state.options, seed: String(seed), deal: String(hand), sits: seating };
    this.written = optionsKey(options);
    if (optionsKey(store.state.options) !== this.written) store.set({ options }, { replace: true });
  }

  private press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event)) return;
    const actions = withButtons(this.state?.to_act?.action_data ?? []).map(({ name }) => name);
    const chosen = chosenBy(event, actions, this.state?.is_over === true);
    if (chosen === null) return;
    event.preventDefault();
    if (chosen === "deal") this.goOn();
    else if (chosen === "drill") this.toggleDrill();
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

  private wait(isWaiting: boolean): void {
    this.isWaiting = isWaiting;
    if (isWaiting) this.hadFocus ||= this.actions.contains(document.activeElement);
    this.element.classList.toggle("waiting", isWaiting);
    this.element.setAttribute("aria-busy", String(isWaiting));
    for (const button of this.actions.querySelectorAll("button")) button.disabled = isWaiting;
  }

  private say(error: unknown, retry: () => void): void {
    this.retry = retry;
    this.wait(false);
    this.loading.hidden = true;
    fill(this.problem, messageOf(error),
      h("button", { class: "button", onclick: retry }, "try again"),
      h("button", { class: "button", onclick: () => this.dealNext() }, "skip this hand"));
    this.problem.hidden = false;
  }

  private showState(state: PlayState): void {
    this.loading.hidden = true;
    this.board.score.hidden = false;
    fillTable(this.felt, state);
    this.element.classList.toggle("over", state.is_over);
    this.turn.textContent = this.turnWords(state);
    this.showResult(state);
    this.showActions(state);
    this.showVerdict(state);
    this.review.hidden = state.review === null || (!state.is_over && state.review.length === 0);
    if (state.review !== null) fillReview(this.review, state.review, state.terms);
    this.thoughts.show(state);
    this.board.show(this.session, this.shownResult(), state.terms, this.fileName(String(this.session.seed)));
    this.trainer.show(this.decisions(), state.terms.seats, state.terms.unit);
    this.past.show(this.history, this.run?.id ?? "", state.terms.unit, state.terms.public, this.fileName("history"));
    this.handNumber.textContent = this.deal.kind === "drill" ? "" : `hand ${count(this.deal.hand + 1)}`;
    this.seed.show(this.session.seed);
    this.showDrill();
    this.showNote();
    // Not on an action: the key that dealt the hand would also take the action.
    if (this.hadFocus) (state.is_over ? this.dealButton : this.actions).focus();
    this.hadFocus = false;
  }

  /** The verdict on the last decision, while the hand goes on. */
  private showVerdict({ review, is_over: isOver, terms }: PlayState): void {
    const last = review?.at(-1);
    this.verdict.hidden = isOver || last === undefined;
    if (last === undefined) return;
    const { kind, words } = verdictOf(last, terms.unit);
    this.verdict.dataset["kind"] = kind;
    this.verdict.textContent = words;
  }

  private setFeedback(): void {
    writeFeedback(this.feedback.checked, this.run?.views.includes("chart") === true);
    if (this.state !== null) this.look(this.deal);
  }

  /** Say where hands begin that do not begin at the start, and whether the solution ever gets there. */
  private async sayStart(run: RunDetail): Promise<void> {
    const { from } = this;
    this.start.hidden = true;
    if (from === null) return;
    const node = await api.treeNode(run.id, "spot", from.line, from.board).catch(() => null);
    if (node === null || this.run?.id !== run.id || this.from !== from) return;
    this.start.hidden = false;
    const { reach } = node;
    const isRare = reach !== null && reach < RARE;
    this.start.dataset["kind"] = isRare ? "rare" : "usual";
    this.start.textContent = `Hands begin after ${node.words.trim() || "the deal"}${node.board === null ? "" : `, on ${cardSigns(node.board)}`}. ${
      isRare ? `The solution gets here in ${percent(reach, 2)} of hands: its ranges and answers are arbitrary.` : `The solution gets here in ${percent(reach)} of hands.`}`;
  }

  private turnWords({ to_act: turn, outcome }: PlayState): string {
    if (turn === null) return outcome ?? "";
    return this.drilled === null ? `your turn: ${turn.words}` : `drill: ${turn.words}`;
  }

  /** The verdict: "−11.00 · 2 mistakes · gave away 4.22". */
  private showResult({ is_over: isOver, payoff, verdict, review }: PlayState): void {
    this.result.hidden = !isOver;
    const hasMistake = review?.some(({ cost, mistake }) => (cost ?? 0) > mistake) === true;
    const gain = payoff ?? 0;
    fill(this.result,
      h("span", { class: `gain ${gain < 0 ? "lost" : gain > 0 ? "won" : "even"}` }, signed(gain, 2)),
      ...(verdict ?? "").split(" · ").map((part) => h("span", { class: hasMistake ? "lost" : null }, `· ${part}`)));
  }

  private showActions(state: PlayState): void {
    if (state.to_act !== null) {
      fill(this.actions, ...actionButtons(state.to_act.action_data, state.chips, (action) => this.act(action)));
      return;
    }
    const isOpen = this.deal.kind === "past" && resultOf(this.session, this.session.hand) === null;
    const words = this.deal.kind === "drill" ? "next spot" : isOpen ? `back to hand ${this.session.hand + 1}` : "next hand";
    fill(this.dealButton, words, h("kbd", { "aria-hidden": "true" }, "n"));
    fill(this.actions, this.dealButton);
  }

  private shownResult(): HandResult | null {
    const { deal, session } = this;
    return deal.kind !== "drill" && deal.seed === session.seed ? resultOf(session, deal.hand) : null;
  }

  private fileName(of: string): string {
    return `play-${this.run?.name ?? ""}-${of}`;
  }

  private showSeats(): void {
    const seats: readonly string[] = this.run?.terms.seats ?? ["player 0", "player 1"];
    fill(this.seats, ...seatings(seats.length).map((seating) => h("button", {
      class: "button", "data-seat": seating, "aria-pressed": String(seating === this.session.seating),
      onclick: () => this.sit(seating),
    }, seats[Number(seating)] ?? seating)));
    this.showNote();
  }

  private showDrill(): void {
    const left = this.drills().length;
    const isDrilling = this.drilled !== null;
    fill(this.drillButton, isDrilling ? "end the drill" : "drill my mistakes", left > 0 ? ` (${left})` : "",
      h("kbd", { "aria-hidden": "true" }, "d"));
    this.drillButton.disabled = left === 0 && !isDrilling;
    this.drillButton.setAttribute("aria-pressed", String(isDrilling));
  }

  private showNote(): void {
    this.note.textContent = this.noteWords();
  }

  private noteWords(): string {
    const { seating, seat, hand } = this.session;
    if (this.drilled !== null) return this.drillWords(this.drilled);
    const isLater = seating !== "alternate" && Number(seating) !== seat && resultOf(this.session, hand) === null;
    if (isLater) return "starting with the next hand";
    const others = this.others().length;
    if (others > 0) return `hands come in turn from ${others + 1} spots: those that are ticked in the list`;
    const { hands, total } = this.skipped;
    if (hands > 0) return `skipped ${hands} ${hands === 1 ? "hand" : "hands"}, ${signed(total, 2)}`;
    return this.run?.status === "running" ? "still running: the opponent is still learning" : "";
  }

  /** The last choice is shown only at the end: it would give the answer away. */
  private drillWords({ chosen, cost }: Spot): string {
    const rest = this.state?.is_over === true ? `; last time: ${chosen}, ${signed(-cost, 2)}` : "";
    return `these hands do not count${rest}`;
  }
}

/** The line and board from which hands of a spot are dealt; null for its start, and for other games. */
function startOf({ views }: RunDetail, { spot: { line, board } }: AppState): StartOfHands | null {
  return views.includes("spot") && (line ?? "") !== "" ? { line: line ?? "", board: board ?? "" } : null;
}

/** The options of this view as one text, for comparison. */
function optionsKey(options: Record<string, string>): string {
  return [options["seed"], options["deal"], options["sits"]].join();
}

