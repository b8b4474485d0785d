// Pages of the strategy, fetched and cached: going back and forth in a replay requests them only once.

import * as api from "../../api";
import { frameAt } from "../../frames";
import { LruCache } from "../../lru_cache";
import type { FrameInfo, Seat, StrategyPage, StrategyRow } from "../../model";
import { filterKey, type Filters } from "./filters";

const KEPT = 120;
/** Rows per request when all rows are needed. */
const STEP = 1000;

/** A frame by its position, which changes when the run thins its frames, and by a name that does not. */
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

/** One player's rows of a run that match the filters, at one frame. */
export interface RowsQuery {
  run: string;
  frame: FrameRef;
  player: Seat;
  filters: Filters;
}

export class StrategyPages {
  private readonly kept = new LruCache<StrategyPage>(KEPT);

  async page(query: RowsQuery, offset: number, limit: number): Promise<StrategyPage> {
    const { run, frame, player, filters } = query;
    const key = [run, frame.name, player, offset, limit, filterKey(filters)].join("|");
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const page = await api.strategy(run, { frame: frame.position, player, ...filters, offset, limit });
    // If the run has thinned its frames in the meantime, another frame is at this position.
    if (page.iteration === frame.iteration) this.kept.set(key, page);
    return page;
  }

  /** All rows, requested in pages. */
  async all(query: RowsQuery): Promise<StrategyRow[]> {
    const rows: StrategyRow[] = [];
    for (;;) {
      const page = await this.page(query, rows.length, STEP);
      rows.push(...page.rows);
      if (page.rows.length === 0 || rows.length >= page.total) return rows;
    }
  }
}
