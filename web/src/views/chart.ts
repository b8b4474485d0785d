// A blueprint at any line of betting: the line above, the whole range in one row, a grid of hand classes, and the
// suits of the chosen one beside. Where cards are missing, a deck to deal them from.

import { actionClasses } from "../action_styles";
import * as api from "../api";
import { cardSigns, cardSpans, cardsOf } from "../card_text";
import { HandGrid } from "../charts/hand_grid";
import { HANDS } from "../charts/hands";
import type { Change, RunData } from "../data";
import { Deck } from "../deck";
import { fill, h } from "../dom";
import { messageOf } from "../errors";
import { count, fixed, percent } from "../format";
import { LruCache } from "../lru_cache";
import { mixBar } from "../mix_bar";
import type { ChartNode, SpotPlace } from "../model";
import { Newest } from "../newest";
import type { AppState } from "../state";
import type { Context, View } from "../view";
import { chartCells, chartCombos, dealtAtRandom, mixWords, type ChartCombo } from "./chart_cells";
import { toggled } from "./new_spot_document";
import { shareButtons, SpotStrip } from "./spot_strip";

const KEPT = 60;

export class ChartView implements View {
  readonly element = h("section", { class: "spot line-chart" });
  readonly strip: HTMLElement;
  readonly inspector = h("section", { class: "spot-combos panel", "aria-label": "Suits of the hand", hidden: true });
  private readonly line = new SpotStrip((place) => this.go(place));
  private readonly summary = h("section", { class: "range-summary", "aria-label": "The whole range" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly grid: HandGrid;
  private readonly gridPart: HTMLElement;
  private readonly deck = new Deck("Cards of the board", (card) => this.toggle(card));
  private readonly dealTitle = h("h2", {});
  private readonly dealing: HTMLElement;
  private readonly board = h("input", {
    name: "board", "aria-label": "Board", placeholder: "Td9d6h", spellcheck: "false", autocomplete: "off",
    onchange: () => this.type(),
  });
  private readonly boardLabel = h("label", { class: "board-field" }, h("span", { class: "soft" }, "board"), this.board);
  private readonly nodes = new LruCache<ChartNode>(KEPT);
  private readonly newest = new Newest<ChartNode>();
  private run: RunData | null = null;
  private node: ChartNode | null = null;
  private askedKey = "";
  private hand = 0;

  constructor(private readonly context: Context) {
    this.grid = new HandGrid("hands of the blueprint", { look: (hand) => this.look(hand), choose: (hand) => this.choose(hand) });
    this.gridPart = h("div", { class: "grid-part" }, this.grid.element);
    this.dealing = h("section", { class: "spot-runouts", "aria-label": "Cards to deal", hidden: true },
      this.dealTitle, this.deck.element,
      h("div", { class: "group" }, h("button", { class: "button", onclick: () => this.dealRandom() }, "deal at random")));
    this.strip = this.line.element;
    fill(this.element, this.problem, this.summary, this.boardLabel, this.dealing, this.gridPart);
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    if (run.id !== this.run?.id) this.element.classList.add("waiting");
    this.run = run;
    const [line, board] = [state.spot.line ?? "", state.spot.board ?? ""];
    // A training that is continued ends with another blueprint.
    const key = JSON.stringify([run.id, run.detail.status, run.detail.last?.iteration ?? 0, line, board]);
    const isBack = change?.what === "connection" && this.context.data.connection === "live" && !this.problem.hidden;
    if (key !== this.askedKey || isBack) {
      this.askedKey = key;
      this.ask(run.id, key, line, board);
    } else this.mark(state);
  }

  leave(): void {
    this.newest.forget();
    this.askedKey = "";
  }

  private ask(run: string, key: string, line: string, board: string): void {
    const known = this.nodes.get(key);
    if (known !== undefined) {
      this.newest.forget();
      this.show(known);
      return;
    }
    this.newest.ask(key, () => api.chartNode(run, line, board), (node) => {
      this.nodes.set(key, node);
      this.show(node);
    }, (error) => this.fail(error));
  }

  private fail(error: unknown): void {
    this.element.classList.remove("waiting");
    this.problem.hidden = false;
    fill(this.problem, `${messageOf(error)} `, h("button", {
      class: "button small", onclick: () => this.go({ line: "", board: "" }),
    }, "go to the first decision"));
  }

  private show(node: ChartNode): void {
    const { run } = this;
    if (run === null) return;
    this.node = node;
    this.problem.hidden = true;
    this.element.classList.remove("waiting");
    this.line.draw(node, ["start"], run.detail.terms.seats);
    this.drawSummary(node, run);
    this.drawBoard(node);
    this.gridPart.hidden = node.player === -1;
    this.inspector.hidden = node.player === -1;
    if (node.player !== -1) this.grid.draw(chartCells(node, actionClasses(node.actions)));
    this.mark(this.context.store.state);
  }

  private drawSummary(node: ChartNode, run: RunData): void {
    const { seats, unit } = run.detail.terms;
    const styles = actionClasses(node.actions);
    const stacks = `${count(node.stacks[0])} / ${count(node.stacks[1])}`;
    const facts: [string, string][] = [["pot", `${count(node.pot)} ${unit}`], ["stacks", stacks]];
    if (node.num_combos !== null) facts.push(["combos", fixed(node.num_combos, 1)]);
    const where = node.street === "preflop" ? "before the flop" : `on the ${node.street}`;
    fill(this.summary,
      h("span", { class: "who" }, ...(node.player === -1 ? [END_WORDS[node.kind]]
        : [h("strong", {}, seats[node.player]), ` acts ${where}`])),
      node.player !== -1 && h("span", { class: "shares" }, ...shareButtons(node, styles, (place) => this.go(place))),
      ...facts.map(([name, text]) => h("span", { class: "fact number", "data-field": name },
        h("span", { class: "soft" }, `${name} `), text)),
      !node.is_reached && h("span", { class: "soft" }, "no hand gets here by its own moves; all count the same"),
      node.player !== -1 && mixBar(node.mix, styles));
  }

  private drawBoard(node: ChartNode): void {
    const isDeal = node.kind === "deal";
    const chosen = cardsOf(node.board);
    this.boardLabel.hidden = !isDeal && chosen.length === 0;
    if (document.activeElement !== this.board) this.board.value = node.board;
    this.dealing.hidden = !isDeal;
    this.dealTitle.textContent = node.missing === 1 ? `Deal a card for the ${node.street}` : `Deal ${node.missing} cards for the ${node.street}`;
    this.deck.draw((card) => ({
      isDisabled: false, isChosen: chosen.includes(card),
      label: chosen.includes(card) ? `take back ${cardSigns(card)}` : `deal ${cardSigns(card)}`,
    }));
  }

  private mark(state: AppState): void {
    const chosen = HANDS.findIndex(({ name }) => name === state.spot.hand);
    this.look(chosen >= 0 ? chosen : this.hand);
  }

  private look(hand: number): void {
    const { node } = this;
    this.hand = hand;
    this.grid.mark(hand);
    if (node === null || node.player === -1) return;
    const styles = actionClasses(node.actions);
    const shares = node.class_mix.map((row) => row[hand] ?? null);
    const weight = node.class_weight[hand] ?? 0;
    const combos = chartCombos(node, hand);
    fill(this.inspector,
      h("h2", {}, HANDS[hand]?.name ?? "", " ", h("span", { class: "soft" },
        weight === 0 ? "not here" : `${percent(weight)} of it gets here`)),
      weight > 0 && h("ul", { class: "mixes" }, ...node.actions.map(({ name }, action) => h("li", {},
        h("span", { class: `swatch action ${styles[action]}`, "aria-hidden": "true" }), name,
        h("strong", { class: "number" }, percent(shares[action]))))),
      h("ul", { class: "combos" }, ...combos.map((combo) => comboItem(node, combo, styles))));
  }

  /** The hand becomes part of the address, so that it can be linked to. */
  private choose(hand: number): void {
    this.context.store.go({ hand: HANDS[hand]?.name ?? null }, { replace: true });
  }

  private go({ line, board }: Pick<SpotPlace, "line" | "board">): void {
    this.context.store.go({ line, board, seat: null });
  }

  private toggle(card: string): void {
    const { node } = this;
    if (node === null) return;
    // Cards may be dealt faster than the server answers: then more of them are in the address than here.
    const { line, board } = this.context.store.state.spot;
    const dealt = toggled((line ?? "") === node.line ? board ?? "" : node.board, card);
    if (cardsOf(dealt).length <= cardsOf(node.board).length + node.missing) this.go({ line: node.line, board: dealt });
  }

  private dealRandom(): void {
    const { node } = this;
    if (node !== null) this.go({ line: node.line, board: dealtAtRandom(node.board, node.missing) });
  }

  private type(): void {
    const { node } = this;
    if (node !== null) this.go({ line: node.line, board: this.board.value.replace(/[\s,]+/g, "") });
  }
}

function comboItem(node: ChartNode, { name, weight, shares }: ChartCombo, styles: readonly string[]): HTMLElement {
  const cards = h("span", { class: "cards" }, ...cardSpans(name));
  if (weight === 0) {
    return h("li", { class: "combo absent", "data-hand": name }, cards, h("span", { class: "soft" }, "not here"));
  }
  const bar = mixBar(shares, styles);
  bar.style.setProperty("--weight", String(weight));
  const words = mixWords(node.actions, shares);
  return h("li", { class: "combo", "data-hand": name, title: words }, cards, bar,
    h("span", { class: "spoken" }, words), h("span", { class: "soft number" }, `weight ${percent(weight, 0)}`));
}

const END_WORDS: Record<SpotPlace["kind"], string> = {
  decision: "", deal: "Cards are missing", fold: "The pot is won", showdown: "Showdown",
  "all-in": "All-in: the board is run out",
};
