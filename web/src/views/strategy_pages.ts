// Pages of the strategy, fetched and kept for a while: scrubbing back and forth asks only once.

import * as api from "../api";
import { frameAt } from "../frames";
import { Kept } from "../kept";
import type { FrameInfo, Player, StrategyPage, StrategyRow } from "../model";
import { filterKey, type Filters } from "./strategy_filters";

const KEPT = 120;
/** Rows asked for at once where all are wanted. */
const STEP = 200;

/** A frame by its place, which moves when the run thins its frames, and by a name that stays. */
export interface FrameRef {
  position: number;
  name: string;
  iteration: number | null;
}

export function frameRef(frames: readonly FrameInfo[], moment: number | null): FrameRef {
  const position = frameAt(frames, moment);
  const info = frames[position];
  if (info === undefined) return { position: -1, name: "last", iteration: null };
  return { position, name: `${info.moment}@${info.iteration}`, iteration: info.iteration };
}

/** One player's rows of a run that pass the filters, as they were at a frame. */
export interface RowsQuery {
  run: string;
  frame: FrameRef;
  player: Player;
  filters: Filters;
}

export class StrategyPages {
  private readonly kept = new Kept<StrategyPage>(KEPT);

  async page(query: RowsQuery, offset: number, limit: number): Promise<StrategyPage> {
    const { run, frame, player, filters } = query;
    const key = [run, frame.name, player, offset, limit, filterKey(filters)].join("|");
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const page = await api.strategy(run, { frame: frame.position, player, ...filters, offset, limit });
    // Had the run thinned its frames meanwhile, the place would now be that of another frame.
    if (page.iteration === frame.iteration) this.kept.set(key, page);
    return page;
  }

  /** All rows, asked for in pages. */
  async all(query: RowsQuery): Promise<StrategyRow[]> {
    const rows: StrategyRow[] = [];
    for (;;) {
      const page = await this.page(query, rows.length, STEP);
      rows.push(...page.rows);
      if (page.rows.length === 0 || rows.length >= page.total) return rows;
    }
  }
}
