// Going through the frames of a run: play, pause, speed, step, and a slider. The right end of the slider
// is live: there the page follows new frames.

import type { RunData } from "../../data";
import { h, setText } from "../../dom";
import { count, duration, short } from "../../format";
import { frameAt } from "../../frames";
import type { Replayable } from "../../keys";
import type { FrameInfo } from "../../model";
import type { AppState } from "../../state";
import type { Context } from "../../view";
import { advanced, secondsBetween } from "./replay_clock";

const SPEEDS: [string, number][] = [["¼×", 0.25], ["½×", 0.5], ["1×", 1], ["2×", 2], ["4×", 4]];

export class ReplayBar implements Replayable {
  readonly element: HTMLElement;
  private readonly play = button("play", "▶", "Play (space)", () => this.toggle());
  private readonly back = button("step-back", "‹", "One frame back (←)", () => this.step(-1));
  private readonly start = button("to-start", "⇤", "To the first frame", () => this.goTo(0));
  private readonly on = button("step-on", "›", "One frame forward (→)", () => this.step(1));
  private readonly live = button("live", "live", "To the last frame, live (End)", () => this.toEnd());
  private readonly slider = h("input", {
    type: "range", min: 0, step: 1, "aria-label": "Frame", oninput: () => this.goTo(this.slider.valueAsNumber),
  });
  private readonly speed = h("select", { class: "speed", "aria-label": "Speed", title: "speed" },
    ...SPEEDS.map(([text, value]) => h("option", { value, selected: value === 1 }, text)));
  private readonly text = h("output", { class: "at" });
  private run: string | null = null;
  private frames: readonly FrameInfo[] = [];
  /** Index of the frame shown. */
  private shown = -1;
  private isLive = true;
  /** The position of the replay, between frames; null while it is paused. */
  private position: number | null = null;
  private before = 0;
  private tick = 0;

  constructor(private readonly context: Context) {
    this.element = h("footer", { class: "replay", "aria-label": "Replay" },
      h("div", { class: "buttons" }, this.start, this.back, this.play, this.on, this.live, this.speed),
      this.slider, this.text);
  }

  update(run: RunData, state: AppState): void {
    if (run.id !== this.run || this.element.hidden) this.pause();
    this.run = run.id;
    this.frames = run.detail.frames;
    this.isLive = state.moment === null;
    this.shown = frameAt(this.frames, state.moment);
    // The position was changed elsewhere, by the slider or the address: continue from there.
    if (this.position !== null && Math.floor(this.position) !== this.shown) this.position = this.shown;
    this.draw(run);
  }

  toggle(): void {
    if (this.position !== null) {
      this.pause();
      return;
    }
    if (this.element.hidden || this.frames.length < 2) return;
    this.position = this.shown >= this.frames.length - 1 ? 0 : this.shown;
    this.before = performance.now();
    this.goTo(this.position);
    this.tick = requestAnimationFrame((now) => this.advance(now));
    this.drawPlay();
  }

  step(by: number): void {
    if (this.element.hidden || this.frames.length === 0) return;
    this.pause();
    this.goTo(this.shown + by);
  }

  toEnd(): void {
    this.pause();
    this.context.store.set({ moment: null }, { replace: true });
  }

  private advance(now: number): void {
    if (this.position === null) return;
    if (this.element.hidden) {
      this.pause();
      return;
    }
    const seconds = secondsBetween(this.before, now);
    this.before = now;
    const position = advanced(this.position, seconds, Number(this.speed.value), this.frames.length);
    this.position = position;
    if (position >= this.frames.length - 1) {
      this.toEnd();
      return;
    }
    if (Math.floor(position) !== this.shown) this.goTo(Math.floor(position));
    this.tick = requestAnimationFrame((next) => this.advance(next));
  }

  private pause(): void {
    cancelAnimationFrame(this.tick);
    this.position = null;
    this.drawPlay();
  }

  private goTo(index: number): void {
    const frame = this.frames[Math.max(0, index)];
    const moment = frame === undefined || index >= this.frames.length - 1 ? null : frame.moment;
    this.context.store.set({ moment }, { replace: true });
  }

  private draw(run: RunData): void {
    const last = this.frames.length - 1;
    this.slider.max = String(Math.max(0, last));
    this.slider.valueAsNumber = Math.max(0, this.shown);
    const words = this.words();
    setText(this.text, words);
    this.slider.setAttribute("aria-valuetext", this.isLive ? `${words}, live` : words);
    this.start.disabled = this.back.disabled = this.shown <= 0;
    this.on.disabled = this.isLive;
    this.live.setAttribute("aria-pressed", String(this.isLive));
    setText(this.live, run.detail.status === "running" ? "live" : "end");
  }

  private words(): string {
    const frame = this.frames[this.shown];
    if (frame === undefined) return "";
    const beta = frame.beta === null ? [] : [`β ${short(frame.beta)}`];
    return [`iteration ${count(frame.iteration)}`, duration(frame.seconds), ...beta].join(" · ");
  }

  private drawPlay(): void {
    const isPlaying = this.position !== null;
    setText(this.play, isPlaying ? "❚❚" : "▶");
    this.play.setAttribute("aria-label", isPlaying ? "Pause (space)" : "Play (space)");
    this.play.title = isPlaying ? "Pause (space)" : "Play (space)";
  }
}

function button(name: string, text: string, label: string, onclick: () => void): HTMLButtonElement {
  return h("button", { class: `button ${name}`, type: "button", "aria-label": label, title: label, onclick }, text);
}
