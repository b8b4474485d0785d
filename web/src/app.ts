// The page around the views: header, list of runs, tabs, replay, messages; and who is told what.

import * as api from "./api";
import { DataStore, type Change, type RunData } from "./data";
import { fill, h } from "./dom";
import { listenForDrops } from "./drop";
import { helpDialog, listenForKeys } from "./keys";
import type { ViewName } from "./model";
import { Store, type AppState } from "./state";
import { applyTheme, toggleTheme } from "./theme";
import type { Context, View } from "./view";
import { BranchView } from "./views/branch";
import { ConvergenceView } from "./views/convergence";
import { PlayView } from "./views/play";
import { PushFoldView } from "./views/pushfold";
import { ReplayBar } from "./views/replay";
import { RunsList } from "./views/runs_list";
import { StatusBar } from "./views/status_bar";
import { StrategyView } from "./views/strategy";

const TABS: Record<ViewName, string> = {
  convergence: "Convergence",
  strategy: "Strategy",
  pushfold: "Push/fold",
  branch: "QRE branch",
  play: "Play",
};

/** Views in which going through the frames of a run shows something. */
const REPLAYED: readonly ViewName[] = ["convergence", "strategy", "pushfold", "branch"];

export class App implements Context {
  readonly store = new Store();
  readonly data = new DataStore();
  private readonly views: Record<ViewName, View>;
  private readonly list = new RunsList(this);
  private readonly status = new StatusBar(this);
  private readonly replay = new ReplayBar(this);
  private readonly tabs = h("nav", { class: "tabs", role: "tablist", "aria-label": "Views" });
  private readonly stage = h("main", { class: "stage", id: "stage" });
  private readonly message = h("p", { class: "message", role: "alert", hidden: true });
  private readonly help = helpDialog();
  private shown: View | null = null;
  private start: string | null = null;
  /** The run for which the list was last closed. */
  private listedFor: string | null = null;

  constructor(private readonly root: HTMLElement) {
    this.views = {
      convergence: new ConvergenceView(this),
      strategy: new StrategyView(this),
      pushfold: new PushFoldView(this),
      branch: new BranchView(this),
      play: new PlayView(this),
    };
  }

  async run(): Promise<void> {
    applyTheme();
    this.build();
    this.store.subscribe((state) => this.show(state, null));
    this.data.subscribe((change) => this.hear(change));
    listenForKeys(this.store, this.data, this.replay, this.help);
    listenForDrops((text, name) => this.addDocument(text, name));
    try {
      const [session] = await Promise.all([api.session(), this.data.refreshRuns()]);
      this.start = session.start;
    } catch (error) {
      this.say(error);
    }
    this.show(this.store.state, null);
    await this.data.watch(this.wanted());
  }

  private build(): void {
    const menu = h("button", {
      class: "menu", "aria-label": "List of runs", "aria-expanded": "false",
      onclick: () => this.openList(true),
    }, "☰");
    fill(
      this.root,
      h("a", { class: "skip", href: "#stage", onclick: (event: Event) => this.skip(event) }, "Skip to content"),
      h("header", { class: "top" },
        menu,
        h("h1", { class: "brand" }, "Untilt"),
        this.status.element,
        h("button", { class: "icon", title: "Keys (?)", "aria-label": "Keys", onclick: () => this.help.showModal() }, "?"),
        h("button", {
          class: "icon theme", title: "Light or dark (t)", "aria-label": "Switch between light and dark",
          onclick: toggleTheme,
        }, "◐"),
      ),
      h("aside", {
        class: "side", "aria-label": "Runs",
        onkeydown: (event: KeyboardEvent) => event.key === "Escape" && this.openList(false),
      }, this.list.element),
      h("div", { class: "content", onclick: () => this.openList(false) }, this.tabs, this.message, this.stage, this.replay.element),
      this.help,
    );
  }

  private skip(event: Event): void {
    event.preventDefault();
    this.stage.tabIndex = -1;
    this.stage.focus();
  }

  /** Open or close the list where the page is narrow; elsewhere it is always there. */
  private openList(open: boolean): void {
    this.root.classList.toggle("list-open", open);
    this.root.querySelector(".menu")?.setAttribute("aria-expanded", String(open));
  }

  /** The runs to follow: the one that is looked at and those beside it. */
  private wanted(): string[] {
    const { run, compare } = this.store.state;
    return [...new Set([...(run === null ? [] : [run]), ...compare])].filter((id) => this.isListed(id));
  }

  private hear(change: Change): void {
    if (change.run === undefined || this.wanted().includes(change.run)) this.show(this.store.state, change);
  }

  private show(state: AppState, change: Change | null): void {
    if (state.run === null) {
      const first = this.start ?? this.data.runs[0]?.id ?? null;
      if (first !== null) {
        this.store.set({ run: first }, { replace: true });
        return;
      }
    }
    if (change === null) {
      if (state.run !== this.listedFor) this.openList(false);
      this.listedFor = state.run;
      void this.load(state);
    } else if (change.what === "runs" && state.run !== null && this.data.get(state.run) === null) {
      void this.load(state);
    }
    const run = state.run === null ? null : this.data.get(state.run);
    this.list.update(state);
    this.status.update(run);
    if (run === null) {
      this.showEmpty(state);
      return;
    }
    document.title = `${run.detail.title} · ${run.detail.method} · Untilt`;
    const name = run.detail.views.includes(state.view) ? state.view : (run.detail.views[0] ?? "convergence");
    this.showTabs(run, name);
    const view = this.views[name];
    if (view !== this.shown) {
      this.shown?.leave?.();
      this.shown = view;
      fill(this.stage, view.element);
      view.update(run, state, null);
    } else if (change === null || change.what !== "runs") {
      view.update(run, state, change);
    }
    this.replay.element.hidden = !REPLAYED.includes(name) || run.detail.frames.length < 2;
    this.replay.update(run, state);
  }

  /** Whether there is such a run: a page may be opened before its run begins. */
  private isListed(run: string): boolean {
    return this.data.runs.some((one) => one.id === run);
  }

  private async load(state: AppState): Promise<void> {
    if (state.run !== null && this.isListed(state.run)) {
      try {
        await this.data.load(state.run);
        this.message.hidden = true;
      } catch (error) {
        this.say(error);
      }
    }
    await this.data.watch(this.wanted());
  }

  private showEmpty(state: AppState): void {
    this.shown?.leave?.();
    this.shown = null;
    fill(this.tabs);
    delete this.tabs.dataset["key"];
    this.replay.element.hidden = true;
    if (state.run !== null && !this.isListed(state.run)) {
      fill(this.stage, h("section", { class: "empty" },
        h("h2", {}, `${state.run} is not here yet`),
        h("p", {}, "It appears as soon as it begins. Other runs are in the list."),
      ));
      return;
    }
    if (this.data.runs.length > 0) {
      fill(this.stage);
      return;
    }
    fill(this.stage, h("section", { class: "empty" },
      h("h2", {}, "No runs yet"),
      h("p", {}, "Solve a game, and it appears here while it is being solved:"),
      h("pre", {}, "untilt solve leduc"),
      h("p", {}, "Or drop a quantal response document (.json) on this page."),
    ));
  }

  private showTabs(run: RunData, current: ViewName): void {
    const offered = (Object.keys(TABS) as ViewName[]).filter((name) => run.detail.views.includes(name));
    const key = `${offered.join()}|${current}`;
    if (this.tabs.dataset["key"] === key) return;
    this.tabs.dataset["key"] = key;
    fill(this.tabs, ...offered.map((name) => h("button", {
      role: "tab", id: `tab-${name}`, "aria-selected": String(name === current), "aria-controls": "stage",
      onclick: () => this.store.set({ view: name }),
    }, TABS[name])));
  }

  private async addDocument(text: string, name: string): Promise<void> {
    try {
      const { id } = await api.addDocument(text);
      await this.data.refreshRuns();
      this.store.set({ run: id, view: "branch", moment: null, infoset: null, compare: [], options: {} });
    } catch (error) {
      this.say(error, `${name}: `);
    }
  }

  private say(error: unknown, before = ""): void {
    this.message.textContent = before + (error instanceof Error ? error.message : String(error));
    this.message.hidden = false;
  }
}
