// Filters of the hands of a range: a class of hands, cards they hold or do not hold, what they mostly do.

import { cardsOf } from "../../card_text";
import type { NodePage, NodeSide, RangeFacts } from "../../model";

export interface Filters {
  /** The name of a class of hands: top pair, flush draw. */
  made: string | null;
  /** Cards of which a hand must hold one, and none of which it may hold: As, or a suit alone, s. */
  holds: readonly string[];
  lacks: readonly string[];
  /** The action that is taken most often. */
  does: string | null;
}

const CARD = /^[2-9TJQKA]?[cdhs]$/;

/** Cards and suits in a text, `As h`; others are left out. */
export function cardsIn(text: string | undefined): string[] {
  return (text ?? "").split(/[\s,]+/).map((one) => one.charAt(0).toUpperCase() + one.slice(1).toLowerCase())
    .map((one) => (one.length === 1 ? one.toLowerCase() : one)).filter((one) => CARD.test(one));
}

/** The filters in the address; null if there is none. */
export function filtersOf(options: Record<string, string>): Filters | null {
  const filters = {
    made: options["class"] ?? null, holds: cardsIn(options["holds"]), lacks: cardsIn(options["lacks"]), does: options["does"] ?? null,
  };
  return filters.made === null && filters.holds.length + filters.lacks.length === 0 && filters.does === null ? null : filters;
}

/** The side with only the hands that pass; the others count as absent. Without facts no hand is of a class. */
export function filtered(
  node: Pick<NodePage, "actions">, side: NodeSide, filters: Filters | null, facts: RangeFacts["sides"][number] | null,
): NodeSide {
  if (filters === null || side.reach === null) return side;
  const members = filters.made === null ? null : new Set(facts?.classes.find(({ name }) => name === filters.made)?.hands);
  const action = node.actions.findIndex(({ name }) => name === filters.does);
  const reach = side.reach.map((weight, hand) => {
    const cards = cardsOf(side.hand[hand] ?? "");
    const has = (card: string): boolean => cards.some((one) => one.endsWith(card));
    const passes = (members === null || members.has(hand))
      && (filters.holds.length === 0 || filters.holds.some(has))
      && !filters.lacks.some(has)
      && (action < 0 || side.mix.length === 0 || isMost(side.mix, hand, action));
    return passes ? weight : 0;
  });
  return { ...side, reach };
}

function isMost(mix: readonly (readonly number[])[], hand: number, action: number): boolean {
  const share = mix[action]?.[hand] ?? 0;
  return mix.every((row) => (row[hand] ?? 0) <= share);
}

/** The filters in words: "top pair · with ♠". */
export function filterWords({ made, holds, lacks, does }: Filters): string {
  return [made, holds.length > 0 && `with ${holds.join(" or ")}`, lacks.length > 0 && `without ${lacks.join(", ")}`,
    does !== null && `mostly ${does}`].filter(Boolean).join(" · ");
}
