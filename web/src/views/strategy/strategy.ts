// The strategy profile: both players' infosets at a frame of the run, on one line or on all, and one infoset
// in detail.

import type { Change, RunData } from "../../data";
import { h, setText } from "../../dom";
import { LineStrip } from "../../line_strip";
import type { Player, RunDetail } from "../../model";
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
  private readonly columns: [StrategyColumn, StrategyColumn];
  private readonly filters: FilterBar;
  private readonly lines: LineStrip;
  private readonly summary: RangeSummary;
  private readonly detail: InfosetDetail;
  private readonly players = h("div", { class: "group players", role: "group", "aria-label": "Player" });
  private isScrolling = false;

  constructor(private readonly context: Context) {
    const { store } = context;
    const pages = new StrategyPages();
    const column = (player: Player): StrategyColumn =>
      new StrategyColumn(player, pages, this.scroller, () => this.arrange());
    this.columns = [column(0), column(1)];
    this.filters = new FilterBar(store);
    this.lines = new LineStrip((change) => store.go(change));
    this.detail = new InfosetDetail(
      (label) => this.open(label),
      (moment) => store.set({ moment }, { replace: true }),
    );
    this.scroller.append(...this.columns.map((one) => one.element));
    this.scroller.addEventListener("click", (event) => this.clicked(event));
    this.scroller.addEventListener("keydown", (event) => this.step(event));
    addEventListener("keydown", (event) => this.escape(event));
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => {
      for (const one of this.columns) one.resized();
    }).observe(this.scroller);
    this.players.append(...([0, 1] as const).map((player) => h("button", {
      class: "button", "data-player": player, onclick: () => store.go({ seat: player }, { replace: true }),
    })));
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
      column.show({ ...request, seat: detail.terms.seats[column.player], infosets, wordsOfLine });
    }
    this.detail.update(run, state, hasNewFrames);
  }

  leave(): void {
    for (const column of this.columns) column.forget();
    this.summary.forget();
    this.detail.forget();
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
  private showPlayer({ lines, terms }: RunDetail, { line }: Filters, seat: Player | null): void {
    const deciding = line === undefined ? [] : lines.filter((one) => one.line === line).map((one) => one.player);
    const shown = String(deciding.length === 1 ? deciding[0] : (seat ?? 0));
    this.element.dataset["shown"] = shown;
    this.players.hidden = deciding.length === 1;
    for (const button of this.players.querySelectorAll("button")) {
      setText(button, terms.seats[button.dataset["player"] === "1" ? 1 : 0]);
      button.setAttribute("aria-pressed", String(button.dataset["player"] === shown));
    }
  }

  /** A line belongs to one player: the other player's empty column is collapsed. */
  private arrange(): void {
    const [first, second] = this.columns;
    first.element.classList.toggle("empty-column", first.total === 0 && (second.total ?? 0) > 0);
    second.element.classList.toggle("empty-column", second.total === 0 && (first.total ?? 0) > 0);
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
