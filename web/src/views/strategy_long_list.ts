// A list of many rows of one height, of which only those in sight are in the page.

import { h } from "../dom";
import type { StrategyRow } from "../model";
import { MOST_LINES, RowElement } from "./strategy_row";
import { rowsInSight, type Range } from "./strategy_window";

const LINE_HEIGHT = 17;
const BAR_HEIGHT = 22;
const PADDING = 13;
/** About how wide a letter of the words is, with what is lost at the ends of lines. */
const LETTER = 6.6;
/** Card and board beside the words. */
const FACES_WIDTH = 36;
const START = { words: 1, actions: 2 };
/** Below this width the words stand above bar and numbers; as in strategy.css. */
const NARROW = 430;

export class LongList {
  readonly element = h("ul", { class: "long" });
  private total = 0;
  private known: ReadonlyMap<number, StrategyRow> = new Map();
  private readonly shown = new Map<number, RowElement>();
  private readonly waiting = new Map<number, HTMLLIElement>();
  /** Lines that words and actions need at most, of the rows known so far. */
  private lines = START;
  private fittedWidth = 0;

  /** `wordsOf`: words for a row's decision without the board. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly wordsOf: (row: StrategyRow) => string,
  ) {}

  rows(): Iterable<RowElement> {
    return this.shown.values();
  }

  /** Of another list: from its start. */
  restart(): void {
    this.lines = START;
    if (this.top() > 0) this.scroller.scrollTop = 0;
  }

  /** Show those of `total` rows that are in sight; returns whether some are not known. */
  update(total: number, known: ReadonlyMap<number, StrategyRow>): boolean {
    this.total = total;
    this.known = known;
    if (this.shown.size === 0) this.draw();
    this.fitLines();
    return this.draw();
  }

  /** Draw what is in sight now; returns whether some of it is not known. */
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
      // In the order of the list, so that the tab key goes through it.
      const there = this.element.children[index - range.first] ?? null;
      if (there !== element) this.element.insertBefore(element, there);
    }
    return isMissing;
  }

  inSight(): Range {
    return rowsInSight(this.top(), this.scroller.clientHeight, this.rowHeight(), this.total);
  }

  /** Remove what is out of sight, unknown, or another row by now. */
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

  /** All rows are as high as the highest among those known. */
  private fitLines(): void {
    const width = this.element.querySelector(".what")?.clientWidth ?? 0;
    if (width === 0) return;
    const lines = { ...(width === this.fittedWidth ? this.lines : START) };
    this.fittedWidth = width;
    for (const row of this.known.values()) {
      const room = width - (row.card === "" ? 0 : FACES_WIDTH);
      const words = Math.ceil((LETTER * this.wordsOf(row).length) / room);
      lines.words = Math.max(lines.words, Math.min(MOST_LINES, words));
      lines.actions = Math.max(lines.actions, Math.min(MOST_LINES, row.actions.length));
    }
    if (lines.words === this.lines.words && lines.actions === this.lines.actions) return;
    const first = this.top() / this.rowHeight();
    this.lines = lines;
    this.element.style.setProperty("--word-lines", String(lines.words));
    // What was at the upper edge stays there.
    if (first > 0) this.scroller.scrollTop += first * this.rowHeight() - this.top();
  }

  private rowHeight(): number {
    const isNarrow = this.element.clientWidth < NARROW;
    // Below the words there is a line for line and reach.
    const words = (this.lines.words + 1) * LINE_HEIGHT;
    const actions = this.lines.actions * LINE_HEIGHT;
    return PADDING + (isNarrow ? words + 4 + Math.max(actions, BAR_HEIGHT) : Math.max(words, actions));
  }

  /** How far the upper edge of the list is above that of what is seen. */
  private top(): number {
    return this.scroller.getBoundingClientRect().top - this.element.getBoundingClientRect().top;
  }
}
