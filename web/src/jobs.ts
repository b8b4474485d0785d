// A process of the server that works for the page: started on request, then followed until it ends.

import { messageOf } from "./errors";

export interface Job {
  state: string;
}

export interface JobEvents<J extends Job> {
  /** What it does now. */
  show(job: J): void;
  /** It was seen running, and has finished. */
  finish(job: J): Promise<void> | void;
  /** A request was refused; the message is one line. */
  fail(message: string): void;
}

export class Jobs<J extends Job> {
  job: J | null = null;
  private timer: number | undefined;
  /** Ends with the last request. One at a time: an answer that comes late must not replace a newer one. */
  private last: Promise<void> = Promise.resolve();

  /** `current` asks what is being done. */
  constructor(
    private readonly current: () => Promise<J>,
    private readonly pollMs: number,
    private readonly events: JobEvents<J>,
  ) {}

  /** Whether the process is being polled. */
  get isFollowing(): boolean {
    return this.timer !== undefined;
  }

  /** See what is being done, and follow it. */
  look(): Promise<void> {
    return this.ask(this.current);
  }

  /** Ask for something to be started or stopped, and follow it. */
  ask(request: () => Promise<J>): Promise<void> {
    this.leave();
    this.last = this.last.then(() => this.send(request));
    return this.last;
  }

  private async send(request: () => Promise<J>): Promise<void> {
    const was = this.job?.state;
    try {
      const job = await request();
      this.job = job;
      this.events.show(job);
      this.leave(); // another request may have come first
      if (job.state === "running") this.timer = window.setTimeout(() => void this.look(), this.pollMs);
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
