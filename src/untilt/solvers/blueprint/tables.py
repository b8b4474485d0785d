"""Regrets and strategy sums of all infosets, as float32 or in 16 bits (`numeric.half_floats`).

The range of float16 is small. So its numbers are divided by powers of two, one for regrets and one
for sums, which grow with the weights of deals: see `fit`.

In the sparse form only positive numbers are kept, see `numeric.sparse`.

Both arrays are ordered [street][player][bucket][actions of all decisions], see `layout`. Everything
that a player can face with a hand on a street is in one row, so that a walk with that hand stays
within a few cache lines. Regrets and sums are kept apart: a walk changes the regrets of sixteen
hands of one player, and the sums of one hand of the other.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.game.deals.deal_tree import DECISION, DealTree
from untilt.numeric.arrays import Bools, Floats, Indices, Offsets
from untilt.numeric.half_floats import (
    BFLOAT16,
    FLOAT16,
    LARGEST,
    Halves,
    add_number,
    number_at,
    widened,
)
from untilt.numeric.kernel import kernel
from untilt.numeric.sparse import GROUP, dense, empty, is_sparse, most_bytes
from untilt.options.blueprint import PRECISION
from untilt.regret.matching import matched
from untilt.solvers.blueprint.layout import WalkLayout

Singles = npt.NDArray[np.float32]
Counts = npt.NDArray[np.uint32]
Numbers = npt.NDArray[Any]
"""Regrets or sums, of one of the dtypes of PRECISIONS."""

PRECISIONS: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "float32": np.dtype(np.float32),
        "float16": FLOAT16,
        "bfloat16": BFLOAT16,
        "sparse": BFLOAT16,  # in 12 bits, if they are kept
    }
)
"""The dtypes of tables by name."""
SPARSE = "sparse"
"""Only positive regrets are kept."""
DEFAULT_PRECISION: str = PRECISION.default

PER_ACTION = 2
"""Numbers per action: its regret and its sum."""

_ALIGNMENT = 64
"""Bytes of a cache line. A few unused bytes separate two blocks: kernels read and write four
numbers at a time, and two threads may work on neighbouring blocks."""
_ROOM = 4

_VISIT = np.dtype(np.uint32)

_ROOM_TO_GROW = 16.0
"""The factor by which numbers of 16 bits may grow before they are divided again."""

_SURVEYED = 1 << 18
"""About how many regrets of a player on a street a survey looks at."""


class TrainerTables(NamedTuple):
    """The regrets, sums and visits of a trainer."""

    regrets: Any
    """Numbers, or in the sparse form a `Sparse`."""
    sums: Any
    """Likewise."""
    origins: Offsets
    """[streets, 2]: where the rows of a street's first bucket begin, for each player."""
    widths: Offsets
    """[streets, 2]: numbers per bucket."""
    visits: Counts
    """How often a hand has learnt at a decision, at the place of its first action; the other places
    are unused. Empty if visits are not counted."""
    scales: Floats
    """[2]: what regrets and sums were divided by."""


def table_bytes(
    num_actions: Iterable[int],
    buckets: Iterable[int],
    precision: str = DEFAULT_PRECISION,
    *,
    has_visits: bool = False,
) -> int:
    """Return the size of the tables in bytes, without a few bytes between blocks.

    `num_actions` are those of all decisions, by street: the widths of a tree. For the sparse form
    it is the most they can take, except for a few zeros at the end of each row.
    """
    entries = sum(int(actions) * count for actions, count in zip(num_actions, buckets, strict=True))
    size = entries * PRECISIONS[precision].itemsize
    per_table = most_bytes(entries) if precision == SPARSE else size
    return PER_ACTION * per_table + (_VISIT.itemsize * entries if has_visits else 0)


def make_tables(
    layout: WalkLayout,
    buckets: Sequence[int],
    precision: str = DEFAULT_PRECISION,
    *,
    has_visits: bool = False,
) -> TrainerTables:
    """Return empty tables for these numbers of buckets per street."""
    dtype = PRECISIONS[precision]
    origins, widths = np.zeros_like(layout.widths), layout.widths
    alignment = _ALIGNMENT // dtype.itemsize
    if precision == SPARSE:  # each row has its own groups
        widths = widths + -widths % GROUP
        alignment = GROUP
    end = 0
    for street, count in enumerate(buckets):
        for player in (0, 1):
            origins[street, player] = end
            end += int(widths[street, player]) * count + _ROOM
            end += -end % alignment
    return TrainerTables(
        empty(end) if precision == SPARSE else _reserved(end, dtype),
        empty(end) if precision == SPARSE else _reserved(end, dtype),
        origins,
        widths,
        _reserved(end if has_visits else 0, _VISIT),
        np.ones(2),
    )


def _reserved(length: int, dtype: np.dtype[Any]) -> Numbers:
    numbers = np.empty(length, dtype=dtype)
    numbers.fill(0)  # writing reserves the memory now, not in the first walks
    return numbers


def fit(tables: TrainerTables, most: Sequence[float]) -> None:
    """Make room for magnitudes of regrets and sums up to `most`; other formats need none.

    Scales grow in large steps: each takes a sweep over the table.
    """
    for number, halves in enumerate((tables.regrets, tables.sums)):
        scale = float(tables.scales[number])
        if is_sparse(halves) or halves.dtype != FLOAT16 or most[number] <= LARGEST * scale:
            continue
        grown = 2.0 ** math.ceil(math.log2(_ROOM_TO_GROW * most[number] / LARGEST))
        _multiply(halves, np.float32(scale / grown), np.uint64(math.log2(grown)))
        tables.scales[number] = grown


@kernel
def _multiply(halves: Halves, factor: np.float32, key: np.uint64) -> None:
    """Multiply by a power of two; only numbers that become very small are rounded."""
    first = key << np.uint64(48)
    for at in range(len(halves)):
        removed = number_at(halves, at) * (factor - np.float32(1.0))
        add_number(halves, at, removed, first + np.uint64(at))


def used_bytes(tables: TrainerTables) -> int:
    """Return the present size of the tables, in bytes."""
    return int(tables.regrets.nbytes + tables.sums.nbytes + tables.visits.nbytes)


def block(
    numbers: Any, tables: TrainerTables, street: int, player: int, num_buckets: int
) -> Numbers:
    """Return a view [buckets, actions] of one player's regrets or sums on a street.

    It is a copy if they are sparse.
    """
    width, begin = int(tables.widths[street, player]), int(tables.origins[street, player])
    if is_sparse(numbers):
        return dense(numbers, begin, num_buckets * width).reshape(num_buckets, width)
    found: Numbers = numbers[begin : begin + num_buckets * width]
    return found.reshape(num_buckets, width)


def learnt(
    tree: DealTree, layout: WalkLayout, tables: TrainerTables, street: int, num_buckets: int
) -> Singles:
    """Return [buckets, numbers] what was learnt on a street, in the order of the tree's decisions.

    For each decision these are the regrets of its actions, then their sums.
    """
    found = np.empty((num_buckets, PER_ACTION * int(tree.widths[street])), dtype=np.float32)
    for player in (0, 1):
        columns, first, second = _columns(tree, layout, street, player)
        kinds = (tables.regrets, first), (tables.sums, second)
        for (numbers, places), scale in zip(kinds, tables.scales.tolist(), strict=True):
            own = block(numbers, tables, street, player, num_buckets)
            found[:, places] = widened(own[:, columns]) * np.float32(scale)
    return found


def visits_of(
    tree: DealTree, layout: WalkLayout, tables: TrainerTables, street: int, num_buckets: int
) -> Counts:
    """Return [buckets, decisions] how often a hand has learnt at each decision of a street.

    Decisions are in the order of the tree.
    """
    decisions = _decisions_of(tree, street)
    found = np.empty((num_buckets, len(decisions)), dtype=np.uint32)
    for player in (0, 1):
        is_own = tree.nodes["player"][decisions] == player
        own = block(tables.visits, tables, street, player, num_buckets)
        found[:, is_own] = own[:, layout.rows[decisions[is_own]]]
    return found


def put_visits(
    tree: DealTree, layout: WalkLayout, tables: TrainerTables, street: int, visits: Counts
) -> None:
    """Write what `visits_of` returns into the tables."""
    decisions = _decisions_of(tree, street)
    for player in (0, 1):
        is_own = tree.nodes["player"][decisions] == player
        own = block(tables.visits, tables, street, player, len(visits))
        own[:, layout.rows[decisions[is_own]]] = visits[:, is_own]


def _decisions_of(tree: DealTree, street: int) -> Offsets:
    """Return the decisions of a street, as nodes of the tree."""
    nodes = tree.nodes
    return np.flatnonzero((nodes["kind"] == DECISION) & (nodes["street"] == street))


def put_learnt(
    tree: DealTree, layout: WalkLayout, tables: TrainerTables, street: int, numbers: Singles
) -> None:
    """Write what `learnt` returns into the tables, which are float32."""
    for player in (0, 1):
        columns, first, second = _columns(tree, layout, street, player)
        for target, places in ((tables.regrets, first), (tables.sums, second)):
            own = block(target, tables, street, player, len(numbers))
            assert own.dtype == np.float32
            own[:, columns] = numbers[:, places]


def _columns(
    tree: DealTree, layout: WalkLayout, street: int, player: int
) -> tuple[Offsets, Offsets, Offsets]:
    """Return the columns of a player's actions: in the block, of regrets and of sums together."""
    is_own = _is_own(tree, street, player)
    rows, counts = tree.nodes["row"][is_own], tree.nodes["num_actions"][is_own].astype(np.int64)
    action = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    columns = np.repeat(layout.rows[is_own].astype(np.int64), counts) + action
    first = np.repeat(PER_ACTION * rows.astype(np.int64), counts) + action
    return columns, first, first + np.repeat(counts, counts)


def _is_own(tree: DealTree, street: int, player: int) -> Bools:
    nodes = tree.nodes
    found = (nodes["street"] == street) & (nodes["player"] == player)
    return np.asarray(found & (nodes["kind"] == DECISION))


class Survey(NamedTuple):
    """An estimate over all infosets from a sample of buckets."""

    num_met: int
    """Infosets with a regret: those at which a walk has learnt."""
    regret: float
    """The largest positive regret of every infoset, summed."""


def survey(
    tree: DealTree, layout: WalkLayout, tables: TrainerTables, buckets: Sequence[int]
) -> Survey:
    """Estimate how much of a game is known, from evenly spaced buckets or, if few, from all."""
    num_met = regret = 0.0
    for street, count in enumerate(buckets):
        for player in (0, 1):
            is_own = _is_own(tree, street, player)
            regrets = block(tables.regrets, tables, street, player, count)
            step = max(1, regrets.size // _SURVEYED)
            counts = tree.nodes["num_actions"][is_own].astype(np.uint32)
            met, total = _survey(regrets.reshape(-1), count, layout.rows[is_own], counts, step)
            share = count / len(range(0, count, step))
            num_met += share * met
            regret += share * total
    return Survey(round(num_met), regret * float(tables.scales[0]))


@kernel
def _survey(
    regrets: Numbers, num_buckets: int, rows: Indices, counts: Indices, step: int
) -> tuple[int, float]:
    num_met, total = 0, 0.0
    width = len(regrets) // num_buckets
    for bucket in range(0, num_buckets, step):
        for node in range(len(rows)):
            largest, is_met = np.float32(0.0), False
            row = bucket * width + np.int64(rows[node])
            for at in range(row, row + np.int64(counts[node])):
                regret = number_at(regrets, at)
                is_met = is_met or regret != 0.0
                largest = max(largest, regret)
            num_met += is_met
            total += np.float64(largest)
    return num_met, total


def average_of(
    tree: DealTree, layout: WalkLayout, tables: TrainerTables, street: int, num_buckets: int
) -> Singles:
    """Return the average strategy of a street, [buckets, actions of all its decisions].

    Where an infoset was never visited by its player, the behaviour of regret matching stands in,
    which is uniform if no regret is positive.
    """
    found = np.empty((num_buckets, int(tree.widths[street])), dtype=np.float32)
    nodes = tree.nodes
    for player in (0, 1):
        is_own = _is_own(tree, street, player)
        _average(
            block(tables.regrets, tables, street, player, num_buckets).reshape(-1),
            block(tables.sums, tables, street, player, num_buckets).reshape(-1),
            layout.rows[is_own],
            nodes["row"][is_own].astype(np.uint32),
            nodes["num_actions"][is_own].astype(np.uint32),
            found,
        )
    return found


@kernel
def _average(
    regrets: Numbers, sums: Numbers, rows: Indices, targets: Indices, counts: Indices, out: Singles
) -> None:
    width = len(regrets) // len(out)
    for bucket in range(len(out)):
        for node in range(len(rows)):
            row, target, count = bucket * width + np.int64(rows[node]), targets[node], counts[node]
            total = np.float32(0.0)
            for action in range(count):
                total += number_at(sums, row + action)
            is_averaged = total > 0.0
            if not is_averaged:
                for action in range(count):
                    total += np.float32(matched(number_at(regrets, row + action)))
            for action in range(count):
                weight = number_at(sums, row + action)
                if not is_averaged:
                    weight = np.float32(matched(number_at(regrets, row + action)))
                out[bucket, target + action] = (
                    weight / total if total > 0.0 else np.float32(1.0) / np.float32(count)
                )
