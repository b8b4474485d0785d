// The best response to a solution: what a player gains against an opponent who does not adapt.

import * as api from "../../api";
import { fill, h } from "../../dom";
import type { SpotJob } from "../../model";
import { jobWords, SpotJobs } from "../../spot_jobs";
import { SEAT_NAMES } from "./path_strip";

const SEATS = ["oop", "ip"] as const;

export interface ResponseEvents {
  /** Locks that change the strategy to respond to. */
  locks(): readonly string[];
  /** The response is ready, as a run of its own; `source` is the run that it responds to. */
  open(run: string, source: string): Promise<void> | void;
}

export class ResponsePanel {
  readonly element: HTMLDetailsElement;
  private readonly what = h("p", { class: "soft" });
  private readonly buttons = SEATS.map((seat, index) => h("button", {
    class: "button", type: "button", "data-player": seat, title: `The best response of ${SEAT_NAMES[index]} to the other player's strategy`,
    onclick: () => void this.start(seat),
  }, `${SEAT_NAMES[index]} responds`));
  private readonly stop = h("button", {
    class: "button", type: "button", hidden: true, onclick: () => void this.jobs.ask(api.stopSpot),
  }, "Stop");
  private readonly status = h("span", { class: "job soft", role: "status" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly jobs = new SpotJobs({
    show: (job) => this.show(job), finish: (job) => this.finish(job), fail: (message) => this.say(message),
  });
  private run = "";
  /** The run to which a response is being computed from here. */
  private source: string | null = null;

  constructor(private readonly events: ResponseEvents) {
    this.element = h("details", { class: "spot-response panel", ontoggle: () => this.toggled() },
      h("summary", {}, "Best response"),
      h("div", { class: "panel-body" }, this.what,
        h("div", { class: "group", role: "group", "aria-label": "who responds" }, ...this.buttons),
        this.problem, h("div", { class: "response-job" }, this.status, this.stop)));
  }

  /** Show what would be responded to: the solution of a run, with the locks chosen now. */
  draw(run: string): void {
    if (run !== this.run) this.say(null);
    this.run = run;
    const count = this.events.locks().length;
    fill(this.what, "The exact best answer to a player who keeps to this solution",
      count === 0 ? ". Locks added above change what is answered." : `, except for the ${count === 1 ? "lock" : `${count} locks`} above.`);
  }

  leave(): void {
    this.jobs.leave();
  }

  private toggled(): void {
    if (this.element.open && !this.jobs.isFollowing) void this.jobs.look();
  }

  private async start(player: (typeof SEATS)[number]): Promise<void> {
    const { run } = this;
    this.say(null);
    this.source = run;
    await this.jobs.ask(() => api.respondToSpot({ run, player, locks: [...this.events.locks()], threads: 0 }));
  }

  private show(job: SpotJob): void {
    const isRunning = job.state === "running";
    const isOurs = job.task === "respond" && this.source !== null;
    for (const button of this.buttons) button.disabled = isRunning;
    this.stop.hidden = !isRunning;
    this.status.dataset["state"] = job.state;
    this.status.textContent = isRunning || isOurs ? jobWords(job) : "";
    if (job.state === "failed" && isOurs) this.say(job.error ?? "the process failed");
  }

  private async finish(job: SpotJob): Promise<void> {
    if (job.task === "respond" && job.run !== null && this.source !== null) await this.events.open(job.run, this.source);
  }

  private say(message: string | null): void {
    this.problem.hidden = message === null;
    this.problem.textContent = message;
  }
}
