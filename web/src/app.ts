// The page around the views: header, list of runs, tabs, replay, messages, and three slots that a view fills: a
// strip, the main part and an inspector. It passes every change on to the views.

import * as api from "./api";
import { DataStore, type Change, type RunData } from "./data";
import { fill, h, setAttribute, setText } from "./dom";
import { listenForDrops } from "./drop";
import { explained } from "./glossary";
import { helpDialog, listenForKeys } from "./keys";
import { count } from "./format";
import { messageOf } from "./errors";
import { AUTOMATIC, HANDS, HOME, isWithoutRun, NEW_SPOT, REPORT, RUNS_TABLE, TABLE } from "./places";
import { ANYWHERE, Store, type AppState } from "./state";
import { toggleTheme } from "./theme";
import type { Context, View, ViewDescriptor } from "./view";
import { VIEWS } from "./views/all";
import { automaticView } from "./views/shell/automatic";
import type { Hands } from "./views/hands/hands";
import type { Home } from "./views/home/home";
import type { NewSpot } from "./views/new_spot/new_spot";
import type { PushFoldTable } from "./views/push_fold_table/push_fold_table";
import type { FlopReport } from "./views/report/report";
import { ReplayBar } from "./views/shell/replay";
import { RunsList } from "./views/runs/list";
import { RunsTable } from "./views/runs/table";
import { shownRuns } from "./views/runs/shown";
import { StatusBar } from "./views/shell/status_bar";

const NOT_LOADED = "this part of the page could not be loaded: is the server still running? If so, reload the page";
/** A message about the server disappears as soon as the server responds. */
const SERVER = "the server";

export class App implements Context {
  readonly store = new Store();
  readonly data = new DataStore();
  private readonly loaded = new Map<ViewDescriptor, View>();
  private readonly loading = new Map<ViewDescriptor, Promise<void>>();
  private readonly list = new RunsList(this);
  private readonly table = new RunsTable(this);
  private readonly status = new StatusBar(this);
  private readonly replay = new ReplayBar(this);
  private readonly railText = h("span", { class: "text" });
  /** The run that is shown, where the bar above has no room for its name. */
  private readonly railRun = h("span", { class: "of-run" });
  private readonly side = h("aside", {
    class: "side", "aria-label": "Runs", tabindex: -1,
    onkeydown: (event: KeyboardEvent) => event.key === "Escape" && this.openList(false),
  }, this.list.element);
  /** Shown instead of the list where there is little room. */
  private readonly rail = h("button", {
    class: "rail", "aria-label": "List of runs", "aria-expanded": "false", onclick: () => this.openList(true),
  }, h("span", { "aria-hidden": "true" }, "☰"), this.railRun, this.railText);
  private readonly shell = h("div", { class: "shell" });
  private readonly tabs = h("nav", { class: "tabs", "aria-label": "Views" });
  private readonly about = h("p", { class: "about soft", hidden: true });
  private readonly stage = h("main", { class: "stage", id: "stage" });
  /** What the main part shows, for those who move by headings; the tabs say it to all others. */
  private readonly heading = h("h2", { class: "spoken" });
  private readonly strip = h("div", { class: "strip", hidden: true });
  private readonly inspector = h("div", { class: "inspector", hidden: true });
  private readonly workspace = h("div", { class: "workspace" }, this.stage, this.inspector);
  /** Where there is little room, the bar of the replay is folded away. */
  private readonly replayToggle = h("button", {
    class: "replay-toggle", "aria-expanded": "false", hidden: true, onclick: () => this.toggleReplay(),
  }, "replay");
  private readonly message = h("p", { class: "message", role: "alert", hidden: true });
  private readonly help = helpDialog();
  private shown: View | null = null;
  /** The form of a new spot, loaded when it is first shown. */
  private form: NewSpot | null = null;
  /** The push/fold table, loaded when it is first shown. */
  private pushFold: PushFoldTable | null = null;
  /** The front door, loaded when it is first shown. */
  private home: Home | null = null;
  /** Reports over flops, loaded when one is first shown. */
  private report: FlopReport | null = null;
  /** Hand histories, loaded when they are first shown. */
  private hands: Hands | null = null;
  /** The run that the server was started for; it may not exist yet. */
  private start: string | null = null;
  /** Whether the address named no run, so that the page follows the server's. */
  private readonly isFollowing = this.store.state.run === null;
  private isLoaded = false;
  /** The run and view shown: when they change, the list closes and messages disappear. */
  private place = placeOf(this.store.state);
  /** What the message is about: a run, a dropped file, or the server. */
  private messageTopic: string | null = null;

  constructor(private readonly root: HTMLElement) {}

  async run(): Promise<void> {
    this.build();
    this.store.subscribe((state) => this.show(state, null));
    this.data.subscribe((change) => this.onChange(change));
    listenForKeys(this.store, this.data, this.replay, this.help);
    listenForDrops((text, name) => this.addDocument(text, name));
    try {
      const [session] = await Promise.all([api.session(), this.data.refreshRuns(), this.data.loadExamples()]);
      this.start = session.start;
    } catch (error) {
      this.say(error, SERVER);
    }
    this.isLoaded = true;
    this.show(this.store.state, null);
  }

  /** After a restart the server may be for another run: a page that was opened without one follows it. */
  private async follow(): Promise<void> {
    const before = this.start;
    const session = await api.session().catch(() => null);
    if (session === null || session.start === before) return;
    this.start = session.start;
    const isUnchosen = this.isFollowing && this.store.state.run === before;
    if (isUnchosen && this.start !== null) this.store.set({ run: this.start, view: AUTOMATIC, moment: null }, { replace: true });
  }

  private build(): void {
    fill(
      this.root,
      h("a", { class: "skip", href: "#stage", onclick: (event: Event) => this.skip(event) }, "Skip to content"),
      this.shell,
      this.help,
    );
    fill(
      this.shell,
      h("header", { class: "top" },
        h("h1", { class: "brand" }, h("button", { type: "button", title: "Home", onclick: () => this.store.set({ view: HOME }) }, "Untilt")),
        this.status.element,
        h("button", { class: "icon", title: "Keys (?)", "aria-label": "Keys", onclick: () => this.help.showModal() }, "?"),
        h("button", {
          class: "icon theme", title: "Light or dark (t)", "aria-label": "Switch between light and dark",
          onclick: toggleTheme,
        }, "◐"),
      ),
      this.rail,
      this.side,
      h("div", { class: "content", onclick: () => this.openList(false) },
        h("div", { class: "tabs-row" }, this.tabs, this.replayToggle),
        this.about, this.message, this.strip, this.workspace, this.replay.element),
    );
  }

  private skip(event: Event): void {
    event.preventDefault();
    this.stage.tabIndex = -1;
    this.stage.focus();
  }

  /** Open or close the list on a narrow page; on a wide one it is always open. */
  private openList(open: boolean): void {
    const hadFocus = this.side.contains(document.activeElement);
    const wasOpen = this.shell.classList.contains("list-open");
    if (open === wasOpen) return;
    this.shell.classList.toggle("list-open", open);
    this.rail.setAttribute("aria-expanded", String(open));
    // The open list covers the page, and the closed list is hidden: the focus must be where the user looks.
    if (open) this.side.focus();
    else if (hadFocus) this.rail.focus();
  }

  /** The runs to follow: the current one and those compared with it. */
  private wanted(): string[] {
    return shownRuns(this.store.state).filter((id) => this.data.isListed(id));
  }

  private onChange(change: Change): void {
    const { state } = this.store;
    if (change.run === undefined || shownRuns(state).includes(change.run)) this.show(state, change);
    else this.list.update();
  }

  private show(state: AppState, change: Change | null): void {
    // Which run to show first is known only once the server has said what it was started for.
    if (state.run === null && !this.isLoaded) return;
    if (state.run === null && !isWithoutRun(state.view)) {
      const first = this.start ?? this.data.runs[0]?.id ?? null;
      if (first !== null) {
        this.store.set({ run: first }, { replace: true });
        return;
      }
    }
    if (change?.what === "runs" && this.messageTopic === SERVER) this.message.hidden = true;
    const place = placeOf(state);
    if (place !== this.place) {
      this.place = place;
      this.openList(false);
      this.message.hidden = true;
    }
    const run = state.run === null ? null : this.data.get(state.run);
    // A newly listed run may be one that the page is waiting for, as the current run or for comparison.
    const isBack = change?.what === "connection" && this.data.connection === "live" && run === null;
    if (change?.what === "connection" && this.data.connection === "live") void this.follow();
    if (change === null || change.what === "runs" || isBack) void this.load(state.run);
    this.list.update();
    setText(this.railText, `${count(this.data.runs.length)} ${this.data.runs.length === 1 ? "run" : "runs"}`);
    setText(this.railRun, run?.detail.title ?? "");
    this.status.update(run);
    if (state.view === NEW_SPOT) {
      this.showForm(run);
      return;
    }
    this.form?.leave();
    if (state.view === TABLE) {
      this.showPushFold(run);
      return;
    }
    this.pushFold?.leave();
    if (state.view === HANDS) {
      this.showHands();
      return;
    }
    if (state.view === REPORT) {
      this.showReport(state);
      return;
    }
    if (state.view === HOME || (state.run === null && this.data.runs.length === 0)) {
      this.showHome();
      return;
    }
    if (state.view === RUNS_TABLE && this.data.runs.length > 0) {
      this.showTable(run);
      return;
    }
    if (run === null) {
      this.showEmpty(state);
      return;
    }
    document.title = `${run.detail.title} · ${run.detail.method} · Untilt`;
    const offered = VIEWS.filter(({ name }) => run.detail.views.includes(name));
    const current = this.viewOf(run, state);
    this.showTabs(offered, current);
    if (current === null) {
      this.showNothing(run.detail.status === "running" ? waiting(run.detail.name) : empty("There is nothing to show yet"));
      return;
    }
    const about = current.about(run.detail.terms);
    // Built only if it differs: a definition that is open stays open.
    if (this.about.dataset["text"] !== about) fill(this.about, ...explained(about, run.detail.terms));
    this.about.dataset["text"] = about;
    this.about.hidden = false;
    setText(this.heading, `${current.title}: ${run.detail.title}`);
    const isReady = run.hasProgress || current.drawsProgress !== true;
    const view = this.loaded.get(current) ?? null;
    if (!isReady) void this.load(run.id);
    if (view === null) this.loadView(current);
    if (view === null || !isReady) {
      this.leave();
    } else if (view !== this.shown) {
      this.shown?.leave?.();
      this.shown = view;
      this.fillSlots(current, view);
      view.update(run, state, null);
    } else if (change?.run === undefined || change.run === run.id || view.showsOthers) {
      view.update(run, state, change);
    }
    this.replay.element.hidden = !current.isReplayed || run.detail.frames.length < 2;
    this.replayToggle.hidden = this.replay.element.hidden;
    this.shell.classList.toggle("replaying", state.moment !== null);
    this.replay.update(run, state);
  }

  /** The view in the address if the run offers it, else the one that fits the run; null if there is none yet. */
  private viewOf({ detail }: RunData, { view }: AppState): ViewDescriptor | null {
    const offered = VIEWS.filter(({ name }) => detail.views.includes(name));
    const automatic = automaticView(detail);
    return offered.find(({ name }) => name === view) ?? offered.find(({ name }) => name === automatic) ?? null;
  }

  /** Fetch the code of a view, and show it if it is still wanted then. */
  private loadView(descriptor: ViewDescriptor): void {
    if (this.loading.has(descriptor)) return;
    const promise = descriptor.load(this).then((view) => {
      this.loaded.set(descriptor, view);
      this.show(this.store.state, null);
    }, () => this.say(new Error(NOT_LOADED), SERVER)).finally(() => this.loading.delete(descriptor));
    this.loading.set(descriptor, promise);
  }

  /** Fill the slots with the parts of a view. */
  private fillSlots({ name }: ViewDescriptor, { element, strip, inspector }: View): void {
    this.shell.dataset["view"] = name;
    fill(this.stage, this.heading, element);
    fill(this.strip, strip);
    fill(this.inspector, inspector);
    this.strip.hidden = strip === undefined;
    this.inspector.hidden = inspector === undefined;
  }

  private leave(): void {
    this.shown?.leave?.();
    this.shown = null;
    for (const slot of [this.stage, this.strip, this.inspector]) fill(slot);
    this.strip.hidden = true;
    this.inspector.hidden = true;
  }

  private toggleReplay(): void {
    const isOpen = this.shell.classList.toggle("replay-open");
    this.replayToggle.setAttribute("aria-expanded", String(isOpen));
  }

  private async load(run: string | null): Promise<void> {
    const { state } = this.store;
    const known = run === null ? null : this.data.get(run);
    // In a replay, the status shows the row of a frame.
    const withProgress = state.moment !== null || (known !== null && this.viewOf(known, state)?.drawsProgress === true);
    const failed = await this.data.watch(this.wanted(), { withProgress });
    if (run === null || run !== this.store.state.run) return;
    if (failed.has(run)) this.say(failed.get(run), run);
    else if (this.messageTopic === run) this.message.hidden = true;
  }

  private showTable(run: RunData | null): void {
    const isNew = this.stage.firstChild !== this.table.element;
    document.title = "All runs · Untilt";
    this.showTabs(run === null ? [] : VIEWS.filter(({ name }) => run.detail.views.includes(name)), null);
    if (isNew) this.showNothing(this.table.element);
    this.table.update();
  }

  private showHome(): void {
    document.title = "Untilt";
    this.showTabs([], null);
    const { home } = this;
    if (home !== null) {
      if (this.stage.firstChild !== home.element) this.showNothing(home.element);
      home.update();
      return;
    }
    this.showNothing();
    void import("./views/home/home").then((loaded) => {
      this.home ??= new loaded.Home(this);
      this.show(this.store.state, null);
    }, () => this.say(new Error(NOT_LOADED), SERVER));
  }

  private showHands(): void {
    document.title = "Hands · Untilt";
    this.showTabs([], null);
    const { hands } = this;
    if (hands !== null) {
      if (this.stage.firstChild !== hands.element) this.showNothing(hands.element);
      hands.update();
      return;
    }
    this.showNothing();
    void import("./views/hands/hands").then((loaded) => {
      this.hands ??= new loaded.Hands(this);
      this.show(this.store.state, null);
    }, () => this.say(new Error(NOT_LOADED), SERVER));
  }

  private showReport(state: AppState): void {
    document.title = "Flops · Untilt";
    this.showTabs([], null);
    const { report } = this;
    if (report !== null) {
      if (this.stage.firstChild !== report.element) this.showNothing(report.element);
      report.update(state);
      return;
    }
    this.showNothing();
    void import("./views/report/report").then((loaded) => {
      this.report ??= new loaded.FlopReport(this);
      this.show(this.store.state, null);
    }, () => this.say(new Error(NOT_LOADED), SERVER));
  }

  private showForm(run: RunData | null): void {
    document.title = "New spot · Untilt";
    this.showTabs(run === null ? [] : VIEWS.filter(({ name }) => run.detail.views.includes(name)), null);
    const { form } = this;
    if (form !== null) {
      if (this.stage.firstChild !== form.element) this.showNothing(form.element);
      form.update(run);
      return;
    }
    this.showNothing();
    void import("./views/new_spot/new_spot").then((loaded) => {
      this.form ??= new loaded.NewSpot(this);
      this.show(this.store.state, null);
    }, () => this.say(new Error(NOT_LOADED), SERVER));
  }

  private showPushFold(run: RunData | null): void {
    document.title = "Push/fold table · Untilt";
    this.showTabs(run === null ? [] : VIEWS.filter(({ name }) => run.detail.views.includes(name)), null);
    const { pushFold } = this;
    if (pushFold !== null) {
      if (this.stage.firstChild !== pushFold.element) this.showNothing(pushFold.element);
      pushFold.update();
      return;
    }
    this.showNothing();
    void import("./views/push_fold_table/push_fold_table").then((loaded) => {
      this.pushFold ??= new loaded.PushFoldTable(this);
      this.show(this.store.state, null);
    }, () => this.say(new Error(NOT_LOADED), SERVER));
  }

  private showEmpty(state: AppState): void {
    fill(this.tabs);
    delete this.tabs.dataset["key"];
    document.title = "Untilt";
    if (!this.isLoaded) this.showNothing();
    else if (state.run !== null && state.run === this.start && !this.data.isListed(state.run)) {
      this.showNothing(waiting(state.run));
    } else if (state.run !== null && !this.data.isListed(state.run)) {
      this.showNothing(empty(`There is no run ${state.run}`,
        "It may have been moved or deleted, and appears here as soon as it exists. Other runs are in the list."));
    } else this.showNothing();
  }

  /** Show something that is not a view of a run. */
  private showNothing(...instead: HTMLElement[]): void {
    this.leave();
    this.about.hidden = true;
    this.replay.element.hidden = true;
    this.replayToggle.hidden = true;
    fill(this.stage, ...instead);
  }

  private showTabs(offered: readonly ViewDescriptor[], current: ViewDescriptor | null): void {
    const key = offered.map(({ name }) => name).join();
    if (this.tabs.dataset["key"] !== key) {
      this.tabs.dataset["key"] = key;
      fill(this.tabs, ...offered.map(({ name, title, key: letter }) => h("button", {
        "data-view": name, "aria-keyshortcuts": letter, onclick: () => this.store.set({ view: name }),
      }, title, h("kbd", { "aria-hidden": "true" }, letter))));
    }
    // Marked in place: a new button would lose the focus.
    for (const button of this.tabs.querySelectorAll("button")) {
      setAttribute(button, "aria-current", button.dataset["view"] === current?.name ? "page" : null);
    }
  }

  private async addDocument(text: Promise<string>, name: string): Promise<void> {
    try {
      const { id } = await api.addDocument(await text, name);
      await this.data.refreshRuns();
      this.store.set({ run: id, view: "branch", moment: null, spot: ANYWHERE, infoset: null, compare: [], options: {} });
    } catch (error) {
      this.say(error, name, `${name}: `);
    }
  }

  private say(error: unknown, about: string, before = ""): void {
    this.messageTopic = about;
    this.message.textContent = before + messageOf(error);
    this.message.hidden = false;
  }
}

/** A message in place of a view. */
function empty(title: string, ...parts: (string | HTMLElement)[]): HTMLElement {
  return h("section", { class: "empty" }, h("h2", {}, title),
    ...parts.map((part) => (typeof part === "string" ? h("p", {}, part) : part)));
}

function waiting(run: string): HTMLElement {
  const section = empty(`Waiting for ${run}`, "The game is being prepared. The first numbers appear here by themselves.");
  section.setAttribute("role", "status");
  return section;
}

function placeOf({ run, view }: AppState): string {
  return `${run}/${view}`;
}
