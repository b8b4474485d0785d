// Keyboard shortcuts for frequent actions. They do nothing while the user is typing.

import type { DataStore } from "./data";
import { h } from "./dom";
import { HANDS, NEW_SPOT, RUNS_TABLE, TABLE } from "./places";
import type { Store } from "./state";
import { toggleTheme } from "./theme";
import { isTyping } from "./typing";
import { findView, VIEWS } from "./views/all";
import { newestFirst } from "./views/runs/words";
import { chooseRun } from "./views/runs/shown";

export interface Replayable {
  toggle(): void;
  step(by: number): void;
  toEnd(): void;
}

const RUNS_TABLE_KEY = "r";
const NEW_SPOT_KEY = "w";
const HANDS_KEY = "y";
const TABLE_KEY = "a";

/** Keys of the page and of views that no view may have as its own. */
export const TAKEN_KEYS = ["j", "k", RUNS_TABLE_KEY, NEW_SPOT_KEY, HANDS_KEY, TABLE_KEY, "t", "n", "d", "?", " "];

const HELP: [string, string][] = [
  [VIEWS.map((view) => view.key).join(", "), VIEWS.map((view) => inSentence(view.title)).join(", ")],
  [RUNS_TABLE_KEY, "all runs as a table"],
  [NEW_SPOT_KEY, "a new spot to solve"],
  [HANDS_KEY, "your hand histories"],
  [TABLE_KEY, "push/fold at a whole table"],
  ["j, k", "next run, previous run"],
  ["space", "replay: play, pause"],
  ["← →", "one frame back or forward (ten with shift)"],
  ["End", "go to the last frame, live"],
  ["wheel, drag", "in charts: zoom and pan; double-click resets"],
  ["t", "light or dark theme"],
  ["?", "show these keys"],
  ["1 … 9, 0", "in Play: take an action by its number (with shift from the eleventh on)"],
  ["← → Enter", "in Play: choose among the actions, take one"],
  ["n", "in Play: next hand (so do Enter and space)"],
  ["d", "in Play: drill my mistakes, and end the drill"],
];

/** A title as written within a sentence; abbreviations stay as they are. */
function inSentence(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}

export function listenForKeys(store: Store, data: DataStore, replay: Replayable, help: HTMLDialogElement): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const isTaken = findView(store.state.view)?.takesKeys === true;
    const view = VIEWS.find((one) => one.key === event.key)?.name;
    const run = store.state.run === null ? null : data.get(store.state.run);
    if (view !== undefined) {
      if (!run?.detail.views.includes(view)) return;
      store.set({ view });
    } else if (event.key === RUNS_TABLE_KEY) store.set({ view: RUNS_TABLE });
    else if (event.key === NEW_SPOT_KEY) store.set({ view: NEW_SPOT });
    else if (event.key === HANDS_KEY) store.set({ view: HANDS });
    else if (event.key === TABLE_KEY) store.set({ view: TABLE });
    else if (event.key === "j" || event.key === "k") move(store, data, event.key === "j" ? 1 : -1);
    else if (event.key === "t") toggleTheme();
    else if (event.key === "?") help.showModal();
    else if (isTaken) return;
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
