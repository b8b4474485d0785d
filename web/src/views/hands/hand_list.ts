// A list of any number of hands: only the rows in sight are in the page, and pages of them are fetched when needed.

import * as api from "../../api";
import { cardSpans } from "../../card_text";
import { fill, h, setText } from "../../dom";
import { messageOf } from "../../errors";
import { count, fixed, moment, signed } from "../../format";
import { LruCache } from "../../lru_cache";
import type { HandList, HandRow } from "../../model";
import { PAGE, pagesInSight, ROW_HEIGHT, rowsInSight } from "./window";

const KEPT = 60;

export class LongHandList {
  readonly element: HTMLElement;
  private readonly rows = h("div", { class: "rows", role: "list", "aria-label": "hands" });
  private readonly scroller = h("div", {
    class: "scroller", tabindex: 0, "aria-label": "hands; arrow keys move, Enter opens", onscroll: () => this.request(),
    onkeydown: (event: KeyboardEvent) => this.press(event),
  }, this.rows);
  private readonly number = h("p", { class: "soft", role: "status" });
  private pages = new LruCache<HandList>(KEPT);
  private readonly loading = new Set<string>();
  private key = "";
  private wanted: { folder: string; filters: api.HandFilters } | null = null;
  private total = 0;
  private active = 0;
  private frame = 0;

  /** `open` is called with a hand that was chosen. */
  constructor(private readonly open: (row: HandRow) => void) {
    const head = h("div", { class: "row head" }, ...["played", "hand", "seat", "cards", "board", "pot", "won", "betting"].map((name) => (
      h("span", { class: `cell ${name}` }, name))));
    this.element = h("section", { class: "hand-list", "aria-label": "list of hands" }, this.number, head, this.scroller);
    new ResizeObserver(() => this.request()).observe(this.scroller);
  }

  show(folder: string, filters: api.HandFilters): void {
    const key = JSON.stringify([folder, filters]);
    if (key === this.key) {
      this.request();
      return;
    }
    this.key = key;
    this.wanted = { folder, filters };
    this.pages = new LruCache<HandList>(KEPT);
    this.active = 0;
    this.scroller.scrollTop = 0;
    this.load(0);
  }

  /** The hand `by` places after another one in the list; null at an end. */
  async beside(file: number, row: number, by: number): Promise<HandRow | null> {
    for (const page of [...Array(Math.ceil(this.total / PAGE)).keys()]) {
      const found = this.pages.get(`${this.key} ${page}`)?.rows.findIndex((one) => one.file === file && one.row === row) ?? -1;
      if (found < 0) continue;
      const to = page * PAGE + found + by;
      if (to < 0 || to >= this.total) return null;
      this.active = to;
      return (await this.page(Math.floor(to / PAGE)))?.rows[to % PAGE] ?? null;
    }
    return null;
  }

  private async page(page: number): Promise<HandList | null> {
    const { wanted, key } = this;
    const known = this.pages.get(`${key} ${page}`);
    if (known !== undefined || wanted === null) return known ?? null;
    const found = await api.handList(wanted.folder, wanted.filters, page * PAGE, PAGE);
    if (key === this.key) this.pages.set(`${key} ${page}`, found);
    return found;
  }

  private load(page: number): void {
    const { key } = this;
    const name = `${key} ${page}`;
    if (this.loading.has(name)) return;
    this.loading.add(name);
    this.page(page).then((found) => {
      if (key !== this.key || found === null) return;
      this.total = found.total;
      const won = found.gains_bb === null || found.num_results === 0 ? "" : `; won ${signed(found.gains_bb, 1)} bb in ${count(found.num_results)}`;
      const of = found.total < found.of ? `${count(found.total)} of ${count(found.of)}` : count(found.of);
      setText(this.number, `${of} hands${found.total < found.of || this.wanted?.filters.player ? won : ""}`);
      this.request();
    }, (error: unknown) => {
      if (key !== this.key) return;
      this.total = 0;
      setText(this.number, messageOf(error));
      this.request();
    }).finally(() => this.loading.delete(name));
  }

  private request(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    const { scrollTop, clientHeight } = this.scroller;
    this.rows.style.height = `${this.total * ROW_HEIGHT}px`;
    const { first, end } = rowsInSight(scrollTop, clientHeight, this.total);
    const shown = [];
    for (let at = first; at < end; at += 1) {
      const row = this.pages.get(`${this.key} ${Math.floor(at / PAGE)}`)?.rows[at % PAGE];
      const element = row === undefined ? h("div", { class: "row waiting" }) : this.row(row, at);
      element.style.transform = `translateY(${at * ROW_HEIGHT}px)`;
      shown.push(element);
    }
    fill(this.rows, ...shown);
    for (const page of pagesInSight(scrollTop, clientHeight, this.total)) {
      if (this.pages.get(`${this.key} ${page}`) === undefined) this.load(page);
    }
  }

  private row(row: HandRow, at: number): HTMLElement {
    const cell = (name: string, ...content: (string | Node)[]): HTMLElement => h("span", { class: `cell ${name}` }, ...content);
    return h("div", {
      class: `row${at === this.active ? " active" : ""}`, role: "listitem", "aria-posinset": at + 1, "aria-setsize": this.total,
      onclick: () => this.choose(row, at),
    },
      cell("played", row.played === null ? "" : moment(row.played)), cell("hand", row.title),
      cell("seat", row.position && `${row.position} of ${row.players}`), cell("cards", ...cardSpans(row.cards)), cell("board", ...cardSpans(row.board)),
      cell("pot", fixed(row.pot_bb, 1)),
      h("span", { class: `cell won ${row.won_bb === null || row.won_bb === 0 ? "" : row.won_bb > 0 ? "gain" : "loss"}` }, signed(row.won_bb, 1)),
      cell("betting", ...betting(row)));
  }

  private choose(row: HandRow, at: number): void {
    this.active = at;
    this.open(row);
  }

  private press(event: KeyboardEvent): void {
    const rows = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 1);
    const to = ({
      ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + rows, PageUp: this.active - rows, Home: 0, End: this.total - 1,
    } as Record<string, number>)[event.key];
    if (to !== undefined) {
      this.active = Math.max(0, Math.min(this.total - 1, to));
      const top = this.active * ROW_HEIGHT;
      if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
      else if (top + ROW_HEIGHT > this.scroller.scrollTop + this.scroller.clientHeight) this.scroller.scrollTop = top + ROW_HEIGHT - this.scroller.clientHeight;
      this.request();
    } else if (event.key === "Enter") {
      const row = this.pages.get(`${this.key} ${Math.floor(this.active / PAGE)}`)?.rows[this.active % PAGE];
      if (row !== undefined) this.open(row);
    } else return;
    event.preventDefault();
  }
}

/** The betting without the numbers of players: actions of the own seat stand out. */
function betting({ line, seat }: HandRow): Node[] {
  return (line.match(/\d[a-zA-Z]|\//g) ?? []).map((move) => (
    move === "/" ? h("span", { class: "slash" }, "/") : h("span", { class: Number(move.charAt(0)) === seat ? "own" : "" }, move.charAt(1))));
}
