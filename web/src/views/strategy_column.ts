// The infosets of one player. Few of them stand under headings per card, all in the page; of many,
// only those in sight are there, fetched as one scrolls.

import { downloadCsv } from "../download";
import { fill, h } from "../dom";
import { count } from "../format";
import type { Player, StrategyPage, StrategyRow } from "../model";
import { Newest } from "../newest";
import { cardFace } from "./strategy_card";
import { filterKey } from "./strategy_filters";
import { groupByCard, needsHeadings } from "./strategy_groups";
import type { RowsQuery, StrategyPages } from "./strategy_pages";
import { RowElement } from "./strategy_row";
import { pagesOf, rowsInSight } from "./strategy_window";

/** Up to so many rows are all put into the page. */
export const WHOLE = 200;
const PAGE = 60;
const LINE_HEIGHT = 17;
/** Lines that words, line and reach need, whatever the number of actions. */
const MIN_LINES = 3;
const MAX_LINES = 8;
const PADDING = 13;
/** Below this width the words stand above bar and numbers; as in strategy.css. */
const NARROW = 430;

export interface ColumnWish extends Omit<RowsQuery, "player"> {
  unit: string;
  /** What the file of a download is called. */
  title: string;
  /** Infosets of the player without any filter, if known. */
  infosets: number | null;
  selected: string | null;
}

export class StrategyColumn {
  readonly element: HTMLElement;
  /** Rows that pass the filters; null until they are known. */
  total: number | null = null;
  private readonly counted = h("span", { class: "counted" });
  private readonly unit = h("span", {});
  private readonly message = h("p", { class: "nothing soft", role: "status", hidden: true });
  private readonly body = h("div", { class: "rows" });
  private readonly newest = new Newest<StrategyPage[]>();
  private wish: ColumnWish | null = null;
  private listKey = "";
  /** Rows at the frame that is shown, by place; those of a long list as far as they are fetched. */
  private rows = new Map<number, StrategyRow>();
  private rowsFrame = "";
  private elements = new Map<number, RowElement>();
  private placeholders = new Map<number, HTMLLIElement>();
  private layout = "";
  private list: HTMLUListElement | null = null;
  private lines = MIN_LINES;

  constructor(
    readonly player: Player,
    private readonly pages: StrategyPages,
    private readonly scroller: HTMLElement,
    private readonly changed: () => void,
  ) {
    const download = h("button", {
      class: "button small", title: `Download the rows of player ${player} as CSV`,
      onclick: () => void this.download(),
    }, "CSV");
    this.element = h("section", { class: "column", "data-player": player, "aria-label": `Player ${player}` },
      h("header", { class: "column-head" },
        h("h2", {}, `Player ${player}`), this.counted, h("span", { class: "space" }), download,
        h("div", { class: "names", "aria-hidden": "true" },
          h("span", {}, "decision, line, own reach"),
          h("span", {}, "strategy"),
          h("span", { class: "action" },
            h("span", { class: "name" }, "action"), h("span", { class: "share" }, "share"),
            h("span", { class: "value" }, "value, ", this.unit)),
        ),
      ),
      this.message, this.body,
    );
  }

  show(wish: ColumnWish): void {
    const listKey = `${wish.run}|${filterKey(wish.filters)}`;
    const isSameFrame = wish.frame.name === this.wish?.frame.name && wish.run === this.wish.run;
    const isSameList = listKey === this.listKey;
    this.wish = wish;
    this.unit.textContent = wish.unit;
    if (!isSameList) {
      this.listKey = listKey;
      this.total = null;
      this.lines = MIN_LINES;
    }
    this.select();
    if (!isSameList || !isSameFrame) this.ask();
  }

  scrolled(): void {
    if (this.isLong) this.drawLong();
  }

  /** The room for the list has changed: what is looked at closely stays in sight. */
  resized(): void {
    this.scrolled();
    this.reveal();
  }

  forget(): void {
    this.newest.forget();
    this.wish = null;
    this.listKey = "";
  }

  /** Put the focus on the row of the label, if it is in the page. */
  focus(label: string): void {
    this.rowOf(label)?.element.querySelector("button")?.focus();
  }

  private reveal(): void {
    this.rowOf(this.wish?.selected ?? null)?.element.scrollIntoView({ block: "nearest" });
  }

  private rowOf(label: string | null): RowElement | undefined {
    return [...this.elements.values()].find((row) => row.element.dataset["label"] === label);
  }

  private get isLong(): boolean {
    return this.total !== null && this.total > WHOLE;
  }

  private ask(): void {
    const wish = this.wish;
    if (wish === null) return;
    const query: RowsQuery = { ...wish, player: this.player };
    const offsets = this.isLong ? pagesOf(this.inSight(), PAGE) : null;
    this.newest.ask(
      this.listKey,
      () => offsets === null
        ? this.pages.page(query, 0, WHOLE).then((page) => [page])
        : Promise.all(offsets.map((offset) => this.pages.page(query, offset, PAGE))),
      (pages) => this.receive(pages, wish.frame.name),
      (error) => this.refuse(error),
    );
  }

  private receive(pages: StrategyPage[], frame: string): void {
    if (frame !== this.rowsFrame || this.total === null) {
      this.rows = new Map();
      this.rowsFrame = frame;
    }
    for (const page of pages) {
      const isNews = page.total !== this.total;
      this.total = page.total;
      page.rows.forEach((row, index) => this.rows.set(page.offset + index, row));
      if (isNews) this.changed();
    }
    this.count();
    if (this.isLong) this.drawLong();
    else this.drawWhole();
    this.select();
  }

  private refuse(error: unknown): void {
    this.say(error instanceof Error ? error.message : String(error));
  }

  private say(message: string | null): void {
    this.message.hidden = message === null;
    this.message.textContent = message;
  }

  private count(): void {
    const [total, all] = [this.total ?? 0, this.wish?.infosets ?? null];
    const plain = `${count(total)} ${total === 1 ? "infoset" : "infosets"}`;
    this.counted.textContent = all === null || all === total ? plain : `${count(total)} of ${count(all)} infosets`;
    this.say(total === 0 ? `Player ${this.player} has no decision here.` : null);
  }

  private drawWhole(): void {
    const rows = [...this.rows.entries()].sort(([one], [other]) => one - other).map(([, row]) => row);
    const layout = `whole|${rows.map((row) => `${row.label}/${row.actions.length}`).join("|")}`;
    if (layout === this.layout) {
      rows.forEach((row, index) => this.elements.get(index)?.update(row));
      return;
    }
    this.reset(layout);
    const groups = groupByCard(rows);
    const withHeadings = needsHeadings(groups);
    const elements = rows.map((row) => new RowElement(row, { withCard: !withHeadings }));
    this.elements = new Map(elements.entries());
    let next = 0;
    const lists = groups.map((group) => {
      const items = elements.slice(next, next + group.rows.length).map((row) => row.element);
      next += group.rows.length;
      if (!withHeadings) return items;
      const infosets = `${group.rows.length} ${group.rows.length === 1 ? "infoset" : "infosets"}`;
      return [h("section", { class: "card-group", "data-card": group.card },
        h("h3", {}, cardFace(group.card), h("span", { class: "soft" }, infosets)),
        h("ul", {}, ...items),
      )];
    });
    fill(this.body, ...(withHeadings ? lists.flat() : [h("ul", {}, ...lists.flat())]));
    this.reveal();
  }

  private drawLong(): void {
    const total = this.total ?? 0;
    const layout = `long|${this.listKey}`;
    if (layout !== this.layout || this.list === null) {
      this.reset(layout);
      this.list = h("ul", { class: "long" });
      fill(this.body, this.list);
      if (this.top() > 0) this.scroller.scrollTop = 0;
    }
    this.fitLines();
    const height = this.rowHeight();
    const list = this.list;
    list.style.height = `${total * height}px`;
    const range = this.inSight();
    drop(this.elements, (index) => index < range.first || index >= range.end, (row) => row.element.remove());
    drop(this.placeholders, () => true, (element) => element.remove());
    let isMissing = false;
    for (let index = range.first; index < range.end; index += 1) {
      const row = this.rows.get(index);
      let element: HTMLLIElement;
      if (row === undefined) {
        isMissing = true;
        this.elements.get(index)?.element.remove();
        this.elements.delete(index);
        element = h("li", { class: "row waiting", "aria-busy": "true" });
        this.placeholders.set(index, element);
      } else {
        element = this.rowAt(index, row).element;
        element.classList.toggle("first-of-card", this.rows.get(index - 1)?.card !== row.card);
      }
      element.style.height = `${height}px`;
      element.style.transform = `translateY(${index * height}px)`;
      element.setAttribute("aria-setsize", String(total));
      element.setAttribute("aria-posinset", String(index + 1));
      if (element.parentNode !== list) list.append(element);
    }
    this.select();
    if (isMissing) this.ask();
  }

  private rowAt(index: number, row: StrategyRow): RowElement {
    const known = this.elements.get(index);
    if (known?.fits(row)) {
      known.update(row);
      return known;
    }
    known?.element.remove();
    const made = new RowElement(row, { withCard: true });
    this.elements.set(index, made);
    return made;
  }

  private reset(layout: string): void {
    this.layout = layout;
    this.list = null;
    this.elements = new Map();
    this.placeholders = new Map();
    fill(this.body);
  }

  private select(): void {
    const selected = this.wish?.selected ?? null;
    for (const row of this.elements.values()) row.select(row.element.dataset["label"] === selected);
  }

  /** Rows of a long list are equally high: as the one with most actions among those seen. */
  private fitLines(): void {
    let most = this.lines;
    for (const row of this.rows.values()) most = Math.max(most, Math.min(MAX_LINES, row.actions.length));
    if (most === this.lines) return;
    const first = this.top() / this.rowHeight();
    this.lines = most;
    // What was at the upper edge stays there.
    if (first > 0) this.scroller.scrollTop += first * this.rowHeight() - this.top();
  }

  private rowHeight(): number {
    const isNarrow = this.body.clientWidth < NARROW;
    return this.lines * LINE_HEIGHT + PADDING + (isNarrow ? 2 * LINE_HEIGHT + 4 : 0);
  }

  /** How far the upper edge of the list is above that of what is seen. */
  private top(): number {
    return this.scroller.getBoundingClientRect().top - this.body.getBoundingClientRect().top;
  }

  private inSight(): { first: number; end: number } {
    return rowsInSight(this.top(), this.scroller.clientHeight, this.rowHeight(), this.total ?? 0);
  }

  private async download(): Promise<void> {
    const wish = this.wish;
    if (wish === null) return;
    try {
      const rows = await this.pages.all({ ...wish, player: this.player });
      const header = ["label", "card", "board", "line", "decision", "own_reach", "action", "probability",
        `value_${wish.unit}`];
      const cells = rows.flatMap((row) => row.actions.map((action, index) => [
        row.label, row.card, row.board, row.line, row.words, row.own_reach, action,
        row.probabilities[index], row.values[index],
      ]));
      downloadCsv(header, cells, `${wish.title}-player-${this.player}`);
    } catch (error) {
      this.refuse(error);
    }
  }
}

function drop<T>(map: Map<number, T>, isGone: (index: number) => boolean, end: (value: T) => void): void {
  for (const [index, value] of map) {
    if (!isGone(index)) continue;
    end(value);
    map.delete(index);
  }
}
