// A node of a spot at every noise at which the spot was solved: the grid at one of them, and how the mix of a hand and of
// the whole range changes as players make fewer mistakes, with Nash beside.

import { actionClasses } from "../../action_styles";
import * as api from "../../api";
import { cardSpans } from "../../card_text";
import { gathered, HandGrid } from "../../charts/hand_grid";
import { HANDS } from "../../charts/hands";
import type { Change, RunData } from "../../data";
import { fill, h, setText } from "../../dom";
import { downloadCsv, type Cell } from "../../download";
import { downloadGroup, pictureSaves } from "../../download_group";
import { messageOf } from "../../errors";
import { short } from "../../format";
import { LruCache } from "../../lru_cache";
import type { NodePage, NodeSide, Place, RunFacts } from "../../model";
import { Newest } from "../../newest";
import type { AppState } from "../../state";
import type { Context, View } from "../../view";
import { cellsOf, handsByClass, shownClass, strategyOf } from "../node/cells";
import { PathStrip, SEAT_NAMES } from "../node/path_strip";
import { NoiseBands } from "./bands";
import { levelOf, nameOf, rungsOf, type Rung } from "./rungs";
import { NoiseSlider } from "./slider";

const KEPT = 240;
const LEAST_HEIGHT = 420;
const MARGIN = 16;
/** With less room, the heading says only where: the panels have names of their own. */
const NARROW = 480;

export class NoiseView implements View {
  readonly element = h("section", { class: "noise" });
  readonly strip: HTMLElement;
  private readonly line = new PathStrip((place) => this.go(place));
  private readonly slider = new NoiseSlider((rung) => this.show(rung));
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly words = h("p", { class: "soft", role: "status" });
  private readonly grid = new HandGrid("hands at this noise", { look: (hand) => this.look(hand), choose: (hand) => this.choose(hand) });
  private readonly bands = new NoiseBands((rung) => this.show(this.rungs[rung]));
  private readonly lone = h("div", { class: "empty", hidden: true });
  private readonly body: HTMLElement;
  private readonly figure = h("div", { class: "figure" }, this.bands.element);
  private readonly kept = new LruCache<NodePage>(KEPT);
  private readonly newest = new Newest<NodePage[]>();
  private readonly facts = new Newest<RunFacts>();
  private run: RunData | null = null;
  private rungs: Rung[] = [];
  /** By rung. */
  private nodes: NodePage[] = [];
  private asked = "";
  private hand = 0;

  constructor(private readonly context: Context) {
    this.strip = this.line.element;
    this.body = h("div", { class: "noise-main" },
      h("div", { class: "toolbar" }, this.slider.element, h("span", { class: "space" }),
        downloadGroup([
          ...pictureSaves(this.bands.element, () => this.fileName()),
          { form: "CSV", save: () => this.saveTable() },
        ])),
      this.words,
      h("div", { class: "noise-body" }, h("div", { class: "grid-part" }, this.grid.element), this.figure));
    fill(this.element, this.problem, this.lone, this.body);
    new ResizeObserver(() => this.drawBands()).observe(this.figure);
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    this.run = run;
    this.rungs = rungsOf(run.detail, this.context.data.runs);
    this.lone.hidden = this.rungs.length > 0;
    this.body.hidden = this.rungs.length === 0;
    if (this.rungs.length === 0) {
      this.drawLone(run);
      return;
    }
    const { line, board } = state.spot;
    const key = JSON.stringify([...this.rungs.map((rung) => rung.run), line, board]);
    const isBack = change?.what === "connection" && this.context.data.connection === "live" && !this.problem.hidden;
    if (key === this.asked && !isBack) {
      this.draw();
      return;
    }
    this.asked = key;
    this.element.classList.add("waiting");
    this.newest.ask(key, () => Promise.all(this.rungs.map((rung) => this.load(rung, line ?? "", board ?? ""))), (nodes) => {
      this.nodes = nodes;
      this.problem.hidden = true;
      this.element.classList.remove("waiting");
      this.draw();
    }, (error) => {
      this.element.classList.remove("waiting");
      this.problem.hidden = false;
      fill(this.problem, `${messageOf(error)} `, h("button", {
        class: "button small", onclick: () => this.go({ line: "", board: "" }),
      }, "go to the first decision"));
    });
  }

  /** The spot was solved once: how to solve it at other noises. */
  private drawLone({ detail }: RunData): void {
    this.newest.forget();
    this.asked = "";
    this.nodes = [];
    this.element.classList.remove("waiting");
    fill(this.strip);
    const draw = (folder: string): void => fill(this.lone, h("p", {}, "This spot was solved at one noise only. After"),
      h("pre", {}, h("code", {}, `untilt spot ${quoted(folder)} --ladder 20%..1%`)),
      h("p", {}, "its hands are shown here as mistakes become rarer."));
    draw(detail.name);
    this.facts.ask(detail.id, () => api.facts(detail.id), ({ folder }) => draw(folder ?? detail.name), () => undefined);
  }

  leave(): void {
    this.newest.forget();
    this.facts.forget();
    this.asked = "";
  }

  private async load({ run }: Rung, line: string, board: string): Promise<NodePage> {
    const key = JSON.stringify([run, line, board]);
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const found = await api.treeNode(run, "spot", line, board);
    this.kept.set(key, found);
    return found;
  }

  private current(): number {
    return this.rungs.findIndex(({ run }) => run === this.run?.id);
  }

  private draw(): void {
    const at = this.current();
    const node = this.nodes[at];
    this.slider.draw(this.rungs, at);
    if (node === undefined) return;
    const side = sideOf(node);
    this.line.draw(node, cardSpans(node.panels.spot?.board ?? ""), SEAT_NAMES);
    this.grid.element.setAttribute("aria-label", `hands of ${SEAT_NAMES[seatOf(node)]} at noise ${nameOf(this.rungs[at]?.noise ?? null)}`);
    this.grid.draw(cellsOf(node, side, strategyOf(node), actionClasses(node.actions)));
    const chosen = HANDS.findIndex(({ name }) => name === this.context.store.state.spot.hand);
    const isHeld = (handsByClass(side, node.board ?? "")[chosen] ?? []).some((combo) => combo !== null);
    this.look(isHeld ? chosen : shownClass(side, node.board ?? "", this.hand));
  }

  private look(hand: number): void {
    this.hand = hand;
    this.grid.mark(hand);
    this.drawBands();
  }

  private drawBands(): void {
    const at = this.current();
    const node = this.nodes[at];
    const { width, top } = this.figure.getBoundingClientRect();
    const isActing = node !== undefined && node.player !== -1;
    this.figure.hidden = !isActing;
    setText(this.words, this.note(node));
    if (node === undefined || !isActing || width === 0) return;
    const pot = node.panels.spot?.pot ?? 1;
    const bottom = this.element.parentElement?.getBoundingClientRect().bottom ?? 0;
    const name = HANDS[this.hand]?.name ?? "";
    const where = `${SEAT_NAMES[seatOf(node)]}, ${node.words || "first decision"}`;
    this.bands.draw({
      heading: width < NARROW ? where : `${name} and the whole range of ${where}`,
      levels: this.rungs.map(levelOf),
      names: this.rungs.map(({ noise }) => nameOf(noise)),
      actions: node.actions.map((action) => action.name),
      styles: actionClasses(node.actions),
      panels: [
        { title: name, mixes: this.nodes.map((one) => mixOfClass(one, this.hand)) },
        { title: "the whole range", mixes: this.nodes.map((one) => one.mix) },
      ],
      exploitability: this.rungs.map(({ run }) => {
        const value = this.context.data.runs.find(({ id }) => id === run)?.last?.exploitability ?? null;
        return value === null ? null : (100 * value) / pot;
      }),
      current: at,
      isGhost: this.ghost() !== null,
    }, Math.floor(width), Math.max(LEAST_HEIGHT, Math.floor(bottom - top - MARGIN)));
  }

  /** The words about a line that Nash hardly ever takes. */
  private ghost(): string | null {
    const at = this.rungs.findIndex(({ noise }) => noise === null);
    return this.nodes[at]?.panels.ghost?.words ?? null;
  }

  private note(node: NodePage | undefined): string {
    if (node === undefined) return "";
    if (node.player === -1) return "Nobody acts here: go back, or choose a card.";
    const reaches = this.nodes.map(({ reach }) => reach).filter((reach): reach is number => reach !== null);
    const ghost = this.ghost();
    const often = `Play gets here with ${short(100 * (node.reach ?? 0))} % of the hands at this noise`;
    return ghost === null || reaches.length === 0
      ? `${often}.`
      : `${often}. Nash gets here with ${short(100 * (this.nodes.at(-1)?.reach ?? 0))} %, so its answer is arbitrary.`;
  }

  /** The same place in another solution. */
  private show(rung: Rung | undefined): void {
    if (rung !== undefined) this.context.store.set({ run: rung.run, moment: null }, { replace: true });
  }

  private choose(hand: number): void {
    this.context.store.go({ hand: HANDS[hand]?.name ?? null }, { replace: true });
  }

  private go({ line, board }: Pick<Place, "line" | "board">): void {
    this.context.store.go({ line, board, seat: null });
  }

  private fileName(): string {
    return `${this.run?.detail.name ?? "run"}-noise-${HANDS[this.hand]?.name ?? ""}`;
  }

  /** For each noise: how often the hand, and the whole range, take each action. */
  private saveTable(): void {
    const [first] = this.nodes;
    if (first === undefined) return;
    const name = HANDS[this.hand]?.name ?? "";
    const header = ["run", "noise_oop", "noise_ip", ...first.actions.map((action) => `${name} ${action.name}`),
      ...first.actions.map((action) => `range ${action.name}`)];
    downloadCsv(header, this.rungs.map((rung, index): Cell[] => {
      const node = this.nodes[index];
      const blank = first.actions.map(() => null);
      return [rung.run, rung.noise?.[0] ?? 0, rung.noise?.[1] ?? 0,
        ...((node && mixOfClass(node, this.hand)) ?? blank), ...(node?.mix ?? blank)];
    }), this.fileName());
  }
}

/** As a word of a shell. */
function quoted(path: string): string {
  return /^[\w./+-]+$/.test(path) ? path : `'${path.replace(/'/g, "'\\''")}'`;
}

function seatOf({ player }: NodePage): 0 | 1 {
  return player === -1 ? 0 : player;
}

function sideOf(node: NodePage): NodeSide {
  return node.sides[seatOf(node)];
}

/** How often a class of hands takes each action, its combos weighted by how often they get here; null if none does. */
function mixOfClass(node: NodePage, hand: number): number[] | null {
  const side = sideOf(node);
  const combos = (handsByClass(side, node.board ?? "")[hand] ?? []).flatMap((index) => (
    index === null ? [] : [{ weight: side.reach?.[index] ?? 0, shares: side.mix.map((row) => row[index] ?? 0) }]));
  const total = combos.reduce((sum, { weight }) => sum + weight, 0);
  // On lines that hands hardly ever take, all their weights may be too small to be numbers.
  const weighted = total > 0 ? combos : combos.map((combo) => ({ ...combo, weight: 1 }));
  return combos.length === 0 ? null : gathered(weighted, node.actions.map(() => "")).segments.map(({ share }) => share);
}
