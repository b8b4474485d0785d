// A long list of rows, each as high as it needs to be; only the visible rows are in the page. The height of a
// row is measured when it is first drawn; until then it is assumed to be average.

import { h } from "../../dom";
import type { StrategyRow } from "../../model";
import { RowElement } from "./row";
import { placesOf, rowAt, rowsInSight, type Range } from "./window";

/** The height of a row before any has been measured, in pixels. */
const FIRST_GUESS = 64;
/** Measuring rows may bring others into view; it settles quickly. */
const MAX_PASSES = 4;

export class LongList {
  readonly element = h("ul", { class: "long" });
  private total = 0;
  private known: ReadonlyMap<number, StrategyRow> = new Map();
  private readonly shown = new Map<number, RowElement>();
  private readonly waiting = new Map<number, HTMLLIElement>();
  /** Measured heights by index, for the width that the list had then. */
  private readonly heights = new Map<number, number>();
  private width = 0;
  private places = placesOf(0, () => 0);

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
    this.heights.clear();
    if (this.top() > 0) this.scroller.scrollTop = 0;
  }

  /** Show the visible ones of `total` rows; returns whether some are not known. */
  update(total: number, known: ReadonlyMap<number, StrategyRow>): boolean {
    this.total = total;
    this.known = known;
    return this.draw();
  }

  /** Draw the visible rows; returns whether some are not known. */
  draw(): boolean {
    if (this.element.clientWidth !== this.width) {
      this.width = this.element.clientWidth;
      this.heights.clear();
    }
    if (this.places.length !== this.total + 1 || this.heights.size === 0) this.arrange();
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      this.drawRows();
      if (!this.measure()) break;
      this.rearrange();
    }
    this.place();
    return this.waiting.size > 0;
  }

  inSight(): Range {
    return rowsInSight(this.top(), this.scroller.clientHeight, this.places);
  }

  private drawRows(): void {
    const range = this.inSight();
    this.clear(range);
    for (let index = range.first; index < range.end; index += 1) {
      const row = this.known.get(index);
      const element = row === undefined ? this.placeholder(index) : this.rowAt(index, row);
      element.setAttribute("aria-setsize", String(this.total));
      element.setAttribute("aria-posinset", String(index + 1));
      // In the order of the list, so the tab key goes through it.
      const there = this.element.children[index - range.first] ?? null;
      if (there !== element) this.element.insertBefore(element, there);
    }
  }

  /** Measure the rows in the page; returns whether any height has changed. */
  private measure(): boolean {
    let hasChanged = false;
    for (const [index, row] of this.shown) {
      const height = row.element.offsetHeight;
      if (height === 0 || this.heights.get(index) === height) continue;
      this.heights.set(index, height);
      hasChanged = true;
    }
    return hasChanged;
  }

  private arrange(): void {
    const measured = [...this.heights.values()];
    const average = measured.length === 0 ? FIRST_GUESS : measured.reduce((sum, one) => sum + one, 0) / measured.length;
    this.places = placesOf(this.total, (index) => this.heights.get(index) ?? average);
    this.element.style.height = `${this.places[this.total] ?? 0}px`;
  }

  /** Arrange the rows again, and keep the row at the upper edge in place. */
  private rearrange(): void {
    const top = this.top();
    const first = rowAt(this.places, top);
    const within = top - (this.places[first] ?? 0);
    this.arrange();
    if (top > 0) this.scroller.scrollTop += (this.places[first] ?? 0) + within - top;
  }

  private place(): void {
    for (const [index, { element }] of this.shown) element.style.transform = `translateY(${this.places[index] ?? 0}px)`;
    for (const [index, element] of this.waiting) {
      element.style.transform = `translateY(${this.places[index] ?? 0}px)`;
      element.style.height = `${(this.places[index + 1] ?? 0) - (this.places[index] ?? 0)}px`;
    }
  }

  /** Remove rows that are not visible, unknown, or replaced by another row. */
  private clear(range: Range): void {
    for (const [index, row] of this.shown) {
      const known = this.known.get(index);
      if (index >= range.first && index < range.end && known !== undefined && row.fits(known)) continue;
      row.element.remove();
      this.shown.delete(index);
      if (known !== undefined && !row.fits(known)) this.heights.delete(index);
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

  /** How far the top of the list is above the top of the visible area. */
  private top(): number {
    return this.scroller.getBoundingClientRect().top - this.element.getBoundingClientRect().top;
  }
}
