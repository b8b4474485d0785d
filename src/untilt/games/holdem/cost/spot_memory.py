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


class Storage(NamedTuple):
    """The storage of a method's numbers, which decides its memory."""

    precision: str = "float32"
    num_tables: int = 2
    """Numbers per action, lane and board: regret, average and, for some methods, prediction."""
    threads: int = 1


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


def working_memory(betting: BettingCount, boards: BoardTree, lanes: Lanes) -> Working:
    """Return the memory of solving besides the numbers stored and the form, in bytes."""
    shared = closing = 0.0
    last = len(lanes) - 1
    for number, (nodes, street) in enumerate(zip(betting.streets, boards.streets, strict=True)):
        first, second = lanes[number]
        shared += nodes.num_nodes * _NODE_BYTES + street.num_boards * _BOARD_BYTES
        num_dealt = nodes.closings if number < last else 0
        for player, own in enumerate(lanes[number]):
            shared += _sum(padded(own)) * (_LANE_BYTES + _SINGLE * num_dealt)
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
        num_sums = num_chunks * betting.streets[0].closings
        shared += _SINGLE * num_sums * sum(_sum(padded(own)) for own in lanes[0])
    hands = [_sum(own) for own in lanes[0]]
    closing += _DOUBLE * _VIEW_ARRAYS * betting.streets[0].num_nodes * sum(hands)
    closing += _DOUBLE * _VIEW_ROWS * (max(hands) + 1) * (NUM_CARDS + 1)
    return Working(int(shared), _scratch_bytes(betting, lanes), num_chunks, int(closing))


def _scratch_bytes(betting: BettingCount, lanes: Lanes) -> int:
    """Return about how much `scratch_of` of `public_sweeps` takes."""
    numbers = most_paid = 0.0
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
        widest, most_paid = max(widest, width), max(most_paid, width * (num_settled + _TILE))
        num_roots = num_dealt
    return int(_SINGLE * (numbers + 2 * widest * COLUMNS + 2 * most_paid))


def _sum(counts: Offsets) -> int:
    return int(counts.sum())
