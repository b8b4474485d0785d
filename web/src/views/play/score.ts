// The score of a session: winnings with a confidence interval, and the cost of mistakes.

import type { Judged } from "./trainer";

/** One finished hand, as the table of hands shows it. */
export interface HandResult {
  hand: number;
  seat: number;
  you: string;
  opponent: string;
  board: string;
  /** The person's actions, which are enough to replay the hand. */
  actions: string[];
  /** All actions in words: "you check, bet, you call". */
  story: string;
  payoff: number;
  /** The cost of all decisions together; null if unknown. */
  cost: number | null;
  mistakes: number;
  /** The decisions one by one; missing in hands that were stored by earlier versions. */
  decisions?: Judged[];
}

export interface Score {
  hands: number;
  total: number;
  mean: number | null;
  /** Half the width of the 95 % confidence interval of the mean; null with fewer than two hands. */
  margin: number | null;
  /** Per hand, over the hands whose cost is known. */
  cost: number | null;
  mistakes: number;
}

/** The session after each hand; `low` and `high` enclose the total with the same confidence. */
export interface Point {
  hands: number;
  total: number;
  low: number;
  high: number;
}

/** A larger cost, in chips or bb, is a mistake; a smaller one is the solver's remaining error. */
export const MISTAKE = 1e-3;

/** 95 % of a normal distribution lie within this number of standard deviations. */
const Z = 1.96;

/** Running mean and spread, without sums of squares (Welford 1962). */
class Running {
  count = 0;
  mean = 0;
  private deviations = 0;

  add(value: number): void {
    this.count += 1;
    const before = value - this.mean;
    this.mean += before / this.count;
    this.deviations += before * (value - this.mean);
  }

  get margin(): number | null {
    if (this.count < 2) return null;
    return Z * Math.sqrt(this.deviations / (this.count - 1) / this.count);
  }
}

export function scoreOf(results: readonly HandResult[]): Score {
  const gains = new Running();
  const costs = new Running();
  let [total, mistakes] = [0, 0];
  for (const result of results) {
    gains.add(result.payoff);
    if (result.cost !== null) costs.add(result.cost);
    total += result.payoff;
    mistakes += result.mistakes;
  }
  return {
    hands: gains.count,
    total,
    mean: gains.count ? total / gains.count : null,
    margin: gains.margin,
    cost: costs.count ? costs.mean : null,
    mistakes,
  };
}

/** The total after each hand, starting before the first. */
export function pathOf(results: readonly HandResult[]): Point[] {
  const gains = new Running();
  const points: Point[] = [{ hands: 0, total: 0, low: 0, high: 0 }];
  let total = 0;
  for (const { payoff } of results) {
    gains.add(payoff);
    total += payoff;
    const spread = gains.count * (gains.margin ?? 0);
    points.push({ hands: gains.count, total, low: total - spread, high: total + spread });
  }
  return points;
}
