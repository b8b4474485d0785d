"""How large a spot is, before it is built: nodes, hands, and bytes that a solver needs."""

from dataclasses import dataclass

import numpy as np

from untilt.errors import Argument, GameTooLarge, InvalidOption
from untilt.game.public_tree import RUNOUT
from untilt.games.holdem.betting_tree import BettingTree
from untilt.games.holdem.board_tree import BoardTree, build_board_tree
from untilt.games.holdem.spot import Spot
from untilt.numeric.arrays import Offsets

LANE_BLOCK = 16
"""Solvers store the lanes of a board in blocks of this many."""
BYTES_PER_NUMBER = {"float32": 4, "int16": 2}

_NUM_ARRAYS = 2
"""Regrets and the average strategy."""


_NUMBERS_PER_SECOND = 4.5e8
_RIVER_ITERATIONS, _ITERATIONS = 120, 220
"""Measured by benchmarks/spots.py: 440 to 520 million numbers a second; 0.1 % of the pot takes
about 120 iterations on rivers, and 150 to 280 elsewhere."""


@dataclass(frozen=True)
class SpotSize:
    """The size of a spot as a public tree."""

    nodes: int
    """Nodes on all boards, as the leading solvers count: an all-in is dealt out card by card."""
    betting_nodes: tuple[int, ...]
    """Nodes of the betting of each street, which is the same on all boards."""
    boards: tuple[int, ...]
    """Boards of each street, interchangeable ones once."""
    hands: tuple[int, int]
    """Combos of each player that the board leaves."""
    numbers: int
    """Numbers that a solver stores: an action, a lane and a board each."""
    form_bytes: int
    """Bytes of lanes, deals and run-outs."""

    def storage_bytes(self, precision: str = "float32") -> int:
        """Return the bytes of regrets and average strategy, stored as `float32` or `int16`."""
        if precision not in BYTES_PER_NUMBER:
            raise InvalidOption.of("precision", precision, "give 'float32' or 'int16'")
        return self.numbers * BYTES_PER_NUMBER[precision]

    def total_bytes(self, precision: str = "float32") -> int:
        """Return the bytes of storage and form together."""
        return self.storage_bytes(precision) + self.form_bytes

    @property
    def seconds_per_iteration(self) -> float:
        """About how long an iteration takes on one processor."""
        return self.numbers / _NUMBERS_PER_SECOND

    @property
    def seconds(self) -> float:
        """About how long it takes on one processor to reach 0.1 % of the pot."""
        is_river = len(self.boards) == 1
        return (_RIVER_ITERATIONS if is_river else _ITERATIONS) * self.seconds_per_iteration


def measure_spot(spot: Spot, *, is_merged: bool = True) -> SpotSize:
    """Return how large a spot is, without building its lanes.

    Raises InvalidOption if the sizes offer no bet, GameTooLarge if the betting alone is too large.
    """
    return _Measure(spot, is_merged).of(spot.betting_tree())


def check_fits(
    spot: Spot, limit_bytes: int, precision: str = "float32", *, is_merged: bool = True
) -> SpotSize:
    """Return the size of a spot; raises GameTooLarge if it needs more than `limit_bytes`.

    The message says how much is needed, and which bet size costs most.
    """
    measure = _Measure(spot, is_merged)
    size = measure.of(spot.betting_tree())
    needed = size.total_bytes(precision)
    if needed <= limit_bytes:
        return size
    hints: list[tuple[str | Argument, ...]] = []
    if precision != "int16" and size.total_bytes("int16") <= limit_bytes:
        smaller_bytes = shown_bytes(size.total_bytes("int16"))
        hints.append(("give ", Argument("precision", "int16"), f" ({smaller_bytes})"))
    smaller = _smallest_variant(spot, measure, precision)
    if smaller is not None:
        name, left = smaller
        hints.append((f"drop {name} ({shown_bytes(left)} without it)",))
    hints.append(("limit raises with ", Argument("max_raises")))
    advice = [part for hint in hints for part in (", or ", *hint)][1:]
    raise GameTooLarge(
        f"the tree of {size.nodes:,} nodes needs {shown_bytes(needed)}, but "
        f"{shown_bytes(limit_bytes)} are available: ",
        *advice,
    )


def shown_bytes(number: int) -> str:
    """Return a number of bytes for people, such as `345 MB`."""
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number} bytes"


class _Measure:
    """Boards and lanes of a spot, which do not depend on its bet sizes."""

    def __init__(self, spot: Spot, is_merged: bool) -> None:
        weights = [hand_range.weights for hand_range in spot.ranges]
        self.boards: BoardTree = build_board_tree(spot.board, weights, is_merged=is_merged)
        combos = spot.combos(0), spot.combos(1)
        self.hands = len(combos[0]), len(combos[1])
        self.lanes = [
            (street.count_lanes(combos[0]), street.count_lanes(combos[1]))
            for street in self.boards.streets
        ]

    def of(self, betting: BettingTree) -> SpotSize:
        num_boards = tuple(street.num_boards for street in self.boards.streets)
        return SpotSize(
            nodes=sum(
                count * boards
                for count, boards in zip(_nodes_per_board(betting), num_boards, strict=True)
            ),
            betting_nodes=tuple(street.num_nodes for street in betting.streets),
            boards=num_boards,
            hands=self.hands,
            numbers=_NUM_ARRAYS
            * sum(
                forest.num_rows(player) * _padded(lanes[player])
                for forest, lanes in zip(betting.streets, self.lanes, strict=True)
                for player in (0, 1)
            ),
            form_bytes=self._form_bytes(betting),
        )

    def _form_bytes(self, betting: BettingTree) -> int:
        total = 0
        for number, (lanes, street) in enumerate(zip(self.lanes, self.boards.streets, strict=True)):
            is_last = number == len(self.lanes) - 1
            for own in lanes:
                # A hand, two blockers and, at the end, a strength; then the maps of all edges.
                total += int(own.sum()) * (6 if is_last else 4)
                total += int(own[street.edge_child].sum()) * 2
            if (betting.streets[number].kind == RUNOUT).any():
                total += int((lanes[0] * lanes[1]).sum()) * 2
        return total


def _nodes_per_board(betting: BettingTree) -> list[int]:
    """Return the nodes of each street; an all-in has a node on every street that follows."""
    counts: list[int] = []
    num_all_in = 0
    for street in betting.streets:
        counts.append(street.num_nodes + num_all_in)
        num_all_in += int(np.count_nonzero(street.kind == RUNOUT))
    return counts


def _padded(lanes: Offsets) -> int:
    return int((-(-lanes // LANE_BLOCK) * LANE_BLOCK).sum())


def _smallest_variant(spot: Spot, measure: _Measure, precision: str) -> tuple[str, int] | None:
    """Return the size whose removal saves the most, and how much is then needed."""
    best: tuple[str, int] | None = None
    for name, sizes in spot.sizes.variants():
        try:
            betting = spot.replaced(sizes=sizes).betting_tree()
        except (InvalidOption, GameTooLarge):
            continue
        needed = measure.of(betting).total_bytes(precision)
        if best is None or needed < best[1]:
            best = name, needed
    return best
