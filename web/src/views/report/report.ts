// A spot on many flops: a map and a table of flops at one decision, filtered by texture. A flop leads to its solution,
// or to the form that solves it. Everything that is chosen is in the address.

import { actionClasses } from "../../action_styles";
import * as api from "../../api";
import { cardSigns, cardSpans } from "../../card_text";
import { fill, h, setAttribute } from "../../dom";
import { messageOf } from "../../errors";
import { count, percent } from "../../format";
import { mixBar } from "../../mix_bar";
import type { FlopRow, ReportPage } from "../../model";
import { Newest } from "../../newest";
import { AUTOMATIC, NEW_SPOT } from "../../places";
import { leaveDraft } from "../../spot_draft";
import { ANYWHERE, type AppState } from "../../state";
import type { Context } from "../../view";
import { FlopMap } from "./flop_map";
import { FlopTable, textOf, type Order } from "./flop_table";
import { filteredFlops, isFiltered, TEXTURES, totalOf, valueOf, type Measure, type Texture } from "./flops";

const SEATS = ["OOP", "IP"] as const;
const TEXTURE_WORDS: Record<Texture, string> = { suits: "suits", pairing: "pairing", near: "connectedness", high: "highest card" };
/** While flops are still being solved, the report is looked at again. */
const POLL_MS = 4000;

export class FlopReport {
  readonly element = h("section", { class: "flop-report" });
  private readonly title = h("h2", {});
  private readonly words = h("p", { class: "soft" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly line = h("nav", { class: "line-strip", "aria-label": "Line of betting" });
  private readonly left = h("span", { class: "soft number", role: "status" });
  private readonly clear = h("button", { class: "button small", type: "button", onclick: () => this.clearFilters() }, "clear");
  private readonly filters: Record<Texture, HTMLSelectElement>;
  private readonly shade = h("select", { "aria-label": "what shades the flops", onchange: () => this.set({ shade: this.shade.value }) });
  private readonly legend = h("span", { class: "soft" });
  private readonly chosen = h("section", { class: "flop-chosen panel", "aria-label": "The chosen flop", "aria-live": "polite", hidden: true });
  private readonly map = new FlopMap((flop) => this.set({ flop }), (ranks) => this.set({ ranks }));
  private readonly table = new FlopTable({ sort: (by) => this.set({ by: by === "flop" ? null : by }), choose: (flop) => this.set({ flop }) });
  private readonly toolbar: HTMLElement;
  private readonly body: HTMLElement;
  private readonly newest = new Newest<ReportPage>();
  private page: ReportPage | null = null;
  private asked = "";
  private timer: number | undefined;

  constructor(private readonly context: Context) {
    this.filters = Object.fromEntries((Object.keys(TEXTURES) as Texture[]).map((name) => [name, h("select", {
      name, onchange: () => this.set({ [name]: this.filters[name].value || null }),
    }, h("option", { value: "" }, "any"), ...TEXTURES[name].map((one) => h("option", { value: one }, one)))])) as Record<Texture, HTMLSelectElement>;
    this.body = h("div", { class: "flop-body" },
      h("div", { class: "flop-left" }, h("div", { class: "line" }, h("label", {}, "shaded by ", this.shade), this.legend), this.map.element),
      h("div", { class: "flop-right" }, this.chosen, this.table.element));
    this.toolbar = h("div", { class: "toolbar flop-filters", role: "group", "aria-label": "which flops" },
      ...(Object.keys(TEXTURES) as Texture[]).map((name) => h("label", {}, h("span", { class: "soft" }, TEXTURE_WORDS[name]), this.filters[name])),
      this.left, this.clear);
    fill(this.element, h("header", {}, this.title, this.words), this.problem, this.line, this.toolbar, this.body);
  }

  update(state: AppState): void {
    const id = state.options["report"] ?? "";
    const summary = this.context.data.reports.find((one) => one.id === id);
    const line = state.spot.line ?? "";
    const key = JSON.stringify([id, line, summary?.solved]);
    if (key !== this.asked) {
      this.asked = key;
      this.ask(id, line);
    } else this.draw(state);
  }

  private ask(id: string, line: string): void {
    if (this.page?.id !== id) {
      this.toolbar.hidden = this.body.hidden = true;
      this.element.setAttribute("aria-busy", "true");
      fill(this.line);
      this.title.textContent = "Opening the report …";
      fill(this.words);
    }
    this.newest.ask(id, () => api.report(id, line), (page) => this.show(page), (error) => this.fail(error));
  }

  private show(page: ReportPage): void {
    this.page = page;
    this.problem.hidden = true;
    this.element.setAttribute("aria-busy", "false");
    this.draw(this.context.store.state);
    window.clearTimeout(this.timer);
    if (page.solved < page.flops) this.timer = window.setTimeout(() => this.look(), POLL_MS);
  }

  /** Fetch the list again, which says how many flops are solved by now. */
  private look(): void {
    if (this.element.isConnected) void this.context.data.refreshRuns().catch(() => undefined);
  }

  private fail(error: unknown): void {
    this.page = null;
    this.element.setAttribute("aria-busy", "false");
    this.title.textContent = "Report over flops";
    fill(this.line);
    this.toolbar.hidden = this.body.hidden = true;
    this.problem.hidden = false;
    fill(this.problem, messageOf(error));
  }

  private draw({ options }: AppState): void {
    const { page } = this;
    if (page === null) return;
    this.toolbar.hidden = this.body.hidden = page.rows.length === 0;
    document.title = `${page.name} · flops · Untilt`;
    this.title.textContent = `${page.name}: ${SEATS[page.player]} acts on ${count(page.rows.length)} flops`;
    const missing = page.flops - page.solved;
    this.words.textContent = `${page.words}. Pot ${count(page.pot_here)}, method ${page.method}.${missing > 0 ? ` ${count(missing)} flops are not solved yet.` : ""}`;
    const rows = filteredFlops(page.rows, options);
    const total = totalOf(rows, page);
    this.drawLine(page, total.mix);
    this.drawFilters(page, rows, total.weight, options);
    const measure = this.measureOf(page, options);
    const mean = valueOf(totalOf(page.rows, page), measure);
    const flop = options["flop"] ?? null;
    this.legend.textContent = `${textOf(measure, mean)} over all flops: green is more, violet is less`;
    this.map.draw({ rows, page, measure, mean, text: (value) => textOf(measure, value), chosen: flop });
    this.table.draw(page, rows, this.orderOf(page, options), flop);
    this.drawChosen(page, page.rows.find((row) => row.flop === flop) ?? null);
  }

  private drawLine(page: ReportPage, mix: readonly (number | null)[]): void {
    const styles = actionClasses(page.actions);
    const station = (line: string, ...text: (string | Node)[]): HTMLElement => h("li", {},
      h("button", { class: "station", type: "button", "data-line": line, onclick: () => this.go(line) }, ...text));
    fill(this.line,
      h("ol", {}, station("", "start of the flop"),
        ...page.path.map(({ seat, action, line }) => station(line, h("span", { class: "seat" }, SEATS[seat]), ` ${action.name}`))),
      h("span", { class: "next group", role: "group", "aria-label": "Moves that follow" }, h("span", { class: "soft" }, `${SEATS[page.player]}:`),
        ...page.actions.map(({ name }, index) => {
          const to = page.children[index] ?? null;
          return h("button", {
            class: "station follow", type: "button", "data-line": to, disabled: to === null,
            title: to === null ? "the flop ends here" : `go on after ${name}`, onclick: () => to !== null && this.go(to),
          }, h("span", { class: `swatch action ${styles[index]}`, "aria-hidden": "true" }), name, h("strong", { class: "number" }, percent(mix[index])));
        })));
  }

  private drawFilters(page: ReportPage, rows: readonly FlopRow[], weight: number, options: Readonly<Record<string, string>>): void {
    for (const [name, select] of Object.entries(this.filters)) select.value = options[name] ?? "";
    this.clear.hidden = !isFiltered(options);
    const cell = options["ranks"];
    this.left.textContent = `${cell === undefined ? "" : `${cell.slice(0, 2)}x, `}${count(rows.length)} of ${count(page.rows.length)} flops, ${percent(weight)} of deals`;
    const choices: [Measure, string][] = [
      ...page.actions.map(({ name }, index): [Measure, string] => [`action ${index}`, `how often ${SEATS[page.player]}: ${name}`]),
      ...SEATS.flatMap((seat, index): [Measure, string][] => (["ev", "equity", "eqr"] as const).map((one) => [
        `${one} ${index as 0 | 1}`, `${{ ev: "EV", equity: "equity", eqr: "equity realization" }[one]} of ${seat}`])),
    ];
    fill(this.shade, ...choices.map(([value, text]) => h("option", { value }, text)));
    this.shade.value = this.measureOf(page, options);
  }

  private drawChosen(page: ReportPage, row: FlopRow | null): void {
    this.chosen.hidden = row === null;
    if (row === null) return;
    const styles = actionClasses(page.actions);
    fill(this.chosen,
      h("div", { class: "line" }, h("h3", {}, ...cardSpans(row.flop)), h("span", { class: "soft" }, `${row.suits}, ${row.pairing}, ${row.connectedness}`),
        h("span", { class: "space" }),
        row.run !== null && h("button", { class: "button primary", type: "button", onclick: () => this.open(row, page) }, "open its solution"),
        h("button", { class: row.run === null ? "button primary" : "button", type: "button", onclick: () => this.solve(row, page) }, "solve this flop"),
        h("button", { class: "icon", type: "button", "aria-label": `close ${cardSigns(row.flop)}`, onclick: () => this.set({ flop: null }) }, "×")),
      mixBar(row.mix, styles),
      h("p", { class: "number" }, page.actions.map(({ name }, index) => `${name} ${percent(row.mix[index])}`).join(" · "),
        ` · EV ${SEATS.map((seat, index) => `${seat} ${textOf("ev 0", row.ev[index] ?? null)}`).join(", ")}`));
    setAttribute(this.chosen, "data-flop", row.flop);
  }

  private measureOf(page: ReportPage, options: Readonly<Record<string, string>>): Measure {
    const usual: Measure = `action ${page.actions.length - 1}`;
    return isMeasure(options["shade"], page) ? options["shade"] : usual;
  }

  private orderOf(page: ReportPage, options: Readonly<Record<string, string>>): Order {
    const { by } = options;
    return by === "weight" || isMeasure(by, page) ? by : "flop";
  }

  private set(changes: Record<string, string | null>): void {
    const { store } = this.context;
    const options = { ...store.state.options };
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) delete options[name];
      else options[name] = value;
    }
    store.set({ options }, { replace: true });
  }

  private clearFilters(): void {
    this.set({ ranks: null, ...Object.fromEntries(Object.keys(TEXTURES).map((name) => [name, null])) });
  }

  private go(line: string): void {
    const { options } = this.context.store.state;
    // Columns of other actions mean something else elsewhere.
    const kept = Object.fromEntries(Object.entries(options).filter(([name]) => name !== "by" && name !== "shade"));
    this.context.store.set({ spot: { ...ANYWHERE, line }, options: kept });
  }

  private open({ run, flop }: FlopRow, { line }: ReportPage): void {
    this.context.store.set({ run, view: "spot", spot: { ...ANYWHERE, line, board: flop }, options: {} });
  }

  /** The form of new spots, with this flop. */
  private solve({ flop }: FlopRow, { spot }: ReportPage): void {
    leaveDraft({ ...spot, board: flop });
    this.context.store.set({ run: this.context.data.runs[0]?.id ?? null, view: NEW_SPOT, spot: ANYWHERE, options: {} });
  }
}

function isMeasure(text: string | undefined, { actions }: ReportPage): text is Measure {
  const [name, place] = (text ?? AUTOMATIC).split(" ");
  if (name === "action") return Number(place) < actions.length;
  return (name === "ev" || name === "equity" || name === "eqr") && (place === "0" || place === "1");
}
