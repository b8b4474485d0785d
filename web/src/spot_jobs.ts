// The server's one process that solves spots, or responds to them, for the page.

import * as api from "./api";
import { count, duration, short } from "./format";
import { Jobs, type JobEvents } from "./jobs";
import type { SpotJob } from "./model";

const POLL_MS = 400;

export class SpotJobs extends Jobs<SpotJob> {
  constructor(events: JobEvents<SpotJob>) {
    super(api.spotJob, POLL_MS, events);
  }
}

/** What is being done, or was done last, in words. */
export function jobWords({ state, task, seconds, progress }: SpotJob): string {
  const isAnswer = task === "respond";
  const reached = progress === null ? "starting"
    : `iteration ${count(progress.iteration)}${progress.exploitability === null ? "" : `, exploitability ${short(progress.exploitability)} chips`}`;
  const words = {
    idle: "", running: `${isAnswer ? "responding" : reached}, ${duration(seconds)}`,
    finished: isAnswer ? "answered" : "solved", stopped: "stopped", failed: "failed",
  };
  return words[state];
}
