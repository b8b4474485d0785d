// Push/fold at a whole table: seats, stacks and prizes in a form; the chart of any seat after any action before it;
// a slider for every stack; and what the user's own ranges cost, or what the others should do against them.

import * as api from "../../api";
import { HandGrid } from "../../charts/hand_grid";
import { HANDS } from "../../charts/hands";
import { copyButton } from "../../copying";
import { fill, h, setText } from "../../dom";
import { downloadCsv, downloadPng, downloadSvg, type Cell } from "../../download";
import { downloadGroup } from "../../download_group";
import { messageOf } from "../../errors";
import { count, duration, fixed, percent, short, signed, withUnit } from "../../format";
import { Jobs } from "../../jobs";
import type { TableChart, TableJob, TableNode } from "../../model";
import { TABLE } from "../../places";
import type { Context } from "../../view";
import { RangeText } from "../pushfold/copy";
import { fillLegend } from "../pushfold/legend";
import { frequencyOf, gainOf, greatest, playCells, regretOf, valueOf, type Mode } from "../pushfold/paint";
import { drawn, theirsAt, type Theirs } from "./decision";
import { lineOfSeat, toggled } from "./lines";
import {
  commandOf, DEFAULTS, FIELDS, MAX_SEATS, MIN_SEATS, optionsOf, orderOf, resized, seatNames, stakesOf, type Field, type Stakes,
} from "./stakes";

const POLL_MS = 150;
/** Tables of at most so many seats take about a second, and are solved at every change. */
const SOLVED_AT_ONCE = 3;
/** Of the sliders, in big blinds; the number beside may be any. */
const SLIDER = { min: 1, max: 30, step: 0.5 };
const RANGES_REST_MS = 500;
/** How long a slider must rest before the table is solved while it is still held. */
const SLIDER_REST_MS = 120;

const MODES: readonly [Mode, string][] = [["frequency", "frequency"], ["ev", "EV"], ["regret", "cost of yours"]];

const LABELS: [Exclude<Field, "stacks">, string, string][] = [
  ["small", "small blind", "in big blinds"], ["ante", "ante, each", "in big blinds, from every seat"],
  ["bbante", "big-blind ante", "in big blinds, posted by the big blind for all"],
  ["prizes", "prizes", "best first, in any unit: 50, 30, 20. Empty: for chips"],
  ["others", "stacks elsewhere", "at other tables, in big blinds; they matter for prizes"],
  ["bounty", "bounty", "on every head, or one for each player, in the unit of the prizes"],
];

const PLACEHOLDER = "button: 45%\nbig blind vs button: 66+, A9s+, KQs";

interface SeatRow {
  input: HTMLInputElement;
  slider: HTMLInputElement;
  name: HTMLElement;
  value: HTMLElement;
  gain: HTMLElement;
  cost: HTMLElement;
}

export class PushFoldTable {
  readonly element: HTMLElement;
  private readonly seatCount = h("select", { name: "seats", onchange: () => this.resize(Number(this.seatCount.value)) },
    ...Array.from({ length: MAX_SEATS - MIN_SEATS + 1 }, (_, index) => h("option", { value: index + MIN_SEATS }, index + MIN_SEATS)));
  private readonly all = this.sliderOf("all stacks", (value) => this.slideAll(value));
  private readonly rowsBody = h("tbody", {});
  private readonly costHead = h("th", { scope: "col", class: "cost", title: "What your ranges lose if all others play the chart" }, "yours cost");
  private readonly lossHead = h("th", { scope: "col" }, "yours cost");
  private readonly inputs = new Map<Field, HTMLInputElement>();
  private readonly ranges = h("textarea", {
    name: "ranges", rows: 4, spellcheck: "false", placeholder: PLACEHOLDER, "aria-label": "your ranges, a line for each decision",
    oninput: () => this.rangesEdited(),
  });
  private readonly isLocked = h("input", { type: "checkbox", name: "locked", onchange: () => this.solve() });
  private readonly takeButton = h("button", { type: "button", class: "button small", onclick: () => this.takeRange() }, "add this chart");
  private readonly verdict = h("p", { class: "verdict", role: "status" });
  private readonly solveButton = h("button", { type: "button", class: "button primary", onclick: () => this.solve() }, "Solve");
  private readonly stopButton = h("button", { type: "button", class: "button", hidden: true, onclick: () => void this.jobs.ask(api.stopTable) }, "Stop");
  private readonly bar = h("progress", { max: 1, hidden: true, "aria-label": "solved" });
  private readonly status = h("span", { class: "job soft", role: "status" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly command = h("code", { class: "command" });
  private readonly path = h("ol", { class: "path", "aria-label": "Seats: choose one to act, and what those before did" });
  private readonly heading = h("h2", { class: "decision-words" });
  private readonly modeButtons = MODES.map(([mode, words]) => h("button", {
    type: "button", class: "button", "data-mode": mode, "aria-pressed": "false",
    onclick: () => this.context.store.setOption("hues", mode === "frequency" ? null : mode),
  }, words));
  private readonly grid = new HandGrid("hands of the seat that acts", { look: (hand) => this.look(hand) });
  private readonly legend = h("div", { class: "legend" });
  private readonly range = new RangeText("all-in");
  private readonly readout = h("table", { class: "hand-facts" });
  private readonly decisions = h("tbody", {});
  private readonly facts = h("p", { class: "facts soft" });
  private readonly result = h("div", { class: "result", hidden: true });
  private readonly jobs = new Jobs<TableJob>(api.tableJob, POLL_MS, {
    show: (job) => this.follow(job), finish: () => undefined, fail: (message) => this.fail(message),
  });
  private rows: SeatRow[] = [];
  private stakes: Stakes = { ...DEFAULTS };
  private chart: TableChart | null = null;
  private line = "";
  private hand = 0;
  private mode: Mode = "frequency";
  /** Number of the request that this page waits for; null if it waits for none. */
  private awaited: number | null = null;
  /** The order that was sent last, and that of the chart; empty before there is one. */
  private sent = "";
  private solved = "";
  private rest = 0;

  constructor(private readonly context: Context) {
    this.element = this.build();
  }

  /** Show what the address says. */
  update(): void {
    const { options } = this.context.store.state;
    const stakes = stakesOf(options);
    const isNew = FIELDS.some((name) => stakes[name] !== this.stakes[name]) || this.rows.length === 0;
    this.stakes = stakes;
    if (isNew) this.fillForm();
    const mode = MODES.find(([name]) => name === options["hues"])?.[0] ?? "frequency";
    const line = options["before"] ?? "";
    if (mode !== this.mode || line !== this.line) {
      [this.mode, this.line] = [mode, line];
      this.draw();
    }
    // A table that somebody linked to, or that was left: solved at once if that is quick, else on request.
    if (this.sent === "" || (isNew && this.isQuick())) this.solveIfQuick();
    else if (this.awaited !== null && !this.jobs.isFollowing) void this.jobs.look();
    else if (isNew) this.showStatus();
  }

  leave(): void {
    this.jobs.leave();
  }

  private build(): HTMLElement {
    fill(this.result,
      this.path,
      h("div", { class: "chosen" },
        h("div", { class: "half" },
          h("header", {}, this.heading, h("div", { class: "group", role: "group", "aria-label": "what cells show" }, ...this.modeButtons)),
          this.grid.element, this.legend,
          h("div", { class: "toolbar" }, this.range.button, h("span", { class: "space" }), downloadGroup([
            { form: "SVG", save: () => downloadSvg(this.grid.element, this.fileName()) },
            { form: "PNG", save: () => downloadPng(this.grid.element, this.fileName()) },
            { form: "CSV", save: () => this.saveCsv() },
          ])),
          this.range.text),
        h("div", { class: "beside" },
          h("section", { class: "panel", "aria-label": "The hand" }, this.readout),
          h("section", { class: "panel decisions", "aria-label": "All decisions" },
            h("table", {},
              h("thead", {}, h("tr", {}, ...["seat", "all-in before", "comes", "all-in"].map((name) => h("th", { scope: "col" }, name)), this.lossHead)),
              this.decisions)))),
      this.facts);
    return h("section", { class: "pushfold table-page", "aria-label": "Push/fold table" },
      h("header", { class: "intro" }, h("h1", {}, "Push/fold at a whole table"),
        h("p", { class: "soft" }, "Every seat is all-in or folds, knowing who is all-in before. Stacks count before blinds and antes.")),
      h("div", { class: "setup" },
        h("section", { class: "panel seats", "aria-label": "Seats" },
          h("div", { class: "fields" }, h("label", {}, h("span", {}, "seats"), this.seatCount),
            h("label", { class: "all" }, h("span", {}, "all stacks"), this.all)),
          h("table", {},
            h("thead", {}, h("tr", {}, ...["seat", "stack, bb"].map((name) => h("th", { scope: "col" }, name)), h("td", {}),
              h("th", { scope: "col" }, "value"), h("th", { scope: "col", title: "What a best response would win more: 0 in an equilibrium" }, "gain"), this.costHead)),
            this.rowsBody)),
        h("div", { class: "more" },
          h("section", { class: "panel", "aria-label": "Stakes" },
            h("div", { class: "fields" }, ...LABELS.map(([name, label, title]) => this.field(name, label, title)))),
          h("section", { class: "panel yours", "aria-label": "Your ranges" },
            h("div", { class: "group" }, h("h2", {}, "Your ranges"), this.takeButton),
            this.ranges,
            h("label", { class: "lock" }, this.isLocked, " keep them, and solve the other seats against them"),
            this.verdict))),
      this.problem,
      h("div", { class: "solve panel" }, this.solveButton, this.stopButton, this.bar, this.status, h("span", { class: "space" }),
        this.command, copyButton("copy command", this.command)),
      this.result);
  }

  private field(name: Field, label: string, title: string): HTMLElement {
    const input = h("input", { type: "text", name, autocomplete: "off", spellcheck: "false", title, onchange: () => this.edited() });
    this.inputs.set(name, input);
    return h("label", {}, h("span", {}, label), input);
  }

  private sliderOf(label: string, slid: (value: number) => void): HTMLInputElement {
    const slider: HTMLInputElement = h("input", {
      type: "range", ...SLIDER, "aria-label": label, onchange: () => this.edited(),
      oninput: () => {
        slid(slider.valueAsNumber);
        window.clearTimeout(this.rest);
        if (this.isQuick()) this.rest = window.setTimeout(() => this.edited(), SLIDER_REST_MS);
      },
    });
    return slider;
  }

  private slideAll(value: number): void {
    for (const row of this.rows) show(row, String(value));
  }

  /** Write the stakes into the form. */
  private fillForm(): void {
    const stacks = this.stakes.stacks.split(",");
    this.seatCount.value = String(stacks.length);
    if (this.rows.length !== stacks.length) this.makeRows(stacks.length);
    this.rows.forEach((row, seat) => show(row, stacks[seat] ?? ""));
    this.all.value = String(Math.max(...stacks.map(Number).filter(Number.isFinite), SLIDER.min));
    for (const [name, input] of this.inputs) input.value = this.stakes[name];
  }

  private makeRows(numSeats: number): void {
    this.rows = seatNames(numSeats).map((name, seat) => {
      const slider = this.sliderOf(`stack of the ${name}`, (value) => (input.value = String(value)));
      const input: HTMLInputElement = h("input", {
        type: "number", min: 0, step: "any", name: `stack-${seat}`, "aria-label": `stack of the ${name}, bb`, autocomplete: "off",
        onchange: () => this.edited(),
      });
      return { input, slider, name: h("span", {}, name), value: h("td", { class: "number" }), gain: h("td", { class: "number" }), cost: h("td", { class: "number cost" }) };
    });
    fill(this.rowsBody, ...this.rows.map((row, seat) => h("tr", { "data-seat": seat },
      h("th", { scope: "row" }, row.name), h("td", {}, row.input), h("td", {}, row.slider), row.value, row.gain, row.cost)));
  }

  private resize(numSeats: number): void {
    this.write({ ...this.read(), stacks: resized(this.rows.map(({ input }) => input.value), numSeats).join(",") });
  }

  private read(): Stakes {
    const fields = [...this.inputs].map(([name, input]) => [name, input.value.trim() || DEFAULTS[name]] as const);
    return { ...DEFAULTS, ...Object.fromEntries(fields), stacks: this.rows.map(({ input }) => input.value.trim()).join(",") };
  }

  /** The form was changed. */
  private edited(): void {
    window.clearTimeout(this.rest);
    this.write(this.read());
  }

  /** Put stakes into the address, from which they are shown, and solved if that is quick. */
  private write(stakes: Stakes): void {
    const { store } = this.context;
    const options = { ...store.state.options };
    for (const [name, value] of Object.entries(optionsOf(stakes))) {
      if (value === null) delete options[name];
      else options[name] = value;
    }
    store.set({ options, view: TABLE }, { replace: true });
  }

  private isQuick(): boolean {
    return this.rows.length <= SOLVED_AT_ONCE;
  }

  private solveIfQuick(): void {
    if (this.isQuick()) this.solve();
    else this.showStatus();
  }

  private rangesEdited(): void {
    window.clearTimeout(this.rest);
    // Comparing a solved table is quick, whatever its size; solving against ranges is not.
    if (this.chart !== null && (!this.isLocked.checked || this.isQuick())) this.rest = window.setTimeout(() => this.solve(), RANGES_REST_MS);
  }

  /** Ask for the table in the form. */
  private solve(): void {
    window.clearTimeout(this.rest);
    this.say(null);
    try {
      const order = orderOf(this.stakes, this.ranges.value, this.isLocked.checked);
      setText(this.command, commandOf(order));
      this.sent = JSON.stringify(order);
      void this.jobs.ask(async () => {
        const job = await api.solveTable(order);
        this.awaited = job.number;
        return job;
      });
    } catch (error) {
      this.fail(messageOf(error));
    }
  }

  private follow(job: TableJob): void {
    const isRunning = job.state === "running" && job.number === this.awaited;
    this.stopButton.hidden = !isRunning;
    this.bar.hidden = !isRunning;
    if (job.progress === null) this.bar.removeAttribute("value");
    else this.bar.value = job.progress;
    this.element.classList.toggle("waiting", isRunning);
    this.showStatus(job);
    if (this.awaited === null) return;
    const order = this.sent;
    if (job.number !== this.awaited) this.fail("another page has asked for a table since; solve this one again");
    else if (job.state === "failed") this.fail(job.error ?? "the solver failed");
    else if (job.state === "finished") void this.fetch(job.number, order);
    if (job.state !== "running") this.awaited = null;
  }

  private showStatus(job: TableJob | null = this.jobs.job): void {
    const isMine = job !== null && job.number === this.awaited;
    if (isMine && job.state === "running") setText(this.status, `${job.words || "starting"}, ${duration(job.seconds)}`);
    else if (isMine && job.state === "stopped") setText(this.status, "stopped");
    else if (this.isStale()) setText(this.status, "the charts below are not of this table: solve it");
    else if (this.chart === null) setText(this.status, this.isQuick() ? "" : "press Solve: a table of six takes about half a minute of one processor");
    this.element.classList.toggle("stale", this.isStale());
  }

  /** Whether the charts are of other stakes than the form. */
  private isStale(): boolean {
    if (this.chart === null) return false;
    try {
      return JSON.stringify(orderOf(this.stakes, this.ranges.value, this.isLocked.checked)) !== this.solved;
    } catch {
      return true;
    }
  }

  private async fetch(number: number, order: string): Promise<void> {
    try {
      this.chart = await api.tableChart(number);
      this.solved = order;
      setText(this.status, "solved");
      this.draw();
    } catch (error) {
      this.fail(messageOf(error));
    }
  }

  private fail(message: string): void {
    this.awaited = null;
    this.stopButton.hidden = this.bar.hidden = true;
    this.element.classList.remove("waiting");
    setText(this.status, "");
    this.say(message);
    this.element.classList.toggle("stale", this.isStale());
  }

  private say(message: string | null): void {
    this.problem.hidden = message === null;
    this.problem.textContent = message;
  }

  /** The decision shown: that of the address, or the first one. */
  private node(): TableNode | null {
    return this.chart?.nodes.find(({ line }) => line === this.line) ?? this.chart?.nodes[0] ?? null;
  }

  private choose(line: string | null): void {
    if (line !== null) this.context.store.setOption("before", line === "" ? null : line, { replace: false });
  }

  private draw(): void {
    const { chart } = this;
    const node = this.node();
    if (chart === null) return;
    this.result.hidden = false;
    this.showSeats(chart);
    const hasDecision = node !== null;
    this.result.classList.toggle("without-decision", !hasDecision);
    fill(this.facts, ...factsOf(chart));
    if (node === null) {
      fill(this.path);
      setText(this.heading, "No seat has a decision: posting blinds and antes takes all chips.");
      return;
    }
    this.showPath(chart, node);
    const theirs = theirsAt(chart, node.line);
    const mode = this.mode === "regret" && theirs === null ? "frequency" : this.mode;
    for (const button of this.modeButtons) {
      button.hidden = button.dataset["mode"] === "regret" && theirs === null;
      button.setAttribute("aria-pressed", String(button.dataset["mode"] === mode));
    }
    const shown = drawn(node, theirs);
    const most = greatest(shown, mode);
    this.grid.element.dataset["line"] = node.line;
    this.grid.draw(playCells(shown, mode, most, theirs !== null, "yours"));
    fillLegend(this.legend, shown, mode, most, {
      ev: `${chart.unit} gained over folding`,
      regret: `lost by your range when the hand comes here, in thousandths of ${chart.unit === "bb" ? "a bb" : "1 % of the pool"}`,
    });
    if (theirs !== null && mode !== "regret") this.legend.append(h("span", { class: "soft" }, "corner: in your range; outlined: yours differs"));
    fill(this.heading, `${node.words}: `, h("span", { class: "percent number" }, percent(node.mix?.[1], 2)), h("span", { class: "soft" },
      ` of hands ${node.actions[1]?.name ?? ""} · comes in ${percent(node.reach, 2)} of deals`));
    this.range.show(node.panels.range ?? "");
    this.showDecisions(chart, node);
    this.showVerdict(chart, theirs);
    this.look(this.hand);
    this.showStatus();
  }

  private showSeats(chart: TableChart): void {
    const { comparison } = chart;
    const decimals = chart.unit === "bb" ? 4 : 3;
    this.costHead.hidden = comparison === null;
    this.rows.forEach((row, seat) => {
      setText(row.value, chart.unit === "bb" ? signed(chart.values[seat], decimals) : `${(chart.values[seat] ?? 0).toFixed(decimals)} %`);
      setText(row.gain, short(chart.gains[seat]));
      row.cost.hidden = comparison === null;
      setText(row.cost, comparison === null ? "" : (comparison.costs[seat] ?? 0).toFixed(decimals));
    });
  }

  private showPath(chart: TableChart, node: TableNode): void {
    const lines = chart.nodes.map(({ line }) => line);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["path"] : undefined;
    fill(this.path, ...chart.seats.map((name, seat) => {
      const isActing = seat === node.player;
      const own = lineOfSeat(lines, node.line, seat);
      const letter = node.line.charAt(seat);
      const other = toggled(lines, node.line, seat);
      return h("li", { class: isActing ? "acting" : null, "data-seat": seat },
        h("button", {
          type: "button", class: "seat-name", "data-path": `seat-${seat}`, "aria-current": isActing ? "step" : null, disabled: own === null,
          title: own === null ? "has no decision" : "see its chart", onclick: () => this.choose(own),
        }, name, h("span", { class: "soft number" }, ` ${chart.stacks[seat]} bb`)),
        seat < node.player && h("button", {
          type: "button", class: `seat-action ${letter === "a" ? "action-all-in" : "action-fold"}`, "data-path": `action-${seat}`,
          disabled: other === null, "aria-label": `${name} ${letter === "a" ? "is all-in; let it fold" : "folds; let it be all-in"}`,
          onclick: () => this.choose(other),
        }, letter === "a" ? "all-in" : "folds"),
        isActing && h("span", { class: "seat-action to-act" }, "to act"));
    }));
    if (focused !== undefined) this.path.querySelector<HTMLElement>(`[data-path="${focused}"]`)?.focus();
  }

  private showDecisions(chart: TableChart, node: TableNode): void {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["line"] : undefined;
    this.lossHead.hidden = chart.comparison === null;
    const rows = [...chart.nodes].sort((one, other) => (other.reach ?? 0) - (one.reach ?? 0));
    fill(this.decisions, ...rows.map((one) => {
      const theirs = theirsAt(chart, one.line);
      const before = one.seats.filter((_, seat) => one.line.charAt(seat) === "a").join(", ");
      return h("tr", { "aria-current": one === node ? "true" : null },
        h("th", { scope: "row" }, h("button", { type: "button", class: "link", "data-line": one.line, onclick: () => this.choose(one.line) }, one.seats[one.player] ?? "")),
        h("td", {}, before || "–"), h("td", { class: "number" }, percent(one.reach, 2)), h("td", { class: "number" }, percent(one.mix?.[1], 1)),
        chart.comparison !== null && h("td", { class: "number" }, theirs === null ? "" : theirs.cost.toFixed(4)));
    }));
    if (focused !== undefined) this.decisions.querySelector<HTMLElement>(`[data-line="${focused}"]`)?.focus();
  }

  private showVerdict({ comparison, unit, gains }: TableChart, theirs: Theirs | null): void {
    if (comparison === null) {
      fill(this.verdict, this.isLocked.checked && this.ranges.value.trim() !== ""
        ? "The other seats are solved against these ranges; the column gain says what a best response would win more than they do." : "");
      return;
    }
    const total = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0);
    fill(this.verdict, "Yours cost ", h("strong", { class: "number" }, withUnit(total(comparison.costs).toFixed(4), unit)), " per hand if the others play the chart",
      theirs === null ? "" : `, ${withUnit(theirs.cost.toFixed(4), unit)} of it here`,
      `. Best responses gain ${withUnit(total(comparison.gains).toFixed(4), unit)} together if all play yours, ${short(total(gains))} against the chart.`);
  }

  private look(hand: number): void {
    this.hand = hand;
    this.grid.mark(hand);
    const node = this.node();
    if (this.chart === null || node === null) return;
    const theirs = theirsAt(this.chart, node.line);
    const shown = drawn(node, theirs);
    const { name, combos } = HANDS[hand] as (typeof HANDS)[number];
    const rows: [string, string][] = [
      ["all-in", percent(frequencyOf(shown, hand))],
      ["EV all-in", withUnit(signed(valueOf(shown, "played", hand), 4), node.unit)],
      ["EV fold", withUnit(signed(valueOf(shown, "folded", hand), 4), node.unit)],
      ["difference", withUnit(signed(gainOf(shown, hand), 4), node.unit)],
    ];
    if (theirs !== null) {
      rows.push(["yours", percent(theirs.hands[hand])], ["yours costs", withUnit(fixed(regretOf(shown, hand), 4), node.unit)]);
    }
    fill(this.readout, h("caption", {}, h("strong", {}, name), h("span", { class: "soft" }, ` ${combos} combos`)),
      h("tbody", {}, ...rows.map(([title, text]) => h("tr", {}, h("th", { scope: "row" }, title), h("td", { class: "number" }, text)))));
  }

  /** Write the range of the decision shown into the user's ranges, as something to change. */
  private takeRange(): void {
    const node = this.node();
    if (node === null) return;
    const kept = this.ranges.value.split("\n").filter((line) => line.trim() !== "" && !line.startsWith(`${node.words}:`));
    this.ranges.value = [...kept, `${node.words}: ${node.panels.range ?? ""}`].join("\n");
    this.rangesEdited();
  }

  private saveCsv(): void {
    const { chart } = this;
    if (chart === null) return;
    const rows: Cell[][] = chart.nodes.flatMap((node) => HANDS.map(({ name, combos }, hand) => {
      const shown = drawn(node, null);
      const before = node.seats.filter((_, seat) => node.line.charAt(seat) === "a").join(", ");
      return [node.seats[node.player], before, name, combos, frequencyOf(shown, hand), valueOf(shown, "played", hand), valueOf(shown, "folded", hand)];
    }));
    downloadCsv(["seat", "before", "hand", "combos", "all_in", "ev", "fold_ev"], rows, "push-fold-table");
  }

  private fileName(): string {
    return `push-fold-${(this.node()?.words ?? "table").replace(/[^a-z0-9]+/gi, "-")}`;
  }
}

/** Show a stack in the number and on the slider of a seat. */
function show({ input, slider }: SeatRow, stack: string): void {
  if (input.value !== stack) input.value = stack;
  if (slider.value !== stack) slider.value = stack;
}

function factsOf({ stakes, unit, gains, returned, iterations, seats, nodes }: TableChart): (string | HTMLElement)[] {
  const total = gains.reduce((sum, one) => sum + one, 0);
  return [
    h("span", {}, stakes), h("span", {}, `${count(nodes.length)} decisions`),
    h("span", { "data-field": "nash-conv" }, `best responses gain ${short(total)} ${unit} together`),
    h("span", {}, `the ${returned} strategy after ${count(iterations)} iterations`),
    h("span", {}, seats.length > 3 ? "a model: cards of several other seats count one by one" : "exact: all cards count"),
  ];
}
