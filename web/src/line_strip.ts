// The current place in the game, in one line: a station per move, and one for the board. Each
// station opens the moves that could have been made instead; after the last one are the moves that
// can follow.

import { actionClasses } from "./action_styles";
import { fill, h } from "./dom";
import { count } from "./format";
import { decidedOn, lineTree, pathTo, type LineNode } from "./line_tree";
import { Menu, type Choice } from "./menu";
import type { ActionData, LineInfo, RunDetail } from "./model";
import type { Spot } from "./state";

/** More moves than this that can follow are in a menu. */
const MOST_NEXT = 6;

export class LineStrip {
  readonly element = h("nav", { class: "line-strip", "aria-label": "Line of betting" });
  private readonly menu = new Menu();
  private lines: readonly LineInfo[] = [];
  private root: LineNode = lineTree([], []);
  private drawn = "";

  constructor(private readonly go: (change: Partial<Spot>) => void) {}

  update(detail: RunDetail, line: string | null, board: string | null): void {
    if (detail.lines !== this.lines && keyOf(detail.lines) !== keyOf(this.lines)) {
      this.root = lineTree(detail.lines, detail.moves);
      this.drawn = "";
    }
    this.lines = detail.lines;
    this.element.hidden = this.root.children.length === 0 && detail.boards.length < 2;
    const key = JSON.stringify([detail.id, detail.terms, detail.boards, line, board]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.draw(detail, line, board);
  }

  private draw(detail: RunDetail, line: string | null, board: string | null): void {
    const hadFocus = this.element.contains(document.activeElement);
    const path = line === null ? [] : pathTo(this.root, line);
    const stations = [this.first(detail, line)];
    path.slice(1).forEach((node, index) => {
      const before = path[index] as LineNode;
      stations.push(this.station(detail, before, node));
    });
    if (detail.boards.length > 1) stations.push(this.boardStation(detail, board));
    const here = path[path.length - 1];
    fill(this.element,
      h("ol", {}, ...stations.map((station) => h("li", {}, station))),
      here === undefined ? this.hint() : this.next(detail, here));
    if (hadFocus) [...this.element.querySelectorAll("button")].at(-1)?.focus();
  }

  /** The first station: the whole game, or its start. */
  private first({ terms }: RunDetail, line: string | null): HTMLElement {
    const whole = { text: "all lines", note: `${count(total(this.lines))} infosets`, isChosen: line === null,
      choose: () => this.go({ line: null }) };
    const start = { text: "start", note: decidedOn(this.root, terms.seats), isChosen: line === "", choose: () => this.go({ line: "" }) };
    return this.button("first", line === null ? "all lines" : "start", null, [whole, start]);
  }

  private station(detail: RunDetail, before: LineNode, node: LineNode): HTMLElement {
    const seat = seatOf(detail, before);
    const styles = stylesOf(before.children);
    const siblings = before.children.map((one, index) => this.choiceOf(detail, one, styles[index], one === node));
    const text = h("span", {}, seat && h("span", { class: "seat" }, `${seat} `), node.move);
    return this.button("move", text, styles[before.children.indexOf(node)] ?? null, siblings, node.line);
  }

  private boardStation(detail: RunDetail, board: string | null): HTMLElement {
    const word = detail.terms.public || "board";
    const words = (one: string): string => one || `no ${word} yet`;
    const choices = [
      { text: `any ${word}`, note: "", isChosen: board === null, choose: () => this.go({ board: null }) },
      ...detail.boards.map((one) => ({
        text: words(one), note: "", isChosen: one === board, choose: () => this.go({ board: one }),
      })),
    ];
    const text = board === null ? `any ${word}` : board === "" ? words(board) : `${word} ${board}`;
    return this.button("board", text, null, choices);
  }

  /** What can follow, as buttons that lead down the line. */
  private next(detail: RunDetail, here: LineNode): HTMLElement | null {
    if (here.children.length === 0) return h("span", { class: "soft end" }, decidedOn(here, detail.terms.seats));
    const seat = seatOf(detail, here);
    const styles = stylesOf(here.children);
    const choices = here.children.map((one, index) => this.choiceOf(detail, one, styles[index], false));
    const who = h("span", { class: "soft" }, seat === "" ? "next" : `${seat}:`);
    if (choices.length > MOST_NEXT) {
      return h("span", { class: "next group" }, who, this.button("more", `${choices.length} moves`, null, choices));
    }
    return h("span", { class: "next group", role: "group", "aria-label": "Moves that follow" }, who,
      ...choices.map((choice, index) => h("button", {
        class: "station follow", "data-line": here.children[index]?.line, title: choice.note, onclick: choice.choose,
      }, mark(choice.style ?? null), choice.text)));
  }

  private hint(): HTMLElement {
    return h("span", { class: "next group" }, h("button", {
      class: "station follow", "data-line": "", onclick: () => this.go({ line: "" }),
    }, "go to the start"));
  }

  private choiceOf(detail: RunDetail, node: LineNode, style: string | undefined, isChosen: boolean): Choice {
    const words = decidedOn(node, detail.terms.seats) || `${seatOf(detail, node)}`;
    return { text: node.move, note: words, style, isChosen, choose: () => this.go({ line: nearest(node).line }) };
  }

  private button(
    kind: string, text: string | Node, style: string | null, choices: readonly Choice[], line: string | null = null,
  ): HTMLElement {
    const button = h("button", {
      class: `station ${kind}`, "data-line": line, "aria-haspopup": "menu",
      onclick: () => this.menu.open(button, choices),
    }, mark(style), text, h("span", { class: "more", "aria-hidden": "true" }, "▾"));
    return button;
  }
}

/** The node, or the first one below it at which somebody decides. */
function nearest(node: LineNode): LineNode {
  let found = node;
  while (found.decisions.length === 0 && found.children[0] !== undefined) found = found.children[0];
  return found;
}

function mark(style: string | null): HTMLElement | null {
  return style === null ? null : h("span", { class: `swatch action ${style}`, "aria-hidden": "true" });
}

/** The name of the player who decides at the node; empty if both or nobody do. */
function seatOf({ terms }: RunDetail, node: LineNode): string {
  const [one, other] = node.decisions;
  return one === undefined || other !== undefined ? "" : (terms.seats[one.player] ?? "");
}

function stylesOf(nodes: readonly LineNode[]): (string | undefined)[] {
  const data = nodes.map((node): ActionData => node.action ?? { kind: "other", amount: null, name: node.move });
  return actionClasses(data);
}

function total(lines: readonly LineInfo[]): number {
  return lines.reduce((sum, one) => sum + one.infosets, 0);
}

/** Games of one family have the same lines, but different numbers of infosets on them. */
function keyOf(lines: readonly LineInfo[]): string {
  return lines.map((one) => `${one.player}${one.line} ${one.infosets}`).join("|");
}
