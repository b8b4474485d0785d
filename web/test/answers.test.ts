import assert from "node:assert/strict";
import { test } from "node:test";

import { Answers, type Question } from "../src/views/node/answers";

/** Questions whose answers come when the test says so. */
class Desk {
  readonly loads: string[] = [];
  readonly seen: string[] = [];
  private readonly open = new Map<string, { resolve(text: string): void; reject(error: Error): void }>();
  readonly charts = new Answers<string>(
    (answer) => this.seen.push(answer),
    (error) => this.seen.push(String(error)),
  );

  question(key: string): Question<string> {
    return {
      key,
      load: () => {
        this.loads.push(key);
        return new Promise((resolve, reject) => this.open.set(key, { resolve, reject }));
      },
    };
  }

  async answer(key: string): Promise<void> {
    this.open.get(key)?.resolve(key);
    await settled();
  }

  async refuse(key: string): Promise<void> {
    this.open.get(key)?.reject(new Error(`no ${key}`));
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

test("of many questions only the first and the newest are fetched", async () => {
  const desk = new Desk();
  for (const key of ["a", "b", "c", "d"]) desk.charts.ask("run", desk.question(key));
  await desk.answer("a");
  await desk.answer("d");
  assert.deepEqual(desk.loads, ["a", "d"]);
  assert.deepEqual(desk.seen, ["a", "d"]);
});

test("an old answer never replaces a newer one", async () => {
  const desk = new Desk();
  desk.charts.ask("run", desk.question("known"));
  await desk.answer("known");
  desk.charts.ask("run", desk.question("slow"));
  desk.charts.ask("run", desk.question("known"));
  await desk.answer("slow");
  assert.deepEqual(desk.seen, ["known", "known"]);
});

test("what is known is delivered at once, without a request", async () => {
  const desk = new Desk();
  desk.charts.ask("run", desk.question("a"), () => [desk.question("b")]);
  await desk.answer("a");
  await desk.answer("b");
  desk.charts.ask("run", desk.question("b"));
  assert.deepEqual(desk.seen, ["a", "b"]);
  assert.deepEqual(desk.loads, ["a", "b"]);
});

test("neighbours wait until what is wanted is there", async () => {
  const desk = new Desk();
  desk.charts.ask("run", desk.question("a"), () => [desk.question("b"), desk.question("c")]);
  assert.deepEqual(desk.loads, ["a"]);
  await desk.answer("a");
  desk.charts.ask("run", desk.question("x"), () => []);
  await desk.answer("b");
  assert.deepEqual(desk.loads, ["a", "b", "x"]);
});

test("a refusal is told once and can be tried again", async () => {
  const desk = new Desk();
  desk.charts.ask("run", desk.question("a"), () => [desk.question("b")]);
  await desk.refuse("a");
  assert.deepEqual(desk.seen, ["Error: no a"]);
  assert.deepEqual(desk.loads, ["a"]);
  desk.charts.ask("run", desk.question("a"));
  await desk.answer("a");
  assert.deepEqual(desk.seen, ["Error: no a", "a"]);
});

test("a late answer of another run is not shown, but known from then on", async () => {
  const desk = new Desk();
  desk.charts.ask("one", desk.question("a"));
  desk.charts.ask("other", desk.question("b"));
  await desk.answer("a");
  assert.deepEqual(desk.seen, []);
  await desk.answer("b");
  desk.charts.ask("one", desk.question("a"));
  assert.deepEqual(desk.seen, ["b", "a"]);
  assert.deepEqual(desk.loads, ["a", "b"]);
});

test("nothing is shown that was asked for before it was forgotten", async () => {
  const desk = new Desk();
  desk.charts.ask("run", desk.question("a"), () => [desk.question("b")]);
  desk.charts.forget();
  await desk.answer("a");
  assert.deepEqual(desk.seen, []);
  assert.deepEqual(desk.loads, ["a"]);
});
