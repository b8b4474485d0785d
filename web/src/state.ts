// What the page shows, kept in the address:
//   #/{run}/{view}?at=12&line=cb&board=K&seat=0&hand=Q&infoset=P0:Q:K:cb&with=other&with=another
// Without a view, the page chooses one for the run.
// So every state can be linked to, and the browser's back button works.

import { decoded } from "./decoded";
import type { Seat } from "./model";
import { AUTOMATIC, isPlace, isWithoutRun, optionsOfPlace } from "./places";
import { findView, isOption } from "./views/all";

/** A place in the game, which all views share; null is any. */
export interface Spot {
  /** The betting so far, as in labels; empty before the first move. */
  readonly line: string | null;
  /** What both players see besides the betting; empty before anything is dealt. */
  readonly board: string | null;
  readonly seat: Seat | null;
  /** What the player holds: a card, a hand class. */
  readonly hand: string | null;
}

export const ANYWHERE: Spot = { line: null, board: null, seat: null, hand: null };

export interface AppState {
  /** The run shown. */
  run: string | null;
  /** Name of the view, of the table of all runs, or `AUTOMATIC`. */
  view: string;
  /** The moment (see FrameInfo) whose frame is shown; null is the last one, live. */
  moment: number | null;
  spot: Spot;
  /** The infoset shown in detail. */
  infoset: string | null;
  /** Runs compared with it. */
  compare: string[];
  /** Options of the views, which read and write them: axes, the stack, the seed of the deals. */
  options: Record<string, string>;
}

export const START: AppState = {
  run: null,
  view: AUTOMATIC,
  moment: null,
  spot: ANYWHERE,
  infoset: null,
  compare: [],
  options: {},
};

export function parseAddress(hash: string): AppState {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [run = "", view = ""] = path.split("/", 2).map(decoded);
  const pairs = query.split("&").filter(Boolean).map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s, 2).map(decoded);
    return [name, value] as const;
  });
  const { at, infoset, line, board, seat, hand } = Object.fromEntries(pairs);
  const moment = at === undefined ? Number.NaN : Number(at);
  return {
    run: run || null,
    view: isPlace(view) ? view : (findView(view)?.name ?? START.view),
    moment: Number.isInteger(moment) && moment >= 0 ? moment : null,
    spot: {
      line: line ?? null,
      board: board ?? null,
      seat: seat !== undefined && /^\d$/.test(seat) ? Number(seat) : null,
      hand: hand ?? null,
    },
    infoset: infoset ?? null,
    compare: pairs.flatMap(([name, value]) => (name === "with" && value ? [value] : [])),
    options: Object.fromEntries(pairs.filter(([name]) => isOption(name))),
  };
}

export function formatAddress(state: AppState): string {
  if (state.run === null && !isWithoutRun(state.view)) return "#/";
  const pairs = [
    ...(state.moment === null ? [] : [["at", String(state.moment)]]),
    ...(["line", "board", "seat", "hand"] as const).flatMap((name) => (
      state.spot[name] === null ? [] : [[name, String(state.spot[name])]])),
    ...(state.infoset === null ? [] : [["infoset", state.infoset]]),
    ...state.compare.map((run) => ["with", run]),
    ...Object.entries(state.options).filter(([name]) => belongs(name, state.view)),
  ];
  // Not URLSearchParams, which reads a plus as a space: names of methods end with a plus, and people type it.
  const text = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  const view = state.view === AUTOMATIC ? "" : `/${state.view}`;
  return `#/${encodeURIComponent(state.run ?? "")}${view}${text ? `?${text}` : ""}`;
}

/** Whether an option is one of the view: a link to a node need not carry the seed of a game. */
function belongs(option: string, view: string): boolean {
  if (view === AUTOMATIC) return findView("play")?.options.includes(option) !== true;
  return isPlace(view) ? optionsOfPlace(view).includes(option) : findView(view)?.options.includes(option) === true;
}

/** Browsers reject address changes that come too often, as they would with every frame of a replay. */
const REPLACE_MS = 300;

/** The state with its subscribers. Changes by the user add an entry to the browser's history. */
export class Store {
  state: AppState;
  private readonly listeners: ((state: AppState) => void)[] = [];
  private lastWritten = -REPLACE_MS;
  private writing: number | undefined;

  constructor() {
    this.state = parseAddress(location.hash);
    addEventListener("hashchange", () => {
      this.cancelWriting();
      if (formatAddress(this.state) !== location.hash) {
        this.state = parseAddress(location.hash);
        this.notify();
      }
    });
  }

  subscribe(listener: (state: AppState) => void): void {
    this.listeners.push(listener);
  }

  /** Change part of the state; `replace` overwrites the last entry of the history. */
  set(change: Partial<AppState>, { replace = false } = {}): void {
    // The back button must lead to what was shown until now.
    if (!replace && this.writing !== undefined) this.write("replaceState");
    this.state = { ...this.state, ...change };
    if (!replace) this.write("pushState");
    else if (this.writing === undefined) {
      const wait = this.lastWritten + REPLACE_MS - performance.now();
      if (wait <= 0) this.write("replaceState");
      else this.writing = window.setTimeout(() => this.write("replaceState"), wait);
    }
    this.notify();
  }

  /** Go to another place in the game; what is left out stays. */
  go(change: Partial<Spot>, { replace = false } = {}): void {
    this.set({ spot: { ...this.state.spot, ...change } }, { replace });
  }

  /** Change one option of a view; null removes it. */
  setOption(name: string, value: string | null, { replace = true } = {}): void {
    const options = { ...this.state.options };
    if (value === null) delete options[name];
    else options[name] = value;
    this.set({ options }, { replace });
  }

  private write(how: "pushState" | "replaceState"): void {
    this.cancelWriting();
    this.lastWritten = performance.now();
    const address = formatAddress(this.state);
    if (address !== location.hash) history[how](null, "", address);
  }

  private cancelWriting(): void {
    window.clearTimeout(this.writing);
    this.writing = undefined;
  }

  private notify(): void {
    for (const listener of this.listeners) listener(this.state);
  }
}
