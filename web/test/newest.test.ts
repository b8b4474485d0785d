import assert from "node:assert/strict";
import { test } from "node:test";

import { Newest } from "../src/newest";

/** Requests that end when the test says so. */
class Desk {
  readonly shown: string[] = [];
  readonly started: string[] = [];
  private readonly open = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  private readonly newest = new Newest<string>();

  ask(group: string, name: string): void {
    this.newest.ask(
      group,
      () => new Promise((resolve, reject) => {
        this.started.push(name);
        this.open.set(name, { resolve, reject });
      }),
      (value) => this.shown.push(value),
      (error) => this.shown.push(`refused: ${(error as Error).message}`),
    );
  }

  forget(): void {
    this.newest.forget();
  }

  async answer(name: string): Promise<void> {
    this.open.get(name)?.resolve(name);
    await settled();
  }

  async refuse(name: string): Promise<void> {
    this.open.get(name)?.reject(new Error(name));
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

test("what is asked is shown", async () => {
  const desk = new Desk();
  desk.ask("list", "frame 1");
  await desk.answer("frame 1");
  assert.deepEqual(desk.shown, ["frame 1"]);
});

test("one request at a time, and of those that wait only the newest", async () => {
  const desk = new Desk();
  for (const frame of ["frame 1", "frame 2", "frame 3", "frame 4"]) desk.ask("list", frame);
  assert.deepEqual(desk.started, ["frame 1"]);
  await desk.answer("frame 1");
  assert.deepEqual(desk.started, ["frame 1", "frame 4"]);
  await desk.answer("frame 4");
  assert.deepEqual(desk.shown, ["frame 1", "frame 4"]);
});

test("another group is asked for at once, and the one before is never shown", async () => {
  const desk = new Desk();
  desk.ask("all cards", "old");
  desk.ask("kings", "new");
  assert.deepEqual(desk.started, ["old", "new"]);
  await desk.answer("new");
  await desk.answer("old");
  assert.deepEqual(desk.shown, ["new"]);
});

test("a refusal is told, and the next is asked all the same", async () => {
  const desk = new Desk();
  desk.ask("list", "frame 1");
  desk.ask("list", "frame 2");
  await desk.refuse("frame 1");
  await desk.answer("frame 2");
  assert.deepEqual(desk.shown, ["refused: frame 1", "frame 2"]);
});

test("nothing is shown once it is forgotten", async () => {
  const desk = new Desk();
  desk.ask("list", "frame 1");
  desk.ask("list", "frame 2");
  desk.forget();
  await desk.answer("frame 1");
  assert.deepEqual(desk.shown, []);
  assert.deepEqual(desk.started, ["frame 1"]);
});
