// A solved spot, node by node: the line above, the whole range in one row, a grid of hands, a table of them, and
// the suits of the chosen hand beside. Where a card is dealt, what follows every card.

import { actionClasses } from "../action_styles";
import * as api from "../api";
import { cardSpans } from "../card_text";
import { HandGrid } from "../charts/hand_grid";
import { HANDS } from "../charts/hands";
import type { Change, RunData } from "../data";
import { fill, h } from "../dom";
import { messageOf } from "../errors";
import { count, fixed, percent } from "../format";
import { LruCache } from "../lru_cache";
import { mixBar } from "../mix_bar";
import type { Player, Runouts, SpotNode, SpotPlace, SpotSide } from "../model";
import { Newest } from "../newest";
import { NEW_SPOT } from "../places";
import { leaveDraft } from "../spot_draft";
import type { AppState } from "../state";
import type { Context, View } from "../view";
import { cellsOf, LEAST, lockMark, MODES, type Mode } from "./spot_cells";
import { SpotCombos } from "./spot_combos";
import { SpotLockPanel } from "./spot_lock";
import { SpotResponsePanel } from "./spot_response";
import { SpotRunouts } from "./spot_runouts";
import { SEAT_NAMES, shareButtons, SpotStrip } from "./spot_strip";
import { SpotTable } from "./spot_table";

const MODE_TEXTS: Record<Mode, string> = { strategy: "strategy", ev: "EV", equity: "equity" };
const KEPT = 60;
/** How long a node is on the screen before those that follow it are fetched, in milliseconds. */
const GLANCE = 60;

export class SpotView implements View {
  readonly element = h("section", { class: "spot" });
  readonly strip: HTMLElement;
  readonly inspector: HTMLElement;
  private readonly line = new SpotStrip((place) => this.go(place));
  private readonly summary = h("section", { class: "range-summary", "aria-label": "The whole range" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly grid: HandGrid;
  private readonly legend = h("p", { class: "lock-legend soft", hidden: true });
  private readonly table = new SpotTable((order) => this.context.store.setOption("order", order === "hand" ? null : order));
  private readonly combos = new SpotCombos();
  private readonly lock = new SpotLockPanel((node, locks) => this.solveLocked(node, locks), () => this.drawResponse());
  private readonly response = new SpotResponsePanel({
    locks: () => this.lock.chosen, open: (run, source) => this.openResponse(run, source),
  });
  private readonly runouts = new SpotRunouts((card) => this.deal(card));
  private readonly modes: HTMLButtonElement[];
  private readonly seats: HTMLButtonElement[];
  private readonly drill = h("button", {
    class: "button drill", hidden: true, title: "Play hands from this node, with a verdict on every decision",
    onclick: () => this.play(),
  }, "drill from here");
  private readonly again = h("button", {
    class: "button again", hidden: true, title: "Solve this street again, with the ranges that get here and other sizes",
    onclick: () => void this.solveAgain(),
  }, "solve from here");
  private readonly body = h("div", { class: "spot-body" });
  private readonly nodes = new LruCache<SpotNode>(KEPT);
  private readonly dealt = new LruCache<Runouts>(KEPT);
  private readonly newest = new Newest<SpotNode>();
  private readonly newestRunouts = new Newest<Runouts>();
  private run: RunData | null = null;
  private node: SpotNode | null = null;
  private askedKey = "";
  private drawnKey = "";
  private hand = 0;

  constructor(private readonly context: Context) {
    this.grid = new HandGrid("hands of the range", { look: (hand) => this.look(hand), choose: (hand) => this.choose(hand) });
    this.modes = MODES.map((mode) => h("button", {
      class: "button", "data-mode": mode, onclick: () => context.store.setOption("show", mode === "strategy" ? null : mode),
    }, MODE_TEXTS[mode]));
    this.seats = SEAT_NAMES.map((name, seat) => h("button", {
      class: "button", "data-seat": seat, onclick: () => context.store.go({ seat: seat as Player }, { replace: true }),
    }, name));
    this.strip = this.line.element;
    this.inspector = h("div", { class: "spot-inspector" }, this.combos.element, this.lock.element, this.response.element);
    fill(this.body, h("div", { class: "grid-part" }, this.grid.element, this.legend), this.table.element);
    fill(this.element, this.problem, this.summary,
      h("div", { class: "toolbar" },
        h("div", { class: "group", role: "group", "aria-label": "whose range" }, ...this.seats),
        h("div", { class: "group", role: "group", "aria-label": "what cells show" }, ...this.modes),
        h("span", { class: "space" }), this.again, this.drill),
      this.runouts.element, this.body);
    this.inspector.hidden = true;
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    if (run.id !== this.run?.id) this.element.classList.add("waiting");
    this.run = run;
    const [line, board] = [state.spot.line ?? "", state.spot.board ?? ""];
    const key = keyOf(run, line, board);
    const isBack = change?.what === "connection" && this.context.data.connection === "live" && !this.problem.hidden;
    if (key !== this.askedKey || isBack) {
      this.askedKey = key;
      this.ask(run.id, key, line, board);
    } else this.draw();
  }

  leave(): void {
    this.newest.forget();
    this.newestRunouts.forget();
    this.response.leave();
    this.askedKey = "";
  }

  private ask(run: string, key: string, line: string, board: string): void {
    const known = this.nodes.get(key);
    if (known !== undefined) {
      this.newest.forget();
      this.show(key, known);
      return;
    }
    this.newest.ask(key, () => api.spotNode(run, line, board), (node) => {
      this.nodes.set(key, node);
      this.show(key, node);
    }, (error) => this.fail(error));
  }

  private show(key: string, node: SpotNode): void {
    this.node = node;
    this.drawnKey = "";
    this.problem.hidden = true;
    this.element.classList.remove("waiting");
    this.line.draw(node, cardSpans(node.spot.board), SEAT_NAMES);
    this.draw();
    if (node.kind === "deal") this.askRunouts(key, node);
    if (node.kind === "decision") window.setTimeout(() => void this.fetchNext(node), GLANCE);
  }

  /** Fetch what follows the node on the screen, so that the next click need not wait. */
  private async fetchNext(node: SpotNode): Promise<void> {
    for (const { line, board } of node.children) {
      if (this.node !== node || this.run === null) return;
      const key = keyOf(this.run, line, board);
      if (this.nodes.has(key)) continue;
      try {
        this.nodes.set(key, await api.spotNode(this.run.id, line, board));
      } catch {
        return; // going there shows the error
      }
    }
  }

  private askRunouts(key: string, node: SpotNode): void {
    const run = this.run?.id;
    const known = this.dealt.get(key);
    this.runouts.draw(node, known ?? null, null);
    if (run === undefined || known !== undefined) return;
    this.newestRunouts.ask(key, () => api.runouts(run, node.line, node.board), (runouts) => {
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
    const { node, context: { store: { state } } } = this;
    if (node === null) return;
    const mode = MODES.find((one) => one === state.options["show"]) ?? "strategy";
    const seat = state.spot.seat ?? (node.player === -1 ? 0 : node.player);
    const order = state.options["order"] ?? "hand";
    const chosen = HANDS.findIndex(({ name }) => name === state.spot.hand);
    const key = JSON.stringify([mode, seat, order, state.spot.hand]);
    if (key === this.drawnKey) return;
    this.drawnKey = key;
    const side = node.sides[seat];
    this.drawSummary(node, seat);
    this.drill.hidden = node.kind !== "decision" && node.kind !== "deal";
    this.again.hidden = !beginsStreet(node);
    this.runouts.element.hidden = node.kind !== "deal";
    for (const button of this.modes) button.setAttribute("aria-pressed", String(button.dataset["mode"] === mode));
    for (const button of this.seats) button.setAttribute("aria-pressed", String(button.dataset["seat"] === String(seat)));
    this.grid.element.setAttribute("aria-label", `hands of ${SEAT_NAMES[seat]}: ${MODE_TEXTS[mode]}`);
    this.grid.draw(cellsOf(node, side, mode, actionClasses(node.actions)));
    this.drawLegend(side);
    this.table.draw(node, side, order);
    if (chosen >= 0) this.hand = chosen;
    this.look(this.hand);
  }

  private drawLegend(side: SpotSide): void {
    const here = side.weight.filter((weight) => weight >= LEAST).length;
    const locked = side.locked.filter((hand) => (side.weight[hand] ?? 0) >= LEAST).length;
    this.legend.hidden = locked === 0;
    fill(this.legend, lockMark(), ` locked: ${count(locked)} of ${count(here)} hands do what was given, not what was solved`);
  }

  private drawSummary(node: SpotNode, seat: Player): void {
    const styles = actionClasses(node.actions);
    const side = node.sides[seat];
    const isActing = node.player === seat;
    const shares = isActing ? shareButtons(node, styles, (place) => this.go(place)) : [];
    const facts: [string, string][] = [
      ["EV", fixed(side.mean_ev, 1)], ["equity", percent(side.mean_equity)], ["EQR", percent(side.mean_eqr, 0)],
      ["pot", count(node.pot)], ["stack", count(node.stacks[seat])], ["combos", fixed(side.num_combos, 1)],
      ["reached", percent(node.reach)],
    ];
    const words = isActing ? `acts on the ${node.street}` : node.player === -1 ? WORDS[node.kind] : `waits on the ${node.street}`;
    fill(this.summary,
      h("span", { class: "who" }, h("strong", {}, SEAT_NAMES[seat]), ` ${words}`),
      shares.length > 0 && h("span", { class: "shares" }, ...shares),
      ...facts.map(([name, text]) => h("span", { class: "fact number", "data-field": name },
        h("span", { class: "soft" }, `${name} `), text)),
      isActing && mixBar(node.mix, styles));
  }

  private look(hand: number): void {
    const { node, context: { store: { state } } } = this;
    this.hand = hand;
    this.grid.mark(hand);
    if (node === null) return;
    this.inspector.hidden = false;
    const seat = state.spot.seat ?? (node.player === -1 ? 0 : node.player);
    this.combos.draw(node, node.sides[seat], hand);
    this.lock.draw(this.run?.id ?? "", node, node.player === seat ? node.sides[seat] : null, hand);
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
  private go({ line, board }: Pick<SpotPlace, "line" | "board">): void {
    this.context.store.go({ line, board, seat: null });
  }

  /** The form of new spots, with the street that begins here. */
  private async solveAgain(): Promise<void> {
    const { node, run } = this;
    if (node === null || run === null) return;
    try {
      leaveDraft(await api.streetSpot(run.id, node.line, node.board));
      this.context.store.set({ view: NEW_SPOT });
    } catch (error) {
      this.fail(error);
    }
  }

  /** The form of new spots, with this spot and some locks. */
  private solveLocked(node: SpotNode, texts: readonly string[]): void {
    const locks = texts.map((text) => {
      const [line = "", ...groups] = text.split(":");
      return { line, lock: groups.join(":").trim() };
    });
    leaveDraft({ ...node.spot.spot, locks });
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
    this.go({ line: `${node.line}/`, board: node.board + card });
  }
}

/** Whether a node is the first decision of a street, where a spot of its own can begin. */
function beginsStreet(node: SpotNode): boolean {
  return node.kind === "decision" && (node.stations.at(-1)?.seat ?? -1) === -1;
}

/** A run gets another solution when it is resumed. */
function keyOf(run: RunData, line: string, board: string): string {
  return JSON.stringify([run.id, run.detail.last?.iteration ?? 0, line, board]);
}

const WORDS: Record<SpotPlace["kind"], string> = {
  decision: "", deal: "before the next card", fold: "after a fold", showdown: "at showdown", "all-in": "all-in",
};
