// The list of runs: game, method, status, exploitability and a sparkline. One run can be chosen, or
// several to compare. Only the visible items are in the page. The list is one tab stop: arrow keys move
// in it, Enter chooses a run, and the left arrow leads to its box for comparing.

import { sparkValues } from "../../charts/sparkline";
import { fill, h, setText } from "../../dom";
import { count } from "../../format";
import type { RunSummary } from "../../model";
import { AUTOMATIC, HANDS, isPlace, NEW_SPOT, REPORT, RUNS_TABLE } from "../../places";
import type { AppState } from "../../state";
import type { Context } from "../../view";
import { isMatch, newestFirst } from "./words";
import { GroupItem } from "./group_item";
import { entriesOf, folderOf, type Entry } from "./groups";
import { RunItem } from "./list_item";
import { chooseRun, comparedRuns, MAX_COMPARED, openReport, shownRuns, toggleComparison } from "./shown";

/** Height of an item in pixels; the style sheet has the same number. */
const ITEM_HEIGHT = 88;
const BEYOND = 4;
const SEARCH_FROM = 9;

export class RunsList {
  readonly element: HTMLElement;
  private readonly number = h("h2", { class: "count" });
  private readonly clear = h("button", {
    class: "clear", type: "button", hidden: true, onclick: () => this.context.store.set({ compare: [] }),
  }, "clear comparison");
  private readonly open = h("button", {
    class: "open-table", type: "button", title: "All runs as a table (r)",
    onclick: () => this.context.store.set({ view: RUNS_TABLE }),
  }, "table");
  private readonly make = h("button", {
    class: "open-table new-spot", type: "button", title: "A new spot to solve (w)",
    onclick: () => this.context.store.set({ view: NEW_SPOT }),
  }, "new spot");
  private readonly hands = h("button", {
    class: "open-table", type: "button", title: "Hand histories: list, leaks, tilt (y)",
    onclick: () => this.context.store.set({ view: HANDS }),
  }, "hands");
  private readonly search = h("input", {
    type: "search", placeholder: "filter", "aria-label": "Filter the runs by anything shown",
    hidden: true, oninput: () => this.searched(),
  });
  private readonly reports = h("ul", { class: "reports", role: "list", "aria-label": "Reports over flops", hidden: true });
  private readonly none = h("p", { class: "none soft", hidden: true }, "no run matches");
  private readonly list = h("ul", {
    class: "items", role: "list", "aria-label": "Runs; arrow keys move, Enter chooses",
    onkeydown: (event: KeyboardEvent) => this.key(event), onfocusin: (event: FocusEvent) => this.focused(event),
  });
  private readonly scroller = h("div", { class: "scroller", onscroll: () => this.request() }, this.list);
  private readonly items = new Map<string, RunItem | GroupItem>();
  private last = { runs: [] as readonly RunSummary[], words: "", open: "", found: [] as readonly RunSummary[], entries: [] as readonly Entry[] };
  /** Folders that are open or closed by hand; others are open if they hold the chosen run. */
  private readonly opened = new Map<string, boolean>();
  private chosen: string | null = null;
  /** The run that the tab key reaches. */
  private active: string | null = null;
  private frame = 0;

  constructor(private readonly context: Context) {
    this.element = h("div", { class: "runs" },
      h("div", { class: "head" }, this.number, this.clear, this.make, this.hands, this.open, this.search), this.reports, this.none, this.scroller);
    new ResizeObserver(() => this.request()).observe(this.scroller);
  }

  update(): void {
    this.request();
  }

  private searched(): void {
    this.scroller.scrollTop = 0;
    this.request();
  }

  private request(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    const { state } = this.context.store;
    const { runs } = this.context.data;
    this.search.hidden = runs.length < SEARCH_FROM;
    this.clear.hidden = comparedRuns(state).length === 0;
    this.drawReports();
    const found = this.found(runs, state.run);
    const { entries } = this.last;
    const among = found.length < runs.length ? `${count(found.length)} of ` : "";
    setText(this.number, `${among}${count(runs.length)} ${runs.length === 1 ? "run" : "runs"}`);
    this.none.hidden = found.length > 0 || runs.length === 0;
    this.list.style.height = `${entries.length * ITEM_HEIGHT}px`;
    if (state.run !== this.chosen && this.reveal(entries, state.run)) {
      this.chosen = state.run;
      if (!this.list.contains(document.activeElement)) this.active = state.run;
    }
    if (!entries.some(({ id }) => id === this.active)) {
      this.active = (entries.find(({ id }) => id === state.run) ?? entries[0])?.id ?? null;
    }
    this.drawItems(entries, state);
  }

  /** The reports over flops, above the runs. */
  private drawReports(): void {
    const { data: { reports }, store } = this.context;
    const shown = store.state.view === REPORT ? store.state.options["report"] : undefined;
    const key = JSON.stringify([reports, shown]);
    if (this.reports.dataset["key"] === key) return;
    this.reports.dataset["key"] = key;
    this.reports.hidden = reports.length === 0;
    fill(this.reports, ...reports.map(({ id, name, flops, solved, problem }) => h("li", {}, h("button", {
      type: "button", class: "report-item", "data-report": id, "aria-current": id === shown ? "page" : null, title: problem,
      onclick: () => openReport(store, id),
    }, h("span", { class: "title" }, `Flops: ${name}`),
    h("span", { class: "soft number" }, problem !== null ? "damaged" : solved < flops ? `${count(solved)} of ${count(flops)} solved` : `${count(flops)} flops`)))));
  }

  /** The runs that match the search, newest first; recomputed only if something has changed. */
  private found(runs: readonly RunSummary[], chosen: string | null): readonly RunSummary[] {
    const words = this.search.hidden ? "" : this.search.value.trim();
    const run = runs.find(({ id }) => id === chosen);
    const home = run === undefined ? "" : folderOf(run);
    const open = JSON.stringify([home, [...this.opened]]);
    const isSame = this.last.runs === runs && this.last.words === words;
    if (!isSame || this.last.open !== open) {
      const matching = words === "" ? runs : runs.filter((one) => isMatch(one, words));
      const found = isSame ? this.last.found : newestFirst(matching);
      // A search shows what it has found.
      const entries = entriesOf(found, (folder) => this.opened.get(folder) ?? (words !== "" || folder === home));
      this.last = { runs, words, open, found, entries };
    }
    return this.last.found;
  }

  private toggle(folder: string): void {
    const entry = this.last.entries.find((one) => one.kind === "group" && one.name === folder);
    this.opened.set(folder, !(entry?.kind === "group" && entry.isOpen));
    this.request();
  }

  private drawItems(entries: readonly Entry[], state: AppState): void {
    const { scrollTop, clientHeight } = this.scroller;
    const from = Math.max(0, Math.floor(scrollTop / ITEM_HEIGHT) - BEYOND);
    const to = Math.min(entries.length, Math.ceil((scrollTop + clientHeight) / ITEM_HEIGHT) + BEYOND);
    const inSight = clientHeight === 0 ? [] : entries.slice(from, to);
    // The tab stop stays in the page when it is scrolled out of sight.
    const reachable = inSight.some(({ id }) => id === this.active) ? this.active : (inSight[0]?.id ?? null);
    const kept = new Set(inSight.map(({ id }) => id));
    for (const [id, item] of this.items) {
      if (kept.has(id)) continue;
      item.element.remove();
      this.items.delete(id);
    }
    const shown = shownRuns(state);
    const canCompare = comparedRuns(state).length < MAX_COMPARED;
    inSight.forEach((entry, index) => {
      const item = this.item(entry);
      // In the order of the list, so the tab key goes from top to bottom.
      const there = this.list.children[index] ?? null;
      if (there !== item.element) this.list.insertBefore(item.element, there);
      item.place((from + index) * ITEM_HEIGHT, from + index, entries.length);
      if (entry.kind === "group") {
        if (item instanceof GroupItem) item.update(entry, entry.id === reachable);
        return;
      }
      if (!(item instanceof RunItem)) return;
      const { run, isInside } = entry;
      item.element.classList.toggle("inside", isInside);
      // Without its progress only the first and the last row of a run are known.
      const known = this.context.data.get(run.id);
      const sparkline = known?.hasProgress === true ? sparkValues(known.rows) : run.sparkline;
      item.update({ run, sparkline, position: shown.indexOf(run.id), canCompare, isReachable: run.id === reachable });
    });
  }

  private item(entry: Entry): RunItem | GroupItem {
    const { id } = entry;
    let item = this.items.get(id);
    if (item === undefined) {
      const { store } = this.context;
      item = entry.kind === "group" ? new GroupItem(id, () => this.toggle(entry.name))
        : new RunItem(id, (run) => this.choose(run), (run) => toggleComparison(store, run));
      this.items.set(id, item);
    }
    return item;
  }

  private choose(id: string): void {
    const { store } = this.context;
    if (id !== store.state.run) chooseRun(store, id);
    else if (isPlace(store.state.view)) store.set({ view: AUTOMATIC });
  }

  private focused(event: FocusEvent): void {
    const id = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-item]")?.dataset["item"] : undefined;
    if (id === undefined || id === this.active) return;
    this.active = id;
    this.request();
  }

  private key(event: KeyboardEvent): void {
    const { entries } = this.last;
    const at = entries.findIndex(({ id }) => id === this.active);
    const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 };
    const to = places[event.key];
    const item = this.active === null ? undefined : this.items.get(this.active);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (to !== undefined) this.moveTo(entries[Math.max(0, Math.min(entries.length - 1, to))]?.id ?? null);
    else if (item instanceof GroupItem) {
      const entry = entries[at];
      if (entry?.kind !== "group" || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
      if (entry.isOpen === (event.key === "ArrowLeft")) this.toggle(entry.name);
    } else if (event.key === "ArrowLeft") item?.focusBox();
    else if (event.key === "ArrowRight") item?.focus();
    else return;
    event.preventDefault();
  }

  private moveTo(id: string | null): void {
    if (id === null) return;
    this.active = id;
    this.reveal(this.last.entries, id);
    // Now, not in the next frame: the item must exist to be focused.
    this.draw();
    this.items.get(id)?.focus();
  }

  /** Scroll the chosen run into view; returns whether the list is visible. */
  private reveal(entries: readonly Entry[], id: string | null): boolean {
    const { scroller } = this;
    if (scroller.clientHeight === 0 || entries.length === 0) return false;
    const top = entries.findIndex((entry) => entry.id === id) * ITEM_HEIGHT;
    if (top < 0) return true;
    const lowest = top + ITEM_HEIGHT - scroller.clientHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (scroller.scrollTop < lowest) scroller.scrollTop = lowest;
    return true;
  }
}
