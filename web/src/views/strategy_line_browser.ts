// The tree of betting lines of a large game: choosing a line shows the decisions on it.

import { fill, h } from "../dom";
import { count } from "../format";
import type { LineInfo, RunDetail } from "../model";
import { decidedOn, infosetsFrom, lineTree, pathTo, type LineNode } from "./strategy_lines";

/** Up to this number of lines, the whole tree is open initially. */
const OPEN_ALL = 12;

export class LineBrowser {
  readonly element = h("nav", { class: "line-browser", "aria-label": "Betting lines" });
  private lines: readonly LineInfo[] = [];
  private root: LineNode = lineTree([], []);
  /** Nodes that the user opened or closed. */
  private readonly toggled = new Map<string, boolean>();
  private line: string | undefined;
  private drawn = "";

  constructor(private readonly choose: (line: string | null) => void) {}

  update({ lines, moves }: Pick<RunDetail, "lines" | "moves">, line: string | undefined): void {
    if (lines !== this.lines && keyOf(lines) !== keyOf(this.lines)) {
      this.root = lineTree(lines, moves);
      this.toggled.clear();
      this.drawn = "";
    }
    this.lines = lines;
    if (line !== this.line) {
      this.line = line;
      for (const node of this.path()) this.toggled.delete(node.line);
    }
    this.draw();
  }

  /** From the start to the chosen line. */
  path(): LineNode[] {
    return this.line === undefined ? [] : pathTo(this.root, this.line);
  }

  private draw(): void {
    const key = `${this.line ?? "*"}|${[...this.toggled].join("|")}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const again = focused instanceof HTMLElement ? [focused.className, focused.dataset["line"]] : null;
    fill(this.element,
      h("h3", {}, "betting lines"),
      h("button", {
        class: "node all", "aria-pressed": String(this.line === undefined), onclick: () => this.choose(null),
      },
      h("span", { class: "move" }, "all lines"),
      h("span", { class: "counted" }, count(infosetsFrom(this.root)))),
      h("ul", {}, this.item(this.root, new Set(this.path().map((node) => node.line)), 0)),
    );
    if (again === null) return;
    for (const button of this.element.querySelectorAll("button")) {
      if (button.className === again[0] && button.dataset["line"] === again[1]) button.focus();
    }
  }

  private item(node: LineNode, path: Set<string>, depth: number): HTMLLIElement {
    const isOpen = this.isOpen(node, path, depth);
    const isChosen = node.line === this.line;
    const own = node.decisions.reduce((sum, one) => sum + one.infosets, 0);
    return h("li", {},
      h("div", { class: "item" },
        node.children.length > 0
          ? h("button", {
            class: "toggle", "data-line": node.line, "aria-expanded": String(isOpen),
            "aria-label": `${isOpen ? "Collapse" : "Expand"} ${node.line || "the start"}`,
            onclick: () => this.toggle(node.line, !isOpen),
          }, isOpen ? "▾" : "▸")
          : h("span", { class: "toggle" }),
        h("button", {
          class: "node", "data-line": node.line, "aria-pressed": String(isChosen),
          disabled: node.decisions.length === 0,
          onclick: () => this.choose(node.line),
        },
        h("span", { class: "move" }, node.move),
        h("span", { class: "counted" }, own > 0 && count(own)),
        h("span", { class: "words" }, decidedOn(node))),
      ),
      isOpen && h("ul", {}, ...node.children.map((child) => this.item(child, path, depth + 1))),
    );
  }

  private toggle(line: string, isOpen: boolean): void {
    this.toggled.set(line, isOpen);
    this.draw();
  }

  private isOpen(node: LineNode, path: Set<string>, depth: number): boolean {
    const byDefault = depth === 0 || path.has(node.line) || this.lines.length <= OPEN_ALL;
    return node.children.length > 0 && (this.toggled.get(node.line) ?? byDefault);
  }
}

/** Games of one family have the same lines, but different numbers of infosets on them. */
function keyOf(lines: readonly LineInfo[]): string {
  return lines.map((one) => `${one.player}${one.line} ${one.infosets}`).join("|");
}
