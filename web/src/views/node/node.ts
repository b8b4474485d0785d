// A tree node by node, of a solved spot or a blueprint: the line above, the whole range in one row, a grid of hands, and
// the suits of the chosen hand beside. Panels show what only some trees know: a table of hands with EV and equity, every
// next card, locks and best responses of a spot; the board of a blueprint.

import { actionClasses } from "../../action_styles";
import * as api from "../../api";
import { cardSpans } from "../../card_text";
import { HandGrid } from "../../charts/hand_grid";
import { HANDS } from "../../charts/hands";
import type { Change, RunData } from "../../data";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { count, fixed, percent } from "../../format";
import { LruCache } from "../../lru_cache";
import type { NodePage, NodeSide, Place, Player, Runouts } from "../../model";
import { Newest } from "../../newest";
import { NEW_SPOT } from "../../places";
import { leaveDraft } from "../../spot_draft";
import type { AppState } from "../../state";
import type { Context, View } from "../../view";
import { rungsOf } from "../noise/rungs";
import { NoiseSlider } from "../noise/slider";
import { Answers, type Question } from "./answers";
import { cellsOf, LEAST, lockMark, MODES, shownClass, type Mode } from "./cells";
import { DealingPanel } from "./dealing";
import { HandTable } from "./hand_table";
import { LockPanel } from "./locks";
import { PathStrip, SEAT_NAMES } from "./path_strip";
import { ResponsePanel } from "./response";
import { RunoutsPanel } from "./runouts";
import { Suits } from "./suits";
import { fillSummary, type Fact } from "./summary";

const MODE_TEXTS: Record<Mode, string> = { strategy: "strategy", ev: "EV", equity: "equity" };
const KEPT = 60;
/** How long a node is on the screen before those that follow it are fetched, in milliseconds. */
const GLANCE = 60;

export class NodeView implements View {
  readonly element = h("section", { class: "spot" });
  readonly strip: HTMLElement;
  readonly inspector: HTMLElement;
  private readonly line = new PathStrip((place) => this.go(place));
  private readonly summary = h("section", { class: "range-summary", "aria-label": "The whole range" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly grid: HandGrid;
  private readonly gridPart: HTMLElement;
  private readonly legend = h("p", { class: "lock-legend soft", hidden: true });
  private readonly table = new HandTable((order) => this.context.store.setOption("order", order === "hand" ? null : order));
  private readonly suits = new Suits();
  private readonly lock = new LockPanel((node, locks) => this.solveLocked(node, locks), () => this.drawResponse());
  private readonly response = new ResponsePanel({
    locks: () => this.lock.chosen, open: (run, source) => this.openResponse(run, source),
  });
  private readonly noise = new NoiseSlider(({ run }) => this.context.store.set({ run, moment: null }, { replace: true }));
  private readonly ghost = h("p", { class: "ghost-line soft", hidden: true });
  private readonly runouts = new RunoutsPanel((card) => this.deal(card));
  private readonly dealing = new DealingPanel((board) => this.go({ line: this.node?.line ?? "", board }), () => this.askedBoard());
  private readonly modes: HTMLButtonElement[];
  private readonly seats: HTMLButtonElement[];
  private readonly drill = h("button", {
    class: "button drill", hidden: true, title: "Play hands from this node, with a verdict on every decision",
    onclick: () => this.play(),
  }, "drill from here");
  private readonly again = h("button", {
    class: "button again", hidden: true, title: "Solve this street, with the ranges that get here and sizes of your own",
    onclick: () => void this.solveAgain(),
  }, "solve from here");
  private readonly answers = new Answers<NodePage>(
    (node) => this.show(node), (error) => this.fail(error), { kept: KEPT, glance: GLANCE });
  private readonly dealt = new LruCache<Runouts>(KEPT);
  private readonly newestRunouts = new Newest<Runouts>();
  private run: RunData | null = null;
  private node: NodePage | null = null;
  private askedKey = "";
  private drawnKey = "";
  private hand = 0;

  /** `tree` is what the nodes belong to, and the name of their endpoint. */
  constructor(private readonly context: Context, private readonly tree: "spot" | "chart") {
    const isSpot = tree === "spot";
    this.grid = new HandGrid(`hands of the ${isSpot ? "range" : "blueprint"}`, {
      look: (hand) => this.look(hand), choose: (hand) => this.choose(hand),
    });
    this.gridPart = h("div", { class: "grid-part" }, this.grid.element, this.legend);
    this.modes = MODES.map((mode) => h("button", {
      class: "button", "data-mode": mode, onclick: () => context.store.setOption("show", mode === "strategy" ? null : mode),
    }, MODE_TEXTS[mode]));
    this.seats = SEAT_NAMES.map((name, seat) => h("button", {
      class: "button", "data-seat": seat, onclick: () => context.store.go({ seat: seat as Player }, { replace: true }),
    }, name));
    this.strip = this.line.element;
    this.element.classList.toggle("line-chart", !isSpot);
    this.inspector = h("div", { class: "spot-inspector" }, this.suits.element, ...(isSpot ? [this.lock.element, this.response.element] : []));
    fill(this.element, this.problem, this.summary, ...(isSpot ? [
      h("div", { class: "toolbar" },
        h("div", { class: "group", role: "group", "aria-label": "whose range" }, ...this.seats),
        h("div", { class: "group", role: "group", "aria-label": "what cells show" }, ...this.modes),
        this.noise.element, h("span", { class: "space" }), this.again, this.drill),
      this.ghost, this.runouts.element,
      h("div", { class: "spot-body" }, this.gridPart, this.table.element),
    ] : [this.dealing.label, this.dealing.element, this.again, this.gridPart]));
    this.inspector.hidden = true;
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    if (run.id !== this.run?.id) this.element.classList.add("waiting");
    this.run = run;
    const question = this.question(run, state.spot.line ?? "", state.spot.board ?? "");
    const isBack = change?.what === "connection" && this.context.data.connection === "live" && !this.problem.hidden;
    if (question.key !== this.askedKey || isBack) {
      this.askedKey = question.key;
      this.answers.ask(question.key, question, (node) => this.ahead(run, node));
    } else this.draw();
  }

  leave(): void {
    this.answers.forget();
    this.newestRunouts.forget();
    this.response.leave();
    this.askedKey = "";
  }

  /** A run gets another solution when it is resumed, and another blueprint when training ends. */
  private question({ id, detail }: RunData, line: string, board: string): Question<NodePage> {
    return {
      key: JSON.stringify([id, detail.status, detail.last?.iteration ?? 0, line, board]),
      load: () => api.treeNode(id, this.tree, line, board),
    };
  }

  /** What follows a node of a spot, so that the next click need not wait. */
  private ahead(run: RunData, node: NodePage): Question<NodePage>[] {
    if (this.tree === "chart" || node.kind !== "decision") return [];
    return node.children.flatMap((place) => (place === null ? [] : [this.question(run, place.line, place.board ?? "")]));
  }

  private show(node: NodePage): void {
    const { run } = this;
    if (run === null) return;
    this.node = node;
    this.drawnKey = "";
    this.problem.hidden = true;
    this.element.classList.remove("waiting");
    const { spot } = node.panels;
    this.line.draw(node, spot === undefined ? ["start"] : cardSpans(spot.board), seatsOf(node, run));
    this.dealing.draw(node);
    this.draw();
    if (this.tree === "spot" && node.kind === "deal") this.askRunouts(this.askedKey, node);
  }

  private askRunouts(key: string, node: NodePage): void {
    const run = this.run?.id;
    const known = this.dealt.get(key);
    this.runouts.draw(node, known ?? null, null);
    if (run === undefined || known !== undefined) return;
    this.newestRunouts.ask(key, () => api.runouts(run, node.line, node.board ?? ""), (runouts) => {
      this.dealt.set(key, runouts);
      if (this.node === node) this.runouts.draw(node, runouts, null);
    }, (error) => this.runouts.draw(node, null, messageOf(error)));
  }

  private fail(error: unknown): void {
    this.element.classList.remove("waiting");
    this.problem.hidden = false;
    fill(this.problem, `${messageOf(error)} `, h("button", {
      class: "button small", onclick: () => this.go({ line: "", board: "" }),
    }, "go to the first decision"));
  }

  private draw(): void {
    const { node, run, context: { store: { state } } } = this;
    if (node === null || run === null) return;
    const mode = MODES.find((one) => one === state.options["show"]) ?? "strategy";
    const seat = this.seatOf(node);
    const order = state.options["order"] ?? "hand";
    const chosen = HANDS.findIndex(({ name }) => name === state.spot.hand);
    if (this.tree === "spot") {
      const rungs = rungsOf(run.detail, this.context.data.runs);
      this.noise.draw(rungs, rungs.findIndex((rung) => rung.run === run.id));
    }
    const key = JSON.stringify([mode, seat, order, state.spot.hand]);
    if (key === this.drawnKey) return;
    this.drawnKey = key;
    const side = node.sides[seat];
    this.drawSummary(node, run, seat);
    this.drill.hidden = node.kind !== "decision" && node.kind !== "deal";
    this.again.hidden = !beginsStreet(node);
    this.runouts.element.hidden = node.kind !== "deal";
    const { ghost } = node.panels;
    this.ghost.hidden = !ghost;
    if (ghost) fill(this.ghost, `${ghost.words}: `, h("code", {}, ghost.command));
    this.gridPart.hidden = side.num_hands === 0;
    for (const button of this.modes) button.setAttribute("aria-pressed", String(button.dataset["mode"] === mode));
    for (const button of this.seats) button.setAttribute("aria-pressed", String(button.dataset["seat"] === String(seat)));
    if (this.tree === "spot") {
      this.grid.element.setAttribute("aria-label", `hands of ${SEAT_NAMES[seat]}: ${MODE_TEXTS[mode]}`);
      this.table.draw(node, side, order);
      this.drawLegend(side);
    }
    if (side.num_hands > 0) this.grid.draw(cellsOf(node, side, mode, actionClasses(node.actions)));
    this.look(chosen >= 0 ? chosen : shownClass(side, node.board ?? "", this.hand));
  }

  /** Whose range is shown: chosen for a spot, of a blueprint that of the player who acts. */
  private seatOf({ player }: NodePage): Player {
    const acting = player === -1 ? 0 : player;
    return this.tree === "chart" ? acting : this.context.store.state.spot.seat ?? acting;
  }

  private drawLegend(side: NodeSide): void {
    const isHere = (hand: number): boolean => (side.reach?.[hand] ?? 0) >= LEAST;
    const here = side.hand.filter((_, hand) => isHere(hand)).length;
    const locked = (side.columns.locked ?? []).filter(isHere).length;
    this.legend.hidden = locked === 0;
    fill(this.legend, lockMark(), ` locked: ${count(locked)} of ${count(here)} hands do what was given, not what was solved`);
  }

  private drawSummary(node: NodePage, run: RunData, seat: Player): void {
    const isActing = node.player === seat;
    const where = node.street === "preflop" ? "before the flop" : `on the ${node.street}`;
    const words = isActing ? `acts ${where}` : node.player === -1 ? WORDS[this.tree][node.kind] : `waits ${where}`;
    const isNamed = this.tree === "spot" || isActing;
    fillSummary(this.summary, node, {
      who: isNamed ? [h("strong", {}, seatsOf(node, run)[seat]), ` ${words}`] : [words],
      facts: this.tree === "spot" ? spotFacts(node, seat) : chartFacts(node, run.detail.terms.unit),
      isActing,
      go: (place) => this.go(place),
    });
  }

  private look(hand: number): void {
    const { node } = this;
    this.hand = hand;
    this.grid.mark(hand);
    if (node === null) return;
    const seat = this.seatOf(node);
    const side = node.sides[seat];
    this.inspector.hidden = side.num_hands === 0;
    this.suits.draw(node, side, hand);
    if (this.tree === "chart") return;
    this.lock.draw(this.run?.id ?? "", node, node.player === seat ? side : null, hand);
    this.drawResponse();
  }

  private drawResponse(): void {
    this.response.draw(this.run?.id ?? "");
  }

  /** Show a best response at the same node, unless the page has moved on to something else. */
  private async openResponse(run: string, source: string): Promise<void> {
    const { data, store } = this.context;
    await data.refreshRuns();
    if (store.state.view === "spot" && this.run?.id === source) store.set({ run, moment: null, infoset: null, compare: [] });
  }

  /** The hand becomes part of the address, so that it can be linked to. */
  private choose(hand: number): void {
    this.context.store.go({ hand: HANDS[hand]?.name ?? null }, { replace: true });
  }

  /** Another node; whoever acts there is shown. */
  private go({ line, board }: Pick<Place, "line" | "board">): void {
    this.context.store.go({ line, board, seat: null });
  }

  /** The board in the address, if the line is still this one; else that of the node. */
  private askedBoard(): string {
    const { line, board } = this.context.store.state.spot;
    return ((line ?? "") === this.node?.line ? board : this.node?.board) ?? "";
  }

  /** The form of new spots, with the street that begins here. */
  private async solveAgain(): Promise<void> {
    const { node, run } = this;
    if (node === null || run === null) return;
    try {
      leaveDraft(await api.streetSpot(run.id, this.tree, node.line, node.board ?? ""));
      this.context.store.set({ view: NEW_SPOT });
    } catch (error) {
      this.fail(error);
    }
  }

  /** The form of new spots, with this spot and some locks. */
  private solveLocked({ panels: { spot } }: NodePage, texts: readonly string[]): void {
    if (spot === undefined) return;
    const locks = texts.map((text) => {
      const [line = "", ...groups] = text.split(":");
      return { line, lock: groups.join(":").trim() };
    });
    leaveDraft({ ...spot.spot, locks });
    this.context.store.set({ view: NEW_SPOT });
  }

  /** Hands from this node, in the seat that acts here. */
  private play(): void {
    const { node, context: { store } } = this;
    if (node === null) return;
    // Without the seed and number of a hand, so that hands from here are a session of their own.
    const { seed: _seed, deal: _deal, ...options } = store.state.options;
    const spot = { ...store.state.spot, line: node.line, board: node.board };
    store.set({ view: "play", spot, options: { ...options, sits: String(Math.max(node.player, 0)) } });
  }

  private deal(card: string): void {
    const { node } = this;
    if (node === null) return;
    // The cards take the place of the grid: scroll up, or what follows the card is missed.
    this.element.closest(".stage")?.scrollTo({ top: 0 });
    this.go({ line: `${node.line}/`, board: (node.board ?? "") + card });
  }
}

/** Whether a node is the first decision of a street, where a spot of its own can begin. */
function beginsStreet(node: NodePage): boolean {
  return node.kind === "decision" && (node.stations.at(-1)?.seat ?? -1) === -1;
}

function seatsOf(node: NodePage, run: RunData): readonly [string, string] {
  return node.seats ?? run.detail.terms.seats;
}

function spotFacts(node: NodePage, seat: Player): Fact[] {
  const { means, total } = node.sides[seat];
  return [
    ["EV", fixed(means["ev"], 1)], ["equity", percent(means["equity"])], ["EQR", percent(means["eqr"], 0)],
    ["pot", count(node.pot)], ["stack", count(node.chips?.stacks[seat])], ["combos", fixed(total, 1)],
    ["reached", percent(node.reach)],
  ];
}

function chartFacts({ pot, chips, player, sides }: NodePage, unit: string): Fact[] {
  const facts: Fact[] = [
    ["pot", `${count(pot)} ${unit}`], ["stacks", `${count(chips?.stacks[0])} / ${count(chips?.stacks[1])}`],
  ];
  return player === -1 ? facts : [...facts, ["combos", fixed(sides[player].total, 1)]];
}

/** What a node is at which nobody acts; of a spot, after the name of a player. */
const WORDS: Record<"spot" | "chart", Record<Place["kind"], string>> = {
  spot: { decision: "", deal: "before the next card", fold: "after a fold", showdown: "at showdown", "all-in": "all-in" },
  chart: {
    decision: "", deal: "Cards are missing", fold: "The pot is won", showdown: "Showdown", "all-in": "All-in: the board is run out",
  },
};
