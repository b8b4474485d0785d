// The charts to request: the chart of a stack or of a frame, and then its neighbours.

import * as api from "../../api";
import { frameAt } from "../../frames";
import type { NodePage, RunDetail } from "../../model";
import type { Question } from "../node/answers";
import { nearestStop, outward, type Stop } from "./stacks";

/** Number of charts to prefetch, so dragging is smooth. */
const STACKS_AHEAD = 80;
const FRAMES_AHEAD = 6;

/** The chart to show, then the charts that may be needed next; `stop` is the slider's position. */
export function questionsFor(
  run: RunDetail,
  stops: readonly Stop[],
  stop: Stop | undefined,
  moment: number | null,
): Question<NodePage>[] {
  if (run.stacks.length > 0) return stop === undefined ? [] : ofSweep(run.id, stops, stop);
  if (stop !== undefined && stop.run !== run.id) {
    const other = stop.run;
    return [{ key: `${other} last`, load: () => api.pushfold(other, { frame: -1 }) }];
  }
  return ofFrames(run, moment);
}

function ofSweep(run: string, stops: readonly Stop[], stop: Stop): Question<NodePage>[] {
  const near = outward(stops.length, nearestStop(stops, stop.stack), STACKS_AHEAD);
  return [stop, ...near.map((index) => stops[index] as Stop)].map(({ stack }) => ({
    key: `${run} ${stack}`,
    load: () => api.pushfold(run, { stack }),
  }));
}

function ofFrames(run: RunDetail, moment: number | null): Question<NodePage>[] {
  const { frames } = run;
  const frame = frameAt(frames, moment);
  if (frame < 0) {
    const key = `${run.id} ${run.status} ${run.last?.iteration ?? 0}`;
    return [{ key, load: () => api.pushfold(run.id, { frame: -1 }) }];
  }
  return [frame, ...outward(frames.length, frame, FRAMES_AHEAD)].map((one) => ({
    // After a run is resumed, another frame may be at the same position.
    key: `${run.id} ${one} ${frames[one]?.iteration ?? 0} ${frames[one]?.seconds ?? 0}`,
    load: () => api.pushfold(run.id, { frame: one }),
  }));
}
