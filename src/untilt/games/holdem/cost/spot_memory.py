"""The memory that solving a spot takes besides tables, lanes, deals and run-outs.

`benchmarks/spot_memory.py` compares the sum with the measured peak of real solves.
"""

from collections.abc import Sequence
from typing import NamedTuple

from untilt.cards.card import NUM_CARDS
from untilt.game.public.public_layout import COLUMNS, padded
from untilt.games.holdem.cost.betting_count import BettingCount
from untilt.games.holdem.spots.board_tree import BoardTree
from untilt.numeric.arrays import Offsets

PROCESS_BYTES = 210_000_000
"""The interpreter, libraries and compiled code: 206 to 209 MB measured (Python 3.11, Linux). More
than a third are pages of the compiler's library, which the system can drop. A run that compiles
kernels, the first time only, peaks at up to 80 MB more."""

_DOUBLE, _SINGLE, _SHORT = 8, 4, 2
_LANE_BYTES = 8
"""A lane as sweeps need it: two blockers, its twin, and two numbers of weaker hands."""
_PREPARED_BYTES = 9
"""What comparing a lane of the last street leaves in the process: freed, but not given back."""
_NODE_BYTES = 1_000
"""A betting node: its state and actions as objects, and its rows in arrays."""
_BOARD_BYTES = 2_500
"""A board: cards and symmetries as objects, and its rows in arrays."""
_TILE = 8
_VIEW_ROWS, _VIEW_ARRAYS = 16, 3
"""`public_snapshot` compares this many reaches at a time, and needs this many arrays of [nodes,
lanes]."""

Lanes = Sequence[tuple[Offsets, Offsets]]
"""Per street and player, [boards] the number of lanes."""


QUANTAL_TABLES = 1
"""Quantal response stores strategies alone."""


class Storage(NamedTuple):
    """The storage of a method's numbers, which decides its memory."""

    precision: str = "float32"
    num_tables: int = 2
    """Numbers per action, lane and board: regret, average and, for some methods, prediction; one
    for quantal response."""
    threads: int = 1

    @property
    def is_quantal(self) -> bool:
        """Whether strategies alone are stored, as quantal response does."""
        return self.num_tables == QUANTAL_TABLES


class Working(NamedTuple):
    """Bytes that a solver needs besides what it stores."""

    shared: int
    """Lanes and run-outs in whole vectors, maps and values of deals; betting and boards as
    objects."""
    per_thread: int
    """Reaches and values of one board of each street."""
    num_threads: int
    """Threads that have something to do, at most: one per board after the first."""
    closing: int
    """Run-outs for equities, and values of the first street in float64. They are computed when the
    averages alone are still needed: only on rivers is this the peak."""
    num_dealt: int
    """Values of deals, part of `shared`."""
    num_sums: int
    """What chunks add up, part of `shared`."""
    quantal_per_thread: int
    """Numbers of a thread in quantal response."""

    def in_quantal(self, number_bytes: int) -> "Working":
        """Return the memory of quantal response, whose numbers have so many bytes.

        Chunks also add up surprises.
        """
        shared = self.shared - _SINGLE * (self.num_dealt + self.num_sums)
        shared += number_bytes * (self.num_dealt + 2 * self.num_sums)
        return self._replace(shared=shared, per_thread=self.quantal_per_thread * number_bytes)


def working_memory(betting: BettingCount, boards: BoardTree, lanes: Lanes) -> Working:
    """Return the memory of solving besides the numbers stored and the form, in bytes."""
    shared = closing = dealt = sums = 0.0
    last = len(lanes) - 1
    for number, (nodes, street) in enumerate(zip(betting.streets, boards.streets, strict=True)):
        first, second = lanes[number]
        shared += nodes.num_nodes * _NODE_BYTES + street.num_boards * _BOARD_BYTES
        num_dealt = nodes.closings if number < last else 0
        for player, own in enumerate(lanes[number]):
            shared += _sum(padded(own)) * _LANE_BYTES
            dealt += _sum(padded(own)) * num_dealt
            shared += _sum(own) * _PREPARED_BYTES if number == last > 0 else 0
            if number:
                shared += _SHORT * _sum(padded(own)[street.edge_child])
                shared += _SHORT * _sum(padded(lanes[number - 1][player])[street.edge_parent])
        if number < last and nodes.all_ins:
            shared += _SHORT * _sum(first * padded(second))
        elif number < last:
            closing += _SHORT * _sum(first * second)
    num_chunks = 1
    if last:
        num_chunks = boards.streets[1].num_boards
        num_rows = num_chunks * betting.streets[0].closings
        sums = num_rows * sum(_sum(padded(own)) for own in lanes[0])
    shared += _SINGLE * (dealt + sums)
    hands = [_sum(own) for own in lanes[0]]
    closing += _DOUBLE * _VIEW_ARRAYS * betting.streets[0].num_nodes * sum(hands)
    closing += _DOUBLE * _VIEW_ROWS * (max(hands) + 1) * (NUM_CARDS + 1)
    numbers, more = _scratch_numbers(betting, lanes)
    return Working(
        shared=int(shared),
        per_thread=_SINGLE * numbers,
        num_threads=num_chunks,
        closing=int(closing),
        num_dealt=int(dealt),
        num_sums=int(sums),
        quantal_per_thread=more,
    )


def _scratch_numbers(betting: BettingCount, lanes: Lanes) -> tuple[int, int]:
    """Return about how much `scratch_of` of `public_sweeps` takes, and `quantal_scratch_of`."""
    numbers = more = most_paid = most_reached = 0.0
    widest = 0
    num_roots = 1.0
    last = len(lanes) - 1
    for number, (nodes, counts) in enumerate(zip(betting.streets, lanes, strict=True)):
        width = max(int(padded(own).max()) for own in counts)
        # Reaches change where the opponent acts.
        num_reach_rows = max(nodes.actions) + num_roots
        num_dealt = nodes.closings if number < last else 0.0
        num_paid = nodes.num_nodes - nodes.decisions - num_dealt
        num_settled = min(num_paid, num_reach_rows)
        numbers += width * (num_reach_rows + _TILE + nodes.num_nodes + num_dealt)
        more += width * (2 * num_reach_rows + nodes.num_nodes + 2 * num_dealt)
        widest, most_paid = max(widest, width), max(most_paid, width * (num_settled + _TILE))
        most_reached = max(most_reached, width * (num_reach_rows + _TILE))
        num_roots = num_dealt
    numbers += 2 * widest * COLUMNS
    return int(numbers + 2 * most_paid), int(numbers + more + 2 * most_reached)


def _sum(counts: Offsets) -> int:
    return int(counts.sum())
