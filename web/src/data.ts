// Everything the page knows about runs. News comes from one EventSource for all runs shown; it is opened
// again when these change and closed while the page is hidden.

import * as api from "./api";
import type { EventData, ProgressPage, ProgressRow, ReportSummary, RunDetail, RunSummary } from "./model";
import { thinned } from "./thin";

export type Connection = "connecting" | "live" | "lost" | "asleep";

/** What has changed: the list of runs, the connection, or one run. */
export type Change =
  | { what: "runs" | "connection"; run?: never }
  | { what: "loaded" | "rows" | "frames" | "status"; run: string };

/** What is known about one run. */
export interface RunData {
  readonly id: string;
  detail: RunDetail;
  rows: ProgressRow[];
  /** Whether the progress has been fetched; otherwise only its first and last rows are known. */
  hasProgress: boolean;
  /** Whether these are all rows of the run: the server thins them, and so does a page that stays open long. */
  isWhole: boolean;
  /** Where the next row begins in the run's log, in bytes. */
  offset: number;
}

const RECONNECT_MS = 1000;
/** How often running runs that are not watched are polled: rows are sent only for watched runs. */
const LIST_MS = 5000;
/** At most this many runs are kept loaded. */
const MAX_KNOWN = 24;

export class DataStore {
  runs: RunSummary[] = [];
  /** Runs that come with the package, which are in no list. */
  examples: RunSummary[] = [];
  reports: ReportSummary[] = [];
  connection: Connection = "connecting";
  private readonly known = new Map<string, RunData>();
  private readonly loading = new Map<string, Promise<RunData>>();
  private readonly listeners: ((change: Change) => void)[] = [];
  private watched: string[] = [];
  private source: EventSource | null = null;
  private again: number | undefined;
  /** Numbers of the latest call of `watch`, of the latest list requested, and of the list shown. */
  private watches = 0;
  private listsRequested = 0;
  private listShown = 0;

  constructor() {
    document.addEventListener("visibilitychange", () => this.connect());
    addEventListener("pagehide", () => this.disconnect("asleep"));
    addEventListener("pageshow", (event) => {
      // A page that is loaded for the first time is already connected.
      if (event.persisted) this.connect();
    });
    window.setInterval(() => this.pollOthers(), LIST_MS);
  }

  subscribe(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  get(run: string): RunData | null {
    return this.known.get(run) ?? null;
  }

  isListed(run: string): boolean {
    return [...this.runs, ...this.examples].some((one) => one.id === run);
  }

  /** Fetch what is known of the examples; without them the page is the same. */
  async loadExamples(): Promise<void> {
    this.examples = await api.examples().catch(() => []);
  }

  async refreshRuns(): Promise<void> {
    this.listsRequested += 1;
    const number = this.listsRequested;
    const { runs, reports } = await api.runs();
    // A list requested later has arrived first.
    if (number < this.listShown) return;
    this.listShown = number;
    this.runs = runs;
    this.reports = reports;
    this.compareWithList();
    this.notify({ what: "runs" });
  }

  /** The run with its detail, and with its progress if wanted; fetched at most once at a time. */
  load(run: string, { again = false, withProgress = false } = {}): Promise<RunData> {
    const known = this.known.get(run);
    const wanted = withProgress || known?.hasProgress === true;
    if (known && !again && known.hasProgress === wanted) return Promise.resolve(known);
    const key = `${wanted ? "all" : "ends"} ${run}`;
    let promise = this.loading.get(key);
    if (promise === undefined) {
      promise = this.fetchRun(run, wanted).finally(() => this.loading.delete(key));
      this.loading.set(key, promise);
    }
    return promise;
  }

  /** Follow exactly these runs; returns the errors of those that cannot be loaded. */
  async watch(runs: string[], { withProgress = false } = {}): Promise<Map<string, unknown>> {
    this.watches += 1;
    const number = this.watches;
    const loaded = await Promise.allSettled(runs.map((run) => this.load(run, { withProgress })));
    const failed = new Map<string, unknown>();
    loaded.forEach((one, index) => one.status === "rejected" && failed.set(runs[index] ?? "", one.reason));
    // Other runs may have been requested in the meantime.
    if (number === this.watches) this.follow(runs.filter((run) => !failed.has(run)));
    return failed;
  }

  private follow(found: string[]): void {
    const isSame = found.join() === this.watched.join();
    this.watched = found;
    this.forgetSome();
    // Without a connection the next attempt includes these; a replay must not try at every frame.
    if (this.connection === "lost" || this.connection === "asleep") return;
    if (!isSame || this.source === null) this.connect();
  }

  /** Request the list again without waiting for it; if that fails, the current list stays. */
  private refreshQuietly(): void {
    this.refreshRuns().catch(() => undefined);
  }

  private pollOthers(): void {
    if (this.connection !== "live") return;
    const isRunning = this.runs.some((run) => run.status === "running" && !this.watched.includes(run.id));
    if (isRunning) this.refreshQuietly();
  }

  /** Forget runs whose folder is gone; a different date means a new run in the same folder. */
  private compareWithList(): void {
    const listed = new Map([...this.runs, ...this.examples].map((run) => [run.id, run]));
    for (const [id, { detail }] of this.known) {
      const now = listed.get(id);
      if (now === undefined) this.known.delete(id);
      else if (now.created !== null && detail.created !== null && now.created !== detail.created) void this.reload(id);
    }
  }

  /** Forget the runs loaded first, but never a watched one. */
  private forgetSome(): void {
    for (const id of this.known.keys()) {
      if (this.known.size <= MAX_KNOWN) return;
      if (!this.watched.includes(id)) this.known.delete(id);
    }
  }

  private async fetchRun(id: string, hasProgress: boolean): Promise<RunData> {
    const [detail, page] = await Promise.all([api.detail(id), api.progress(id, hasProgress ? undefined : 2)]);
    const rows = rowsOf(page);
    const before = this.known.get(id);
    // A request without the progress, asked before one with it, may be answered later.
    if (before?.hasProgress === true && !hasProgress) return before;
    const data = { id, detail, rows, hasProgress, isWhole: page.total <= rows.length, offset: page.offset };
    this.known.set(id, data);
    this.notify({ what: "loaded", run: id });
    return data;
  }

  /** Fetch the run again, and continue from its end. */
  private async reload(run: string): Promise<void> {
    try {
      await this.load(run, { again: true });
    } catch {
      window.setTimeout(() => {
        if (this.known.has(run)) void this.reload(run);
      }, RECONNECT_MS);
      return;
    }
    if (this.watched.includes(run) && this.connection !== "lost") this.connect();
  }

  private connect(): void {
    this.disconnect(document.hidden ? "asleep" : "connecting");
    if (document.hidden) return;
    const query = new URLSearchParams();
    for (const id of this.watched) query.append("run", `${id}@${this.known.get(id)?.offset ?? 0}`);
    const source = new EventSource(`/api/events?${query.toString()}`);
    this.source = source;
    source.addEventListener("open", () => this.become("live"));
    source.addEventListener("error", () => {
      // A browser reconnects automatically unless the server refused. We always reconnect, from the
      // offsets we know, so a restarted server is found again.
      this.disconnect("lost");
      this.tryAgain();
    });
    for (const [name, handle] of Object.entries(this.handlers)) {
      source.addEventListener(name, (event: MessageEvent<string>) => handle(JSON.parse(event.data) as never));
    }
  }

  private tryAgain(): void {
    this.again = window.setTimeout(() => void this.reconnect(), RECONNECT_MS);
  }

  /** Connect once the server responds, unless the page is connected again or hidden by then. */
  private async reconnect(): Promise<void> {
    const isThere = await this.refreshRuns().then(() => true, () => false);
    if (this.connection !== "lost") return;
    if (isThere) this.connect();
    else this.tryAgain();
  }

  private disconnect(now: Connection): void {
    window.clearTimeout(this.again);
    this.source?.close();
    this.source = null;
    this.become(now);
  }

  private become(connection: Connection): void {
    if (connection === this.connection) return;
    this.connection = connection;
    this.notify({ what: "connection" });
  }

  /** The handlers of the events. */
  private readonly handlers: { [K in keyof EventData]: (data: EventData[K]) => void } = {
    library: () => this.refreshQuietly(),
    rows: ({ run, rows, offset }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.rows.push(...rows);
      if (!known.hasProgress) known.rows = [...known.rows.slice(0, 1), ...known.rows.slice(-1)];
      const kept = thinned(known.rows);
      known.isWhole &&= kept === known.rows;
      known.rows = kept;
      known.offset = offset;
      this.notifyRows(known);
    },
    resumed: ({ run, iteration }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.rows = known.rows.filter((row) => row.iteration <= iteration);
      this.notifyRows(known);
    },
    reload: ({ run }) => void this.reload(run),
    frames: ({ run, frames }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.detail = { ...known.detail, frames };
      this.notify({ what: "frames", run });
    },
    status: ({ run, summary }) => {
      // This event is sent for all runs, not only for watched ones.
      const before = this.known.get(run)?.detail.views;
      this.updateSummary(run, summary);
      this.notify({ what: "status", run });
      // The detail has what a newly offered view needs: cards, lines, stacks.
      if (before !== undefined && summary.views.some((name) => !before.includes(name))) void this.reload(run);
    },
  };

  private notifyRows({ id, rows }: RunData): void {
    this.updateSummary(id, { last: rows[rows.length - 1] ?? null });
    this.notify({ what: "rows", run: id });
  }

  private updateSummary(run: string, change: Partial<RunSummary>): void {
    const known = this.known.get(run);
    if (known !== undefined) known.detail = { ...known.detail, ...change };
    this.runs = this.runs.map((one) => (one.id === run ? { ...one, ...change } : one));
  }

  private notify(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}

export function rowsOf(page: ProgressPage): ProgressRow[] {
  const names = Object.keys(page.columns) as (keyof ProgressRow)[];
  return page.columns.iteration.map((_, index) => {
    const row = {} as Record<keyof ProgressRow, number | null>;
    for (const name of names) row[name] = page.columns[name][index] ?? null;
    return row as ProgressRow;
  });
}
