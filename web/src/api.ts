// The server's endpoints as functions. A failed request becomes an Error with the server's one-line message.

import type {
  DealtSpot,
  DocumentAdded,
  HandList,
  HandPage,
  HandPlaces,
  InfosetHistory,
  LeakReport,
  Mistakes,
  NamedRange,
  NodePage,
  PlayState,
  ProgressPage,
  PushFoldLimits,
  RangeFacts,
  RangeText,
  ReportPage,
  ReportSummary,
  RunDetail,
  RunLabel,
  RunFacts,
  RunNode,
  RunSummary,
  Runouts,
  Seat,
  Session,
  SolutionDifference,
  SpotAnswer,
  SpotDocument,
  SpotJob,
  SpotMeasure,
  SpotOrder,
  SpotResumption,
  SpotSubject,
  StartOfHands,
  StrategyPage,
  TableChart,
  TableJob,
  TableOrder,
  TiltPage,
} from "./model";

type Query = Record<string, string | number | string[] | undefined>;

export class RequestError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export const session = (): Promise<Session> => get("/api/session");

export const runs = (): Promise<{ runs: RunSummary[]; reports: ReportSummary[] }> => get("/api/runs");

export const report = (id: string, line: string): Promise<ReportPage> =>
  get(`/api/reports/${encodeURIComponent(id)}`, { line });

/** Runs that come with the package. */
export const examples = async (): Promise<RunSummary[]> =>
  (await get<{ runs: RunSummary[] }>("/api/examples")).runs;

export const detail = (run: string): Promise<RunDetail> => get(pathOf(run));

export const label = (run: string, wanted: RunLabel): Promise<RunSummary> => post(pathOf(run, "label"), JSON.stringify(wanted));

export const facts = (run: string): Promise<RunFacts> => get(pathOf(run, "facts"));

/** The server returns at most this many rows of progress at once. */
export const MAX_POINTS = 20_000;

export const progress = (run: string, points = 2000): Promise<ProgressPage> =>
  get(pathOf(run, "progress"), { points });

export interface StrategyQuery {
  frame: number;
  player: Seat;
  card?: string | undefined;
  board?: string | undefined;
  line?: string | undefined;
  search?: string | undefined;
  offset: number;
  limit: number;
}

export const strategy = (run: string, query: StrategyQuery): Promise<StrategyPage> =>
  get(pathOf(run, "strategy"), { ...query });

export const infoset = (run: string, label: string): Promise<InfosetHistory> =>
  get(pathOf(run, "infoset"), { label });

export interface NodeQuery {
  line: string;
  board?: string | undefined;
  seat?: Seat | undefined;
  frame: number;
  /** 0: without the individual hands. */
  hands: 0 | 1;
}

export const node = (run: string, query: NodeQuery): Promise<RunNode> =>
  get(pathOf(run, "node"), { ...query });

export const pushfold = (
  run: string,
  at: { frame: number } | { stack: number },
): Promise<NodePage> => get(pathOf(run, "pushfold"), at);

export const limits = (run: string): Promise<PushFoldLimits> => get(pathOf(run, "limits"));

/** A node of a solved spot, or of a blueprint. */
export const treeNode = (run: string, tree: "spot" | "chart", line: string, board: string): Promise<NodePage> =>
  get(pathOf(run, tree), { line, board });

/** Both ranges at a node of a solved spot, or of a blueprint. */
export const ranges = (run: string, tree: "spot" | "chart", line: string, board: string): Promise<RangeFacts> =>
  get(pathOf(run, tree === "spot" ? "ranges" : "chart-ranges"), { line, board });

/** A node of a solved spot beside another solution of its board. */
export const against = (run: string, other: string, line: string, board: string): Promise<SolutionDifference> =>
  get(pathOf(run, "against"), { with: other, line, board });

export const runouts = (run: string, line: string, board: string): Promise<Runouts> =>
  get(pathOf(run, "runouts"), { line, board });

export const play = (
  run: string,
  seed: number,
  hand: number,
  seat: Seat,
  actions: string[],
  from: StartOfHands | null = null,
  { think = null, feedback = false }: { think?: string | null; feedback?: boolean } = {},
): Promise<PlayState> =>
  get(pathOf(run, "play"), {
    seed, hand, seat, action: actions, ...from, ...(think === null ? {} : { think }), ...(feedback ? { feedback: 1 } : {}),
  });

/** The first hand from number `hand` onwards in which the given actions lead to the infoset. */
export const deal = (
  run: string,
  spot: { seed: number; hand: number; seat: Seat; label: string; actions: string[] },
  from: StartOfHands | null = null,
): Promise<DealtSpot> => {
  const { actions, ...rest } = spot;
  return get(pathOf(run, "deal"), { ...rest, action: actions, ...from });
};

export const editRange = (text: string, changes: Record<string, number>): Promise<RangeText> =>
  post("/api/spots/range", JSON.stringify({ text, changes }));

/** The library of ranges; changes return all that are left. */
export const namedRanges = async (): Promise<NamedRange[]> => (await get<{ ranges: NamedRange[] }>("/api/ranges")).ranges;

export const saveRange = async (name: string, text: string): Promise<NamedRange[]> =>
  (await post<{ ranges: NamedRange[] }>("/api/ranges/save", JSON.stringify({ name, text }))).ranges;

export const removeRange = async (name: string): Promise<NamedRange[]> =>
  (await post<{ ranges: NamedRange[] }>("/api/ranges/remove", JSON.stringify({ name }))).ranges;

export const measureSpot = (subject: SpotSubject): Promise<SpotMeasure> => post("/api/spots/measure", JSON.stringify(subject));

/** The street that begins at a node of a solved spot or of a blueprint, as a spot of its own. */
export const streetSpot = (run: string, tree: "spot" | "chart", line: string, board: string): Promise<SpotDocument> =>
  get(pathOf(run, tree === "spot" ? "street" : "chart-street"), { line, board });

export const spotJob = (): Promise<SpotJob> => get("/api/spots");

export const solveSpot = (order: SpotOrder): Promise<SpotJob> => post("/api/spots/solve", JSON.stringify(order));

export const resumeSpot = (order: SpotResumption): Promise<SpotJob> => post("/api/spots/resume", JSON.stringify(order));

export const respondToSpot = (order: SpotAnswer): Promise<SpotJob> => post("/api/spots/respond", JSON.stringify(order));

export const stopSpot = (): Promise<SpotJob> => post("/api/spots/stop", "{}");

export const tableJob = (): Promise<TableJob> => get("/api/tables");

export const tableChart = (number: number): Promise<TableChart> => get("/api/tables/chart", { number });

export const solveTable = (order: TableOrder): Promise<TableJob> => post("/api/tables/solve", JSON.stringify(order));

export const stopTable = (): Promise<TableJob> => post("/api/tables/stop", "{}");

export const addDocument = (text: string, name: string): Promise<DocumentAdded> =>
  post(`/api/documents?${new URLSearchParams({ name }).toString()}`, text);

export const handPlaces = (): Promise<HandPlaces> => get("/api/hands");

export const handNames = async (folder: string): Promise<string[]> =>
  (await get<{ names: string[] }>(`/api/hands/${encodeURIComponent(folder)}/names`)).names;

/** Which hands of a folder are wanted; empty texts do not filter. */
export interface HandFilters {
  player: string;
  pot: string;
  street: string;
  moves: string;
  /** As whom hands are seen if no player is wanted. */
  viewer: string;
}

export const handList = (folder: string, filters: HandFilters, first: number, count: number): Promise<HandList> =>
  get(`/api/hands/${encodeURIComponent(folder)}/list`, { ...filters, first, count });

export const handPage = (folder: string, file: number, row: number, review: string | null): Promise<HandPage> =>
  get(`/api/hands/${encodeURIComponent(folder)}/hand`, { file, row, ...(review === null ? {} : { review }) });

export const leakReport = (review: string): Promise<LeakReport> =>
  get(`/api/reviews/${encodeURIComponent(review)}/report`);

/** The dearest decisions; those of one group if it is given. */
export const mistakes = (review: string, group: { by: string; name: string } | null, most: number): Promise<Mistakes> =>
  get(`/api/reviews/${encodeURIComponent(review)}/mistakes`, { ...group, count: most });

export const tilt = (review: string, hands: number): Promise<TiltPage> =>
  get(`/api/reviews/${encodeURIComponent(review)}/tilt`, { window: hands });

async function post<T>(path: string, body: string): Promise<T> {
  return read(await reach(path, { method: "POST", headers: { "Content-Type": "application/json" }, body }));
}

function pathOf(run: string, part = ""): string {
  return `/api/runs/${encodeURIComponent(run)}${part && `/${part}`}`;
}

async function get<T>(path: string, query: Query = {}): Promise<T> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return read(await reach(text ? `${path}?${text}` : path));
}

async function reach(path: string, request: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch {
    // Browsers do not say what went wrong.
    throw new RequestError("the server does not respond; is it still running?", 0);
  }
}

async function read<T>(answer: Response): Promise<T> {
  if (answer.ok) return (await answer.json()) as T;
  const problem: unknown = await answer.json().catch(() => null);
  const hasLine = problem !== null && typeof problem === "object" && "error" in problem;
  throw new RequestError(hasLine ? String(problem.error) : answer.statusText, answer.status);
}
