"""The public tree: betting that everyone sees, with an axis of private hands behind every number.

For games such as hold'em whose histories are too many to walk. Three parts:

- **Streets.** The betting of a street is the same whatever cards lie on the board, so it is stored
  once: a forest with one tree for every way in which the previous street can lead here.
- **Boards.** A board is what chance has shown by a street. It has *lanes*: the hands that a player
  can hold there, each with two blockers and, on the last street, an order of strength. Two hands
  exclude one another if they share a blocker; sharing both makes them the same hand.
- **Deals.** An edge of chance leads from a board to one of the next street, and says from which
  lane each lane comes.

A number of a solver is then indexed by street, board, row of the forest and lane. Nothing here
knows a card: a blocker is a number, and a lane is what the game says it is. A game whose hands
are single cards gives each lane a second blocker of its own.

Every leaf is paid in one form. With C(i) the sum of the opponent's reaches over the hands that
hand i does not exclude, and D(i) the same sum over weaker hands minus that over stronger ones,
hand i is paid a · C(i) + b · D(i). A fold has b = 0. A showdown that splits ties has b = half of
what winning and losing differ by, and a = the mean of the two: 0, or half of a rake.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.numeric.arrays import Floats, Ints, Offsets

DECISION, FOLD, SHOWDOWN, RUNOUT, CHANCE = 0, 1, 2, 3, 4
"""Kinds of nodes: a player acts; a player has folded; hands are compared on the last street;
all are all-in and the rest of the board is dealt; the next street begins."""

NO_PARENT = -1

Kinds = npt.NDArray[np.uint8]
Blockers = npt.NDArray[np.uint8]
Hands = npt.NDArray[np.uint16]
Lanes = npt.NDArray[np.int16]


class Street(NamedTuple):
    """The betting of a street as a forest; nodes in breadth-first order, children side by side.

    Nodes 0, 1, … are the roots. Root k continues the k-th node of kind CHANCE of the previous
    street; the first street has one root.
    """

    kind: Kinds
    """[nodes]: DECISION or a kind of leaf."""
    player: Ints
    """[nodes]: who acts, or −1 at a leaf."""
    parent: Ints
    """[nodes]: NO_PARENT at a root."""
    first_child: Ints
    """[nodes]: the first of the children; the number of nodes at a leaf."""
    num_actions: Ints
    """[nodes]: 0 at a leaf, at least 1 elsewhere."""
    stakes: Floats
    """[nodes, players, 2]: a and b of what a leaf pays; 0 where nothing is paid."""

    @property
    def num_nodes(self) -> int:
        """Nodes of the forest, leaves included."""
        return len(self.kind)

    @property
    def num_roots(self) -> int:
        """Trees of the forest."""
        return int(np.count_nonzero(self.parent == NO_PARENT))


class Boards(NamedTuple):
    """The lanes of one player on every board of a street, board after board."""

    first_lane: Offsets
    """[boards + 1]: where the lanes of each board begin."""
    hand: Hands
    """[lanes]: which of the player's hands it is, as an index into `PublicTree.weights`."""
    blockers: Blockers
    """[lanes, 2]."""
    strength: Hands
    """[lanes]: the order at showdown, greater is stronger, equal shares the pot. On the last street
    it ascends within a board; on others it is empty."""

    @property
    def num_boards(self) -> int:
        """Boards of the street."""
        return len(self.first_lane) - 1

    def lanes(self, board: int) -> slice:
        """Return the range of a board's lanes."""
        return slice(int(self.first_lane[board]), int(self.first_lane[board + 1]))


class DealEdges(NamedTuple):
    """Chance edges from the boards of one street to those of the next, ordered by child.

    Interchangeable boards are stored once. The first edge to a child is the deal itself; each
    further one is a deal that differs by a symmetry of both ranges and all earlier boards, and
    stands for the same strategies with the hands of a lane renamed.
    """

    parent: Ints
    """[edges]: boards of the earlier street; also ascending."""
    child: Ints
    """[edges]: boards of the later street."""
    probability: float
    """Of each edge, given two hands that do not exclude it."""
    first_lane: tuple[Offsets, Offsets]
    """Per player, [edges + 1]: where an edge begins in `lane`."""
    lane: tuple[Lanes, Lanes]
    """Per player, for each lane of the child: the lane of the parent that it comes from."""


class RunoutBalances(NamedTuple):
    """The balance of all-ins before the last street, on every board of a street.

    If a game ends before its last street because the values beyond that point are known, every leaf
    may have its own matrix: what player 0 wins with each pair of hands, in some unit.
    """

    first: Offsets
    """[boards + 1]: where the matrices of a board begin."""
    balance: npt.NDArray[np.int16]
    """Per board and matrix, [lanes of player 0, lanes of player 1] in row-major order: run-outs
    that player 0 wins minus those that player 1 wins; 0 where two hands exclude one another."""
    probability: float
    """Of one run-out."""
    matrix: Ints | None = None
    """[nodes]: which matrix of the board pays a node of kind RUNOUT; None if there is only one
    matrix."""


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A two-player game in public form; see the module."""

    weights: tuple[Floats, Floats]
    """Per player, [hands]: the weight of each hand, positive; it is lane `hand` of the first
    street's only board."""
    streets: tuple[Street, ...]
    boards: tuple[tuple[Boards, Boards], ...]
    """Per street, per player."""
    deals: tuple[DealEdges, ...]
    """Between each street and the next."""
    runouts: tuple[RunoutBalances | None, ...]
    """Per street; None if it has no node of kind RUNOUT."""
    num_blockers: int
    """Blockers are numbers below this."""
    baseline: tuple[float, float] = (0.0, 0.0)
    """Added to each player's values when they are shown: for example half of the pot of a spot,
    whose leaves are counted from an even split."""

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether one player gains what the other loses, at every leaf."""
        # D changes its sign with the player, C does not.
        return all(
            np.array_equal(street.stakes[:, 0] * (-1, 1), street.stakes[:, 1])
            for street in self.streets
        )

    def board_chances(self, street: int) -> Floats:
        """Return [boards] how likely each board of a street is, given two hands that leave it.

        A board that stands for several counts for all of them.
        """
        chances: Floats = np.ones(1)
        for number, deals in enumerate(self.deals[:street], start=1):
            chances = np.bincount(
                deals.child,
                chances[deals.parent] * deals.probability,
                minlength=self.boards[number][0].num_boards,
            ).astype(np.float64)
        return chances

    @cached_property
    def total_weight(self) -> float:
        """The sum, over pairs of hands that do not exclude one another, of products of weights."""
        boards, weights = self.boards[0], self.weights
        sums = np.zeros(self.num_blockers)
        for column in (0, 1):
            np.add.at(sums, boards[1].blockers[:, column], weights[1])
        pair = (self.num_blockers, 1)
        codes = [np.sort(each.blockers.astype(np.int64), axis=1) @ pair for each in boards]
        same = dict(zip(codes[1].tolist(), weights[1].tolist(), strict=True))
        twins = np.array([same.get(code, 0.0) for code in codes[0].tolist()])
        blocked = sums[boards[0].blockers].sum(axis=1) - twins
        return float(weights[0] @ (weights[1].sum() - blocked))
