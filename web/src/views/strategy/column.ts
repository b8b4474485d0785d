// The infosets of one player: fetched, counted, and shown as a list. A short list is completely in the
// page; of a long one only the visible rows are, fetched while scrolling.

import { fill, h, setText } from "../../dom";
import { downloadCsv } from "../../download";
import { downloadGroup } from "../../download_group";
import { messageOf } from "../../errors";
import { capital, count } from "../../format";
import type { Seat, StrategyPage, StrategyRow } from "../../model";
import { Newest } from "../../newest";
import { filterKey } from "./filters";
import { LongList } from "./long_list";
import type { FrameRef, RowsQuery, StrategyPages } from "./pages";
import type { RowElement } from "./row";
import { WholeList } from "./whole_list";
import { compared } from "./compare";
import { pagesOf } from "./window";

/** Up to this number of rows, all are in the page. */
const WHOLE = 200;
const PAGE = 60;

export interface ColumnRequest extends Omit<RowsQuery, "player"> {
  unit: string;
  /** The name of the player. */
  seat: string;
  /** The run that is compared with it, at its last frame. */
  other: { run: string; frame: FrameRef } | null;
  /** The file name of a download. */
  title: string;
  /** Number of the player's infosets without any filter, if known. */
  infosets: number | null;
  selected: string | null;
  /** Words for the player's decision on a line, without the board. */
  wordsOfLine: ReadonlyMap<string, string>;
}

export class StrategyColumn {
  readonly element: HTMLElement;
  /** Number of rows that match the filters; null until known. */
  total: number | null = null;
  private readonly counted = h("span", { class: "counted" });
  private readonly unit = h("span", {});
  private readonly heading = h("h2", {});
  private readonly message = h("p", { class: "nothing soft", role: "status", hidden: true });
  private readonly body = h("div", { class: "rows" });
  private readonly newest = new Newest<Pick<StrategyPage, "rows" | "total" | "offset">[]>();
  private readonly whole = new WholeList();
  private readonly long: LongList;
  private request: ColumnRequest | null = null;
  private listKey = "";
  private shownList = "";
  /** Rows at the frame shown, by position; of a long list, those fetched so far. */
  private rows = new Map<number, StrategyRow>();
  private rowsFrame = "";
  /** The run whose rows are in the page. */
  private shownRun: string | null = null;
  private hasFailed = false;

  /** `changed` is called when the number of matching rows changes. */
  constructor(
    readonly player: Seat,
    private readonly pages: StrategyPages,
    scroller: HTMLElement,
    private readonly changed: () => void,
  ) {
    this.long = new LongList(scroller, (row) => this.request?.wordsOfLine.get(row.line) ?? row.words);
    const download = downloadGroup([{ form: "CSV", save: () => this.save() }], `rows of player ${player}`);
    this.element = h("section", { class: "column", "data-player": player },
      h("header", { class: "column-head" },
        this.heading, this.counted, h("span", { class: "space" }), download,
        h("div", { class: "names", "aria-hidden": "true" },
          h("span", {}, "decision, line, reach"),
          h("span", {}, "strategy"),
          h("span", { class: "action" },
            h("span", { class: "name" }, "action"), h("span", { class: "share" }, "share"),
            h("span", { class: "value" }, "value, ", this.unit)),
          h("span", { class: "difference" }, "differs"),
        ),
      ),
      this.message, this.body,
    );
  }

  show(request: ColumnRequest): void {
    const listKey = `${request.run}|${request.other?.run ?? ""}|${filterKey(request.filters)}`;
    this.element.classList.toggle("compared", request.other !== null);
    const isSameFrame = request.frame.name === this.request?.frame.name;
    const isSameList = listKey === this.listKey;
    this.request = request;
    this.unit.textContent = request.unit;
    const heading = capital(request.seat);
    setText(this.heading, heading);
    this.element.setAttribute("aria-label", heading);
    if (!isSameList) {
      this.listKey = listKey;
      this.total = null;
    }
    if (request.run !== this.shownRun) {
      this.body.classList.add("outdated");
      this.counted.textContent = "";
    }
    this.select();
    if (!isSameList || !isSameFrame || this.hasFailed) this.ask();
  }

  /** The server is back: repeat failed requests. */
  retry(): void {
    if (this.hasFailed) this.ask();
  }

  scrolled(): void {
    if (!this.isLong) return;
    const isMissing = this.long.draw();
    this.select();
    if (isMissing) this.ask();
  }

  /** The size of the list has changed: keep the open infoset in view. */
  resized(): void {
    this.scrolled();
    this.reveal();
  }

  /** Drop all requests until `show` is called again. */
  forget(): void {
    this.newest.forget();
    this.request = null;
    this.listKey = "";
  }

  /** Focus the row of the label, if it is in the page. */
  focus(label: string): void {
    this.rowOf(label)?.element.querySelector("button")?.focus();
  }

  private get isLong(): boolean {
    return this.total !== null && this.total > WHOLE;
  }

  private ask(): void {
    const request = this.request;
    if (request === null) return;
    const query: RowsQuery = { ...request, player: this.player };
    const { other } = request;
    if (other !== null) {
      const theirs = { ...query, ...other };
      this.newest.ask(
        this.listKey,
        async () => {
          const [rows, others] = await Promise.all([this.pages.all(query), this.pages.all(theirs)]);
          const found = compared(rows, others);
          return [{ rows: found, total: found.length, offset: 0 }];
        },
        (pages) => this.receive(pages, request),
        (error) => this.refuse(error),
      );
      return;
    }
    const offsets = this.isLong ? pagesOf(this.long.inSight(), PAGE) : null;
    this.newest.ask(
      this.listKey,
      () => offsets === null
        ? this.pages.page(query, 0, WHOLE).then((page) => [page])
        : Promise.all(offsets.map((offset) => this.pages.page(query, offset, PAGE))),
      (pages) => this.receive(pages, request),
      (error) => this.refuse(error),
    );
  }

  private receive(pages: Pick<StrategyPage, "rows" | "total" | "offset">[], { run, frame: { name: frame } }: ColumnRequest): void {
    const before = this.total;
    this.hasFailed = false;
    this.shownRun = run;
    this.body.classList.remove("outdated");
    if (frame !== this.rowsFrame || before === null) this.rows = new Map();
    this.rowsFrame = frame;
    for (const page of pages) {
      this.total = page.total;
      page.rows.forEach((row, index) => this.rows.set(page.offset + index, row));
    }
    this.count();
    if (this.total !== before) this.changed();
    this.draw();
    this.select();
  }

  private draw(): void {
    const isOther = this.shownList !== this.listKey;
    this.shownList = this.listKey;
    const list = this.isLong ? this.long : this.whole;
    if (list.element.parentNode !== this.body) fill(this.body, list.element);
    if (list === this.long) {
      if (isOther) this.long.restart();
      if (this.long.update(this.total ?? 0, this.rows)) this.ask();
    } else if (this.whole.update([...this.rows.values()])) {
      this.reveal();
    }
  }

  private refuse(error: unknown): void {
    this.hasFailed = true;
    // The rows shown may belong to another run.
    if (this.total === null) fill(this.body);
    this.say(messageOf(error));
  }

  private say(message: string | null): void {
    this.message.hidden = message === null;
    this.message.textContent = message;
  }

  private count(): void {
    const [total, all] = [this.total ?? 0, this.request?.infosets ?? null];
    const ofAll = all === null || all === total ? "" : ` of ${count(all)}`;
    this.counted.textContent = `${count(total)}${ofAll} ${total === 1 && !ofAll ? "infoset" : "infosets"}`;
    this.say(total === 0 ? `${capital(this.request?.seat ?? "the player")} has no decision here.` : null);
  }

  private shownRows(): RowElement[] {
    return [...(this.isLong ? this.long : this.whole).rows()];
  }

  private rowOf(label: string | null): RowElement | undefined {
    return this.shownRows().find((row) => row.element.dataset["label"] === label);
  }

  private select(): void {
    const selected = this.request?.selected ?? null;
    for (const row of this.shownRows()) row.select(row.element.dataset["label"] === selected);
  }

  private reveal(): void {
    this.rowOf(this.request?.selected ?? null)?.element.scrollIntoView({ block: "nearest" });
  }

  private async save(): Promise<void> {
    const request = this.request;
    if (request === null) return;
    const rows = await this.pages.all({ ...request, player: this.player });
    const header = ["label", "card", "board", "line", "decision", "own_reach", "action", "probability",
      `value_${request.unit}`];
    const cells = rows.flatMap((row) => row.actions.map((action, index) => [
      row.label, row.card, row.board, row.line, row.words, row.own_reach, action,
      row.probabilities[index], row.values[index],
    ]));
    downloadCsv(header, cells, `${request.title}-player-${this.player}`);
  }
}
