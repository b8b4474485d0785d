// Everything the page knows of the runs, and how it hears of more: one EventSource for all runs that
// are looked at, opened anew when these change, closed while nobody looks at the page.

import * as api from "./api";
import type { EventData, ProgressPage, ProgressRow, RunDetail, RunSummary } from "./model";

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
  /** Rows before the server thinned them. */
  total: number;
  /** Where the next row begins in the run's log, in bytes. */
  offset: number;
}

const RECONNECT_MS = 1000;

export class DataStore {
  runs: RunSummary[] = [];
  connection: Connection = "connecting";
  private readonly known = new Map<string, RunData>();
  private readonly loading = new Map<string, Promise<RunData>>();
  private readonly listeners: ((change: Change) => void)[] = [];
  private watched: string[] = [];
  private source: EventSource | null = null;
  private again: number | undefined;

  constructor() {
    document.addEventListener("visibilitychange", () => this.connect());
    addEventListener("pagehide", () => this.disconnect("asleep"));
    addEventListener("pageshow", () => this.connect());
  }

  subscribe(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  get(run: string): RunData | null {
    return this.known.get(run) ?? null;
  }

  async refreshRuns(): Promise<void> {
    this.runs = await api.runs();
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

  /** Follow these runs and no others; those that cannot be loaded are left out. */
  async watch(runs: string[]): Promise<void> {
    const loaded = await Promise.allSettled(runs.map((run) => this.load(run)));
    const found = loaded.flatMap((one) => (one.status === "fulfilled" ? [one.value.id] : []));
    if (found.join() === this.watched.join() && this.source !== null) return;
    this.watched = found;
    this.connect();
  }

  private async fetchRun(id: string): Promise<RunData> {
    const [detail, page] = await Promise.all([api.detail(id), api.progress(id)]);
    const data = { id, detail, rows: rowsOf(page), total: page.total, offset: page.offset };
    this.known.set(id, data);
    this.tell({ what: "loaded", run: id });
    return data;
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
      this.again = window.setTimeout(() => this.reconnect(), RECONNECT_MS);
    });
    for (const [name, handle] of Object.entries(this.handlers)) {
      source.addEventListener(name, (event: MessageEvent<string>) => handle(JSON.parse(event.data) as never));
    }
  }

  private async reconnect(): Promise<void> {
    try {
      await this.refreshRuns();
    } catch {
      this.again = window.setTimeout(() => this.reconnect(), RECONNECT_MS);
      return;
    }
    this.connect();
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
    library: () => void this.refreshRuns(),
    rows: ({ run, rows, offset }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.rows.push(...rows);
      known.total += rows.length;
      known.offset = offset;
      this.updateSummary(known, { last: known.rows[known.rows.length - 1] ?? null });
      this.tell({ what: "rows", run });
    },
    resumed: ({ run, iteration }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.rows = known.rows.filter((row) => row.iteration <= iteration);
      this.tell({ what: "rows", run });
    },
    reload: ({ run }) => void this.load(run, { again: true }).then(() => this.connect()),
    frames: ({ run, frames }) => {
      const known = this.known.get(run);
      if (known === undefined) return;
      known.detail = { ...known.detail, frames };
      this.tell({ what: "frames", run });
    },
    status: ({ run, summary }) => {
      const known = this.known.get(run);
      if (known !== undefined) this.updateSummary(known, summary);
      this.tell({ what: "status", run });
    },
  };

  private updateSummary(run: RunData, change: Partial<RunSummary>): void {
    run.detail = { ...run.detail, ...change };
    this.runs = this.runs.map((one) => (one.id === run.id ? { ...one, ...change } : one));
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
