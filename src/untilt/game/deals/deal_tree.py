"""Betting trees that are learnt from deals: an infoset is a betting node and a bucket of hands.

Games such as whole hold'em have too many histories and too many hands to walk. Here the betting
is a flat tree without chance: where a street ends, the first decision of the next one follows.
*Deals* describe the cards: each gives the buckets of some hands on every street, and
how strong they are at showdown. So the tree and its trainer know bets and buckets, never cards.

    tree = grow(root, expand)           # expand: position → Decision, Fold or Showdown
    tree.num_entries(buckets=(169, 200, 200, 200))
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from untilt.errors import GameTooLarge
from untilt.numeric.arrays import Indices, Offsets, Records

DECISION, FOLD, SHOWDOWN = 0, 1, 2
"""Kinds of nodes."""

LANES = 16
"""Hands of the learning player in a deal; the opponent's hand follows them."""

MAX_ACTIONS = 255

NODE = np.dtype(
    (
        np.record,
        [
            ("first_child", np.uint32),
            ("row", np.uint32),
            ("stake", np.float32),
            ("kind", np.uint8),
            ("player", np.uint8),
            ("street", np.uint8),
            ("num_actions", np.uint8),
        ],
    )
)
"""A node in 16 bytes. Children are neighbours, so the first one and their number suffice; `row` is
the place of a decision's first action among all actions of its street. At a fold `stake` is what
player 0 wins, at a showdown what the stronger hand wins, in chips."""

Position = TypeVar("Position")


class DecisionNode(NamedTuple):
    """A player's turn, as `grow` expects it."""

    player: int
    street: int
    children: Sequence[object]
    """The position after each action."""


class Fold(NamedTuple):
    """The end of a hand without showdown."""

    win: float
    """The gain of player 0, in chips."""


class ShowdownNode(NamedTuple):
    """The end of a hand at which cards decide."""

    stake: float
    """The gain of the stronger hand, in chips."""


class TrainerDeals(NamedTuple):
    """Cards as a trainer sees them: LANES hands of the learning player, then the opponent's."""

    buckets: npt.NDArray[np.uint16]
    """[deals, streets, LANES + 1]"""
    strength: npt.NDArray[np.int32]
    """[deals, LANES + 1]: the stronger hand has the greater number, equal ones split the pot."""


def make_deals(count: int, num_streets: int) -> TrainerDeals:
    """Return memory for `count` deals."""
    return TrainerDeals(
        np.zeros((count, num_streets, LANES + 1), dtype=np.uint16),
        np.zeros((count, LANES + 1), dtype=np.int32),
    )


@dataclass(frozen=True, eq=False)
class DealTree:
    """The betting of a game as flat nodes, parents before children; node 0 is the root."""

    nodes: Records
    """[nodes] of NODE"""
    widths: Offsets
    """[streets]: the number of actions of all decisions of a street, both players'."""

    @property
    def num_streets(self) -> int:
        """Streets of betting."""
        return len(self.widths)

    def num_decisions(self, street: int) -> int:
        """Return the number of decisions on a street."""
        return len(self.rows_of(street)[0])

    def num_infosets(self, buckets: Sequence[int]) -> int:
        """Return the number of infosets with these numbers of buckets per street."""
        return sum(count * self.num_decisions(street) for street, count in enumerate(buckets))

    def num_entries(self, buckets: Sequence[int]) -> int:
        """Return the number of actions of all infosets with these numbers of buckets per street."""
        return sum(int(width) * count for width, count in zip(self.widths, buckets, strict=True))

    def rows_of(self, street: int) -> tuple[Indices, Indices]:
        """Return first row and number of actions of each decision on a street, in their order."""
        nodes = self.nodes
        chosen = nodes[(nodes["kind"] == DECISION) & (nodes["street"] == street)]
        return chosen["row"].astype(np.uint32), chosen["num_actions"].astype(np.uint32)

    @cached_property
    def most_visited(self) -> int:
        """The most nodes in a walk that explores all actions of one player, and one action at each
        decision of the other.
        """
        kinds, owners = self.nodes["kind"].tolist(), self.nodes["player"].tolist()
        firsts, counts = self.nodes["first_child"].tolist(), self.nodes["num_actions"].tolist()
        most = [[1] * len(kinds), [1] * len(kinds)]
        for node in range(len(kinds) - 1, -1, -1):
            if kinds[node] == DECISION:
                own = owners[node]
                children = slice(firsts[node], firsts[node] + counts[node])
                most[own][node] += sum(most[own][children])
                most[1 - own][node] += max(most[1 - own][children])
        return max(most[0][0], most[1][0])

    @property
    def most_actions(self) -> int:
        """The most actions of a decision."""
        return int(self.nodes["num_actions"].max())


def grow(
    root: Position,
    expand: Callable[[Position], DecisionNode | Fold | ShowdownNode],
    max_nodes: int = 20_000_000,
) -> DealTree:
    """Return the betting tree above `root`.

    Nodes are in breadth-first order. Raises GameTooLarge beyond `max_nodes`.
    """
    positions: deque[Position] = deque([root])
    num_positions = 1
    nodes: list[tuple[int, int, float, int, int, int, int]] = []
    widths: list[int] = []
    while positions:
        found = expand(positions.popleft())
        if isinstance(found, DecisionNode):
            count = len(found.children)
            if not 1 <= count <= MAX_ACTIONS:
                raise GameTooLarge(
                    f"a decision offers {count:,} actions; {MAX_ACTIONS} are possible: give fewer "
                    "bet sizes"
                )
            widths.extend([0] * (found.street + 1 - len(widths)))
            row = widths[found.street]
            widths[found.street] += count
            nodes.append((num_positions, row, 0.0, DECISION, found.player, found.street, count))
            positions.extend(found.children)  # type: ignore[arg-type]
            num_positions += count
            if num_positions > max_nodes:
                raise GameTooLarge(
                    f"the betting has more than {max_nodes:,} nodes: give fewer bet sizes, or "
                    "allow fewer raises"
                )
        elif isinstance(found, Fold):
            nodes.append((0, 0, found.win, FOLD, 0, 0, 0))
        else:
            nodes.append((0, 0, found.stake, SHOWDOWN, 0, 0, 0))
    return DealTree(np.array(nodes, dtype=NODE), np.array(widths, dtype=np.int64))
