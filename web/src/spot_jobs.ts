// The server's one process that solves spots, or responds to them, for the page: started on
// request, then followed until it ends.

import * as api from "./api";
import { messageOf } from "./errors";
import { count, duration, short } from "./format";
import type { SpotJob } from "./model";

const POLL_MS = 400;

export interface JobEvents {
  /** What it does now. */
  show(job: SpotJob): void;
  /** It was seen running, and has finished. */
  finish(job: SpotJob): Promise<void> | void;
  /** A request was refused; the message is one line. */
  fail(message: string): void;
}

export class SpotJobs {
  job: SpotJob | null = null;
  private timer: number | undefined;
  /** Ends with the last request. One at a time: an answer that comes late must not replace a newer one. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly events: JobEvents) {}

  /** Whether the process is being polled. */
  get isFollowing(): boolean {
    return this.timer !== undefined;
  }

  /** See what is being done, and follow it. */
  look(): Promise<void> {
    return this.ask(api.spotJob);
  }

  /** Ask for something to be started or stopped, and follow it. */
  ask(request: () => Promise<SpotJob>): Promise<void> {
    this.leave();
    this.last = this.last.then(() => this.send(request));
    return this.last;
  }

  private async send(request: () => Promise<SpotJob>): Promise<void> {
    const was = this.job?.state;
    try {
      const job = await request();
      this.job = job;
      this.events.show(job);
      this.leave(); // another request may have come first
      if (job.state === "running") this.timer = window.setTimeout(() => void this.look(), POLL_MS);
      else if (was === "running" && job.state === "finished") await this.events.finish(job);
    } catch (error) {
      this.events.fail(messageOf(error));
    }
  }

  leave(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
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
