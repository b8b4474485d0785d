// Amounts at a node in chips, in big blinds, or in percent of its pot.

import { fixed } from "../../format";
import type { ActionData, NodePage } from "../../model";

export const UNITS = ["chips", "bb", "pot"] as const;
export type Unit = (typeof UNITS)[number];

export const UNIT_WORDS: Record<Unit, string> = { chips: "chips", bb: "big blinds", pot: "% of the pot" };

/** What amounts can be shown in at a node. */
export function unitsOf({ panels: { bb }, pot }: Pick<NodePage, "panels" | "pot">): Unit[] {
  return UNITS.filter((unit) => unit === "chips" || (unit === "bb" ? bb != null : (pot ?? 0) > 0));
}

export class Amounts {
  private readonly unit: Unit;

  /** A unit that the node does not have gives way to chips. */
  constructor(unit: Unit, private readonly node: Pick<NodePage, "panels" | "pot" | "chips">) {
    this.unit = unitsOf(node).includes(unit) ? unit : "chips";
  }

  /** A number as text; `decimals` are those of chips. */
  text(value: number | null | undefined, decimals = 1): string {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    if (this.unit === "pot") return `${fixed((100 * value) / (this.node.pot ?? 1), Math.min(decimals, 1))} %`;
    return this.unit === "bb" ? fixed(value / (this.node.panels.bb ?? 1), 2) : fixed(value, decimals);
  }

  /** The same with the unit, where no heading names it. */
  full(value: number | null | undefined, decimals = 1): string {
    const text = this.text(value, decimals);
    return this.unit === "bb" && text !== "–" ? `${text} bb` : text;
  }

  /** What follows numbers in a heading; empty for chips. */
  get heading(): string {
    return { chips: "", bb: ", bb", pot: ", % pot" }[this.unit];
  }

  /** An action as a button says it: bet 66, bet 6.6 bb, bet 33 %. */
  action(action: ActionData): string {
    const { amount, kind, name } = action;
    if (this.unit === "chips" || amount === null || kind === "other") return name;
    const verb = name.replace(/\s*[\d.,]+$/, "");
    if (this.unit === "bb") return `${verb} ${plain(amount / (this.node.panels.bb ?? 1))} bb`;
    return `${verb} ${this.share(amount)} %`;
  }

  /** An action before the node: a share of the pot would be of another pot, so chips stay. */
  pastAction(action: ActionData): string {
    return this.unit === "bb" ? this.action(action) : action.name;
  }

  /** A bet in percent of the pot, a raise in percent of the pot after the call. */
  private share(amount: number): string {
    const { pot, chips } = this.node;
    const most = Math.max(...(chips?.bets ?? [0]));
    const own = Math.min(...(chips?.bets ?? [0]));
    return plain((100 * (amount - most)) / ((pot ?? 1) + most - own), 0);
  }
}

/** At most this many decimals, without zeros at the end. */
function plain(value: number, decimals = 2): string {
  return String(Number(value.toFixed(decimals)));
}
