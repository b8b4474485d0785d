// Everything the page knows of the runs, and how it hears of more: one EventSource for all runs that
// are looked at, opened again when these change, closed while the page is hidden.

import * as api from "./api";
import type { EventData, ProgressPage, ProgressRow, RunDetail, RunSummary } from "./model";
import { thinned } from "./thin";

export type Connection = "connecting" | "live" | "lost" | "asleep";

/** What has changed: the list of runs, the connection, or something of one run. */
export type Change =
  | { what: "runs" | "connection"; run?: never }
  | { what: "loaded" | "rows" | "frames" | "status"; run: string };

/** One run as far as it is known. */
export interface RunData {
  readonly id: string;
  detail: RunDetail;
  rows: ProgressRow[];
  /** Whether these are all rows of the run: the server thins them, and so does a page that stays open. */
  isWhole: boolean;
  /** Where the next row begins in the run's log, in bytes. */
  offset: number;
}

const RECONNECT_MS = 1000;
/** How often runs that go on unwatched are looked at: events come only for those that are watched. */
const LIST_MS = 5000;
/** So many runs are kept loaded. */
const MOST_KNOWN = 24;

export class DataStore {
  runs: RunSummary[] = [];
  connection: Connection = "connecting";
  private readonly known = new Map<string, RunData>();
  private readonly loading = new Map<string, Promise<RunData>>();
  private readonly listeners: ((change: Change) => void)[] = [];
  private watched: string[] = [];
  private source: EventSource | null = null;
  private again: number | undefined;
  /** Numbers of the last wish to watch, of the last list that was asked for, and of the one that is shown. */
  private watches = 0;
  private listsAsked = 0;
  private listShown = 0;

  constructor() {
    document.addEventListener("visibilitychange", () => this.connect());
    addEventListener("pagehide", () => this.disconnect("asleep"));
    addEventListener("pageshow", (event) => {
      // A page that was never left is connected already.
      if (event.persisted) this.connect();
    });
    window.setInterval(() => this.lookAtOthers(), LIST_MS);
  }

  subscribe(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  get(run: string): RunData | null {
    return this.known.get(run) ?? null;
  }

  isListed(run: string): boolean {
    return this.runs.some((one) => one.id === run);
  }

  async refreshRuns(): Promise<void> {
    this.listsAsked += 1;
    const number = this.listsAsked;
    const runs = await api.runs();
    // A list that was asked for later has been faster.
    if (number < this.listShown) return;
    this.listShown = number;
    this.runs = runs;
    this.compareWithList();
    this.tell({ what: "runs" });
  }

  /** The run with its detail and progress, fetched at most once at a time. */
  load(run: string, { again = false } = {}): Promise<RunData> {
    const known = this.known.get(run);
    if (known && !again) return Promise.resolve(known);
    let promise = this.loading.get(run);
    if (promise === undefined) {
      promise = this.fetchRun(run).finally(() => this.loading.delete(run));
      this.loading.set(run, promise);
    }
    return promise;
  }

  /** Follow these runs and no others; returns why those that are left out cannot be loaded. */
  async watch(runs: string[]): Promise<Map<string, unknown>> {
    this.watches += 1;
    const number = this.watches;
    const loaded = await Promise.allSettled(runs.map((run) => this.load(run)));
    const failed = new Map<string, unknown>();
    loaded.forEach((one, index) => one.status === "rejected" && failed.set(runs[index] ?? "", one.reason));
    // Others may be wanted by now.
    if (number === this.watches) this.follow(runs.filter((run) => !failed.has(run)));
    return failed;
  }

  private follow(found: string[]): void {
    const isSame = found.join() === this.watched.join();
    this.watched = found;
    this.forgetSome();
    // Without a connection the next attempt takes these; it must not come with every frame of a replay.
    if (this.connection === "lost" || this.connection === "asleep") return;
    if (!isSame || this.source === null) this.connect();
  }

  /** Ask for the list again without waiting for it; what is shown stays if that fails. */
  private refreshQuietly(): void {
    this.refreshRuns().catch(() => undefined);
  }

  private lookAtOthers(): void {
    if (this.connection !== "live") return;
    const goesOn = this.runs.some((run) => run.status === "running" && !this.watched.includes(run.id));
    if (goesOn) this.refreshQuietly();
  }

  /** Forget runs whose folder has gone; one with another date is another run in the same folder. */
  private compareWithList(): void {
    const listed = new Map(this.runs.map((run) => [run.id, run]));
    for (const [id, { detail }] of this.known) {
      const now = listed.get(id);
      if (now === undefined) this.known.delete(id);
      else if (now.created !== null && detail.created !== null && now.created !== detail.created) void this.reload(id);
    }
  }

  /** Let go of those that were loaded first, but none that is watched. */
  private forgetSome(): void {
    for (const id of this.known.keys()) {
      if (this.known.size <= MOST_KNOWN) return;
      if (!this.watched.includes(id)) this.known.delete(id);
    }
  }

  private async fetchRun(id: string): Promise<RunData> {
    const [detail, page] = await Promise.all([api.detail(id), api.progress(id)]);
    const rows = rowsOf(page);
    const data = { id, detail, rows, isWhole: page.total <= rows.length, offset: page.offset };
    this.known.set(id, data);
    this.tell({ what: "loaded", run: id });
    return data;
  }

  /** Fetch the run again, and go on from where that ends. */
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
      // A browser tries again by itself unless the server refused; we do it either way, from the
      // offsets that we know, so that a restarted server is found again.
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

  /** Connect once the server answers, unless that has happened in the meantime, or nobody looks any more. */
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
    this.tell({ what: "connection" });
  }

  /** What each event does. */
  private readonly handlers: { [K in keyof EventData]: (data: EventData[K]) => void } = {
    library: () => this.refreshQuietly(),
    rows: ({ run, rows, offset }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.rows.push(...rows);
      const kept = thinned(known.rows);
      known.isWhole &&= kept === known.rows;
      known.rows = kept;
      known.offset = offset;
      this.tellRows(known);
    },
    resumed: ({ run, iteration }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.rows = known.rows.filter((row) => row.iteration <= iteration);
      this.tellRows(known);
    },
    reload: ({ run }) => void this.reload(run),
    frames: ({ run, frames }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.detail = { ...known.detail, frames };
      this.tell({ what: "frames", run });
    },
    status: ({ run, summary }) => {
      // It is sent for all runs, not only for those that are watched.
      const before = this.known.get(run)?.detail.views;
      this.updateSummary(run, summary);
      this.tell({ what: "status", run });
      // The detail has what another view needs: cards, lines, stacks.
      if (before !== undefined && summary.views.some((name) => !before.includes(name))) void this.reload(run);
    },
  };

  private tellRows({ id, rows }: RunData): void {
    this.updateSummary(id, { last: rows[rows.length - 1] ?? null });
    this.tell({ what: "rows", run: id });
  }

  private updateSummary(run: string, change: Partial<RunSummary>): void {
    const known = this.known.get(run);
    if (known !== undefined) known.detail = { ...known.detail, ...change };
    this.runs = this.runs.map((one) => (one.id === run ? { ...one, ...change } : one));
  }

  private tell(change: Change): void {
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
