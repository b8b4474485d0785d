// The look of the cells of a push/fold grid: part of the cell in the action's colour, or a shade and a
// number for what a hand gains or loses.

import { kindClass } from "../../action_styles";
import type { GridCell } from "../../charts/hand_grid";
import { HANDS } from "../../charts/hands";
import { percent, signed } from "../../format";
import type { NodePage, NodeSide, PushFoldLimits } from "../../model";

export const MODES = ["frequency", "ev", "regret", "limit"] as const;
export type Mode = (typeof MODES)[number];

/** A frequency that does not round to 0 or 100 % is mixed. */
const MIXED = 0.005;
/** A mixed cell always shows some of both colours, however rare one of them is. */
const LEAST_WIDTH = 0.06;
/** Small amounts get more than their share of the colour: decisions are close near zero. */
const SHADE_POWER = 0.6;
/** Smaller regrets, in bb, are rounding errors. */
const LEAST_REGRET = 1e-5;
const ROUNDING = 1e-9;

/** The nodes of a chart: the small blind's, and the big blind's after a push. */
export function nodesOf(chart: NodePage): NodePage[] {
  return chart.panels.reply === undefined ? [chart] : [chart, chart.panels.reply];
}

/** The action that is not to fold: push or call. */
export function actionOf({ actions }: NodePage): string {
  return actions[1]?.name ?? "";
}

/** The range of the player who acts. */
function own({ player, sides }: NodePage): NodeSide {
  return sides[player === 1 ? 1 : 0];
}

/** How often a hand is played. */
export function frequencyOf(node: NodePage, hand: number): number {
  return own(node).mix[1]?.[hand] ?? 0;
}

/** What folding a hand gains, or playing it, in bb. */
export function valueOf(node: NodePage, action: "folded" | "played", hand: number): number | null {
  return own(node).values?.[action === "folded" ? 0 : 1]?.[hand] ?? null;
}

/** What the hand as played loses compared with its better action, in bb. */
export function regretOf(node: NodePage, hand: number): number | null {
  return own(node).columns.regret?.[hand] ?? null;
}

/** Whether any hand loses something: the charts of an exact solution have no regret to show. */
export function hasRegret(chart: NodePage): boolean {
  return nodesOf(chart).some((node) => own(node).columns.regret?.some((one) => (one ?? 0) > ROUNDING));
}

/** The chart that people print: up to which stack each hand is played, darker the deeper. */
export function limitCells(limits: PushFoldLimits, seat: 0 | 1): GridCell[] {
  const { action, up_to: upTo, is_gapped: isGapped } = limits.seats[seat];
  const deepest = limits.stacks[limits.stacks.length - 1] ?? 0;
  const shallowest = limits.stacks[0] ?? 0;
  return HANDS.map(({ name }, hand) => {
    const stack = upTo[hand] ?? null;
    const text = limitText(stack, deepest, isGapped[hand] === true);
    const span = Math.log(deepest / shallowest) || 1;
    return {
      segments: [],
      weight: 1,
      shade: { tone: action, strength: stack === null ? 0 : 0.12 + 0.88 * (Math.log(stack / shallowest) / span) },
      text,
      isBold: stack !== null,
      marks: [],
      label: stack === null ? `${name}, never ${action}` : `${name}, ${action} up to ${text} bb`,
      frequency: stack === null ? 0 : 1,
    };
  });
}

/** "12", "20+" if the sweep ends before the hand is folded, "8*" if it is played at deeper stacks again. */
export function limitText(stack: number | null, deepest: number, isGapped: boolean): string {
  if (stack === null) return isGapped ? "*" : "–";
  return `${stack}${stack === deepest ? "+" : ""}${isGapped ? "*" : ""}`;
}

/** The amount in bb with the strongest colour, the same in both grids. */
export function greatest(chart: NodePage, mode: Mode): number {
  const sizes = nodesOf(chart).flatMap((node) => (
    mode === "ev" ? HANDS.map((_, hand) => Math.abs(gainOf(node, hand) ?? 0)) : (own(node).columns.regret ?? []).map((one) => one ?? 0)));
  return Math.max(mode === "regret" ? LEAST_REGRET : Number.MIN_VALUE, ...sizes);
}

/** The strength of an amount's colour, 0–1. */
export function shade(amount: number, most: number): number {
  return Math.min(1, Math.max(0, Math.abs(amount) / most)) ** SHADE_POWER;
}

/** The amount whose colour has this strength. */
export function amountOf(strength: number, most: number): number {
  return most * strength ** (1 / SHADE_POWER);
}

/** What playing the hand gains over folding it, in bb. */
export function gainOf(node: NodePage, hand: number): number | null {
  const ev = valueOf(node, "played", hand);
  return ev === null ? null : ev - (valueOf(node, "folded", hand) ?? 0);
}

/** Whether two charts disagree: one plays the hand more often than not, and the other does not. */
export function differs(frequency: number, published: boolean): boolean {
  return frequency > 0.5 !== published;
}

/** Number of both players' hands that the published chart plays differently. */
export function countDifferences(chart: NodePage): number {
  return nodesOf(chart).reduce((sum, node) => {
    const hands = node.panels.published?.hands ?? [];
    return sum + hands.filter((isPlayed, hand) => differs(frequencyOf(node, hand), isPlayed)).length;
  }, 0);
}

/** The cells of one player's grid, in the order of HANDS; `whose` names the chart in the panel `published`. */
export function playCells(node: NodePage, mode: Mode, most: number, withPublished: boolean, whose = "published"): GridCell[] {
  const styles = [kindClass(node.actions[1]?.kind ?? "other"), kindClass("fold")] as const;
  const published = withPublished ? (node.panels.published?.hands ?? null) : null;
  return HANDS.map(({ name }, hand) => {
    const frequency = frequencyOf(node, hand);
    const theirs = published === null ? null : (published[hand] ?? false);
    const isOther = theirs !== null && differs(frequency, theirs);
    const { label, ...look } = lookOf(node, hand, mode, most, styles);
    return {
      ...look,
      weight: 1,
      isBold: frequency > 0.5,
      marks: [...(theirs === true ? ["corner" as const] : []), ...(isOther ? ["outline" as const] : [])],
      label: `${name}, ${actionOf(node)} ${percent(frequency)}${label}`
        + (theirs === null ? "" : `, ${whose} ${theirs ? "yes" : "no"}${isOther ? ", differs" : ""}`),
      frequency,
    };
  });
}

/** What a mode changes of a cell; the label is what it adds. */
function lookOf(
  node: NodePage, hand: number, mode: Mode, most: number, styles: readonly [string, string],
): Pick<GridCell, "segments" | "shade" | "text" | "label"> {
  if (mode === "ev" || mode === "regret") {
    const amount = mode === "ev" ? gainOf(node, hand) : regretOf(node, hand);
    const text = mode === "ev" ? gainText(amount) : regretText(amount);
    const tone = mode === "regret" ? mode : (amount ?? 0) < 0 ? "loss" : "gain";
    const label = mode === "ev" ? `, ${text} ${node.unit} compared with folding` : `, regret ${text} mbb`;
    return { segments: [], shade: { tone, strength: amount === null ? 0 : shade(amount, most) }, text, label };
  }
  const frequency = frequencyOf(node, hand);
  const isMixed = frequency > MIXED && frequency < 1 - MIXED;
  const width = isMixed ? Math.min(1 - LEAST_WIDTH, Math.max(LEAST_WIDTH, frequency)) : Math.round(frequency);
  return {
    segments: [{ share: width, style: styles[0] }, { share: 1 - width, style: styles[1] }],
    shade: null,
    text: isMixed ? `${Math.min(99, Math.max(1, Math.round(100 * frequency)))} %` : "",
    label: "",
  };
}

/** An amount in bb, in at most five characters. */
export function gainText(gain: number | null): string {
  if (gain === null) return "–";
  const size = Math.abs(gain);
  return signed(gain, size < 10 ? 2 : size < 100 ? 1 : 0);
}

/** An amount in bb, written in thousandths of a bb, in about four characters at most. */
export function regretText(regret: number | null): string {
  if (regret === null) return "–";
  const mbb = 1000 * regret;
  if (mbb < 0.005) return "0";
  return mbb.toFixed(mbb < 10 ? 2 : mbb < 100 ? 1 : 0);
}
