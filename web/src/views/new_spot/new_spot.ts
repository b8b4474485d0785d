// The form of a new spot: board, ranges, money and sizes; how large the tree is; and solving it.

import * as api from "../../api";
import { cardSigns, cardsOf } from "../../card_text";
import type { RunData } from "../../data";
import { Deck } from "../../deck";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { count, durationRange } from "../../format";
import type { SpotDocument, SpotJob, SpotMeasure, SpotResumption, SpotSubject } from "../../model";
import { Newest } from "../../newest";
import { AUTOMATIC, NEW_SPOT } from "../../places";
import { jobWords, SpotJobs } from "../../spot_jobs";
import { ANYWHERE } from "../../state";
import type { Context } from "../../view";
import { takeDraft } from "../../spot_draft";
import {
  documentOf, fieldsOf, linesOf, lockTexts, noiseText, PRESETS, SIZE_ROWS, sizeName, STREETS, THRESHOLDS, toggled, type Fields,
} from "./document";
import { RangeEditor } from "./range_editor";

const REST_MS = 300;

const EXAMPLE: SpotDocument = {
  board: "Td9d6hQc2s",
  pot: 200,
  stack: 900,
  ranges: {
    oop: "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    ip: "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
  },
  sizes: { bets: "60%, a", raises: "2.5x" },
};

const NOISE_FORM = "none; 2%, oop=1%,ip=10%";

/** Fields that are not part of a spot. */
const SOLVING: readonly string[] = ["target", "seconds", "threads"];

/** Parts of the form, with the words of a message that is about them; the first that fits. */
const PARTS = ["noise", "locks", "ranges", "board", "chips", "sizes"] as const;
const WORDS: Record<(typeof PARTS)[number], RegExp> = {
  noise: /\bnoise\b/i, locks: /\block/i, ranges: /\brange|\bhands?\b|\bcombo/i, board: /\bboard|\bcard/i, chips: /\bpot\b|\bstack|\brake/i, sizes: /./,
};

/** The part of the form that a message of the server is about. */
export function partOf(message: string): (typeof PARTS)[number] {
  return PARTS.find((name) => WORDS[name].test(message)) ?? "sizes";
}

export class NewSpot {
  readonly element: HTMLElement;
  private readonly inputs = new Map<string, HTMLInputElement>();
  private readonly deck = new Deck("Cards of the board", (card) => this.toggle(card));
  private readonly oop = new RangeEditor("OOP", () => this.measureSoon());
  private readonly ip = new RangeEditor("IP", () => this.measureSoon());
  private readonly preset = h("select", { "aria-label": "Preset of sizes", onchange: () => this.choosePreset() },
    h("option", { value: "" }, "preset …"), ...PRESETS.map(({ name }) => h("option", { value: name }, name)));
  private readonly precision = h("select", { name: "precision", onchange: () => this.measureSoon() },
    h("option", { value: "float32" }, "32 bits"), h("option", { value: "int16" }, "16 bits: half the memory"));
  /** What *target* is: an exploitability or, with noise, a residual. */
  private readonly targetName = h("span", {});
  private readonly locks = h("textarea", {
    name: "locks", rows: 2, spellcheck: "false", placeholder: "check: AA bet 100%", oninput: () => this.measureSoon(),
  });
  private readonly size = h("p", { class: "size", role: "status" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly copy = h("button", { type: "button", class: "button", hidden: true, onclick: () => void this.copyRun() });
  private readonly solveButton = h("button", { type: "button", class: "button primary", onclick: () => void this.solve() }, "Solve");
  private readonly stopButton = h("button", { type: "button", class: "button", hidden: true, onclick: () => void this.stop() }, "Stop");
  private readonly resumeButton = h("button", { type: "button", class: "button", hidden: true, onclick: () => void this.resume() }, "Resume");
  private readonly watchButton = h("button", { type: "button", class: "button", hidden: true, onclick: () => this.open() }, "Watch it converge");
  private readonly progress = h("span", { class: "job soft", role: "status" });
  private readonly newest = new Newest<SpotMeasure>();
  /** Where to say what is wrong, by the part of the form. */
  private readonly problems = new Map(PARTS.map((name) => [name, h("p", { class: "problem", hidden: true })] as const));
  /** Whether the spot, as it is in the form, could be solved. */
  private isSound = false;
  private run: RunData | null = null;
  /** The chosen run, if it is a spot that can be resumed. */
  private saved: RunData | null = null;
  private readonly jobs = new SpotJobs({
    show: (job) => this.show(job), finish: () => this.finish(), fail: (message) => this.fail(message),
  });
  private rest = 0;

  constructor(private readonly context: Context) {
    this.element = this.build();
    this.fill(EXAMPLE);
    void this.jobs.look();
  }

  update(run: RunData | null): void {
    const draft = takeDraft();
    if (draft !== null) this.fill(draft.spot, draft.noise);
    this.run = run?.detail.views.includes("spot") ? run : null;
    this.saved = run?.detail.kind === "spot" && run.detail.status !== "running" && run.detail.status !== "damaged" ? run : null;
    this.copy.hidden = this.run === null;
    this.copy.textContent = this.run === null ? "" : `Take ${this.run.detail.title} as a start`;
    if (!this.jobs.isFollowing) void this.jobs.look();
  }

  leave(): void {
    this.jobs.leave();
  }

  private build(): HTMLElement {
    const stop = h("div", { class: "fields" },
      this.field("noise", "noise, of the pot", "", "text", NOISE_FORM),
      this.field("target", this.targetName, "0.1", "number"), this.field("seconds", "at most, seconds", "60", "number"),
      this.field("threads", "threads (0: all)", "0", "number"), h("label", {}, h("span", {}, "numbers in"), this.precision));
    const parts = h("div", { class: "parts" },
      h("h1", {}, "New spot"),
      h("div", {}, this.copy),
      h("section", { class: "panel", "aria-label": "Board" }, h("h2", {}, "Board"),
        h("div", { class: "board-line" }, this.field("board", "3 to 5 cards", "", "text"),
          h("button", { type: "button", class: "button small", onclick: () => this.setBoard("") }, "clear")),
        this.problems.get("board"), this.deck.element),
      h("div", { class: "ranges" }, this.oop.element, this.ip.element),
      this.problems.get("ranges"),
      h("section", { class: "panel", "aria-label": "Chips" }, h("h2", {}, "Chips"),
        h("div", { class: "fields" }, this.field("pot", "pot", "", "number"), this.field("stack", "stack left", "", "number"),
          this.field("rake", "rake, %", "", "number"), this.field("rake_cap", "rake at most", "", "number")),
        this.problems.get("chips")),
      h("section", { class: "panel", "aria-label": "Bet sizes" }, h("h2", {}, "Bet sizes"),
        h("div", { class: "fields" }, h("label", {}, h("span", {}, "preset"), this.preset),
          this.field("bets", "bets: 60%, 100c, e, a", "", "text"), this.field("raises", "raises: 2.5x, 50%, a", "", "text"),
          this.field("max_raises", "raises per street, at most", "", "number")),
        this.problems.get("sizes"),
        h("details", {}, h("summary", {}, "close to all-in, and to one another"),
          h("div", { class: "fields" }, ...THRESHOLDS.map(([name, label]) => this.field(name, label, "", "number")))),
        h("details", {}, h("summary", {}, "by street and player"),
          h("div", { class: "by-street" }, h("table", {},
            h("thead", {}, h("tr", {}, h("td", {}), ...["all streets", ...STREETS].map((name) => h("th", { scope: "col" }, name)))),
            h("tbody", {}, ...SIZE_ROWS.map((row) => h("tr", {}, h("th", { scope: "row" }, row.replace("_", " ")),
              ...[null, ...STREETS].map((street) => h("td", {}, this.sizeCell(row, street)))))))))),
      h("section", { class: "panel", "aria-label": "Solving" }, h("h2", {}, "Solving"), stop,
        this.problems.get("noise"),
        h("label", {}, h("span", {}, "locks, one a line: the betting, then hands, action and share"), this.locks),
        this.problems.get("locks")),
      this.problem);
    return h("section", { class: "new-spot-form" }, parts,
      h("div", { class: "solve" }, this.size, this.progress, this.watchButton, this.stopButton, this.resumeButton, this.solveButton));
  }

  private field(name: string, label: string | HTMLElement, value: string, type: "text" | "number", placeholder = ""): HTMLElement {
    const input = h("input", { type, name, value, placeholder, ...(type === "number" ? { min: 0, step: "any" } : { spellcheck: "false" }), autocomplete: "off",
      oninput: () => this.edited(name) });
    this.inputs.set(name, input);
    return h("label", {}, h("span", {}, label), input);
  }

  private sizeCell(row: string, street: string | null): HTMLElement | string {
    const name = sizeName(row, street);
    if (this.inputs.has(name)) return "as above";
    const input = h("input", { type: "text", name, "aria-label": name.replace(/_/g, " "), spellcheck: "false", autocomplete: "off",
      oninput: () => this.edited(name) });
    this.inputs.set(name, input);
    return input;
  }

  private fill(spot: SpotDocument, noise = ""): void {
    const fields: Fields = { ...fieldsOf(spot), noise };
    for (const [name, input] of this.inputs) {
      if (!SOLVING.includes(name)) input.value = fields[name] ?? "";
    }
    this.locks.value = lockTexts(spot);
    this.oop.value = spot.ranges.oop;
    this.ip.value = spot.ranges.ip;
    this.drawBoard();
    this.measureSoon();
  }

  private fields(): Fields {
    return Object.fromEntries([...this.inputs].map(([name, input]) => [name, input.value]));
  }

  private document(): SpotDocument {
    return documentOf(this.fields(), { oop: this.oop.value, ip: this.ip.value });
  }

  private subject(): SpotSubject {
    return {
      spot: this.document(),
      precision: this.precision.value === "int16" ? "int16" : "float32",
      noise: this.noise(),
      locks: linesOf(this.locks.value),
    };
  }

  /** As it was typed; null if there is none. */
  private noise(): string | null {
    const text = this.inputs.get("noise")?.value.trim() ?? "";
    return text === "" ? null : text;
  }

  private edited(name: string): void {
    if (name === "board") this.drawBoard();
    if (name === "bets" || name === "raises") this.preset.value = "";
    this.measureSoon();
  }

  private toggle(card: string): void {
    this.setBoard(toggled(this.inputs.get("board")?.value ?? "", card));
  }

  private setBoard(text: string): void {
    const input = this.inputs.get("board");
    if (input !== undefined) input.value = text;
    this.drawBoard();
    this.measureSoon();
  }

  private drawBoard(): void {
    const cards = cardsOf((this.inputs.get("board")?.value ?? "").replace(/[\s,]+/g, ""));
    this.deck.draw((card) => {
      const isChosen = cards.includes(card);
      return { isDisabled: !isChosen && cards.length >= 5, isChosen, label: cardSigns(card) };
    });
  }

  private choosePreset(): void {
    const preset = PRESETS.find(({ name }) => name === this.preset.value);
    if (preset === undefined) return;
    for (const name of ["bets", "raises"] as const) {
      const input = this.inputs.get(name);
      if (input !== undefined) input.value = preset[name];
    }
    this.measureSoon();
  }

  private measureSoon(): void {
    this.targetName.textContent = this.noise() === null ? "exploitability, %" : "residual, %";
    window.clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.measure(), REST_MS);
  }

  private measure(): void {
    const subject = this.subject();
    this.newest.ask("measure", () => api.measureSpot(subject), (measure) => {
      this.size.classList.remove("problem");
      fill(this.size, h("strong", { class: "number" }, `${count(measure.nodes)} nodes`), ` · ${count(measure.hands[0])} v `,
        `${count(measure.hands[1])} hands · ${measure.boards.map(count).join(" + ")} `,
        `${measure.boards.reduce((sum, one) => sum + one) === 1 ? "board" : "boards"} · ${measure.memory} · `,
        `a few seconds to start, then ${durationRange(...measure.seconds)} of one processor to ${subject.noise === null ? "0.1 %" : "a residual of 0.1 %"}`,
        measure.is_zero_sum ? "" : " · with rake the game is not zero-sum", ...measure.notes.map((note) => ` · ${note}`));
      this.size.dataset["nodes"] = String(measure.nodes);
      this.judge(null);
    }, (error) => {
      this.size.classList.add("problem");
      delete this.size.dataset["nodes"];
      fill(this.size, messageOf(error));
      this.judge(messageOf(error));
    });
  }

  /** Say what is wrong with the spot where it is, and offer to solve it only if nothing is. */
  private judge(message: string | null): void {
    const part = message === null ? null : partOf(message);
    for (const [name, place] of this.problems) {
      place.hidden = name !== part;
      place.textContent = name === part ? message : "";
    }
    this.isSound = message === null;
    this.solveButton.title = message ?? "";
    this.allowSolving();
  }

  /** Not before the server has said what it is doing: what is shown then moves the button. */
  private allowSolving(): void {
    this.solveButton.disabled = (this.jobs.job?.state ?? "running") === "running" || !this.isSound;
  }

  private async copyRun(): Promise<void> {
    const { run } = this;
    if (run === null) return;
    try {
      const { panels: { spot } } = await api.treeNode(run.id, "spot", "", "");
      if (spot !== undefined) this.fill(spot.spot, noiseText(run.detail.spot?.noise ?? null));
      this.say(null);
    } catch (error) {
      this.say(messageOf(error));
    }
  }

  private async solve(): Promise<void> {
    this.solveButton.disabled = true;
    this.say(null);
    await this.jobs.ask(() => api.solveSpot({ ...this.subject(), ...this.bounds() }));
  }

  private async resume(): Promise<void> {
    const run = this.resumable();
    if (run === null) return;
    this.say(null);
    await this.jobs.ask(() => api.resumeSpot({ run, ...this.bounds() }));
  }

  private bounds(): Omit<SpotResumption, "run"> {
    const { target = "", seconds = "", threads = "" } = this.fields();
    return { target_percent: Number(target), seconds: Number(seconds), threads: Number(threads) };
  }

  /** The run that *Resume* continues: the one that was stopped here, else the chosen one. */
  private resumable(): string | null {
    const { job } = this.jobs;
    if (job?.state === "running") return null;
    // A best response that was stopped leaves nothing behind.
    const isStopped = job?.state === "stopped" && job.task !== "respond";
    return (isStopped ? job.run : null) ?? this.saved?.id ?? null;
  }

  private async stop(): Promise<void> {
    await this.jobs.ask(api.stopSpot);
  }

  /** Go to the run: its convergence while it is solved, then the spot. */
  private open(): void {
    const run = this.jobs.job?.run;
    if (run) this.context.store.set({ run, view: AUTOMATIC, moment: null, spot: ANYWHERE, infoset: null, compare: [] });
  }

  private async finish(): Promise<void> {
    if (this.context.store.state.view !== NEW_SPOT) return;
    await this.context.data.refreshRuns();
    this.open();
  }

  private fail(message: string): void {
    this.say(message);
    this.allowSolving();
  }

  private show(job: SpotJob): void {
    const isRunning = job.state === "running";
    this.allowSolving();
    this.stopButton.hidden = !isRunning;
    const resumable = this.resumable();
    this.resumeButton.hidden = resumable === null;
    this.resumeButton.title = resumable === null ? "" : `Continue ${resumable} until this exploitability or residual, or this time in all`;
    this.watchButton.hidden = !isRunning || !this.context.data.isListed(job.run ?? "");
    this.progress.dataset["state"] = job.state;
    this.progress.textContent = jobWords(job);
    if (job.state === "failed" && job.task !== "respond") this.say(job.error ?? "the solver failed");
  }

  private say(message: string | null): void {
    this.problem.hidden = message === null;
    this.problem.textContent = message;
  }
}
