"""Part of a betting tree that was learnt from deals, as the streets of a public tree.

A blueprint knows buckets; on a real board its strategy can be followed hand by hand. So the tree
below one of its decisions becomes forests, street by street, with the same leaves. Players may be
numbered the other way round there, since the first to act after the flop is player 0 of a spot.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from untilt.game.deals.deal_tree import DECISION as DECIDED
from untilt.game.deals.deal_tree import FOLD as FOLDED
from untilt.game.deals.deal_tree import DealTree
from untilt.game.public.public_tree import (
    CHANCE,
    DECISION,
    FOLD,
    NO_PARENT,
    RUNOUT,
    SHOWDOWN,
    Street,
)
from untilt.numeric.arrays import Ints


@dataclass(frozen=True, eq=False)
class DealStreets:
    """The streets below a decision, and the betting tree's node for each of their nodes."""

    streets: tuple[Street, ...]
    nodes: tuple[Ints, ...]
    """Per street, [nodes]: at a CHANCE leaf, the decision that follows."""


Likely = Callable[[int, float], Sequence[float]]
"""Given a decision and the probability of reaching it, the probability of each of its children."""


def streets_below(
    tree: DealTree,
    root: int,
    *,
    is_swapped: bool = False,
    unit: float = 1.0,
    likely: Likely | None = None,
    least: float = 0.0,
) -> DealStreets:
    """Return the streets from the decision `root` onwards.

    With `is_swapped`, player 0 of the tree is player 1 there. Stakes are multiplied by `unit`.
    Children that are less likely than `least` are left out, except the likeliest of a decision.
    """
    streets: list[Street] = []
    nodes: list[Ints] = []
    roots = [(root, 1.0)]
    first, last = int(tree.nodes[root]["street"]), tree.num_streets - 1
    for number in range(first, last + 1):
        street, found = _street(
            tree, roots, number, is_swapped=is_swapped, unit=unit, likely=likely, least=least
        )
        streets.append(street)
        nodes.append(np.array([node for node, _ in found], np.int32))
        roots = [found[place] for place in np.flatnonzero(street.kind == CHANCE).tolist()]
        if not roots:
            break
    return DealStreets(tuple(streets), tuple(nodes))


def _street(
    tree: DealTree,
    roots: list[tuple[int, float]],
    number: int,
    *,
    is_swapped: bool,
    unit: float,
    likely: Likely | None,
    least: float,
) -> tuple[Street, list[tuple[int, float]]]:
    """Return a street, and for each of its nodes the tree's node and how likely it is reached."""
    found, parents = list(roots), [NO_PARENT] * len(roots)
    kinds: list[int] = []
    players: list[int] = []
    first_children: list[int] = []
    counts: list[int] = []
    stakes: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for place, (node, chance) in enumerate(found):  # the list grows meanwhile
        known = tree.nodes[node]
        stake = float(known["stake"]) * unit
        kind, player, first_child, count = SHOWDOWN, -1, -1, 0
        paid = (0.0, stake), (0.0, stake)
        if known["kind"] == DECIDED:
            paid = (0.0, 0.0), (0.0, 0.0)
            kind = CHANCE
            if known["street"] == number:
                kind = DECISION
                player = int(known["player"]) ^ is_swapped
                first_child, begin = len(found), int(known["first_child"])
                chances = [chance] * int(known["num_actions"])
                if likely is not None:
                    chances = list(likely(node, chance))
                bound = min(least, max(chances))
                found.extend((begin + n, each) for n, each in enumerate(chances) if each >= bound)
                count = len(found) - first_child
                parents.extend([place] * count)
        elif known["kind"] == FOLDED:
            kind = FOLD
            won = -stake if is_swapped else stake
            paid = (won, 0.0), (-won, 0.0)
        elif number < tree.num_streets - 1:
            kind = RUNOUT
        kinds.append(kind)
        players.append(player)
        first_children.append(first_child)
        counts.append(count)
        stakes.append(paid)
    total = len(found)
    street = Street(
        kind=np.array(kinds, np.uint8),
        player=np.array(players, np.int32),
        parent=np.array(parents, np.int32),
        first_child=np.array([total if c < 0 else c for c in first_children], np.int32),
        num_actions=np.array(counts, np.int32),
        stakes=np.array(stakes),
    )
    return street, found
