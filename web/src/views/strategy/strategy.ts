// The strategy profile: all players' infosets at a frame of the run, on one line or on all, and one infoset
// in detail.

import type { Change, RunData } from "../../data";
import { fill, h, setText } from "../../dom";
import { LineStrip } from "../../line_strip";
import type { RunDetail, Seat } from "../../model";
import type { AppState } from "../../state";
import type { Context, View } from "../../view";
import { StrategyColumn, type ColumnRequest } from "./column";
import { InfosetDetail } from "./detail";
import { FilterBar } from "./filter_bar";
import { filtersOf, type Filters } from "./filters";
import { comparedRuns } from "../runs/shown";
import { frameRef, StrategyPages } from "./pages";
import { RangeSummary } from "./summary";

export class StrategyView implements View {
  readonly element = h("section", { class: "strategy" });
  /** A run that is compared may be loaded later. */
  readonly showsOthers = true;
  readonly strip: HTMLElement;
  readonly inspector: HTMLElement;
  private readonly scroller = h("div", { class: "scroller" });
  /** One for each player; none before a run is known. */
  private columns: StrategyColumn[] = [];
  private readonly pages = new StrategyPages();
  private readonly filters: FilterBar;
  private readonly lines: LineStrip;
  private readonly summary: RangeSummary;
  private readonly detail: InfosetDetail;
  private readonly players = h("div", { class: "group players", role: "group", "aria-label": "Player" });
  private isScrolling = false;

  constructor(private readonly context: Context) {
    const { store } = context;
    this.filters = new FilterBar(store);
    this.lines = new LineStrip((change) => store.go(change));
    this.detail = new InfosetDetail(
      (label) => this.open(label),
      (moment) => store.set({ moment }, { replace: true }),
    );
    this.scroller.addEventListener("click", (event) => this.clicked(event));
    this.scroller.addEventListener("keydown", (event) => this.step(event));
    addEventListener("keydown", (event) => this.escape(event));
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => {
      for (const one of this.columns) one.resized();
    }).observe(this.scroller);
    this.summary = new RangeSummary((change) => store.go(change));
    this.strip = h("div", { class: "strategy-strip" }, this.lines.element, this.filters.element, this.players);
    this.inspector = this.detail.element;
    this.element.append(this.summary.element, this.scroller);
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    const hasNewFrames = change?.what === "frames" || change?.what === "loaded";
    if (change?.what === "connection" && this.context.data.connection === "live") {
      for (const column of this.columns) column.retry();
      this.detail.retry();
    }
    if (change !== null && !hasNewFrames) return;
    const { detail } = run;
    this.seat(detail.terms.seats.length);
    const filters = filtersOf(state.spot, state.options["search"], detail);
    const hasLines = detail.lines.some((one) => one.line !== "");
    this.showPlayer(detail, filters, state.spot.seat);
    this.lines.update(detail, filters.line ?? null, filters.board ?? null);
    this.filters.update(detail, filters);
    const frame = frameRef(detail.frames, state.moment);
    this.summary.update(detail, filters, frame);
    const request: Omit<ColumnRequest, "seat" | "infosets" | "wordsOfLine"> = {
      run: run.id, unit: detail.unit, title: `${detail.name}-strategy`, filters, selected: state.infoset,
      frame, other: this.otherRun(detail, state),
    };
    for (const column of this.columns) {
      const own = detail.lines.filter((one) => one.player === column.player);
      const infosets = own.length === 0 ? null : own.reduce((sum, one) => sum + one.infosets, 0);
      // In a game without lines, only labels distinguish decisions.
      const wordsOfLine = new Map(hasLines ? own.map((one) => [one.line, one.words]) : []);
      column.show({ ...request, seat: detail.terms.seats[column.player] ?? "", infosets, wordsOfLine });
    }
    this.detail.update(run, state, hasNewFrames);
  }

  leave(): void {
    for (const column of this.columns) column.forget();
    this.summary.forget();
    this.detail.forget();
  }

  /** Have a column and a button for each of the players. */
  private seat(count: number): void {
    if (this.columns.length === count) return;
    for (const column of this.columns) column.forget();
    this.columns = Array.from({ length: count }, (_, player) =>
      new StrategyColumn(player, this.pages, this.scroller, () => this.arrange()));
    fill(this.scroller, ...this.columns.map((one) => one.element));
    fill(this.players, ...this.columns.map(({ player }) => h("button", {
      class: "button", "data-player": player,
      onclick: () => this.context.store.go({ seat: player }, { replace: true }),
    })));
  }

  /** The first run compared that is of the same game. */
  private otherRun(detail: RunDetail, state: AppState): ColumnRequest["other"] {
    for (const id of comparedRuns(state)) {
      const other = this.context.data.get(id)?.detail;
      if (other === undefined || other.game !== detail.game || !other.views.includes("strategy")) continue;
      return { run: id, frame: frameRef(other.frames, null) };
    }
    return null;
  }

  /** Where there is room for only one column, it is this player's, see the style sheet. */
  private showPlayer({ lines, terms }: RunDetail, { line }: Filters, seat: Seat | null): void {
    const deciding = line === undefined ? [] : lines.filter((one) => one.line === line).map((one) => one.player);
    const chosen = seat !== null && seat < terms.seats.length ? seat : 0;
    const shown = deciding.length === 1 ? deciding[0] : chosen;
    for (const { element, player } of this.columns) element.classList.toggle("not-shown", player !== shown);
    this.players.hidden = deciding.length === 1;
    for (const [player, button] of this.players.querySelectorAll("button").entries()) {
      setText(button, terms.seats[player] ?? "");
      button.setAttribute("aria-pressed", String(player === shown));
    }
  }

  /** A line belongs to one player: the other players' empty columns are collapsed. */
  private arrange(): void {
    const isAnyFull = this.columns.some(({ total }) => (total ?? 0) > 0);
    for (const { element, total } of this.columns) element.classList.toggle("empty-column", total === 0 && isAnyFull);
  }

  private open(label: string | null): void {
    const before = this.context.store.state.infoset;
    this.context.store.set({ infoset: label });
    if (label !== null || before === null) return;
    for (const column of this.columns) column.focus(before);
  }

  private clicked(event: Event): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>(".row[data-label]") : null;
    const label = row?.dataset["label"];
    // Selecting the text of a row does not open it.
    if (label === undefined || getSelection()?.type === "Range") return;
    this.open(label === this.context.store.state.infoset ? null : label);
  }

  /** Close the infoset, unless the focused element handles Escape itself. */
  private escape(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented || !this.element.isConnected) return;
    const isElsewhere = event.target instanceof Element && event.target.closest("input, select, dialog");
    if (isElsewhere || this.context.store.state.infoset === null) return;
    event.preventDefault();
    this.open(null);
  }

  /** Move between the rows of a column with the arrow keys. */
  private step(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>(".row[data-label]") : null;
    if (row === null) return;
    const rows = [...(row.closest(".column")?.querySelectorAll<HTMLElement>(".row[data-label]") ?? [])];
    const next = rows[rows.indexOf(row) + (event.key === "ArrowDown" ? 1 : -1)]?.querySelector("button");
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  private scrolled(): void {
    if (this.isScrolling) return;
    this.isScrolling = true;
    requestAnimationFrame(() => {
      this.isScrolling = false;
      for (const column of this.columns) column.scrolled();
    });
  }
}
