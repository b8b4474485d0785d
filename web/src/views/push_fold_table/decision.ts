// A decision of a table as the node that the grids of push/fold draw, with the user's range beside.

import type { NodePage, NodeSide, TableChart, TableNode } from "../../model";

export type Theirs = NonNullable<TableChart["comparison"]>["decisions"][number];

/** What the user plays in a decision; null if the user's ranges leave it out. */
export function theirsAt({ comparison }: TableChart, line: string): Theirs | null {
  return comparison?.decisions.find((one) => one.line === line) ?? null;
}

/** The node to draw; its regret is what the user's range loses with each hand that comes to the decision. */
export function drawn(node: TableNode, theirs: Theirs | null): NodePage {
  const side = node.sides[node.player] as NodeSide;
  const own = theirs === null ? side : { ...side, columns: { ...side.columns, regret: costs(side, theirs.hands) } };
  return {
    ...node, player: 0, seats: null, sides: [own, own],
    panels: { ...node.panels, published: theirs === null ? null : { name: "yours", source: "", hands: theirs.hands.map((share) => share > 0.5) } },
  };
}

function costs({ mix, values }: NodeSide, theirs: readonly number[]): (number | null)[] {
  return theirs.map((share, hand) => {
    const [folded, played] = [values?.[0]?.[hand] ?? null, values?.[1]?.[hand] ?? null];
    if (folded === null || played === null) return null;
    // A hand that is mixed gains the same either way: what is left is rounding.
    return Math.max(0, ((mix[1]?.[hand] ?? 0) - share) * (played - folded));
  });
}
