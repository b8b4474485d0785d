"""The size of a spot before it is built: nodes, hands, and bytes that a solver needs."""

from dataclasses import dataclass
from typing import Any

from untilt.errors import Argument, GameTooLarge, InvalidOption
from untilt.games.holdem.bets.betting_tree import MAX_NODES, too_many_nodes
from untilt.games.holdem.cost.betting_count import BettingCount, CountingWork
from untilt.games.holdem.cost.spot_memory import PROCESS_BYTES, Storage, Working, working_memory
from untilt.games.holdem.cost.spot_time import (
    SolvingTime,
    iteration_seconds,
    noisy_solving_time,
    solving_time,
)
from untilt.games.holdem.spots.board_tree import BoardTree, build_board_tree
from untilt.games.holdem.spots.spot import Spot
from untilt.numeric.arrays import Offsets

LANE_BLOCK = 16
"""Solvers store the lanes of a board in blocks of this many."""
BYTES_PER_NUMBER = {"float32": 4, "int16": 2, "float64": 8}

_NUM_ARRAYS = 2
"""Regrets and the average strategy."""
_MARK_BYTES = 2
"""Whether an action is locked."""
DEFAULT_STORAGE = Storage()


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
    depth: float
    """The stack as a multiple of the pot."""
    numbers: int
    """Numbers that a solver stores: an action, a lane and a board each."""
    form_bytes: int
    """Bytes of lanes, deals and run-outs."""
    working: Working
    """Bytes that solving takes besides these."""
    has_locks: bool = False
    """Whether parts of the strategies are locked."""

    def to_json(self, storage: Storage = DEFAULT_STORAGE) -> dict[str, Any]:
        """Return the size as plain data, as `untilt spot --dry-run --json` prints it."""
        return {
            "nodes": self.nodes,
            "betting_nodes": list(self.betting_nodes),
            "boards": list(self.boards),
            "hands": list(self.hands),
            "memory_bytes": self.total_bytes(storage),
            "table_bytes": self.table_bytes(storage),
            "peak_bytes": self.peak_bytes(storage),
            "seconds_per_iteration": self.seconds_per_iteration,
            "seconds_low": self.seconds.low,
            "seconds_high": self.seconds.high,
        }

    def storage_bytes(self, precision: str = "float32") -> int:
        """Return the bytes of regrets and average strategy, stored as `float32` or `int16`."""
        if precision not in BYTES_PER_NUMBER:
            raise InvalidOption.of("precision", precision, "give 'float32', 'int16' or 'float64'")
        return self.numbers * BYTES_PER_NUMBER[precision]

    def total_bytes(self, storage: Storage = DEFAULT_STORAGE) -> int:
        """Return the bytes of strategies and form together, of regrets too if there are any."""
        stored = storage._replace(num_tables=min(storage.num_tables, _NUM_ARRAYS))
        return self.table_bytes(stored) + self.form_bytes

    def table_bytes(self, storage: Storage = DEFAULT_STORAGE) -> int:
        """Return the bytes of all tables of a method."""
        return self.storage_bytes(storage.precision) * storage.num_tables // _NUM_ARRAYS

    def peak_bytes(self, storage: Storage = DEFAULT_STORAGE) -> int:
        """Return about the most memory that a process takes that solves and saves the spot.

        The interpreter and compiled code are part of it. Locks count as if both players had some.
        """
        tables = self.table_bytes(storage)
        marks = self.numbers // _NUM_ARRAYS * _MARK_BYTES if self.has_locks else 0
        working = self.working
        if storage.is_quantal:
            working = working.in_quantal(BYTES_PER_NUMBER[storage.precision])
        scratch = working.per_thread * min(storage.threads, working.num_threads)
        closing = tables // storage.num_tables + working.closing
        kept = PROCESS_BYTES + self.form_bytes + working.shared
        return kept + max(tables + marks + scratch, closing)

    @property
    def seconds_per_iteration(self) -> float:
        """About how long an iteration takes on one processor."""
        return iteration_seconds(self.numbers, self.boards)

    @property
    def seconds(self) -> SolvingTime:
        """The time that one processor needs to reach 0.1 % of the pot: a range."""
        return solving_time(self.depth, self.betting_nodes[0], self.seconds_per_iteration)

    def noisy_seconds(self, noises: tuple[float, float]) -> SolvingTime:
        """Return the time that one processor needs to a residual of 1e-3: a range.

        `noises` are both players', as shares of the pot.
        """
        return noisy_solving_time(noises, self.depth, self.seconds_per_iteration)


def measure_spot(spot: Spot, *, is_merged: bool = True) -> SpotSize:
    """Return the size of a spot, in a fraction of a second, without building anything.

    Raises InvalidOption if the sizes offer no bet, GameTooLarge if the betting alone is too large.
    """
    return _Measure(spot, is_merged).of_countable(spot.count_betting())


def check_fits(
    spot: Spot,
    limit_bytes: int,
    storage: Storage = DEFAULT_STORAGE,
    *,
    is_merged: bool = True,
) -> SpotSize:
    """Return the size of a spot; raises GameTooLarge if its peak is more than `limit_bytes`.

    The message says how much is needed, and which bet size costs most.
    """
    measure = _Measure(spot, is_merged)
    size = measure.of_countable(spot.count_betting())
    needed = size.peak_bytes(storage)
    if needed <= limit_bytes:
        return size
    hints: list[tuple[str | Argument, ...]] = []
    short_bytes = size.peak_bytes(storage._replace(precision="int16"))
    can_be_short = storage.precision != "int16" and storage.num_tables == _NUM_ARRAYS
    if can_be_short and short_bytes <= limit_bytes:
        hints.append(("give ", Argument("precision", "int16"), f" ({shown_bytes(short_bytes)})"))
    smaller = _smallest_variant(spot, measure, storage)
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
    """Return a number of bytes for people, such as `345 MB`; at most 1,000 EB."""
    shown, scaled = f"{number} bytes", float(min(number, 10**21))
    for unit in ("kB", "MB", "GB", "TB", "PB", "EB"):
        scaled /= 1_000.0
        rounded = float(f"{scaled:.3g}")
        if rounded >= 1.0:
            shown = f"{rounded:,.4g} {unit}"
    return shown


class _Measure:
    """Boards and lanes of a spot, which do not depend on its bet sizes."""

    def __init__(self, spot: Spot, is_merged: bool) -> None:
        weights = [hand_range.weights for hand_range in spot.ranges]
        self.boards: BoardTree = build_board_tree(spot.board, weights, is_merged=is_merged)
        combos = spot.combos(0), spot.combos(1)
        self.hands = len(combos[0]), len(combos[1])
        self.depth = spot.stack / spot.pot
        self.has_locks = bool(spot.locks)
        self.lanes = [
            (street.count_lanes(combos[0]), street.count_lanes(combos[1]))
            for street in self.boards.streets
        ]

    def of_countable(self, betting: BettingCount) -> SpotSize:
        """Return the size; raises GameTooLarge for too many nodes, or for too many to count."""
        size = self.of(betting)
        if betting.is_complete and betting.num_nodes <= MAX_NODES:
            return size
        raise too_many_nodes(betting, shown_bytes(size.peak_bytes()))

    def of(self, betting: BettingCount) -> SpotSize:
        num_boards = tuple(street.num_boards for street in self.boards.streets)
        return SpotSize(
            nodes=sum(
                int(count) * boards
                for count, boards in zip(_nodes_per_board(betting), num_boards, strict=True)
            ),
            betting_nodes=tuple(int(street.num_nodes) for street in betting.streets),
            boards=num_boards,
            hands=self.hands,
            depth=self.depth,
            numbers=_NUM_ARRAYS
            * sum(
                int(street.actions[player]) * _padded(lanes[player])
                for street, lanes in zip(betting.streets, self.lanes, strict=True)
                for player in (0, 1)
            ),
            form_bytes=self._form_bytes(betting),
            working=working_memory(betting, self.boards, self.lanes),
            has_locks=self.has_locks,
        )

    def _form_bytes(self, betting: BettingCount) -> int:
        total = 0
        for number, (lanes, street) in enumerate(zip(self.lanes, self.boards.streets, strict=True)):
            is_last = number == len(self.lanes) - 1
            for own in lanes:
                # A hand, two blockers and, at the end, a strength; then the maps of all edges.
                total += int(own.sum()) * (6 if is_last else 4)
                total += int(own[street.edge_child].sum()) * 2
            if not is_last and betting.streets[number].all_ins:
                total += int((lanes[0] * lanes[1]).sum()) * 2
        return total


def _nodes_per_board(betting: BettingCount) -> list[float]:
    """Return the nodes of each street; an all-in has a node on every street that follows."""
    counts: list[float] = []
    num_all_in = 0.0
    for street in betting.streets:
        counts.append(street.num_nodes + num_all_in)
        num_all_in += street.all_ins
    return counts


def _padded(lanes: Offsets) -> int:
    return int((-(-lanes // LANE_BLOCK) * LANE_BLOCK).sum())


def _smallest_variant(spot: Spot, measure: _Measure, storage: Storage) -> tuple[str, int] | None:
    """Return the size whose removal saves the most, and how much is then needed.

    Of very many sizes, only the first are tried.
    """
    best: tuple[str, int] | None = None
    work = CountingWork()
    for name, sizes in spot.sizes.variants():
        try:
            betting = spot.replaced(sizes=sizes).count_betting(work)
        except InvalidOption:
            continue
        if not betting.is_complete:
            break
        needed = measure.of(betting).peak_bytes(storage)
        if best is None or needed < best[1]:
            best = name, needed
    return best
