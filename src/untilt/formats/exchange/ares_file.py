"""The plain exchange layout of blueprints, `ARES`: sorted keys and numbers, for other programs.

Everything is little-endian and packed. A header of 64 bytes (`HEADER`) is followed by one entry per
infoset, in the order of their keys:

    uint64 key · uint8 number of actions n · n float32 probabilities

In a checkpoint, 64 bytes about how it was learnt (`LEARNING`) follow the header, and an entry holds
n regrets and n strategy sums instead of probabilities. If visits were counted, a uint32 follows
them.

A key is, from its highest bits, 2 bits of street, 16 bits of bucket and 46 bits of betting. The
betting is a number in a mixed radix: with n_i the number of actions at the i-th decision from the
root, and a_i the number of the action taken there, counted from 0,

    betting = (a_0 + 1) + (n_0 + 1) · ((a_1 + 1) + (n_1 + 1) · (…)),  0 at the root

So the child of a decision adds a digit to the decision's number, and a reader can rebuild the tree
from the entries. Rules, menu and cards are not in the file: its reader must know them.
"""

import math
import mmap
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError, GameTooLarge
from untilt.formats.base.files import open_regular, shown, unreadable
from untilt.formats.run.run_file import MAX_ITERATION
from untilt.game.deals.deal_tree import DECISION, DealTree
from untilt.numeric.arrays import Offsets, Records
from untilt.numeric.kernel import kernel

MAGIC = b"ARES"
VERSION = 1

STRATEGY, CHECKPOINT = 0, 1
"""What entries hold."""

BETTING_BITS = 46
BUCKET_BITS = 16
STREET_SHIFT = BETTING_BITS + BUCKET_BITS

HEADER = np.dtype(
    [
        ("magic", "S4"),
        ("version", "<u4"),
        ("iterations", "<u8"),
        ("num_infosets", "<u8"),
        ("stack", "<f4"),
        ("content", "<u4"),
        ("checksum", "<u4"),
        ("reserved", "V28"),
    ]
)
"""The stack is in big blinds. The checksum is the CRC-32 of the file with these four bytes 0; a
writer may leave it 0, and then it is not compared."""

LEARNING = np.dtype(
    [
        ("alpha", "<f8"),
        ("gamma", "<f8"),
        ("deferred", "<u8"),
        ("weight", "<f8"),
        ("seed", "<u8"),
        ("hand_nodes", "<u8"),
        ("seconds", "<f8"),
        ("batch", "<u4"),
        ("flags", "<u4"),
    ]
)

IS_CLIPPED, IS_FULL, HAS_VISITS = 1, 2, 4
"""Bits of the flags: regrets are clipped at 0, walks explore all actions of both players (chance
sampling rather than external), and visits are counted."""

_KEY_BYTES = 9  # with the number of actions
_VISIT_BYTES = 4
_SUM_TOLERANCE = 1e-3
_PACKED_BYTES = 1 << 24
_FINE, _TRUNCATED, _UNSORTED, _UNKNOWN, _ACTIONS = range(5)

Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint64]
Singles = npt.NDArray[np.float32]
Counts = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]


class Learning(NamedTuple):
    """The settings of a training and its progress."""

    alpha: float
    gamma: float
    deferred: int
    """Deals before averaging begins."""
    weight: float
    """The weight of the regrets of the last deal."""
    seed: int
    hand_nodes: int
    seconds: float
    batch: int
    is_clipped: bool
    is_full: bool = False
    """Whether walks explore the actions of both players: chance sampling."""
    has_visits: bool = False
    """Whether entries say how often a hand has learnt at the infoset."""


class Header(NamedTuple):
    """The header of a file."""

    iterations: int
    num_infosets: int
    stack_bb: float
    learning: Learning | None
    """None if the file holds a strategy."""
    checksum: int = 0

    @property
    def per_action(self) -> int:
        """Numbers that an entry holds for each action."""
        return 1 if self.learning is None else 2

    @property
    def per_entry(self) -> int:
        """Bytes of an entry besides its key and the numbers of actions."""
        return _VISIT_BYTES if self.learning is not None and self.learning.has_visits else 0

    @property
    def num_bytes(self) -> int:
        """Bytes before the first entry."""
        return HEADER.itemsize + (0 if self.learning is None else LEARNING.itemsize)


class KeyOrder(NamedTuple):
    """The decisions of a street in the order of their keys."""

    betting: Keys
    rows: Offsets
    counts: Offsets
    numbers: Offsets
    """Their places in the order of the tree."""


def orders_of(tree: DealTree) -> list[KeyOrder]:
    """Return the order of the decisions of each street.

    Raises GameTooLarge if the betting does not fit into the bits of a key.
    """
    betting = np.zeros(len(tree.nodes), dtype=np.uint64)
    radix = np.ones(len(tree.nodes), dtype=np.uint64)
    if tree.num_streets > 1 << 64 - STREET_SHIFT or not _number(tree.nodes, betting, radix):
        raise GameTooLarge(
            f"the betting does not fit into the {BETTING_BITS} bits that a key of the exchange "
            "layout has for it: give fewer bet sizes, or allow fewer raises"
        )
    found = []
    for street in range(tree.num_streets):
        own = np.flatnonzero((tree.nodes["kind"] == DECISION) & (tree.nodes["street"] == street))
        numbers = np.argsort(betting[own]).astype(np.int64)
        own = own[numbers]
        chosen = tree.nodes[own]
        rows, counts = chosen["row"].astype(np.int64), chosen["num_actions"].astype(np.int64)
        found.append(KeyOrder(betting[own], rows, counts, numbers))
    return found


class Writer:
    """Packs the infosets of a tree; `chunks` are the bytes of the file."""

    def __init__(self, tree: DealTree, num_buckets: Sequence[int], header: Header) -> None:
        """Write a file with this `header`; its number of infosets and checksum are filled in."""
        self._orders = orders_of(tree)
        self._header = header._replace(num_infosets=tree.num_infosets(num_buckets), checksum=0)

    def chunks(
        self, tables: Sequence[Singles], visits: Sequence[Counts] = ()
    ) -> Iterator[bytes | memoryview]:
        """Yield the file: `tables` are [buckets, numbers] for each street, as `Trainer` has them.

        The numbers of a decision begin at its row, times `per_action`. `visits` are [buckets,
        decisions] for each street, in the order of the tree, if they are counted.
        """
        checksum = zlib.crc32(_header_bytes(self._header))
        for chunk in self._entries(tables, visits):
            checksum = zlib.crc32(chunk, checksum)
        yield _header_bytes(self._header._replace(checksum=checksum))
        yield from self._entries(tables, visits)

    def _entries(self, tables: Sequence[Singles], visits: Sequence[Counts]) -> Iterator[memoryview]:
        per_action, per_entry = self._header.per_action, self._header.per_entry
        for street, (order, table) in enumerate(zip(self._orders, tables, strict=True)):
            source = np.ascontiguousarray(table, dtype="<f4").view(np.uint8)
            counted = np.zeros((len(source), 0), dtype="<u4")
            if per_entry:
                counted = np.ascontiguousarray(visits[street], dtype="<u4")
            size = int((_KEY_BYTES + 4 * per_action * order.counts + per_entry).sum())
            step = max(1, _PACKED_BYTES // size)
            for begin in range(0, len(source), step):
                part, own = source[begin : begin + step], counted[begin : begin + step]
                packed = np.empty(len(part) * size, dtype=np.uint8)
                first = np.uint64(street << BUCKET_BITS | begin)
                _pack(part, own.view(np.uint8), order, first, np.int64(4 * per_action), packed)
                yield packed.data


def read_header(path: Path) -> Header:
    """Return what a file says about itself; raise FormatError if it is not one."""
    with open_regular(path) as file:
        try:
            return _parsed(path, file.read(HEADER.itemsize + LEARNING.itemsize))
        except OSError as error:
            raise unreadable(path, error) from error


@dataclass(eq=False)
class Reader:
    """The entries of a file, street by street, for a tree and its buckets.

    Infosets that a file does not have are uniform, or 0 in a checkpoint; but every bucket must have
    some, or the file was made with fewer buckets.
    """

    path: Path
    tree: DealTree
    num_buckets: Sequence[int]
    num_missing: int = 0
    """Infosets that the file does not have, after all streets were read."""
    visits: list[Counts] = field(default_factory=list)
    """How often a hand has learnt at each infoset of the streets read so far, [buckets, decisions];
    none if visits are not counted."""

    def tables(self) -> Iterator[Singles]:
        """Yield [buckets, numbers] for each street; raise FormatError if the file is not sound."""
        orders = orders_of(self.tree)
        with open_regular(self.path) as file:
            header = _parsed(self.path, file.read(HEADER.itemsize + LEARNING.itemsize))
            most = self.tree.num_infosets(self.num_buckets)
            if header.num_infosets > most:
                raise FormatError(
                    f"{shown(self.path)} has {header.num_infosets:,} infosets, but this menu and "
                    f"these buckets make {most:,}; {_REMEDY}"
                )
            size = file.seek(0, 2)
            per_infoset = _KEY_BYTES + 4 * header.per_action + header.per_entry
            least = header.num_bytes + header.num_infosets * per_infoset
            if size < least:
                raise self._error("it ends too early")
            mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        yield from self._tables(np.frombuffer(mapped, dtype=np.uint8), header, orders)

    def _tables(self, data: Bytes, header: Header, orders: Sequence[KeyOrder]) -> Iterator[Singles]:
        self._verify_checksum(data, header)
        place, left = header.num_bytes, header.num_infosets
        self.num_missing = self.tree.num_infosets(self.num_buckets) - left
        size = 4 * header.per_action
        self.visits.clear()
        for street, order in enumerate(orders):
            count, width = self.num_buckets[street], int(self.tree.widths[street])
            packed = np.zeros((count, size * width), dtype=np.uint8)
            visits = np.zeros((count, header.per_entry * len(order.rows)), dtype=np.uint8)
            is_given = np.zeros((count, len(order.rows)), dtype=np.bool_)
            status, place, done = _unpack(
                data, place, left, order, np.uint64(street), np.int64(size), packed, visits,
                is_given,
            )  # fmt: skip
            left -= done
            if status != _FINE:
                raise self._fault(status, header.num_infosets - left)
            empty = np.flatnonzero(~is_given.any(axis=1))
            if len(empty):
                raise FormatError(
                    f"{shown(self.path)} has nothing for bucket {empty[0]} of street {street}; "
                    f"{_REMEDY}"
                )
            table = packed.view("<f4").astype(np.float32, copy=False)
            if header.learning is None:
                is_sound = _verify_strategy(table, order, is_given)
            else:
                is_sound = _verify_sums(table, order, header.learning.is_clipped)
            if not is_sound:
                what = "probabilities" if header.learning is None else "regrets or sums"
                raise self._error(f"the {what} of street {street} are no such numbers")
            if street == len(orders) - 1:
                if left:  # its key names a street that does not exist
                    raise self._fault(_UNKNOWN, header.num_infosets - left)
                if place != len(data):
                    raise self._error(f"{len(data) - place:,} bytes follow its last entry")
            if header.per_entry:
                self.visits.append(visits.view("<u4").astype(np.uint32, copy=False))
            yield table

    def _verify_checksum(self, data: Bytes, header: Header) -> None:
        if not header.checksum:
            return
        place = HEADER.fields["checksum"][1] if HEADER.fields else 0
        found = zlib.crc32(data[:place].data)
        found = zlib.crc32(bytes(4), found)
        if zlib.crc32(data[place + 4 :].data, found) != header.checksum:
            raise self._error("its checksum differs")

    def _fault(self, status: int, entry: int) -> FormatError:
        if status == _TRUNCATED:
            return self._error("it ends too early")
        if status == _UNSORTED:
            return self._error(f"the key of entry {entry:,} is not greater than the one before")
        what = "key" if status == _UNKNOWN else "number of actions"
        return FormatError(
            f"{shown(self.path)}: the {what} of entry {entry:,} does not belong to this menu and "
            f"these buckets; {_REMEDY}"
        )

    def _error(self, what: str) -> FormatError:
        return _damaged(self.path, what)


_REMEDY = "give the stack, menu, cap and buckets that it was made with"


def _header_bytes(header: Header) -> bytes:
    found = np.zeros(1, dtype=HEADER)
    content = STRATEGY if header.learning is None else CHECKPOINT
    found[0] = (
        *(MAGIC, VERSION, header.iterations, header.num_infosets),
        *(header.stack_bb, content, header.checksum, bytes(28)),
    )
    if header.learning is None:
        return found.tobytes()
    *numbers, is_clipped, is_full, has_visits = header.learning
    flags = IS_CLIPPED * is_clipped | IS_FULL * is_full | HAS_VISITS * has_visits
    return found.tobytes() + np.array([(*numbers, flags)], dtype=LEARNING).tobytes()


def _parsed(path: Path, data: bytes) -> Header:
    if data[: len(MAGIC)] != MAGIC:
        raise FormatError(
            f"{shown(path)} is not a blueprint in the exchange layout (it does not begin with "
            f"{MAGIC.decode()!r})"
        )
    if len(data) < HEADER.itemsize:
        raise _damaged(path, "it ends too early")
    found = np.frombuffer(data, dtype=HEADER, count=1)[0]
    if found["version"] != VERSION:
        raise FormatError(
            f"{shown(path)} has version {found['version']}, but this program reads version "
            f"{VERSION}; write it again as that version"
        )
    if found["content"] not in (STRATEGY, CHECKPOINT) or any(bytes(found["reserved"])):
        raise _damaged(path, "reserved bytes of its header are set")
    iterations, stack = int(found["iterations"]), float(found["stack"])
    if not iterations < MAX_ITERATION or not 0.0 < stack < math.inf:
        raise _damaged(path, "a number of its header is out of range")
    learning = None
    if found["content"] == CHECKPOINT:
        learning = _parsed_learning(path, data[HEADER.itemsize :])
    return Header(iterations, int(found["num_infosets"]), stack, learning, int(found["checksum"]))


def _parsed_learning(path: Path, data: bytes) -> Learning:
    if len(data) < LEARNING.itemsize:
        raise _damaged(path, "it ends too early")
    found = np.frombuffer(data, dtype=LEARNING, count=1)[0]
    is_sound = (
        found["alpha"] >= 0.0
        and 0.0 <= found["gamma"] < math.inf
        and 0.0 < found["weight"] < math.inf
        and 0.0 <= found["seconds"] < 1e18
        and max(found["seed"], found["hand_nodes"]) < 1 << 63
        and found["deferred"] <= 1 << 60
        and found["flags"] <= IS_CLIPPED | IS_FULL | HAS_VISITS
    )
    if not is_sound:
        raise _damaged(path, "a number on how it was learnt is out of range")
    *numbers, flags = found.item()
    return Learning(*numbers, *(bool(flags & bit) for bit in (IS_CLIPPED, IS_FULL, HAS_VISITS)))


def _damaged(path: Path, what: str) -> FormatError:
    return FormatError(f"{shown(path)} is damaged ({what}); restore it from a copy")


@kernel
def _number(nodes: Records, betting: Keys, radix: Keys) -> bool:
    """Number the betting of all nodes; False if it needs more than the bits of a key."""
    limit = np.uint64(1) << np.uint64(BETTING_BITS)
    for node in range(len(nodes)):
        if nodes[node].kind != DECISION:
            continue
        count = np.int64(nodes[node].num_actions)
        first = np.int64(nodes[node].first_child)
        # Terminals have no key, so their numbers are harmless as long as those of decisions fit.
        if betting[node] >= limit:
            return False
        place = radix[node]
        place = min(limit, place)  # only terminals may follow; a decision there is refused above
        for action in range(count):
            betting[first + action] = betting[node] + place * np.uint64(action + 1)
            radix[first + action] = place * np.uint64(count + 1)
    return True


@kernel
def _pack(
    source: Bytes, visits: Bytes, order: KeyOrder, first: np.uint64, size: np.int64, packed: Bytes
) -> None:
    """Write the entries of some buckets; `first` is street and bucket of the first."""
    place = 0
    has_visits = visits.shape[1] > 0
    for bucket in range(len(source)):
        prefix = (first + np.uint64(bucket)) << np.uint64(BETTING_BITS)
        for node in range(len(order.betting)):
            key = prefix | order.betting[node]
            for byte in range(8):
                packed[place + byte] = np.uint8(key >> np.uint64(8 * byte) & np.uint64(255))
            packed[place + 8] = np.uint8(order.counts[node])
            place += 9
            begin, length = order.rows[node] * size, order.counts[node] * size
            for byte in range(length):
                packed[place + byte] = source[bucket, begin + byte]
            place += length
            if has_visits:
                begin = order.numbers[node] * _VISIT_BYTES
                for byte in range(_VISIT_BYTES):
                    packed[place + byte] = visits[bucket, begin + byte]
                place += _VISIT_BYTES


@kernel
def _unpack(
    data: Bytes,
    place: int,
    left: int,
    order: KeyOrder,
    street: np.uint64,
    size: np.int64,
    packed: Bytes,
    visits: Bytes,
    is_given: Flags,
) -> tuple[int, int, int]:
    """Read the entries of a street, which begin at `place`, at most `left` of them.

    Fill `packed`, `visits` and `is_given`; return what is wrong, the next place and how many
    entries were read.
    """
    mask = (np.uint64(1) << np.uint64(BETTING_BITS)) - np.uint64(1)
    done, bucket, node = 0, np.int64(0), 0
    visit_bytes = _VISIT_BYTES if visits.shape[1] > 0 else 0
    while done < left:
        if place + _KEY_BYTES > len(data):
            return _TRUNCATED, place, done
        key = np.uint64(0)
        for byte in range(8):
            key |= np.uint64(data[place + byte]) << np.uint64(8 * byte)
        if key >> np.uint64(STREET_SHIFT) != street:
            # A key of an earlier street is out of order; one of a later street is read by the next
            # call.
            is_later = key >> np.uint64(STREET_SHIFT) > street
            return (_FINE if is_later else _UNSORTED), place, done
        own = np.int64((key >> np.uint64(BETTING_BITS)) & np.uint64((1 << BUCKET_BITS) - 1))
        betting = key & mask
        if own < bucket:
            return _UNSORTED, place, done
        if own >= len(packed):
            return _UNKNOWN, place, done
        if own > bucket:
            bucket, node = own, 0
        # `node` is the first one that may still come; a smaller number came before.
        if node > 0 and betting <= order.betting[node - 1]:
            return _UNSORTED, place, done
        while node < len(order.betting) and order.betting[node] < betting:
            node += 1
        if node == len(order.betting) or order.betting[node] != betting:
            return _UNKNOWN, place, done
        if np.int64(data[place + 8]) != order.counts[node]:
            return _ACTIONS, place, done
        begin, length = order.rows[node] * size, order.counts[node] * size
        place += _KEY_BYTES
        if place + length + visit_bytes > len(data):
            return _TRUNCATED, place, done
        for byte in range(length):
            packed[bucket, begin + byte] = data[place + byte]
        place += length
        begin = order.numbers[node] * _VISIT_BYTES
        for byte in range(visit_bytes):
            visits[bucket, begin + byte] = data[place + byte]
        place += visit_bytes
        is_given[bucket, node] = True
        node += 1
        done += 1
    return _FINE, place, done


@kernel
def _verify_strategy(table: Singles, order: KeyOrder, is_given: Flags) -> bool:
    """Whether the given rows are probabilities; rows that are not given become uniform."""
    for bucket in range(len(table)):
        for node in range(len(order.rows)):
            begin, count = order.rows[node], order.counts[node]
            total = 0.0
            for action in range(begin, begin + count):
                if not is_given[bucket, node]:
                    table[bucket, action] = np.float32(1.0) / np.float32(count)
                value = np.float64(table[bucket, action])
                if not 0.0 <= value <= 1.0 + _SUM_TOLERANCE:
                    return False
                total += value
            if not abs(total - 1.0) <= _SUM_TOLERANCE:
                return False
    return True


@kernel
def _verify_sums(table: Singles, order: KeyOrder, is_clipped: bool) -> bool:
    """Whether regrets and sums are finite, and sums and clipped regrets are not negative."""
    for bucket in range(len(table)):
        for node in range(len(order.rows)):
            begin, count = np.int64(2) * order.rows[node], order.counts[node]
            for action in range(count):
                regret = table[bucket, begin + action]
                if not np.isfinite(regret) or (is_clipped and regret < 0.0):
                    return False
                weight = table[bucket, begin + count + action]
                if not np.isfinite(weight) or weight < 0.0:
                    return False
    return True
