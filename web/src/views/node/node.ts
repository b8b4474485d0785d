// A tree node by node, of a solved spot or a blueprint: the line above, the whole range in one row, a grid of hands, and
// beside it the hands as a table, their classes, range against range and blockers, and the suits of the chosen hand.
// Some parts show what only some trees know: every next card, locks and best responses of a spot; the board of a blueprint.

import { actionClasses } from "../../action_styles";
import * as api from "../../api";
import { cardSpans } from "../../card_text";
import { HandGrid } from "../../charts/hand_grid";
import { HANDS } from "../../charts/hands";
import type { Change, RunData } from "../../data";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { count, fixed, percent } from "../../format";
import { LruCache } from "../../lru_cache";
import type { NodePage, NodeSide, Place, Player, RangeFacts, RunSummary, Runouts } from "../../model";
import { Newest } from "../../newest";
import { NEW_SPOT } from "../../places";
import { leaveDraft } from "../../spot_draft";
import type { AppState } from "../../state";
import type { Context, View } from "../../view";
import { noiseText } from "../new_spot/document";
import { rungsOf } from "../noise/rungs";
import { NoiseSlider } from "../noise/slider";
import { Answers, type Question } from "./answers";
import { BlockerPanel } from "./blocker_panel";
import { ComparePanel, solutionName } from "./compare_panel";
import { cellsOf, LEAST, lockMark, MODES, shownClass, type Mode, type Shown } from "./cells";
import { ClassPanel } from "./class_panel";
import { DealingPanel } from "./dealing";
import { FilterBar } from "./filter_bar";
import { filtered, filtersOf } from "./filters";
import { HandTable } from "./hand_table";
import { LockPanel } from "./locks";
import { PathStrip, SEAT_NAMES } from "./path_strip";
import { RangePanel } from "./range_panel";
import { ResponsePanel } from "./response";
import { RunoutsPanel } from "./runouts";
import { Suits } from "./suits";
import { ShareMenu, type Shared } from "./share";
import { fillSummary, type Fact } from "./summary";
import { Amounts, UNIT_WORDS, UNITS, unitsOf } from "./units";

const MODE_TEXTS: Record<Mode, string> = { strategy: "strategy", ev: "EV", equity: "equity", gain: "gain of" };
/** What is beside the grid, one at a time; `hand` is always there if there is room for three columns. */
const PANELS = ["hands", "classes", "equity", "blockers", "compare", "hand"] as const;
type PanelName = (typeof PANELS)[number];
const PANEL_TEXTS: Record<PanelName, string> = {
  hands: "hands", classes: "classes", equity: "range v range", blockers: "blockers", compare: "compare", hand: "chosen hand",
};
/** Only these need both ranges. */
const NEED_FACTS: readonly PanelName[] = ["classes", "equity", "blockers"];
const KEPT = 60;
/** How long a node is on the screen before those that follow it are fetched, in milliseconds. */
const GLANCE = 60;

export class NodeView implements View {
  readonly element = h("section", { class: "spot" });
  readonly strip: HTMLElement;
  private readonly line = new PathStrip((place) => this.go(place), false);
  private readonly summary = h("section", { class: "range-summary", "aria-label": "The whole range" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly loading = h("p", { class: "loading soft", role: "status", hidden: true });
  private readonly grid: HandGrid;
  /** The range of the player who waits, beside the other. */
  private readonly otherGrid: HandGrid;
  private readonly otherPart: HTMLElement;
  private readonly otherTitle = h("h3", {});
  private readonly gridTitle = h("h3", {});
  private readonly gridPart: HTMLElement;
  private readonly body: HTMLElement;
  private readonly aside: HTMLElement;
  private readonly legend = h("p", { class: "lock-legend soft", hidden: true });
  private readonly table = new HandTable((order) => this.context.store.setOption("order", order === "hand" ? null : order));
  private readonly classes = new ClassPanel((name) => this.filter({ class: name }));
  private readonly ranges = new RangePanel();
  private readonly blockers = new BlockerPanel();
  private readonly compare = new ComparePanel({
    choose: (run) => this.context.store.setOption("against", run), go: (line) => this.go({ line, board: this.askedBoard() }),
    show: () => this.redraw(),
  });
  private readonly panelSlot = h("div", {});
  private readonly panelNote = h("p", { class: "soft", role: "status", hidden: true });
  private readonly tabs: HTMLButtonElement[];
  private readonly filters = new FilterBar((options) => this.filter(options));
  private readonly units = h("select", { class: "units", "aria-label": "unit of amounts", onchange: () => this.chooseUnit() });
  private readonly gainOf = h("select", { class: "gain-of", "aria-label": "the action whose gain is shown", onchange: () => this.context.store.setOption("of", this.gainOf.value) });
  private readonly suits = new Suits();
  private readonly lock = new LockPanel((node, locks) => this.solveLocked(node, locks), () => this.drawResponse());
  private readonly response = new ResponsePanel({
    locks: () => this.lock.chosen, open: (run, source) => this.openResponse(run, source),
  });
  private readonly noise = new NoiseSlider(({ run }) => this.context.store.set({ run, moment: null }, { replace: true }));
  private readonly ghost = h("p", { class: "ghost-line soft", hidden: true });
  private readonly runouts = new RunoutsPanel((card) => this.deal(card));
  private readonly dealing = new DealingPanel((board) => this.go({ line: this.node?.line ?? "", board }), () => this.askedBoard());
  private readonly modes: HTMLButtonElement[];
  private readonly seats: HTMLButtonElement[];
  private readonly drill = h("button", {
    class: "button drill", hidden: true, title: "Play hands from this node, with a verdict on every decision",
    onclick: () => this.play(),
  }, "drill from here");
  private readonly again = h("button", {
    class: "button again", hidden: true, title: "Solve this street, with the ranges that get here and sizes of your own",
    onclick: () => void this.solveAgain(),
  }, "solve from here");
  private readonly share = new ShareMenu(() => this.shared(), () => this.shownRange());
  private readonly answers = new Answers<NodePage>(
    (node) => this.show(node), (error) => this.fail(error), { kept: KEPT, glance: GLANCE });
  private readonly dealt = new LruCache<Runouts>(KEPT);
  private readonly newestRunouts = new Newest<Runouts>();
  private readonly knownFacts = new LruCache<RangeFacts>(KEPT);
  private readonly newestFacts = new Newest<RangeFacts>();
  private facts: RangeFacts | null = null;
  private runoutsDrawn: { node: NodePage; runouts: Runouts | null; problem: string | null } | null = null;
  private run: RunData | null = null;
  private node: NodePage | null = null;
  private askedKey = "";
  private drawnKey = "";
  /** The class that was looked at last; null until one is. */
  private hand: number | null = null;

  /** `tree` is what the nodes belong to, and the name of their endpoint. */
  constructor(private readonly context: Context, private readonly tree: "spot" | "chart") {
    const isSpot = tree === "spot";
    const { store } = context;
    this.grid = new HandGrid(`hands of the ${isSpot ? "range" : "blueprint"}`, {
      look: (hand) => this.look(hand), choose: (hand) => this.choose(hand),
    });
    this.otherGrid = new HandGrid("hands of the other range", {
      look: (hand) => this.look(hand), choose: (hand) => this.choose(hand),
    });
    this.gridPart = h("div", { class: "grid-part" }, this.gridTitle, this.grid.element, this.legend);
    this.otherPart = h("div", { class: "grid-part other" }, this.otherTitle, this.otherGrid.element);
    this.modes = MODES.filter((mode) => isSpot || mode === "strategy").map((mode) => h("button", {
      class: "button", "data-mode": mode, onclick: () => store.setOption("show", mode === "strategy" ? null : mode),
    }, MODE_TEXTS[mode]));
    this.seats = [...SEAT_NAMES.map((name, seat) => h("button", {
      class: "button", "data-seat": seat, onclick: () => this.chooseSeat(seat as Player, false),
    }, name)), h("button", {
      class: "button", "data-seat": "both", title: "both ranges side by side", onclick: () => this.chooseSeat(null, true),
    }, "both")];
    this.tabs = PANELS.filter((name) => isSpot || name !== "compare").map((name) => h("button", {
      class: "panel-tab", type: "button", "data-panel": name, onclick: () => this.choosePanel(name),
    }, PANEL_TEXTS[name]));
    this.strip = this.line.element;
    this.element.classList.toggle("line-chart", !isSpot);
    this.aside = h("div", { class: "spot-inspector" }, this.suits.element, ...(isSpot ? [this.lock.element, this.response.element] : []));
    this.body = h("div", { class: "spot-body" }, this.gridPart,
      h("section", { class: "spot-panel", "aria-label": "Hands of the range" },
        h("div", { class: "panel-tabs group", role: "group", "aria-label": "what is beside the grid" }, ...this.tabs),
        this.panelNote, this.panelSlot),
      this.aside);
    fill(this.element, this.problem, this.loading, this.summary,
      h("div", { class: "toolbar" },
        isSpot && h("div", { class: "group", role: "group", "aria-label": "whose range" }, ...this.seats),
        isSpot && h("div", { class: "group", role: "group", "aria-label": "what cells show" }, ...this.modes, this.gainOf),
        this.units, isSpot && this.noise.element, !isSpot && this.dealing.label,
        this.filters.element, this.filters.state,
        h("span", { class: "space" }), this.again, isSpot && this.drill, this.share.element),
      this.ghost, isSpot ? this.runouts.element : this.dealing.element, this.body);
    this.body.hidden = true;
  }

  update(run: RunData, state: AppState, change: Change | null): void {
    if (run.id !== this.run?.id) this.wait(run);
    this.run = run;
    const question = this.question(run, state.spot.line ?? "", state.spot.board ?? "");
    const isBack = change?.what === "connection" && this.context.data.connection === "live" && !this.problem.hidden;
    if (question.key !== this.askedKey || isBack) {
      this.askedKey = question.key;
      this.answers.ask(question.key, question, (node) => this.ahead(run, node));
    } else this.draw();
  }

  leave(): void {
    this.answers.forget();
    this.newestRunouts.forget();
    this.newestFacts.forget();
    this.compare.forget();
    this.response.leave();
    this.askedKey = "";
  }

  /** Until the first node of a run is there, say what is loaded; a blueprint opens its card buckets, which takes a while. */
  private wait({ detail }: RunData): void {
    this.element.classList.add("waiting");
    this.element.classList.toggle("blank", this.node === null);
    this.element.setAttribute("aria-busy", "true");
    this.loading.hidden = false;
    this.loading.textContent = this.tree === "chart" ? `Opening ${detail.title} and its card buckets …` : `Opening the solution of ${detail.title} …`;
  }

  private stopWaiting(): void {
    this.element.classList.remove("waiting", "blank");
    this.element.setAttribute("aria-busy", "false");
    this.loading.hidden = true;
  }

  /** A run gets another solution when it is resumed, and another blueprint when training ends. */
  private question({ id, detail }: RunData, line: string, board: string): Question<NodePage> {
    return {
      key: JSON.stringify([id, detail.status, detail.last?.iteration ?? 0, line, board]),
      load: () => api.treeNode(id, this.tree, line, board),
    };
  }

  /** What follows a node of a spot, so that the next click need not wait. */
  private ahead(run: RunData, node: NodePage): Question<NodePage>[] {
    if (this.tree === "chart" || node.kind !== "decision") return [];
    return node.children.flatMap((place) => (place === null ? [] : [this.question(run, place.line, place.board ?? "")]));
  }

  private show(node: NodePage): void {
    const { run } = this;
    if (run === null) return;
    this.node = node;
    this.drawnKey = "";
    this.problem.hidden = true;
    this.element.classList.remove("failed");
    this.strip.hidden = false;
    this.stopWaiting();
    this.dealing.draw(node);
    this.draw();
    if (this.tree === "spot" && node.kind === "deal") this.askRunouts(this.askedKey, node);
  }

  private askRunouts(key: string, node: NodePage): void {
    const run = this.run?.id;
    const known = this.dealt.get(key);
    this.drawRunouts({ node, runouts: known ?? null, problem: null });
    if (run === undefined || known !== undefined) return;
    this.newestRunouts.ask(key, () => api.runouts(run, node.line, node.board ?? ""), (runouts) => {
      this.dealt.set(key, runouts);
      if (this.node === node) this.drawRunouts({ node, runouts, problem: null });
    }, (error) => this.drawRunouts({ node, runouts: null, problem: messageOf(error) }));
  }

  private drawRunouts(drawn: { node: NodePage; runouts: Runouts | null; problem: string | null }): void {
    this.runoutsDrawn = drawn;
    this.runouts.draw(drawn.node, drawn.runouts, drawn.problem, this.seatOf(drawn.node), this.amounts(drawn.node));
  }

  /** Both ranges at the node, for the panels that need them and for the filter of a class. */
  private askFacts(node: NodePage, run: RunData): void {
    const key = this.askedKey;
    this.facts = this.knownFacts.get(key) ?? null;
    const canAsk = this.tree === "spot" || (node.kind === "decision" && (node.board ?? "") !== "");
    const isWanted = NEED_FACTS.includes(this.panel) || this.context.store.state.options["class"] !== undefined;
    this.panelNote.hidden = !isWanted || this.facts !== null || !NEED_FACTS.includes(this.panel);
    this.panelNote.textContent = canAsk ? "working it out …" : "Before the flop there are no classes of hands: deal a flop first.";
    if (!canAsk || !isWanted || this.facts !== null) return;
    this.newestFacts.ask(key, () => api.ranges(run.id, this.tree, node.line, node.board ?? ""), (facts) => {
      this.knownFacts.set(key, facts);
      if (this.node !== node) return;
      this.drawnKey = "";
      this.draw();
    }, (error) => {
      this.panelNote.textContent = messageOf(error);
    });
  }

  /** What a picture of the node shows; both ranges are fetched for it. */
  private async shared(): Promise<Shared | null> {
    const { node, run } = this;
    if (node === null || run === null || this.body.hidden) return null;
    const canAsk = this.tree === "spot" || (node.kind === "decision" && (node.board ?? "") !== "");
    const facts = this.facts ?? (canAsk ? await api.ranges(run.id, this.tree, node.line, node.board ?? "").catch(() => null) : null);
    const amounts = this.amounts(node);
    const seats = seatsOf(node, run);
    const seat = this.seatOf(node);
    const ranges = new RangePanel();
    if (facts !== null) ranges.draw(facts, seats);
    const styles = actionClasses(node.actions);
    const moves = node.stations.filter((station) => station.seat !== -1).map((station) => `${seats[station.seat as Player]} ${station.chosen}`);
    return {
      board: node.board ?? "",
      words: [...moves, node.player === -1 ? "" : `${seats[node.player]} to act`].filter(Boolean).join(", "),
      facts: [`range of ${seats[seat]}`, ...(this.tree === "spot" ? spotFacts(node, seat, amounts) : chartFacts(node, amounts, run.detail.terms.unit))
        .filter(([name]) => name !== "reached" && name !== "EQR").map(([name, text]) => `${name} ${text}`)].join(" · "),
      actions: node.player === seat ? node.actions.map((action, index) => ({
        name: amounts.action(action), style: styles[index] ?? "", share: node.mix?.[index] ?? null,
      })) : [],
      grid: this.grid.element,
      graph: facts === null ? null : {
        svg: ranges.graph.svg, seats, words: `equity ${percent(facts.sides[0].equity)} v ${percent(facts.sides[1].equity)}`,
      },
      name: `${run.detail.name}-${node.line || "start"}`,
    };
  }

  /** The range on the screen as text, with a name that says where it comes from. */
  private shownRange(): { text: string; name: string } | null {
    const { node, run } = this;
    if (node === null || run === null) return null;
    const seat = this.seatOf(node);
    const text = rangeText(this.shownSide(node));
    const place = [run.detail.name, seatsOf(node, run)[seat], node.line].filter(Boolean).join(" ");
    return text === "" ? null : { text, name: place.replace(/[^\w ().,+&%@-]/g, "-").slice(0, 60) };
  }

  private get panel(): PanelName {
    return PANELS.find((name) => name === this.context.store.state.options["panel"]) ?? "hands";
  }

  private amounts(node: NodePage): Amounts {
    const chosen = UNITS.find((unit) => unit === this.context.store.state.options["unit"]);
    // The chips of a blueprint are halves of a big blind: nobody thinks in them.
    return new Amounts(chosen ?? (this.tree === "chart" ? "bb" : "chips"), node);
  }

  private chooseUnit(): void {
    this.context.store.setOption("unit", this.units.value);
  }

  private choosePanel(name: PanelName): void {
    this.context.store.setOption("panel", name === "hands" ? null : name);
  }

  private chooseSeat(seat: Player | null, isBoth: boolean): void {
    const { store } = this.context;
    const options = { ...store.state.options };
    if (isBoth) options["ranges"] = "both";
    else delete options["ranges"];
    store.set({ options, spot: { ...store.state.spot, seat: isBoth ? store.state.spot.seat : seat } }, { replace: true });
  }

  private filter(changes: Record<string, string | null>): void {
    const { store } = this.context;
    const options = { ...store.state.options };
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) delete options[name];
      else options[name] = value;
    }
    store.set({ options }, { replace: true });
  }

  private fail(error: unknown): void {
    this.stopWaiting();
    // Nothing of another node stays beside the message.
    this.element.classList.add("failed");
    this.strip.hidden = true;
    this.problem.hidden = false;
    fill(this.problem, `${messageOf(error)} `, h("button", {
      class: "button small", onclick: () => this.go({ line: "", board: "" }),
    }, "go to the first decision"));
  }

  private draw(): void {
    const { node, run, context: { store: { state } } } = this;
    if (node === null || run === null) return;
    if (this.tree === "spot") {
      const rungs = rungsOf(run.detail, this.context.data.runs);
      this.noise.draw(rungs, rungs.findIndex((rung) => rung.run === run.id));
    }
    const { line: _line, board: _board, ...place } = state.spot;
    const key = JSON.stringify([place, state.options]);
    if (key === this.drawnKey) return;
    this.drawnKey = key;
    this.askFacts(node, run);
    const amounts = this.amounts(node);
    const seat = this.seatOf(node);
    const seats = seatsOf(node, run);
    const { spot } = node.panels;
    this.line.draw(node, spot === undefined ? ["start"] : cardSpans(spot.board), seats, amounts);
    if (this.runoutsDrawn?.node === node) this.drawRunouts(this.runoutsDrawn);
    this.drawSummary(node, run, seat, amounts);
    this.drill.hidden = node.kind !== "decision" && node.kind !== "deal";
    this.again.hidden = !beginsStreet(node);
    this.runouts.element.hidden = node.kind !== "deal";
    const { ghost } = node.panels;
    this.ghost.hidden = !ghost;
    if (ghost) {
      const solve = () => this.solveNoisy(node, ghost.noise);
      fill(this.ghost, `${ghost.words}: `, h("code", {}, ghost.command), " ",
        spot === undefined ? null : h("button", { type: "button", class: "button small", onclick: solve }, `Solve with noise ${ghost.noise}`));
    }
    if (this.tree === "spot" && this.panel === "compare") {
      const other = this.others(run).find(({ id }) => id === state.options["against"]);
      this.compare.ask(run.id, other ?? null, node);
    }
    this.drawChoices(node, amounts);
    this.drawHands(node, seat, seats, amounts);
    this.drawPanel(node, seat, seats, amounts);
    const chosen = HANDS.findIndex(({ name }) => name === state.spot.hand);
    this.look(chosen >= 0 ? chosen : shownClass(this.shownSide(node), node.board ?? "", this.hand), false);
  }

  /** Solutions that this one can be compared with: of the same board, among all runs of the list. */
  private others(run: RunData): RunSummary[] {
    const { detail: { title, id } } = run;
    return this.context.data.runs.filter((one) => one.id !== id && one.title === title && one.views.includes("spot"));
  }

  private redraw(): void {
    this.drawnKey = "";
    this.draw();
  }

  /** The buttons and fields of the toolbar. */
  private drawChoices(node: NodePage, amounts: Amounts): void {
    const { options } = this.context.store.state;
    const { mode, action } = this.shown(node, amounts);
    const isBoth = this.isBoth;
    for (const button of this.modes) button.setAttribute("aria-pressed", String(button.dataset["mode"] === mode));
    for (const button of this.seats) {
      const isOne = button.dataset["seat"] === String(this.seatOf(node));
      button.setAttribute("aria-pressed", String(button.dataset["seat"] === "both" ? isBoth : isOne && !isBoth));
    }
    const units = unitsOf(node);
    this.units.hidden = units.length < 2;
    if (this.units.childElementCount !== units.length) fill(this.units, ...units.map((unit) => h("option", { value: unit }, UNIT_WORDS[unit])));
    this.units.value = UNITS.find((unit) => unit === options["unit"] && units.includes(unit)) ?? (this.tree === "chart" ? "bb" : "chips");
    this.gainOf.hidden = mode !== "gain" || node.player === -1;
    fill(this.gainOf, ...node.actions.map((one, index) => h("option", { value: one.name, selected: index === action }, amounts.action(one))));
    const filters = filtersOf(options);
    const seat = this.seatOf(node);
    this.filters.element.hidden = node.sides[seat].num_hands === 0;
    this.filters.draw(node, node.sides[seat], this.shownSide(node), filters, options, amounts);
  }

  private get isBoth(): boolean {
    return this.tree === "spot" && this.context.store.state.options["ranges"] === "both";
  }

  private shown(node: NodePage, amounts: Amounts): Shown {
    const { options } = this.context.store.state;
    const mode = this.tree === "spot" ? MODES.find((one) => one === options["show"]) ?? "strategy" : "strategy";
    return { mode, amounts, action: Math.max(0, node.actions.findIndex(({ name }) => name === options["of"])) };
  }

  /** The side that is shown, with the hands that pass the filters. */
  private shownSide(node: NodePage, seat = this.seatOf(node)): NodeSide {
    return filtered(node, node.sides[seat], filtersOf(this.context.store.state.options), this.facts?.sides[seat] ?? null);
  }

  private drawHands(node: NodePage, seat: Player, seats: readonly [string, string], amounts: Amounts): void {
    const side = this.shownSide(node);
    const other = seat === 0 ? 1 : 0;
    const compared = this.panel === "compare" && node.player === seat ? this.compare.current : null;
    const isBoth = compared?.node != null || (this.isBoth && node.sides[other].num_hands > 0);
    const shown = this.shown(node, amounts);
    const styles = actionClasses(node.actions);
    this.body.hidden = side.num_hands === 0;
    if (isBoth) this.gridPart.after(this.otherPart);
    else this.otherPart.remove();
    this.body.classList.toggle("both", isBoth);
    this.gridTitle.hidden = !isBoth;
    this.gridTitle.textContent = compared === null ? `${seats[seat]}${node.player === seat ? " acts" : ""}` : (this.run?.detail.name ?? "");
    this.otherTitle.textContent = compared === null ? `${seats[other]}${node.player === other ? " acts" : ""}` : solutionName(compared.run);
    const words = MODE_TEXTS[shown.mode];
    this.grid.element.setAttribute("aria-label", `hands of ${seats[seat]}: ${words}`);
    if (side.num_hands > 0) this.grid.draw(cellsOf(node, side, shown, styles));
    if (compared?.node != null) {
      const there = compared.node;
      this.otherGrid.element.setAttribute("aria-label", `hands of ${seats[seat]} in ${solutionName(compared.run)}: ${words}`);
      this.otherGrid.draw(cellsOf(there, there.sides[seat], { ...shown, action: Math.min(shown.action, there.actions.length - 1) }, actionClasses(there.actions)));
    } else if (isBoth) {
      this.otherGrid.element.setAttribute("aria-label", `hands of ${seats[other]}: ${words}`);
      this.otherGrid.draw(cellsOf(node, this.shownSide(node, other), shown, styles));
    }
    if (this.tree === "spot") this.drawLegend(side);
  }

  private drawPanel(node: NodePage, seat: Player, seats: readonly [string, string], amounts: Amounts): void {
    const { panel, facts } = this;
    this.body.dataset["panel"] = panel;
    for (const tab of this.tabs) tab.setAttribute("aria-pressed", String(tab.dataset["panel"] === panel));
    const parts: Partial<Record<PanelName, HTMLElement>> = facts === null ? {} : {
      classes: this.classes.element, equity: this.ranges.element, blockers: this.blockers.element,
    };
    const isTable = !NEED_FACTS.includes(panel) && panel !== "compare";
    const part = panel === "compare" ? this.compare.element : isTable ? this.table.element : parts[panel];
    // Replaced only if it is another one: what is there keeps the focus and its place.
    if (this.panelSlot.firstChild !== (part ?? null)) fill(this.panelSlot, part);
    const { options } = this.context.store.state;
    if (isTable) this.table.draw(node, this.shownSide(node), options["order"] ?? "hand", this.shown(node, amounts));
    if (panel === "compare" && this.run !== null) {
      this.compare.draw(node, this.others(this.run), options["against"] ?? null, this.run.detail.name, seats, amounts);
    }
    if (facts === null) return;
    if (panel === "classes") this.classes.draw(node, facts.sides[seat], options["class"] ?? null, amounts);
    else if (panel === "equity") this.ranges.draw(facts, seats);
    else if (panel === "blockers") this.blockers.draw(node, facts, seats, amounts);
  }

  /** Whose range is shown: chosen for a spot, of a blueprint that of the player who acts. */
  private seatOf({ player }: NodePage): Player {
    const acting = player === -1 ? 0 : player;
    const { seat } = this.context.store.state.spot;
    return this.tree !== "chart" && (seat === 0 || seat === 1) ? seat : acting;
  }

  private drawLegend(side: NodeSide): void {
    const isHere = (hand: number): boolean => (side.reach?.[hand] ?? 0) >= LEAST;
    const here = side.hand.filter((_, hand) => isHere(hand)).length;
    const locked = (side.columns.locked ?? []).filter(isHere).length;
    this.legend.hidden = locked === 0;
    fill(this.legend, lockMark(), ` locked: ${count(locked)} of ${count(here)} hands do what was given, not what was solved`);
  }

  private drawSummary(node: NodePage, run: RunData, seat: Player, amounts: Amounts): void {
    const isActing = node.player === seat;
    const where = node.street === "preflop" ? "before the flop" : `on the ${node.street}`;
    const words = isActing ? `acts ${where}` : node.player === -1 ? WORDS[this.tree][node.kind] : `waits ${where}`;
    const isNamed = this.tree === "spot" || isActing;
    fillSummary(this.summary, node, {
      who: isNamed ? [h("strong", {}, seatsOf(node, run)[seat]), ` ${words}`] : [words],
      facts: this.tree === "spot" ? spotFacts(node, seat, amounts) : chartFacts(node, amounts, run.detail.terms.unit),
      isActing,
      amounts,
      go: (place) => this.go(place),
    });
  }

  /** Show a class of hands; `isLooked` if somebody points at it, so that it stays at other nodes. */
  private look(hand: number, isLooked = true): void {
    const { node } = this;
    if (isLooked) this.hand = hand;
    this.grid.mark(hand);
    this.otherGrid.mark(hand);
    if (node === null) return;
    const seat = this.seatOf(node);
    const side = this.shownSide(node);
    this.suits.draw(node, side, hand, this.amounts(node));
    if (this.tree === "chart") return;
    this.lock.draw(this.run?.id ?? "", node, node.player === seat ? side : null, hand);
    this.drawResponse();
  }

  private drawResponse(): void {
    this.response.draw(this.run?.id ?? "");
  }

  /** Show a best response at the same node, unless the page has moved on to something else. */
  private async openResponse(run: string, source: string): Promise<void> {
    const { data, store } = this.context;
    await data.refreshRuns();
    if (store.state.view === "spot" && this.run?.id === source) store.set({ run, moment: null, infoset: null, compare: [] });
  }

  /** The hand becomes part of the address, so that it can be linked to. */
  private choose(hand: number): void {
    const { store } = this.context;
    // Where the chosen hand has no column of its own, it takes the place of the table.
    const isAside = this.panel === "hands" && getComputedStyle(this.aside).display === "none";
    const options = isAside ? { ...store.state.options, panel: "hand" } : store.state.options;
    store.set({ spot: { ...store.state.spot, hand: HANDS[hand]?.name ?? null }, options }, { replace: true });
  }

  /** Another node; whoever acts there is shown. */
  private go({ line, board }: Pick<Place, "line" | "board">): void {
    this.context.store.go({ line, board, seat: null });
  }

  /** The board in the address, if the line is still this one; else that of the node. */
  private askedBoard(): string {
    const { line, board } = this.context.store.state.spot;
    return ((line ?? "") === this.node?.line ? board : this.node?.board) ?? "";
  }

  /** The form of new spots, with the street that begins here. */
  private async solveAgain(): Promise<void> {
    const { node, run } = this;
    if (node === null || run === null) return;
    try {
      leaveDraft(await api.streetSpot(run.id, this.tree, node.line, node.board ?? ""));
      this.context.store.set({ view: NEW_SPOT });
    } catch (error) {
      this.fail(error);
    }
  }

  /** The form of new spots, with this spot and noise. */
  private solveNoisy({ panels: { spot } }: NodePage, noise: string): void {
    if (spot === undefined) return;
    leaveDraft(spot.spot, noise);
    this.context.store.set({ view: NEW_SPOT });
  }

  /** The form of new spots, with this spot and some locks. */
  private solveLocked({ panels: { spot } }: NodePage, texts: readonly string[]): void {
    if (spot === undefined) return;
    const locks = texts.map((text) => {
      const [line = "", ...groups] = text.split(":");
      return { line, lock: groups.join(":").trim() };
    });
    leaveDraft({ ...spot.spot, locks }, noiseText(this.run?.detail.spot?.noise ?? null));
    this.context.store.set({ view: NEW_SPOT });
  }

  /** Hands from this node, in the seat that acts here. */
  private play(): void {
    const { node, context: { store } } = this;
    if (node === null) return;
    // Without the seed and number of a hand, so that hands from here are a session of their own.
    const { seed: _seed, deal: _deal, ...options } = store.state.options;
    const spot = { ...store.state.spot, line: node.line, board: node.board };
    store.set({ view: "play", spot, options: { ...options, sits: String(Math.max(node.player, 0)) } });
  }

  private deal(card: string): void {
    const { node } = this;
    if (node === null) return;
    // The cards take the place of the grid: scroll up, or what follows the card is missed.
    this.element.closest(".stage")?.scrollTo({ top: 0 });
    this.go({ line: `${node.line}/`, board: (node.board ?? "") + card });
  }
}

/** A range combo by combo, with the weights that get here; the server makes it short. */
function rangeText({ hand, reach }: NodeSide): string {
  return hand.flatMap((combo, index) => {
    const weight = Math.min(1, reach?.[index] ?? 0);
    return weight < LEAST ? [] : [`${combo}:${weight.toFixed(4)}`];
  }).join(",");
}

/** Whether a node is the first decision of a street, where a spot of its own can begin. */
function beginsStreet(node: NodePage): boolean {
  return node.kind === "decision" && (node.stations.at(-1)?.seat ?? -1) === -1;
}

function seatsOf(node: NodePage, run: RunData): readonly [string, string] {
  if (node.seats !== null) return node.seats;
  const [first, second] = run.detail.terms.seats;
  return [first, second];
}

function spotFacts(node: NodePage, seat: Player, amounts: Amounts): Fact[] {
  const { means, total } = node.sides[seat];
  return [
    ["EV", amounts.full(means["ev"])], ["equity", percent(means["equity"])], ["EQR", percent(means["eqr"], 0)],
    ["pot", potText(node, amounts)], ["stack", amounts.full(node.chips?.stacks[seat], 0)], ["combos", fixed(total, 1)],
    ["reached", percent(node.reach)],
  ];
}

/** The pot is 100 % of itself: there it stays in chips. */
function potText(node: NodePage, amounts: Amounts): string {
  return amounts.heading.includes("pot") ? count(node.pot) : amounts.full(node.pot, 0);
}

function chartFacts(node: NodePage, amounts: Amounts, unit: string): Fact[] {
  const { chips, player, sides } = node;
  const isInChips = amounts.heading === "";
  const facts: Fact[] = [
    ["pot", `${potText(node, amounts)}${isInChips ? ` ${unit}` : ""}`],
    ["stacks", `${amounts.full(chips?.stacks[0], 0)} / ${amounts.full(chips?.stacks[1], 0)}`],
  ];
  return player === -1 ? facts : [...facts, ["combos", fixed(sides[player].total, 1)]];
}

/** What a node is at which nobody acts; of a spot, after the name of a player. */
const WORDS: Record<"spot" | "chart", Record<Place["kind"], string>> = {
  spot: { decision: "", deal: "before the next card", fold: "after a fold", showdown: "at showdown", "all-in": "all-in" },
  chart: {
    decision: "", deal: "Cards are missing", fold: "The pot is won", showdown: "Showdown", "all-in": "All-in: the board is run out",
  },
};
