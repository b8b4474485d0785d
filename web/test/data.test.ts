import assert from "node:assert/strict";
import { test } from "node:test";

import { DataStore, type Change } from "../src/data";
import type { ProgressRow, RunSummary } from "../src/model";
import { MAX_ROWS } from "../src/thin";
import { row } from "./rows";

/** A browser with a server behind it, as far as the store needs them. */
class World {
  readonly runs = new Map<string, { summary: RunSummary; rows: ProgressRow[] }>();
  readonly sources: FakeSource[] = [];
  readonly changes: Change[] = [];
  readonly timers: { act: () => void; ms: number }[] = [];
  /** Paths that are not answered before `release`. */
  held: string | null = null;
  isDown = false;
  readonly store: DataStore;
  private readonly waiting: (() => void)[] = [];

  constructor(names: string[]) {
    for (const name of names) this.add(name, [row(1, 1), row(2, 0.5)]);
    const timer = (act: () => void, ms: number): number => this.timers.push({ act, ms });
    const world = this;
    Object.assign(globalThis, {
      document: { hidden: false, addEventListener: () => undefined },
      addEventListener: () => undefined,
      window: { setTimeout: timer, clearTimeout: () => undefined, setInterval: timer },
      fetch: (path: string) => world.fetch(path),
      EventSource: class extends FakeSource {
        constructor(url: string) {
          super(url);
          world.sources.push(this);
        }
      },
    });
    this.store = new DataStore();
    this.store.subscribe((change) => this.changes.push(change));
  }

  add(name: string, rows: ProgressRow[], created = "2026-01-01"): void {
    const summary = { id: name, name, created, status: "running", last: null, views: [] } as unknown as RunSummary;
    this.runs.set(name, { summary, rows });
  }

  async release(): Promise<void> {
    this.held = null;
    for (const go of this.waiting.splice(0)) go();
    await settled();
  }

  /** Let all timers of this length run out. */
  async pass(ms: number): Promise<void> {
    for (const timer of this.timers.filter((one) => one.ms === ms)) {
      if (ms < 5000) this.timers.splice(this.timers.indexOf(timer), 1);
      timer.act();
    }
    await settled();
  }

  get source(): FakeSource | undefined {
    return this.sources.filter((one) => !one.isClosed).at(-1);
  }

  private async fetch(path: string): Promise<Response> {
    if (this.held !== null && path.includes(this.held)) await new Promise<void>((go) => this.waiting.push(go));
    if (this.isDown) throw new Error("refused");
    return Response.json(this.answer(path));
  }

  private answer(path: string): unknown {
    if (path === "/api/runs") return { runs: [...this.runs.values()].map(({ summary }) => summary) };
    const [name = "", part] = path.replace("/api/runs/", "").split("/");
    const run = this.runs.get(name);
    if (part === undefined) return run?.summary;
    const isShort = path.endsWith("points=2");
    const rows = (run?.rows ?? []).filter((_, index, all) => !isShort || index === 0 || index === all.length - 1);
    const names = Object.keys(row(0, 0)) as (keyof ProgressRow)[];
    const columns = Object.fromEntries(names.map((one) => [one, rows.map((each) => each[one])]));
    return { columns, offset: 10 * (run?.rows.length ?? 0), total: run?.rows.length ?? 0 };
  }
}

class FakeSource extends EventTarget {
  isClosed = false;

  constructor(readonly url: string) {
    super();
  }

  close(): void {
    this.isClosed = true;
  }

  emit(name: string, data: unknown = {}): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }

  become(name: "open" | "error"): void {
    this.dispatchEvent(new Event(name));
  }
}

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 5));

/** With the progress, as a view that draws it asks for it. */
async function watching(...names: string[]): Promise<World> {
  const world = new World(names);
  await world.store.refreshRuns();
  await world.store.watch(names.slice(0, 1), { withProgress: true });
  world.source?.become("open");
  return world;
}

test("the last call of watch wins, even if an earlier one takes longer", async () => {
  const world = await watching("a", "b", "slow");
  world.held = "/slow";
  const first = world.store.watch(["a", "slow"]);
  await world.store.watch(["b"]);
  await world.release();
  await first;
  assert.match(world.source?.url ?? "", /run=b%4020$/);
});

test("without a server one attempt is made at a time, however often runs are watched", async () => {
  const world = await watching("a", "b");
  world.isDown = true;
  world.source?.become("error");
  const before = world.sources.length;
  for (let frame = 0; frame < 50; frame += 1) await world.store.watch(["a"]);
  await world.pass(1000);
  await world.pass(1000);
  assert.equal(world.sources.length, before);
  assert.equal(world.store.connection, "lost");
  world.isDown = false;
  await world.store.watch(["b"]);
  await world.pass(1000);
  assert.equal(world.sources.length, before + 1);
  assert.match(world.source?.url ?? "", /run=b%4020$/);
});

test("a status is heard of runs that are not watched", async () => {
  const world = await watching("a", "b");
  world.source?.emit("status", { run: "b", summary: { ...world.runs.get("b")?.summary, status: "finished" } });
  assert.equal(world.store.runs.find((run) => run.id === "b")?.status, "finished");
});

test("rows of a page that stays open are thinned, and it is known that some are missing", async () => {
  const world = await watching("a");
  const first = world.store.get("a")?.rows;
  for (let at = 3; at <= MAX_ROWS + 3; at += 1) world.source?.emit("rows", { run: "a", rows: [row(at, 1 / at)], offset: at });
  const run = world.store.get("a");
  assert.ok((run?.rows.length ?? 0) < MAX_ROWS);
  assert.equal(run?.isWhole, false);
  assert.notEqual(run?.rows, first);
  assert.equal(run?.detail.last?.iteration, MAX_ROWS + 3);
});

test("the progress is fetched for views that draw it, then kept", async () => {
  const world = new World(["a"]);
  world.add("a", [row(1, 1), row(2, 0.5), row(3, 0.2)]);
  await world.store.watch(["a"]);
  world.source?.become("open");
  world.source?.emit("rows", { run: "a", rows: [row(4, 0.1)], offset: 40 });
  const iterations = (): number[] => (world.store.get("a")?.rows ?? []).map((one) => one.iteration);
  assert.deepEqual(iterations(), [1, 4]);
  assert.equal(world.store.get("a")?.detail.last?.iteration, 4);
  world.runs.get("a")?.rows.push(row(4, 0.1));
  await world.store.watch(["a"], { withProgress: true });
  assert.deepEqual(iterations(), [1, 2, 3, 4]);
  await world.store.watch(["a"]);
  assert.deepEqual(iterations(), [1, 2, 3, 4]);
});

test("a run that offers another view is loaded again, once", async () => {
  const world = await watching("a");
  const before = world.store.get("a");
  const summary = { ...world.runs.get("a")?.summary, status: "running", views: ["strategy"] } as RunSummary;
  world.source?.emit("status", { run: "a", summary });
  await settled();
  const loaded = world.store.get("a");
  assert.notEqual(loaded, before);
  world.runs.set("a", { summary, rows: [] });
  await world.store.load("a", { again: true });
  const again = world.store.get("a");
  world.source?.emit("status", { run: "a", summary: { ...summary, status: "finished" } });
  await settled();
  assert.equal(world.store.get("a"), again);
});

test("a run that is resumed loses the rows that are void", async () => {
  const world = await watching("a");
  world.source?.emit("resumed", { run: "a", iteration: 1 });
  assert.deepEqual(world.store.get("a")?.rows.map((one) => one.iteration), [1]);
  assert.equal(world.store.runs[0]?.last?.iteration, 1);
});

test("a run whose folder has gone is forgotten, and another one in its place is loaded anew", async () => {
  const world = await watching("a", "b");
  world.runs.delete("a");
  world.source?.emit("library");
  await settled();
  assert.equal(world.store.get("a"), null);
  await world.store.load("b");
  world.add("b", [row(9, 1)], "2026-02-02");
  world.source?.emit("library");
  await settled();
  assert.deepEqual(world.store.get("b")?.rows.map((one) => one.iteration), [9]);
});

test("an older list does not replace a newer one", async () => {
  const world = await watching("a");
  world.held = "/api/runs";
  const old = world.store.refreshRuns();
  world.held = null;
  world.add("b", []);
  await world.store.refreshRuns();
  const runs = world.store.runs;
  await world.release();
  await old;
  assert.equal(world.store.runs, runs);
});

test("a list that cannot be had, and progress that cannot, are no errors of the page", async () => {
  const world = await watching("a");
  world.isDown = true;
  world.source?.emit("library");
  world.source?.emit("reload", { run: "a" });
  await settled();
  assert.equal(world.store.runs.length, 1);
  world.isDown = false;
  world.add("a", [row(1, 1)]);
  await world.pass(1000);
  assert.equal(world.store.get("a")?.rows.length, 1);
});

test("runs that go on unwatched are looked at now and then", async () => {
  const world = await watching("a", "b");
  const before = world.store.runs;
  await world.pass(5000);
  assert.notEqual(world.store.runs, before);
});
