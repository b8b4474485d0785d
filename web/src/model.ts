// The server's JSON as types, see docs/dashboard.md.
// Numbers that are unknown or not finite are null.

export type RunStatus = "running" | "finished" | "interrupted" | "damaged";
export type Player = 0 | 1;

/** A seat at the table of a game of any number of players, from 0. */
export type Seat = number;

/** GET /api/session */
export interface Session {
  version: string;
  /** The served folder, as the user gave it. */
  root: string;
  /** The run to open first, if the user named one. */
  start: string | null;
}

/** GET /api/runs: {runs: RunSummary[], reports: ReportSummary[]}, newest first. */
export interface RunSummary {
  id: string;
  /** Path below the served folder. */
  name: string;
  /** Of run.json; `document` for a JSON document. What such a run can show is in `views`. */
  kind: string;
  /** What its iterations are: iterations, hands. */
  steps: string;
  game: string;
  title: string;
  method: string;
  parameters: Record<string, string | number | boolean>;
  /** The parameters that differ from the game's defaults; all of them if those are unknown. */
  changed: Record<string, string | number | boolean>;
  status: RunStatus;
  /** Why it is damaged, in one line. */
  problem: string | null;
  /** ISO 8601. */
  created: string | null;
  /** The unit of payoffs. */
  unit: string;
  terms: Terms;
  infosets: number | null;
  /** Names of the views that can show it, in the order of their tabs. */
  views: string[];
  /** The last row of its progress. */
  last: ProgressRow | null;
  /** log10 of exploitability along the run, at most 40 values. */
  sparkline: number[];
  /** Of the equilibrium of a spot: what solutions of the same spot have in common, and how they differ. */
  spot: SpotSummary | null;
  label: RunLabel;
}

/** What a user calls a run; empty texts are none. POST /api/runs/{id}/label returns the RunSummary. */
export interface RunLabel {
  /** One line, shown in place of the title. */
  name: string;
  note: string;
  is_starred: boolean;
}

export interface SpotSummary {
  fingerprint: string;
  /** By seat, as shares of the pot; null for Nash. */
  noise: [number, number] | null;
}

/** The words that a game uses. */
export interface Terms {
  /** The unit of payoffs: chips, bb. */
  unit: string;
  /** Names of the players, two or more. */
  seats: [string, string, ...string[]];
  /** What a player holds: card, cards, hand class, die; empty if nothing. */
  private: string;
  /** What both players see besides the betting; empty if nothing. */
  public: string;
  has_chips: boolean;
  has_forced_moves: boolean;
  /** What each player does with an action that poker does not have: say, bid; empty if actions are verbs. */
  verbs: [string, string];
  /** The rules in one or two sentences; empty if the game declares none. */
  rules: string;
}

/** An action by its meaning. */
export interface ActionData {
  kind: "fold" | "check" | "call" | "bet" | "raise" | "all-in" | "other";
  /** What the player has put in on the street after the action, if the name says so. */
  amount: number | null;
  name: string;
}

/** GET /api/runs/{id} */
export interface RunDetail extends RunSummary {
  options: Record<string, string | number | boolean>;
  seed: number | null;
  stop: { iterations: number | null; target: number | null; seconds: number | null };
  /** Private cards, boards and betting lines that occur, in the order of play. */
  cards: string[];
  boards: string[];
  lines: LineInfo[];
  /** Every move on the way to these lines, each after its predecessor. */
  moves: LineMove[];
  frames: FrameInfo[];
  /** Stacks of a sweep in big blinds, ascending; empty for other kinds. */
  stacks: number[];
  /** Values of beta at which a quantal response branch folds. */
  folds: number[];
}

/** GET /api/runs/{id}/facts */
export interface RunFacts {
  /** Path of the run's folder, below the served folder as the user gave it; null for a document. */
  folder: string | null;
  /** The version of Untilt that wrote it. */
  version: string | null;
  /** System, processor, cores, and versions. */
  machine: Record<string, string | number | boolean>;
  /** The command that made the run, quoted for a shell. */
  command: string | null;
  /** Why there is no command, or what to know about it. */
  note: string | null;
}

export interface LineInfo {
  player: Seat;
  line: string;
  /** The line in words, without the board: "facing a bet". */
  words: string;
  infosets: number;
}

export interface LineMove {
  /** The line up to and including this move, and the line before it. */
  line: string;
  before: string;
  /** "bet 120", "call, next street". */
  words: string;
  /** The move itself; null where a street ends without one. */
  action: ActionData | null;
}

/** A stored moment of the run. */
export interface FrameInfo {
  /** Number of its row in the progress. */
  moment: number;
  iteration: number;
  seconds: number;
  beta: number | null;
}

export interface ProgressRow {
  iteration: number;
  seconds: number;
  exploitability: number | null;
  nash_conv: number | null;
  /** Of the first player. */
  value: number | null;
  /** Of the second player, if the game is not zero-sum. */
  value_1: number | null;
  regret: number | null;
  residual: number | null;
  drift: number | null;
  /** Nodes visited so far, by sampling methods. */
  nodes: number | null;
  /** Infosets met so far, if positions are sampled. */
  infosets: number | null;
  /** What local best response wins, in mbb per hand, if a blueprint's training measures it. */
  lbr: number | null;
  /** Half of its 95 % interval. */
  lbr_margin: number | null;
  beta: number | null;
  /** Iterations per second. */
  rate: number | null;
  seconds_left: number | null;
}

/** GET /api/runs/{id}/progress?points=2000: thinned to about that many rows. */
export interface ProgressPage {
  columns: { [K in keyof ProgressRow]: ProgressRow[K][] };
  /** Where events continue, in bytes. */
  offset: number;
  /** Rows before thinning. */
  total: number;
}

// GET /api/events?run={id}@{offset}&run=…: server-sent events. The id of an event is the offsets of
// all runs, joined by commas, so a new connection continues where the last one ended.

export interface EventData {
  rows: { run: string; rows: ProgressRow[]; offset: number };
  /** The run was resumed: rows beyond the iteration are void. */
  resumed: { run: string; iteration: number };
  /** Too much is new, or the file was replaced: fetch the progress again. */
  reload: { run: string };
  frames: { run: string; frames: FrameInfo[] };
  /** Status or views have changed. */
  status: { run: string; summary: RunSummary };
  /** A run was added or removed: fetch the list again. */
  library: Record<string, never>;
}

/**
 * GET /api/runs/{id}/strategy?frame=12&player=0&card=K&board=&line=cb&search=&offset=0&limit=60
 * `frame` is a position in `frames`, −1 the last. A filter that is left out does not filter; an
 * empty `board` or `line` means no board yet, or no move yet.
 */
export interface StrategyPage {
  frame: number;
  iteration: number;
  seconds: number;
  beta: number | null;
  player: Seat;
  offset: number;
  /** Number of rows that match the filters. */
  total: number;
  rows: StrategyRow[];
}

export interface StrategyRow {
  label: string;
  card: string;
  board: string;
  line: string;
  words: string;
  actions: string[];
  action_data: ActionData[];
  probabilities: number[];
  /** Value of each action in the run's unit, given that the infoset is reached. */
  values: (number | null)[];
  /** Probability that the player's own moves lead here. */
  own_reach: number | null;
}

/** Where a node is. */
export interface Place {
  /** The betting in letters, `cb120c/`. */
  line: string;
  /** The whole board, `Td9d6hQc`; null stands for any board. */
  board: string | null;
  /** `deal` waits for cards, `all-in` is run out without betting. */
  kind: "decision" | "deal" | "fold" | "showdown" | "all-in";
}

/** A move, or cards, on the path to a node. */
export interface Station {
  /** Who moved; −1 for cards. */
  seat: Player | -1;
  chosen: string;
  /** The alternatives, including the chosen one; none for cards whose place is the one without them. */
  choices: { name: string; action: ActionData | null; place: Place }[];
  place: Place;
}

/**
 * What everybody sees at a public state, and what every hand does there.
 * GET /api/runs/{id}/spot?line=cb120&board=Td9d6hQc: of a solved spot; the first decision by default.
 * GET /api/runs/{id}/chart?line=cr6c/&board=Td9d6h: of a blueprint; a `deal` if the board is too short.
 * GET /api/runs/{id}/pushfold?frame=12, or ?stack=9.5 of a sweep (the nearest stack): the small blind's node, with
 * the big blind's as its panel `reply`.
 */
export interface NodePage extends Place {
  words: string;
  /** Its name; empty if it has none. */
  street: string;
  /** Who acts; −1 if nobody does. */
  player: Player | -1;
  /** Of chips and values. */
  unit: string;
  /** What the players are called here; null for the names of the game. */
  seats: [string, string] | null;
  actions: ActionData[];
  /** By action; null if the hand ends, and that is no place. */
  children: (Place | null)[];
  /** All chips in the middle; null if unknown. */
  pot: number | null;
  chips: Chips | null;
  /** How often play gets here; null if unknown. */
  reach: number | null;
  /** Whether any hand gets here by its own moves; if not, all count the same. */
  is_reached: boolean;
  /** By action: how often the whole range takes it; null if unknown, or if no hand is here. */
  mix: number[] | null;
  stations: Station[];
  sides: [NodeSide, NodeSide];
  panels: NodePanels;
}

/**
 * A node of a run, of a game of any number of players.
 * GET /api/runs/{id}/node?line=cb&board=K&seat=0&frame=-1&hands=1: any board if it is left out, whoever decides
 * without `seat`, whole ranges only with `hands=0`.
 */
export interface RunNode extends Omit<NodePage, "player" | "sides"> {
  player: Seat | -1;
  /** By player. */
  sides: NodeSide[];
}

/** The hands of one player at a node, by column; actions first, where there are two levels. */
export interface NodeSide {
  num_hands: number;
  /** How many combos get here, counting parts; null if unknown. */
  total: number | null;
  /** Of the whole range, as far as they are known: `ev`, `equity`, `eqr`. */
  means: Record<string, number | null>;
  /** `K`, or two cards `AsKh`; empty for the 169 classes, in the order of the grid. */
  hand: string[];
  /** The infosets and boards of hands that are known by their labels. */
  label: string[];
  board: string[];
  /** The part of each hand that gets here by the player's own moves, 0–1; null if unknown. */
  reach: number[] | null;
  /** How often each action is taken; empty if the other player acts, or nobody. */
  mix: number[][];
  /** What each action is worth; null if unknown. */
  values: (number | null)[][] | null;
  columns: NodeColumns;
}

/** Numbers by hand that only some sources know. */
export interface NodeColumns {
  equity?: (number | null)[];
  ev?: (number | null)[];
  eqr?: (number | null)[];
  /** What the hand as played loses compared with its better action. */
  regret?: (number | null)[];
  /** How often each hand gets here, by all players' moves and chance. */
  weight?: (number | null)[];
  /** Positions of the hands whose mix was given by a lock, ascending. */
  locked?: number[];
}

/** What only one kind of source has. */
export interface NodePanels {
  /** Of a run: the moment, by its position in `frames`. */
  frame?: { position: number; iteration: number };
  /** Chips of a big blind; null if that is unknown. */
  bb?: number | null;
  /** Of a solved spot: what was solved, and the cards that can be dealt here. */
  spot?: SpotFacts;
  cards?: string[];
  /** Of a solved spot: what to know about a decision that the equilibrium hardly ever reaches. */
  ghost?: { reach: number; threshold: number; command: string; words: string; noise: string } | null;
  /** Of a blueprint: how many cards must be dealt before somebody acts. */
  missing?: number;
  /** Of a push/fold chart; what the small blind gains is per hand, in bb. */
  stack?: { stack: number; stakes: string; value: number | null; exploitability: number | null };
  /** The hands that are played, as text. */
  range?: string;
  /** A published chart for the same stakes, if there is one: whether it plays each hand. */
  published?: { name: string; source: string; hands: boolean[] } | null;
  /** The node of the player who answers, shown beside. */
  reply?: NodePage;
}

/**
 * GET /api/runs/{id}/ranges?line=cb120&board=Td9d6hQc: of a solved spot, both ranges at a node.
 * GET /api/runs/{id}/chart-ranges?line=cr6c/&board=Td9d6h: of a blueprint, where a player acts after the flop.
 */
export interface RangeFacts {
  sides: [RangeOfSide, RangeOfSide];
  /** By card; null if nobody acts. */
  blockers: { card: string; mix: (number | null)[] | null; ev: number | null }[] | null;
}

export interface RangeOfSide {
  equity: number | null;
  /** The equity at each percent of the range, 0 to 100, weakest hands first; empty if no hand is here. */
  curve: number[];
  /** Shares of the range by equity: from 75 %, from 50 %, from 33 %, the rest. */
  buckets: number[];
  classes: RangeClass[];
}

/** A class of hands; draws overlap with made hands and with one another. */
export interface RangeClass {
  kind: "made" | "draw";
  name: string;
  /** Positions of its hands in the side of the node. */
  hands: number[];
  share: number;
  combos: number;
  equity: number | null;
  /** Null if unknown. */
  ev: number | null;
  /** By action; empty if the other player acts, or nobody. */
  mix: (number | null)[];
}

/** GET /api/runs/{id}/infoset?label=P0:K: — one infoset over all frames. */
export interface InfosetHistory {
  label: string;
  player: Player;
  card: string;
  board: string;
  line: string;
  words: string;
  actions: string[];
  action_data: ActionData[];
  /** The player's previous decision, if there is one. */
  parent: { label: string; action: string } | null;
  frames: FrameInfo[];
  /** By frame, then by action. */
  probabilities: number[][];
  values: (number | null)[][];
}

/** GET /api/runs/{id}/limits, of a sweep: up to which stack each hand is played. */
export interface PushFoldLimits {
  /** In big blinds, ascending. */
  stacks: number[];
  stakes: string;
  seats: [LimitsOfSeat, LimitsOfSeat];
}

/** Arrays are 169 long, as in a chart. */
export interface LimitsOfSeat {
  player: "small blind" | "big blind";
  action: "push" | "call";
  /** The deepest stack up to which the hand is played at every stack of the sweep; null if never. */
  up_to: (number | null)[];
  /** Whether the hand is played again at deeper stacks. */
  is_gapped: boolean[];
}

/** What was solved. */
export interface SpotFacts {
  board: string;
  pot: number;
  stack: number;
  rake: number;
  /** The spot as the form of new spots takes it. */
  spot: SpotDocument;
}

/** A spot as in a file. */
export interface SpotDocument {
  board: string;
  pot: number;
  stack: number;
  rake?: number;
  rake_cap?: number;
  ranges: { oop: string; ip: string };
  sizes: Record<string, string | number>;
  thresholds?: Record<string, number>;
  locks?: SpotLock[];
}

/** A part of a strategy that is fixed: hands with their mix as text, or a range per action. */
export interface SpotLock {
  line: string;
  lock?: string;
  actions?: Record<string, string>;
  board?: string;
}

/** GET /api/ranges: {ranges: NamedRange[]}: `ranges/NAME.txt` of the served folder. */
export interface NamedRange {
  name: string;
  text: string;
  combos: number;
  /** Of all combos. */
  percent: number;
  /** Why it cannot be read, in one line. */
  problem: string | null;
}

/** POST /api/spots/range with {text, changes: {AKs: 0.5}}: a range as text, and as 169 weights. */
export interface RangeText {
  text: string;
  /** By class, as in the grid: 0–1. */
  weights: number[];
  combos: number;
  /** Of all combos. */
  percent: number;
}

/** POST /api/spots/measure with a SpotDocument: the size of its tree. */
export interface SpotMeasure {
  street: string;
  nodes: number;
  /** Boards of each street. */
  boards: number[];
  hands: [number, number];
  /** What solving takes at its peak, interpreter and libraries included. */
  memory_bytes: number;
  /** The same for people: "545 MB". */
  memory: string;
  /** How long it takes to reach 0.1 % of the pot, or with noise a residual of 0.1 %, on one processor: at least, at most. */
  seconds: [number, number];
  /** Whether the house takes nothing. */
  is_zero_sum: boolean;
  /** What was done with the spot that the user may not expect, a sentence each. */
  notes: string[];
}

/** POST /api/spots/measure */
export interface SpotSubject {
  spot: SpotDocument;
  precision: "float32" | "int16";
  /** `2%` or `oop=1%,ip=10%`, for players who make mistakes; null for Nash. */
  noise: string | null;
  /** Parts of a strategy that are fixed: `check: AA bet 100%`; if there are any, instead of those of the spot. */
  locks: string[];
}

/** POST /api/spots/solve */
export interface SpotOrder extends SpotSubject {
  /** The exploitability to reach, in percent of the pot. */
  target_percent: number;
  /** At most this long. */
  seconds: number;
  /** 0 is one per processor. */
  threads: number;
}

/** POST /api/spots/resume: continue a run with other bounds; its time counts from its beginning. */
export interface SpotResumption {
  /** The run of a spot that is not being solved. */
  run: string;
  target_percent: number;
  seconds: number;
  threads: number;
}

/** POST /api/spots/respond: the best response of a player to the other's strategy in a solution. */
export interface SpotAnswer {
  /** The run of a solved spot. */
  run: string;
  player: "oop" | "ip";
  /** Locks that change the strategy of the solution. */
  locks: string[];
  threads: number;
}

/** GET /api/spots, and the answer to /api/spots/solve, resume, respond and stop. */
export interface SpotJob {
  state: "idle" | "running" | "finished" | "stopped" | "failed";
  /** What was asked for; null before anything was. */
  task: "solve" | "resume" | "respond" | null;
  /** The run that it writes. */
  run: string | null;
  /** Why it failed. */
  error: string | null;
  seconds: number;
  /** Of the run that is being written: its last measurement, exploitability in chips; null before the first. */
  progress: { iteration: number; exploitability: number | null } | null;
}

/** The body of POST /api/tables/solve; amounts are big blinds, prizes and bounties in any unit. */
export interface TableOrder {
  /** In the order in which the seats act before the flop: the last two are the blinds. */
  stacks: number[];
  small_blind: number;
  ante: number;
  bb_ante: number;
  /** Best first; none to play for chips. */
  prizes: number[];
  /** Stacks at other tables. */
  others: number[];
  /** On the heads: one for all players, or one for each; none without bounties. */
  bounty: number[];
  /** The user's ranges, a line for each decision: `button: 45%`. */
  ranges: string;
  /** Whether they are kept and the others solved, rather than compared with the chart. */
  is_locked: boolean;
}

/** GET /api/tables, and the answer to /api/tables/solve and stop. */
export interface TableJob {
  /** Of the request; a newer one replaces it. */
  number: number;
  state: "idle" | "running" | "finished" | "stopped" | "failed";
  /** The share that is done; null before the first. */
  progress: number | null;
  /** What it does. */
  words: string;
  error: string | null;
  seconds: number;
}

/** GET /api/tables/chart?number=3 */
export interface TableChart {
  number: number;
  seats: string[];
  stacks: number[];
  stakes: string;
  /** Of all amounts but `values_bb`: `bb`, or `% of the pool`. */
  unit: string;
  /** By seat: what it wins per hand, or its share of the pool after it. */
  values: number[];
  values_bb: number[];
  /** By seat: what a best response gains. */
  gains: number[];
  returned: "current" | "average";
  iterations: number;
  nodes: TableNode[];
  /** What the user's ranges cost; null if there are none, or if they were kept. */
  comparison: TableComparison | null;
}

/**
 * A decision: the line has a letter for each seat before, `a` all-in or `f` fold. Only the seat that acts has
 * hands; their column `weight` is the probability of hand and decision.
 */
export interface TableNode extends Omit<NodePage, "player" | "seats" | "sides"> {
  player: number;
  seats: string[];
  /** By seat. */
  sides: NodeSide[];
}

export interface TableComparison {
  /** By seat: what its other ranges lose if all others play the chart. */
  costs: number[];
  /** By seat: what a best response gains if all play the other ranges. */
  gains: number[];
  /** How often the other range is all-in with each hand, for every decision that it has. */
  decisions: { line: string; cost: number; hands: number[] }[];
}

/** GET /api/runs/{id}/runouts?line=cc&board=Td9d6h: the start of the next street after every card. */
export interface Runouts {
  player: Player;
  actions: ActionData[];
  rows: RunoutRow[];
}

export interface RunoutRow {
  card: string;
  /** How likely the card is, given both ranges. */
  weight: number;
  mix: (number | null)[];
  ev: [number | null, number | null];
  equity: [number | null, number | null];
  eqr: [number | null, number | null];
}

/** GET /api/runs/{id}/against?with={id}&line=cb30&board=Td9d6hQc: a node of one solution beside another of its board. */
export interface SolutionDifference {
  /** Null if nobody acts, or the other solution has no such place. */
  here: DifferenceHere | null;
  /** All decisions of the street, those that cost most first. */
  lines: DifferentLine[];
}

export interface DifferenceHere {
  /** The place in the other solution: bets of other sizes lead to the nearest. */
  line: string;
  other_actions: ActionData[];
  /** By action of the first; bets of the second count as the nearest. */
  mix: (number | null)[];
  other_mix: (number | null)[];
  ev: number | null;
  other_ev: number | null;
  /** What the player loses in the first by doing here what the second does, in chips when it is here. */
  loss: number | null;
  /** The same per deal of the spot. */
  cost: number | null;
  /** The share of the range that does something else. */
  distance: number | null;
  reach: number | null;
  other_reach: number | null;
  hands: {
    label: string[];
    weight: (number | null)[];
    other_weight: (number | null)[];
    mix: (number | null)[][];
    other_mix: (number | null)[][];
    ev: (number | null)[];
    other_ev: (number | null)[];
    cost: (number | null)[];
  };
}

export interface DifferentLine {
  line: string;
  words: string;
  player: Player;
  actions: ActionData[];
  mix: (number | null)[];
  other_mix: (number | null)[];
  distance: number | null;
  loss: number | null;
  cost: number | null;
  reach: number | null;
  other_reach: number | null;
}

/** In GET /api/runs, as `reports`: a spot that is solved on many flops. */
export interface ReportSummary {
  id: string;
  /** Path below the served folder. */
  name: string;
  flops: number;
  solved: number;
  pot: number | null;
  stack: number | null;
  created: string | null;
  /** Why it is damaged, in one line. */
  problem: string | null;
}

/** GET /api/reports/{id}?line=cb20: a decision of the flop on all flops that are solved. */
export interface ReportPage extends ReportSummary {
  /** Which flops, and the meaning of their weights. */
  words: string;
  method: string;
  /** In letters. */
  line: string;
  player: Player;
  /** The pot at this decision. */
  pot_here: number;
  /** On the first of the flops. */
  spot: SpotDocument;
  path: { seat: Player; action: ActionData; line: string }[];
  actions: ActionData[];
  /** The line after each action; null if it leaves the flop. */
  children: (string | null)[];
  rows: FlopRow[];
}

export interface FlopRow {
  flop: string;
  suits: string;
  pairing: string;
  connectedness: string;
  /** A run that solved the spot on this flop. */
  run: string | null;
  weight: number;
  /** By action. */
  mix: (number | null)[];
  ev: [number | null, number | null];
  equity: [number | null, number | null];
  eqr: [number | null, number | null];
  exploitability: number | null;
}

/** Where hands of a solved spot begin: `line` and `board` of `play` and `deal`. */
export interface StartOfHands {
  line: string;
  board: string;
}

/** The words of a game at its table, which may have more than two seats. */
export type TableTerms = Omit<Terms, "seats" | "verbs"> & { seats: string[]; verbs: string[] };

/** Another player at the table. */
export interface Opponent {
  seat: Seat;
  /** What the player held; shown when the hand is over. */
  private: string | null;
  faces: string[] | null;
  /** How many cards, dice or values the player holds; 0 if nothing. */
  num_hidden: number;
}

/** GET /api/runs/{id}/play?seed=1&hand=0&seat=0&action=check&action=call */
export interface PlayState {
  hand: number;
  seat: Seat;
  private: string;
  /** Cards to draw: "K", "Js", "As". */
  faces: string[];
  /** The next player's hand, the only opponent of two, as in `opponents`. */
  opponent: string | null;
  opponent_faces: string[] | null;
  num_hidden: number;
  /** The others in the order of their seats after the person's. */
  opponents: Opponent[];
  public: string;
  public_faces: string[];
  events: PlayEvent[];
  to_act: {
    label: string;
    words: string;
    line: string;
    actions: string[];
    action_data: PlayAction[];
  } | null;
  /** Pot, bets and stacks, in the game's unit; null for a game without chips. */
  chips: Chips | null;
  /** The money on the table at the first decision, in words: "you post 0.5". */
  opening: string[];
  /** A board for a called all-in that is scored by its equity; it does not count. */
  runout: { faces: string[]; words: string; equity: number } | null;
  terms: TableTerms;
  is_over: boolean;
  /** What the person gained. */
  payoff: number | null;
  /** What each player gained. */
  payoffs: number[] | null;
  /** Who took the pot; null if nobody did, as in a split, and if an equity was paid. */
  winner: Seat | null;
  /** How the hand ended: "player 1 folds: you win". */
  outcome: string | null;
  /** What mistakes gave away: "2 mistakes · gave away 4.22"; null before the end. */
  verdict: string | null;
  /** The person's decisions so far, if they are judged at once; else null before the end. */
  review: ReviewedDecision[] | null;
  /** What a blueprint thought at its own decisions; empty for other opponents. */
  thoughts: Thought[];
  /** Both ranges at the person's turn, by seat, as a blueprint sees them; null for other opponents. */
  ranges: ClassWeights[] | null;
}

/** [169] how likely a combo of each hand class is, relative to the likeliest class. */
export type ClassWeights = number[];

/** A blueprint's view of a decision; what reveals its cards is included once the hand is over. */
export interface Thought {
  seat: Player;
  line: string;
  board: string;
  chosen: string | null;
  ranges: ClassWeights[];
  /** How often the whole range takes each action. */
  range_mix: Record<string, number>;
  /** The same without thinking; null if nothing new was solved. */
  range_before: Record<string, number> | null;
  solved: { iterations: number; seconds: number; share_of_pot: number; is_safe: boolean } | null;
  hand?: string;
  mix?: Record<string, number>;
  /** The mix without thinking. */
  blueprint?: Record<string, number> | null;
  values?: Record<string, number>;
  cost?: number | null;
  /** The standard error of the cost. */
  error?: number;
  /** Where the values come from. */
  basis?: string;
}

export interface PlayEvent {
  player: Seat;
  is_you: boolean;
  action: string;
  public: string;
  /** Who did what: "you bet 2", "the big blind calls 9". */
  words: string;
}

/** A legal action with what its button says: "call 2 to win 6". */
export interface PlayAction extends ActionData {
  words: string;
}

/** GET /api/runs/{id}/deal?label=P0:Q:cb&seat=0&seed=1&hand=0&action=check: a hand that leads to an infoset. */
export interface DealtSpot {
  /** The first from the given number onwards; null if none of the next few thousand does. */
  hand: number | null;
}

export interface Chips {
  /** What was put in before this street. */
  pot: number;
  /** What each player has put in on this street. */
  bets: number[];
  /** What each player has left; null if a game sets no limit. */
  stacks: (number | null)[];
}

export interface ReviewedDecision {
  label: string;
  words: string;
  private: string;
  public: string;
  line: string;
  actions: string[];
  action_data: ActionData[];
  chosen: string;
  /** How often the equilibrium takes each action. */
  probabilities: number[];
  values: (number | null)[];
  /** What the choice cost compared with the best action. */
  cost: number | null;
  /** A larger cost is a mistake. */
  mistake: number;
  /** What a blueprint knows about the decision; null for other strategies. */
  insight: Thought | null;
}

/** POST /api/documents?name=FILE with a quantal response document: {id}. */
export interface DocumentAdded {
  id: string;
}

/** Every response with a status of 400 or above. */
export interface Problem {
  error: string;
}

/** GET /api/hands */
export interface HandPlaces {
  folders: HandFolder[];
  reviews: HandReviewPlace[];
}

/** A folder of imported hands. */
export interface HandFolder {
  id: string;
  /** Path below the served folder. */
  name: string;
  hands: number | null;
  /** Why it is damaged, in one line. */
  problem: string | null;
}

/** The folder of a review. */
export interface HandReviewPlace {
  id: string;
  name: string;
  player: string | null;
  agents: string[];
  hands: number | null;
  decisions: number | null;
  /** The id of the folder with its hands; null if that is not served. */
  folder: string | null;
  problem: string | null;
}

/** GET /api/hands/{folder}/list: wanted hands, the newest first. */
export interface HandList {
  total: number;
  /** Hands in the folder. */
  of: number;
  num_results: number;
  /** What the player won in hands with a result. */
  gains_bb: number | null;
  first: number;
  rows: HandRow[];
}

/** A hand as the wanted player, or the owner of the record, sees it. */
export interface HandRow {
  file: number;
  row: number;
  title: string;
  /** ISO 8601, by the clock of the site. */
  played: string | null;
  players: number;
  seat: number | null;
  position: string;
  cards: string;
  board: string;
  pot_bb: number;
  won_bb: number | null;
  /** The betting: a player and a letter per action, streets divided by `/`; capitals are all-in. */
  line: string;
}

export interface HandMove {
  player: number;
  move: "fold" | "check" | "call" | "bet" | "raise";
  /** What the player has put in on this street, after the action. */
  amount: number;
  is_all_in: boolean;
}

/** GET /api/hands/{folder}/hand; chips are in the smallest unit, lists are by player. */
export interface HandPage {
  file: number;
  row: number;
  site: string;
  number: string;
  variant: string;
  played: string | null;
  table: string;
  tournament: string | null;
  currency: string;
  /** Chips per unit of the currency. */
  scale: number;
  big_blind: number;
  players: string[];
  positions: string[];
  /** Null if not known. */
  stacks: (number | null)[];
  antes: number[];
  posts: number[];
  hero: number | null;
  hands: (string | null)[];
  board: string;
  streets: HandMove[][];
  pot: number;
  rake: number;
  won: number[] | null;
  gains: number[] | null;
  /** How the review judges the decisions of its player, in their order; null without a review. */
  review: { player: number | null; decisions: JudgedDecision[] } | null;
}

/** A decision of a review; chips are in big blinds. */
export interface JudgedDecision {
  file: number;
  row: number;
  street: string;
  hand: string;
  position: string;
  pot_type: string;
  line: string;
  held: string;
  action: string;
  size: string;
  best: string;
  pot_bb: number;
  judged: boolean;
  /** Whose values these are. */
  judge: string;
  /** By which factor its stacks and those of the hand differ. */
  distance: number | null;
  /** Why it is not judged. */
  reason: string | null;
  cost_bb: number | null;
  error_bb: number | null;
  /** How often the agent takes the action. */
  frequency: number | null;
  /** What the agent's actions are worth, by name. */
  values_bb: Record<string, number> | null;
}

/** Decisions that have something in common. */
export interface LeakGroup {
  name: string;
  count: number;
  total_bb: number;
  cost_mbb: number;
  interval_mbb: [number, number] | null;
}

/** GET /api/reviews/{review}/report */
export interface LeakReport {
  name: string;
  player: string;
  agents: string[];
  hands: number;
  decisions: number;
  judged: number;
  /** How many decisions were not judged, by reason. */
  not_judged: Record<string, number>;
  cost_mbb: number | null;
  interval_mbb: [number, number] | null;
  total_bb: number | null;
  /** By what decisions are divided. */
  by: Record<string, { words: string; groups: LeakGroup[] }>;
}

/** GET /api/reviews/{review}/mistakes: the dearest decisions first. */
export interface Mistakes {
  total: number;
  rows: Mistake[];
}

export interface Mistake extends JudgedDecision {
  /** Which decision of the player in the hand it is, from 0. */
  nth: number;
}

/** The noise of a player as a share of the pot; null is infinite. */
export interface NoiseEstimate {
  noise: number | null;
  interval: [number, number | null];
  decisions: number;
  hands: number;
}

/** GET /api/reviews/{review}/tilt */
export interface TiltPage {
  player: string;
  window: number;
  noise: NoiseEstimate;
  by_street: Record<string, NoiseEstimate>;
  periods: (NoiseEstimate & { first: number; last: number; begins: string | null })[];
  changes: { hand: number; strength: number; before: NoiseEstimate; after: NoiseEstimate }[];
  after_losses: {
    loss_bb: number;
    hands: number;
    losses: number;
    after: NoiseEstimate | null;
    otherwise: NoiseEstimate | null;
    strength: number | null;
  };
}
