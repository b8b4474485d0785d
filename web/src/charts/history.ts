// One infoset over all frames as a panel: the probabilities of its actions.

import { actionClasses } from "../action_styles";
import { percent } from "../format";
import type { FrameInfo, InfosetHistory } from "../model";
import type { Panel } from "./panel_model";

/** Whether the run follows a branch: then the strategy depends on β, not on the iteration. */
export function isBranch(frames: readonly FrameInfo[]): boolean {
  return frames.length > 0 && frames.every((frame) => frame.beta !== null);
}

export function historyPanel(history: InfosetHistory, height: number, title: string, note: string): Panel {
  const onBranch = isBranch(history.frames);
  const styles = actionClasses(history.action_data);
  return {
    title,
    note,
    scale: "share",
    isSmooth: onBranch,
    height,
    at: history.frames.map((frame) => frame.iteration),
    x: history.frames.map((frame) => (onBranch ? (frame.beta ?? 0) : frame.iteration)),
    series: history.actions.map((name, action) => ({
      name,
      style: styles[action] ?? "plain",
      y: history.probabilities.map((row) => row[action] ?? null),
    })),
    format: (share) => percent(share),
  };
}
