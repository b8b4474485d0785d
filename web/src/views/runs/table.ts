// All runs as a table: sorted by any column, filtered by anything shown. It belongs to no run.

import { fill, h, setText } from "../../dom";
import { count } from "../../format";
import type { RunSummary } from "../../model";
import type { AppState } from "../../state";
import type { Context } from "../../view";
import { cellsOf, COLUMNS, type ColumnName, isMatch, sortedBy } from "./words";
import { chooseRun, comparedRuns, MAX_COMPARED, shownRuns, toggleComparison } from "./shown";

const NEWEST_FIRST = "-created";
/** How many rows are added at a time. */
const PAGE = 200;
const TYPING_MS = 150;

export class RunsTable {
  readonly element: HTMLElement;
  private readonly search = h("input", {
    type: "search", class: "find", placeholder: "filter by anything shown", "aria-label": "Filter the runs by anything shown",
    oninput: () => this.typed(),
  });
  private readonly number = h("p", { class: "soft", role: "status" });
  private readonly heads = new Map<ColumnName, HTMLTableCellElement>();
  private readonly body = h("tbody", { onkeydown: (event: KeyboardEvent) => this.key(event) });
  private readonly more = h("button", { class: "button more", type: "button", onclick: () => this.addPage() });
  private pages = 1;
  private typing: number | undefined;
  /** The run whose link is the table's tab stop. */
  private active: string | null = null;
  private drawn = "";

  constructor(private readonly context: Context) {
    const heads = COLUMNS.map(({ name, isNumber }) => {
      const head = h("th", { scope: "col", class: isNumber ? "number" : "" },
        h("button", { type: "button", onclick: () => this.sortBy(name) }, name));
      this.heads.set(name, head);
      return head;
    });
    this.element = h("section", { class: "runs-table", "aria-label": "All runs" },
      h("div", { class: "toolbar" }, h("h2", {}, "All runs"), this.search, this.number),
      h("div", { class: "scroller" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "spoken" }, "compare")), ...heads)), this.body)),
      this.more);
  }

  update(): void {
    const { state } = this.context.store;
    const { runs } = this.context.data;
    const find = state.options["find"] ?? "";
    if (document.activeElement !== this.search) this.search.value = find;
    const sort = sortOf(state);
    const found = sortedBy(find === "" ? runs : runs.filter((run) => isMatch(run, find)), sort.name, sort.isDown);
    for (const [name, head] of this.heads) {
      head.setAttribute("aria-sort", name !== sort.name ? "none" : sort.isDown ? "descending" : "ascending");
    }
    const among = found.length < runs.length ? `${count(found.length)} of ` : "";
    setText(this.number, `${among}${count(runs.length)} ${runs.length === 1 ? "run" : "runs"}`);
    const shown = found.slice(0, this.pages * PAGE);
    this.more.hidden = shown.length === found.length;
    setText(this.more, `show ${count(Math.min(PAGE, found.length - shown.length))} more of ${count(found.length)}`);
    this.drawRows(shown, state);
  }

  private drawRows(runs: readonly RunSummary[], state: AppState): void {
    const isFull = comparedRuns(state).length >= MAX_COMPARED;
    const places = shownRuns(state);
    const rows = runs.map((run) => ({ run, cells: cellsOf(run), place: places.indexOf(run.id) }));
    const drawn = JSON.stringify([rows.map(({ run, cells, place }) => [run.id, cells, place]), isFull]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const focused = this.body.contains(document.activeElement) ? this.active : null;
    fill(this.body, ...rows.map(({ run, cells, place }) => {
      const box = h("input", {
        type: "checkbox", "data-compare": run.id, "aria-label": `compare ${run.name}`, tabindex: -1,
        disabled: place === 0 || (place < 0 && (run.status === "damaged" || isFull)),
        onchange: () => toggleComparison(this.context.store, run.id),
      });
      box.checked = place > 0;
      return h("tr", { "data-run": run.id, "data-status": run.status, "aria-current": place === 0 ? "true" : null },
        h("td", { class: "compare" }, box),
        ...COLUMNS.map(({ name, isNumber }) => h("td", { class: isNumber ? "number" : null, "data-column": name },
          name !== "game" ? cells[name].text : h("a", {
            href: `#/${encodeURIComponent(run.id)}`, tabindex: -1,
            onfocus: () => this.activate(run.id),
            onclick: (event: MouseEvent) => this.open(event, run.id),
          }, cells.game.text))));
    }));
    const kept = runs.some((run) => run.id === this.active) ? this.active : (runs[0]?.id ?? null);
    this.active = null;
    if (kept !== null) this.activate(kept);
    if (focused !== null) this.linkOf(focused)?.focus();
  }

  /** Open the run in this page, unless the user wants another tab. */
  private open(event: MouseEvent, id: string): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (id === this.context.store.state.run) this.context.store.set({ view: "" });
    else chooseRun(this.context.store, id);
  }

  private sortBy(name: ColumnName): void {
    const { name: current, isDown } = sortOf(this.context.store.state);
    // The newest runs come first; names are sorted from A, and numbers from the smallest.
    const next = name === current ? !isDown : name === "created";
    this.context.store.setOption("sort", `${next ? "-" : ""}${name}`);
  }

  private typed(): void {
    window.clearTimeout(this.typing);
    this.typing = window.setTimeout(() => {
      this.pages = 1;
      this.context.store.setOption("find", this.search.value.trim() || null);
    }, TYPING_MS);
  }

  private addPage(): void {
    this.pages += 1;
    this.update();
  }

  private linkOf(id: string): HTMLElement | null {
    return this.body.querySelector(`tr[data-run="${CSS.escape(id)}"] a`);
  }

  /** Make the run's link the one that the tab key reaches. */
  private activate(id: string): void {
    if (this.active !== null) this.linkOf(this.active)?.setAttribute("tabindex", "-1");
    this.active = id;
    this.linkOf(id)?.setAttribute("tabindex", "0");
  }

  private key(event: KeyboardEvent): void {
    const rows = [...this.body.rows];
    const at = rows.findIndex((row) => row.dataset["run"] === this.active);
    const row = rows[at];
    const to = ({ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 } as Record<string, number>)[event.key];
    if (to !== undefined) rows[Math.max(0, Math.min(rows.length - 1, to))]?.querySelector("a")?.focus();
    else if (event.key === "ArrowLeft") row?.querySelector("input")?.focus();
    else if (event.key === "ArrowRight") row?.querySelector("a")?.focus();
    else return;
    event.preventDefault();
  }
}

function sortOf({ options }: AppState): { name: ColumnName; isDown: boolean } {
  const [, minus = "", wanted = ""] = /^(-?)(.*)$/.exec(options["sort"] ?? NEWEST_FIRST) ?? [];
  const found = COLUMNS.find(({ name }) => name === wanted);
  return found === undefined ? { name: "created", isDown: true } : { name: found.name, isDown: minus !== "" };
}
