// Keys for all that is done often. They do nothing while something is typed.

import type { DataStore } from "./data";
import { h } from "./dom";
import type { ViewName } from "./model";
import type { Store } from "./state";
import { toggleTheme } from "./theme";
import { newestFirst } from "./views/run_words";
import { chooseRun } from "./views/shown_runs";

export interface Replayable {
  toggle(): void;
  step(by: number): void;
  toEnd(): void;
}

const VIEW_OF_KEY: Record<string, ViewName> = {
  "1": "convergence", "2": "strategy", "3": "pushfold", "4": "branch", "5": "play",
};

const HELP: [string, string][] = [
  ["1 … 5", "convergence, strategy, push/fold, QRE branch, play"],
  ["j, k", "next run, run before"],
  ["space", "replay: play, pause"],
  ["← →", "one frame back, one on (with shift ten)"],
  ["End", "to the last frame, live"],
  ["wheel, drag", "in charts: zoom, then move; double click resets"],
  ["t", "light or dark"],
  ["?", "these keys"],
  ["letters and digits", "in Play: the first letter or the number of an action, n for the next hand"],
];

export function listenForKeys(store: Store, data: DataStore, replay: Replayable, help: HTMLDialogElement): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const playing = store.state.view === "play";
    const view = VIEW_OF_KEY[event.key];
    const run = store.state.run === null ? null : data.get(store.state.run);
    if (view !== undefined && !playing) {
      if (run?.detail.views.includes(view)) store.set({ view });
    } else if (event.key === "j" || event.key === "k") move(store, data, event.key === "j" ? 1 : -1);
    else if (event.key === "t") toggleTheme();
    else if (event.key === "?") help.showModal();
    else if (playing) return;
    else if (event.key === " ") replay.toggle();
    else if (event.key === "ArrowLeft") replay.step(event.shiftKey ? -10 : -1);
    else if (event.key === "ArrowRight") replay.step(event.shiftKey ? 10 : 1);
    else if (event.key === "End") replay.toEnd();
    else return;
    event.preventDefault();
  });
}

export function helpDialog(): HTMLDialogElement {
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, ...HELP.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("button", { class: "button", onclick: () => dialog.close() }, "Close"),
  );
  return dialog;
}

function move(store: Store, data: DataStore, by: number): void {
  const runs = newestFirst(data.runs);
  const position = runs.findIndex((run) => run.id === store.state.run);
  const next = runs[Math.max(0, Math.min(runs.length - 1, position + by))];
  if (next !== undefined) chooseRun(store, next.id);
}

/** Whether keys belong to the element that has the focus. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog")) return true;
  if (target instanceof HTMLInputElement) {
    // Space ticks a box, but does nothing to a slider.
    if (target.type === "checkbox") return event.key === " ";
    return !(target.type === "range" && event.key === " ");
  }
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    || (target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter"));
}
