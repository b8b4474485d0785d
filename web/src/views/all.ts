// All views, in the order of their tabs, each loaded when it is first shown. The server has the same list in
// dashboard/views.

import { isOptionOfPlace } from "../places";
import type { ViewDescriptor } from "../view";

/** The first is the default view. */
export const VIEWS: readonly [ViewDescriptor, ...ViewDescriptor[]] = [
  {
    name: "convergence",
    title: "Convergence",
    key: "c",
    isReplayed: true,
    drawsProgress: true,
    options: ["x", "scale", "y", "right"],
    about: () => "How far the solver still is from an *equilibrium*: lower *exploitability* and *regret* are better.",
    load: async (context) => new (await import("./convergence/convergence")).ConvergenceView(context),
  },
  {
    name: "spot",
    title: "Spot",
    key: "o",
    isReplayed: false,
    options: ["show", "order", "panel", "unit", "of", "ranges", "against", "class", "holds", "lacks", "does"],
    about: () => "What each hand does at every node of the spot, and how many chips it wins or loses from there on; folding is worth 0.",
    load: async (context) => new (await import("./node/node")).NodeView(context, "spot"),
  },
  {
    name: "noise",
    title: "Noise",
    key: "m",
    isReplayed: false,
    options: [],
    about: () => "How hands play at every node as the *noise* of the players falls: from many mistakes to none.",
    load: async (context) => new (await import("./noise/noise")).NoiseView(context),
  },
  {
    name: "chart",
    title: "Chart",
    key: "h",
    isReplayed: false,
    options: ["order", "panel", "unit", "class", "holds", "lacks", "does"],
    about: () => "What each hand of the blueprint does after any line of betting, on any board.",
    load: async (context) => new (await import("./node/node")).NodeView(context, "chart"),
  },
  {
    name: "strategy",
    title: "Strategy",
    key: "s",
    isReplayed: true,
    options: ["search"],
    about: () => "What to do at each *infoset*: how often, what it is worth, and its *reach*, how often play gets there.",
    load: async (context) => new (await import("./strategy/strategy")).StrategyView(context),
  },
  {
    name: "pushfold",
    title: "Push/fold",
    key: "f",
    isReplayed: true,
    options: ["cells", "published", "stack"],
    about: ({ seats }) => `Which hands the ${seats[0]} pushes all-in, and with which the ${seats[1]} calls.`,
    load: async (context) => new (await import("./pushfold/pushfold")).PushFoldView(context),
  },
  {
    name: "branch",
    title: "QRE branch",
    key: "b",
    isReplayed: true,
    drawsProgress: true,
    options: ["axis", "also"],
    about: () => "How players who make mistakes play at each *infoset*, from blind chance at *β* = 0 to few mistakes.",
    load: async (context) => new (await import("./branch/branch")).BranchView(context),
  },
  {
    name: "play",
    title: "Play",
    key: "p",
    isReplayed: false,
    takesKeys: true,
    options: ["seed", "deal", "sits", "think"],
    about: () => "Play against the strategy found; after each hand it says what the strategy would have done.",
    load: async (context) => new (await import("./play/play")).PlayView(context),
  },
  {
    name: "facts",
    title: "Facts",
    key: "i",
    isReplayed: false,
    options: [],
    about: () => "What was asked, what came out, where the run is stored, and the command that made it.",
    load: async (context) => new (await import("./shell/facts")).FactsView(context),
  },
];

export function findView(name: string): ViewDescriptor | undefined {
  return VIEWS.find((view) => view.name === name);
}

/** Whether a view, or a place without a run, keeps an option of this name in the address. */
export function isOption(name: string): boolean {
  return isOptionOfPlace(name) || VIEWS.some((view) => view.options.includes(name));
}
