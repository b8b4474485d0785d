// The look of the cells of a push/fold grid: part of the cell in the action's colour, or a shade and a
// number for what a hand gains or loses.

import { kindClass } from "../action_styles";
import type { GridCell } from "../charts/hand_grid";
import { HANDS } from "../charts/hands";
import { percent, signed } from "../format";
import type { PushFoldChart, PushFoldLimits, PushFoldSeat } from "../model";

export const MODES = ["frequency", "ev", "regret", "limit"] as const;
export type Mode = (typeof MODES)[number];

export interface CellPaint {
  frequency: number;
  /** What the colour means. */
  tone: "play" | "gain" | "loss" | "regret";
  /** Share of the cell that is coloured, from the left. */
  width: number;
  /** How strong the colour is, 0–1. */
  strength: number;
  /** Small text below the name. */
  detail: string;
  /** For screen readers. */
  label: string;
  isMixed: boolean;
  /** Whether the published chart plays the hand; null if there is none. */
  published: boolean | null;
  differs: boolean;
}

/** A frequency that does not round to 0 or 100 % is mixed. */
const MIXED = 0.005;
/** A mixed cell always shows some of both colours, however rare one of them is. */
const LEAST_WIDTH = 0.06;
/** Small amounts get more than their share of the colour: decisions are close near zero. */
const SHADE_POWER = 0.6;
/** Smaller regrets, in bb, are rounding errors. */
const LEAST_REGRET = 1e-5;
const ROUNDING = 1e-9;

/** Whether any hand loses something: the charts of an exact solution have no regret to show. */
export function hasRegret(chart: PushFoldChart): boolean {
  return chart.seats.some((seat) => seat.regret.some((one) => (one ?? 0) > ROUNDING));
}

/** The cells of one player's grid as the grid draws them. */
export function gridCells(
  paints: readonly CellPaint[], action: PushFoldSeat["action"], withPublished: boolean,
): GridCell[] {
  const style = kindClass(action === "push" ? "all-in" : "call");
  return paints.map((paint) => {
    const isPlay = paint.tone === "play";
    const published = paint.published === null ? "" : `, published ${paint.published ? "yes" : "no"}${paint.differs ? ", differs" : ""}`;
    return {
      segments: isPlay ? [{ share: paint.width, style }, { share: 1 - paint.width, style: kindClass("fold") }] : [],
      weight: 1,
      shade: isPlay ? null : { tone: paint.tone, strength: paint.strength },
      text: paint.detail,
      isBold: paint.frequency > 0.5,
      marks: [
        ...(withPublished && paint.published ? ["corner" as const] : []),
        ...(withPublished && paint.differs ? ["outline" as const] : []),
      ],
      label: withPublished ? paint.label + published : paint.label,
      frequency: paint.frequency,
    };
  });
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
export function greatest(chart: PushFoldChart, mode: Mode): number {
  const sizes = chart.seats.flatMap((seat) =>
    mode === "ev" ? HANDS.map((_, hand) => Math.abs(gainOf(seat, hand) ?? 0)) : seat.regret.map((one) => one ?? 0),
  );
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
export function gainOf(seat: PushFoldSeat, hand: number): number | null {
  const ev = seat.ev[hand] ?? null;
  return ev === null ? null : ev - seat.fold_ev;
}

/** Whether two charts disagree: one plays the hand more often than not, and the other does not. */
export function differs(frequency: number, published: boolean): boolean {
  return frequency > 0.5 !== published;
}

/** Number of both players' hands that the published chart plays differently. */
export function countDifferences(chart: PushFoldChart): number {
  const { published } = chart;
  if (published === null) return 0;
  const count = (seat: PushFoldSeat): number =>
    seat.frequency.filter((share, hand) => differs(share, published[seat.action][hand] ?? false)).length;
  return count(chart.seats[0]) + count(chart.seats[1]);
}

/** The cells of one player's grid, in the order of HANDS. */
export function paint(chart: PushFoldChart, seat: PushFoldSeat, mode: Mode, most: number): CellPaint[] {
  const published = chart.published?.[seat.action] ?? null;
  return HANDS.map(({ name }, hand) => {
    const frequency = seat.frequency[hand] ?? 0;
    const isMixed = frequency > MIXED && frequency < 1 - MIXED;
    const theirs = published === null ? null : (published[hand] ?? false);
    const common = {
      frequency,
      isMixed,
      published: theirs,
      differs: theirs !== null && differs(frequency, theirs),
    };
    const label = `${name}, ${seat.action} ${percent(frequency)}`;
    if (mode === "ev") {
      const gain = gainOf(seat, hand);
      return {
        ...common,
        tone: (gain ?? 0) < 0 ? "loss" : "gain",
        width: 1,
        strength: gain === null ? 0 : shade(gain, most),
        detail: gainText(gain),
        label: `${label}, gains ${gainText(gain)} bb over folding`,
      };
    }
    if (mode === "regret") {
      const regret = seat.regret[hand] ?? null;
      return {
        ...common,
        tone: "regret",
        width: 1,
        strength: regret === null ? 0 : shade(regret, most),
        detail: regretText(regret),
        label: `${label}, regret ${regretText(regret)} mbb`,
      };
    }
    return {
      ...common,
      tone: "play",
      width: isMixed ? Math.min(1 - LEAST_WIDTH, Math.max(LEAST_WIDTH, frequency)) : Math.round(frequency),
      strength: 1,
      detail: isMixed ? `${Math.min(99, Math.max(1, Math.round(100 * frequency)))} %` : "",
      label,
    };
  });
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
