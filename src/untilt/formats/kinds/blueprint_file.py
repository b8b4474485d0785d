"""`blueprint.bin`: the average strategy of a betting tree, a byte per probability.

A container of the kind "blueprint". Infosets have no keys: with the decision's first row r on its
street and the street's number of rows w, the probability of action a in bucket b is byte
b · w + r + a of the array `strategy_{street}`. The bytes of an infoset sum to 255. Strategies are
mapped into memory and checked block by block when they are first used, and so is the tree: opening
a file of any size takes less than a millisecond.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.formats.base.checked_array import CheckedArray, IsPossible, block_checksums, checked_map
from untilt.formats.base.container import (
    Array,
    Container,
    OpenContainer,
    open_container,
    write_container,
)
from untilt.game.deals.deal_tree import DECISION, NODE, SHOWDOWN, DealTree
from untilt.numeric.arrays import Floats, Indices, Offsets, Records
from untilt.numeric.byte_shares import WHOLE, round_row
from untilt.numeric.kernel import kernel

KIND = "blueprint"
_SHARES = tuple(byte / WHOLE for byte in range(WHOLE + 1))
_SHARE = np.float32(1.0 / WHOLE)
_OF_DECISIONS = ("first_child", "row", "player", "street", "num_actions")
"""Fields of nodes that are 0 at the end of a hand."""
_MAX_STREETS = 16
_MAX_BUCKETS = 1 << 16

Bytes = npt.NDArray[np.uint8]


class StoredBlueprint:
    """The content of a file. The tree is read and checked when it is first needed."""

    def __init__(self, opened: OpenContainer) -> None:
        # All of it is mapped now, because the file may be replaced later.
        self._mapped = {name: opened.mapped(name, is_private=True) for name in opened.names}
        self._opened = opened
        self.path = opened.path
        self.meta: dict[str, Any] = opened.meta
        self.num_buckets = _num_buckets(Container(KIND, self.meta, {}, self.path))

    @cached_property
    def tree(self) -> DealTree:
        """The betting."""
        tree = _tree(self._container)
        if tree.num_streets != len(self.num_buckets):
            raise self._container.error("its numbers of buckets")
        return tree

    @cached_property
    def strategies(self) -> tuple[CheckedArray, ...]:
        """By street: [buckets · rows] bytes."""
        found = []
        for street, count in enumerate(self.num_buckets):
            name = f"strategy_{street}"
            self._opened.shape(name, np.uint8, (count * int(self.tree.widths[street]),))
            remedy = "save the training again"
            is_possible = _sums_to_whole(self.tree, street)
            found.append(
                checked_map(self._container, name, self._mapped[name], remedy, is_possible)
            )
        return tuple(found)

    @cached_property
    def _container(self) -> Container:
        """Everything but the strategies, checked."""
        small = {}
        for name, array in self._mapped.items():
            if not name.startswith("strategy_") or name.endswith(".crc32"):
                self._opened.verify(name, [array.reshape(-1).view(np.uint8).data])
                small[name] = array
        return Container(KIND, self.meta, small, self.path)

    def maps(self) -> list[Bytes]:
        """Return the bytes of the strategies, street by street, not compared with checksums."""
        return [self._mapped[f"strategy_{street}"] for street in range(len(self.num_buckets))]

    def reader(self) -> "RowReader":
        """Return a fast reader of rows; all of the file is checked first."""
        return RowReader(self)

    def row(self, node: int, bucket: int) -> Floats:
        """Return the probabilities of the actions at a decision with a bucket of hands."""
        place = self.tree.nodes[node]
        street, count = int(place["street"]), int(place["num_actions"])
        begin = bucket * int(self.tree.widths[street]) + int(place["row"])
        found = self.strategies[street][begin : begin + count]
        return np.asarray(found / WHOLE, dtype=np.float64)

    def rows(self, node: int) -> Floats:
        """Return the probabilities of all buckets, [buckets, actions]."""
        place = self.tree.nodes[node]
        street, count, row = int(place["street"]), int(place["num_actions"]), int(place["row"])
        table = self._bytes(street)
        return np.asarray(table[:, row : row + count] / WHOLE, dtype=np.float64)

    def columns(self, street: int, rows: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the probabilities of some actions of a street, [actions, buckets]."""
        return np.divide(self._bytes(street).T[rows], WHOLE, dtype=np.float32)

    def table(self, street: int) -> npt.NDArray[np.float32]:
        """Return the probabilities of a whole street, [buckets, actions of all its decisions]."""
        return np.divide(self._bytes(street), WHOLE, dtype=np.float32)

    def _bytes(self, street: int) -> Bytes:
        width = int(self.tree.widths[street])
        return self.strategies[street][:].reshape(self.num_buckets[street], width)


def write_blueprint(
    path: Path,
    meta: Mapping[str, Any],
    tree: DealTree,
    num_buckets: Sequence[int],
    averages: Iterable[npt.NDArray[np.float32]],
) -> None:
    """Write a strategy atomically: `averages` are [buckets, rows] for each street.

    `meta` is JSON: the rules, the menu, the cards, and how the strategy was learnt.
    """
    write_rows(path, meta, tree, num_buckets, quantised(tree, averages))


def write_rows(
    path: Path,
    meta: Mapping[str, Any],
    tree: DealTree,
    num_buckets: Sequence[int],
    rows: Iterable[Bytes],
) -> None:
    """Write a strategy atomically: `rows` are [buckets · rows] bytes for each street."""
    arrays: dict[str, Array] = {
        f"nodes.{name}": np.ascontiguousarray(tree.nodes[name]) for name in NODE.names or ()
    }
    for street, stored in enumerate(rows):
        arrays[f"strategy_{street}"] = stored
        arrays[f"strategy_{street}.crc32"] = block_checksums(stored)
    about = {**meta, "num_buckets": list(map(int, num_buckets))}
    write_container(path, KIND, about, arrays)


def quantised(tree: DealTree, averages: Iterable[npt.NDArray[np.float32]]) -> Iterator[Bytes]:
    """Yield the bytes of each street, [buckets · rows], from probabilities [buckets, rows]."""
    for street, average in enumerate(averages):
        rows, counts = tree.rows_of(street)
        stored = np.zeros(average.shape, dtype=np.uint8)
        _quantise(average, rows, counts, stored)
        yield stored.reshape(-1)


def joined(streets: Iterable[Bytes]) -> tuple[Bytes, Offsets]:
    """Return the bytes of all streets in one array, and where each street begins."""
    parts = list(streets)
    lengths = [len(part) for part in parts]
    return np.concatenate(parts), np.cumsum([0, *lengths[:-1]], dtype=np.int64)


def open_blueprint(path: Path) -> StoredBlueprint:
    """Return the strategy in a file, of which only the header is read yet."""
    with open_container(path, KIND) as opened:
        return StoredBlueprint(opened)


def read_blueprint(path: Path) -> StoredBlueprint:
    """Return the strategy in a file; raise FormatError unless its tree and sizes are sound."""
    stored = open_blueprint(path)
    assert stored.strategies
    return stored


class RowReader:
    """Rows of a blueprint by node and bucket, which are not checked.

    `row` is for one at a time, from Python. `look_up` is for many; other kernels may use `tables`
    directly: the probability of action a is byte bucket · width + row + a of the street's table.
    """

    def __init__(self, stored: StoredBlueprint) -> None:
        tree = stored.tree
        self.nodes = tree.nodes
        self.widths = tree.widths
        self.tables: tuple[Bytes, ...] = tuple(each[:] for each in stored.strategies)
        """By street, in 255ths."""
        views = [table.data for table in self.tables]
        widths = tree.widths.tolist()
        self._places = [
            (views[street], widths[street], row, row + count)
            for street, row, count in zip(
                tree.nodes["street"].tolist(),
                tree.nodes["row"].tolist(),
                tree.nodes["num_actions"].tolist(),
                strict=True,
            )
        ]

    def row(self, node: int, bucket: int) -> list[float]:
        """Return the probabilities of the actions at a decision with a bucket of hands."""
        view, width, begin, end = self._places[node]
        place = bucket * width
        return [_SHARES[byte] for byte in view[place + begin : place + end]]

    def look_up(self, nodes: Indices, buckets: Indices) -> npt.NDArray[np.float32]:
        """Return [rows, most actions] the probabilities of many infosets, 0 beyond the last."""
        found = np.zeros((len(nodes), int(self.nodes["num_actions"].max())), dtype=np.float32)
        _look_up(self.nodes, self.widths, self.tables, nodes, buckets, found)
        return found


@kernel
def _look_up(
    places: Records,
    widths: Offsets,
    tables: tuple[Bytes, ...],
    nodes: Indices,
    buckets: Indices,
    found: npt.NDArray[np.float32],
) -> None:
    for number in range(len(nodes)):
        place = places[nodes[number]]
        begin = np.int64(buckets[number]) * widths[place.street] + np.int64(place.row)
        table = tables[place.street]
        for action in range(place.num_actions):
            found[number, action] = np.float32(table[begin + action]) * _SHARE


@kernel
def _quantise(average: npt.NDArray[np.float32], rows: Indices, counts: Indices, out: Bytes) -> None:
    """Round every row to bytes that sum to 255: what is left goes to the largest remainders."""
    shares, found = average.reshape(-1), out.reshape(-1)
    for bucket in range(len(average)):
        for node in range(len(rows)):
            begin = bucket * average.shape[1] + np.int64(rows[node])
            round_row(shares, begin, np.int64(counts[node]), found, begin)


def _sums_to_whole(tree: DealTree, street: int) -> IsPossible:
    """Return the check that the bytes of all infosets of a street sum to 255.

    It is no kernel, because loading the first one takes longer than checking what a chart shows.
    """
    starts, counts = (each.astype(np.int64) for each in tree.rows_of(street))
    ends, width = starts + counts, int(tree.widths[street])

    def is_possible(array: Array, start: int, stop: int) -> bool:
        """Check every infoset that begins in [start, stop); it may end later."""
        for begin in range(start // width * width, stop, width):
            first, last = np.searchsorted(starts, (start - begin, stop - begin)).tolist()
            if first == last:
                continue
            # Infosets follow each other without gaps, so the sums up to their ends tell theirs.
            skipped = starts[first]
            sums = array[begin + skipped : begin + ends[last - 1]].cumsum(dtype=np.int64)
            if not np.array_equal(
                sums[ends[first:last] - skipped - 1], WHOLE * np.arange(1, last - first + 1)
            ):
                return False
        return True

    return is_possible


def _tree(container: Container) -> DealTree:
    """Return the tree of a file, after checking that its parts fit together."""
    kind = container.array("nodes.kind", np.uint8, (None,))
    nodes = np.zeros(len(kind), dtype=NODE)
    for name in NODE.names or ():
        nodes[name] = container.array(f"nodes.{name}", NODE[name], (len(kind),))
    is_decision = kind == DECISION
    decisions, ends = nodes[is_decision], nodes[~is_decision]
    counts = decisions["num_actions"].astype(np.int64)
    first = decisions["first_child"].astype(np.int64)
    is_sound = (
        len(decisions) > 0
        and bool(is_decision[0])
        and bool(np.all(kind <= SHOWDOWN))
        and bool(np.all(decisions["player"] <= 1))
        and bool(np.all(decisions["street"] < _MAX_STREETS))
        and bool(np.all(counts > 0))
        and bool(np.all(decisions["stake"] == 0.0))
        and bool(np.all(np.isfinite(ends["stake"])))
        and not any(ends[name].any() for name in _OF_DECISIONS)
        # Breadth first: the children of a decision follow those of the decision before.
        and np.array_equal(first, 1 + np.cumsum(counts) - counts)
        and 1 + int(counts.sum()) == len(nodes)
    )
    if not is_sound:
        raise container.error("its betting tree")
    widths = np.bincount(decisions["street"], weights=counts).astype(np.int64)
    for street in range(len(widths)):
        own = decisions[decisions["street"] == street]
        sizes = own["num_actions"].astype(np.int64)
        if not np.array_equal(own["row"].astype(np.int64), np.cumsum(sizes) - sizes):
            raise container.error(f"the rows of street {street}")
    return DealTree(nodes, widths)


def _num_buckets(container: Container) -> tuple[int, ...]:
    given = container.meta.get("num_buckets")
    is_sound = (
        isinstance(given, list)
        and 0 < len(given) <= _MAX_STREETS
        and all(type(count) is int and 0 < count <= _MAX_BUCKETS for count in given)
    )
    if not is_sound:
        raise container.error("its numbers of buckets")
    assert isinstance(given, list)
    return tuple(given)
