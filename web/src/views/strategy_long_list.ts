// A long list of rows of equal height; only the visible rows are in the page.

import { h } from "../dom";
import type { StrategyRow } from "../model";
import { MAX_LINES, RowElement } from "./strategy_row";
import { rowsInSight, type Range } from "./strategy_window";

const LINE_HEIGHT = 17;
const BAR_HEIGHT = 22;
const PADDING = 13;
/** Approximate width of a letter, including what is lost at the ends of lines. */
const LETTER = 6.6;
/** Width of card and board next to the words. */
const FACES_WIDTH = 36;
const START = { words: 1, actions: 2 };
/** Below this width the words are above bar and numbers; as in strategy.css. */
const NARROW = 430;

export class LongList {
  readonly element = h("ul", { class: "long" });
  private total = 0;
  private known: ReadonlyMap<number, StrategyRow> = new Map();
  private readonly shown = new Map<number, RowElement>();
  private readonly waiting = new Map<number, HTMLLIElement>();
  /** The most lines that words and actions need, among the rows known so far. */
  private lines = START;
  private fittedWidth = 0;

  /** `wordsOf` returns the words for a row's decision, without the board. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly wordsOf: (row: StrategyRow) => string,
  ) {}

  rows(): Iterable<RowElement> {
    return this.shown.values();
  }

  /** For a new list: start at the top. */
  restart(): void {
    this.lines = START;
    if (this.top() > 0) this.scroller.scrollTop = 0;
  }

  /** Show the visible ones of `total` rows; returns whether some are not known. */
  update(total: number, known: ReadonlyMap<number, StrategyRow>): boolean {
    this.total = total;
    this.known = known;
    if (this.shown.size === 0) this.draw();
    this.fitLines();
    return this.draw();
  }

  /** Draw the visible rows; returns whether some are not known. */
  draw(): boolean {
    const height = this.rowHeight();
    this.element.style.height = `${this.total * height}px`;
    const range = this.inSight();
    this.clear(range);
    let isMissing = false;
    for (let index = range.first; index < range.end; index += 1) {
      const row = this.known.get(index);
      const element = row === undefined ? this.placeholder(index) : this.rowAt(index, row);
      isMissing ||= row === undefined;
      element.style.height = `${height}px`;
      element.style.transform = `translateY(${index * height}px)`;
      element.setAttribute("aria-setsize", String(this.total));
      element.setAttribute("aria-posinset", String(index + 1));
      // In the order of the list, so the tab key goes through it.
      const there = this.element.children[index - range.first] ?? null;
      if (there !== element) this.element.insertBefore(element, there);
    }
    return isMissing;
  }

  inSight(): Range {
    return rowsInSight(this.top(), this.scroller.clientHeight, this.rowHeight(), this.total);
  }

  /** Remove rows that are not visible, unknown, or replaced by another row. */
  private clear(range: Range): void {
    for (const [index, row] of this.shown) {
      const known = this.known.get(index);
      if (index >= range.first && index < range.end && known !== undefined && row.fits(known)) continue;
      row.element.remove();
      this.shown.delete(index);
    }
    for (const element of this.waiting.values()) element.remove();
    this.waiting.clear();
  }

  private rowAt(index: number, row: StrategyRow): HTMLLIElement {
    let shown = this.shown.get(index);
    if (shown === undefined) {
      shown = new RowElement(row, { words: this.wordsOf(row) });
      this.shown.set(index, shown);
    } else {
      shown.update(row);
    }
    const before = this.known.get(index - 1);
    shown.element.classList.toggle("first-of-card", before !== undefined && before.card !== row.card);
    return shown.element;
  }

  private placeholder(index: number): HTMLLIElement {
    const element = h("li", { class: "row waiting", "aria-busy": "true" });
    this.waiting.set(index, element);
    return element;
  }

  /** All rows are as high as the highest row known. */
  private fitLines(): void {
    const width = this.element.querySelector(".what")?.clientWidth ?? 0;
    if (width === 0) return;
    const lines = { ...(width === this.fittedWidth ? this.lines : START) };
    this.fittedWidth = width;
    for (const row of this.known.values()) {
      const room = width - (row.card === "" ? 0 : FACES_WIDTH);
      const words = Math.ceil((LETTER * this.wordsOf(row).length) / room);
      lines.words = Math.max(lines.words, Math.min(MAX_LINES, words));
      lines.actions = Math.max(lines.actions, Math.min(MAX_LINES, row.actions.length));
    }
    if (lines.words === this.lines.words && lines.actions === this.lines.actions) return;
    const first = this.top() / this.rowHeight();
    this.lines = lines;
    this.element.style.setProperty("--word-lines", String(lines.words));
    // Keep the row at the upper edge in place.
    if (first > 0) this.scroller.scrollTop += first * this.rowHeight() - this.top();
  }

  private rowHeight(): number {
    const isNarrow = this.element.clientWidth < NARROW;
    // One more line, below the words, is for line and reach.
    const words = (this.lines.words + 1) * LINE_HEIGHT;
    const actions = this.lines.actions * LINE_HEIGHT;
    return PADDING + (isNarrow ? words + 4 + Math.max(actions, BAR_HEIGHT) : Math.max(words, actions));
  }

  /** How far the top of the list is above the top of the visible area. */
  private top(): number {
    return this.scroller.getBoundingClientRect().top - this.element.getBoundingClientRect().top;
  }
}
