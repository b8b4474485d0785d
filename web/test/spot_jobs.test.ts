import assert from "node:assert/strict";
import { test } from "node:test";

import type { SpotJob } from "../src/model";
import { SpotJobs } from "../src/spot_jobs";

Object.assign(globalThis, { window: { setTimeout: () => 1, clearTimeout: () => undefined } });

const job = (state: SpotJob["state"], task: SpotJob["task"]): SpotJob => ({ state, task, run: "spot-1", error: null, seconds: 1, progress: null });
const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

/** Requests whose answers come when the test says so, in any order. */
class Desk {
  readonly seen: string[] = [];
  readonly sent: string[] = [];
  private readonly open = new Map<string, (job: SpotJob) => void>();
  readonly jobs = new SpotJobs({
    show: ({ state, task }) => this.seen.push(`${task} ${state}`),
    finish: ({ task }) => void this.seen.push(`${task} ends`),
    fail: (message) => this.seen.push(message),
  });

  ask(name: string): void {
    void this.jobs.ask(() => {
      this.sent.push(name);
      return new Promise((resolve) => this.open.set(name, resolve));
    });
  }

  async answer(name: string, answered: SpotJob): Promise<void> {
    await settled();
    this.open.get(name)?.(answered);
    await settled();
  }
}

test("a look at the last job, answered late, does not hide the one that was started meanwhile", async () => {
  const desk = new Desk();
  desk.ask("look");
  desk.ask("respond");
  await desk.answer("respond", job("running", "respond"));
  await desk.answer("look", job("finished", "solve"));
  await desk.answer("respond", job("running", "respond"));
  assert.deepEqual(desk.sent, ["look", "respond"]);
  assert.deepEqual(desk.seen, ["solve finished", "respond running"]);
  assert.ok(desk.jobs.isFollowing);
});

test("a job that was seen running is finished once", async () => {
  const desk = new Desk();
  desk.ask("respond");
  await desk.answer("respond", job("running", "respond"));
  desk.ask("look");
  await desk.answer("look", job("finished", "respond"));
  desk.ask("look again");
  await desk.answer("look again", job("finished", "respond"));
  assert.deepEqual(desk.seen, ["respond running", "respond finished", "respond ends", "respond finished"]);
  assert.ok(!desk.jobs.isFollowing);
});

test("a request after a refusal is sent", async () => {
  const desk = new Desk();
  await desk.jobs.ask(() => Promise.reject(new Error("a spot is being solved")));
  desk.ask("respond");
  await desk.answer("respond", job("running", "respond"));
  assert.deepEqual(desk.seen, ["a spot is being solved", "respond running"]);
});
