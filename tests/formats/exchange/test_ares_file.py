"""The plain exchange layout, packed by a slow twin and damaged in every way."""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.solvers.blueprint.leduc import leduc_tree

from untilt.errors import FormatError, GameTooLarge
from untilt.formats.exchange.ares_file import (
    Header,
    Learning,
    Reader,
    Writer,
    orders_of,
    read_header,
)
from untilt.game.deals.deal_tree import DECISION, DealTree, DecisionNode, Fold, ShowdownNode, grow

TREE, _ = leduc_tree()
BUCKETS = (3, 9)
LEARNING = Learning(1.5, 1.0, 1_000, 7.25, 5, 123_456, 2.5, 256, True)
COUNTED = LEARNING._replace(is_clipped=False, is_full=True, has_visits=True)

Table = npt.NDArray[np.float32]
Counts = npt.NDArray[np.uint32]


def tables(per_action: int, seed: int = 1) -> list[Table]:
    """Return probabilities, or regrets and sums, for every infoset of Leduc."""
    rng = np.random.default_rng(seed)
    found = []
    for street, count in enumerate(BUCKETS):
        width = int(TREE.widths[street])
        table = rng.uniform(size=(count, per_action * width)).astype(np.float32)
        if per_action == 1:
            for row, size in zip(*TREE.rows_of(street), strict=True):
                part = table[:, row : row + size]
                part /= part.sum(axis=1, keepdims=True)
        found.append(table)
    return found


def visits(seed: int = 1) -> list[Counts]:
    """Return made-up visits of every infoset of Leduc."""
    rng = np.random.default_rng(seed)
    decisions = TREE.nodes[TREE.nodes["kind"] == DECISION]["street"]
    return [
        rng.integers(1 << 32, size=(count, int((decisions == street).sum())), dtype=np.uint32)
        for street, count in enumerate(BUCKETS)
    ]


def slowly(
    tree: DealTree,
    numbers: list[Table],
    header: bytes,
    per_action: int,
    counted: list[Counts] | None = None,
) -> bytes:
    """Return the file as the documentation describes it, entry by entry."""
    entries = []
    decisions = np.flatnonzero(tree.nodes["kind"] == DECISION)

    def visit(node: int, betting: int, radix: int) -> None:
        place = tree.nodes[node]
        if place["kind"] != DECISION:
            return
        street, count, row = int(place["street"]), int(place["num_actions"]), int(place["row"])
        for bucket in range(BUCKETS[street]):
            key = street << 62 | bucket << 46 | betting
            own = numbers[street][bucket, per_action * row : per_action * (row + count)]
            data = struct.pack(f"<QB{len(own)}f", key, count, *own.tolist())
            if counted is not None:
                before = decisions[decisions < node]
                number = int((tree.nodes["street"][before] == street).sum())
                data += struct.pack("<I", counted[street][bucket, number])
            entries.append((key, data))
        for action in range(count):
            child = int(place["first_child"]) + action
            visit(child, betting + radix * (action + 1), radix * (count + 1))

    visit(0, 0, 1)
    whole = header + b"".join(data for _, data in sorted(entries))
    return whole[:32] + struct.pack("<I", zlib.crc32(whole)) + whole[36:]


def write(path: Path, learning: Learning | None = None, seed: int = 1) -> list[Table]:
    numbers = tables(1 if learning is None else 2, seed)
    header = Header(97, 0, 20.0, learning)
    path.write_bytes(b"".join(Writer(TREE, BUCKETS, header).chunks(numbers, visits(seed))))
    return numbers


def read(path: Path) -> list[Table]:
    return list(Reader(path, TREE, BUCKETS).tables())


def without_checksum(data: bytes) -> bytes:
    return data[:32] + bytes(4) + data[36:]


def test_the_bytes_are_as_documented(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    numbers = write(path)
    start = struct.pack("<4sIQQf", b"ARES", 1, 97, TREE.num_infosets(BUCKETS), 20.0)
    assert path.read_bytes() == slowly(TREE, numbers, start + bytes(36), 1)
    numbers = write(path, LEARNING)
    start += struct.pack("<I", 1) + bytes(32)
    start += struct.pack("<ddQdQQdII", 1.5, 1.0, 1_000, 7.25, 5, 123_456, 2.5, 256, 1)
    assert path.read_bytes() == slowly(TREE, numbers, start, 2)
    numbers = write(path, COUNTED)
    start = start[:-4] + struct.pack("<I", 2 | 4)
    assert path.read_bytes() == slowly(TREE, numbers, start, 2, visits())


@pytest.mark.parametrize("learning", [None, LEARNING, COUNTED])
def test_every_bit_comes_back(tmp_path: Path, learning: Learning | None) -> None:
    path = tmp_path / "a.bin"
    numbers = write(path, learning)
    reader = Reader(path, TREE, BUCKETS)
    for written, found in zip(numbers, reader.tables(), strict=True):
        np.testing.assert_array_equal(written.view(np.uint32), found.view(np.uint32))
    counted = visits() if learning is COUNTED else []
    for given, seen in zip(counted, reader.visits, strict=True):
        np.testing.assert_array_equal(given, seen)
    header = read_header(path)
    assert (header.iterations, header.stack_bb, header.learning) == (97, 20.0, learning)


def test_a_reader_can_rebuild_the_tree_from_the_keys(tmp_path: Path) -> None:
    write(tmp_path / "a.bin")
    data = (tmp_path / "a.bin").read_bytes()
    place, sizes = 64, {}
    while place < len(data):
        key, count = struct.unpack_from("<QB", data, place)
        sizes[key & (1 << 46) - 1] = count
        place += 9 + 4 * count

    def digits(betting: int) -> list[int]:
        """Return the actions from the root, by the entries of earlier decisions."""
        known, radix, found = 0, 1, []
        while betting != known:
            base = sizes[known] + 1
            digit = betting // radix % base
            found.append(digit - 1)
            known, radix = known + digit * radix, radix * base
        return found

    reached = set()
    for betting, count in sizes.items():
        node = 0
        for action in digits(betting):
            assert 0 <= action < TREE.nodes[node]["num_actions"]
            node = int(TREE.nodes[node]["first_child"]) + action
        assert TREE.nodes[node]["num_actions"] == count
        reached.add(node)
    assert reached == set(np.flatnonzero(TREE.nodes["kind"] == DECISION).tolist())


def test_infosets_that_are_not_given_are_uniform(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    numbers = write(path)
    data = without_checksum(path.read_bytes())
    first = 9 + 4 * data[72]
    count = TREE.num_infosets(BUCKETS) - 1
    path.write_bytes(data[:16] + struct.pack("<Q", count) + data[24:64] + data[64 + first :])
    reader = Reader(path, TREE, BUCKETS)
    found = list(reader.tables())
    assert reader.num_missing == 1
    actions = int(TREE.nodes[0]["num_actions"])
    assert found[0][0, :actions].tolist() == [pytest.approx(1 / actions)] * actions
    np.testing.assert_array_equal(found[0][1:], numbers[0][1:])
    np.testing.assert_array_equal(found[1], numbers[1])


def _swap(data: bytes) -> bytes:
    first = 9 + 4 * data[72]
    second = 9 + 4 * data[64 + first + 8]
    middle = data[64 + first : 64 + first + second] + data[64 : 64 + first]
    return data[:64] + middle + data[64 + first + second :]


def _twice(data: bytes) -> bytes:
    first = 9 + 4 * data[72]
    return data[: 64 + first] + data[64:]


def _with(place: int, form: str, value: float) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        size = struct.calcsize(form)
        return data[:place] + struct.pack(form, value) + data[place + size :]

    return changed


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-1], "ends too early"),
        (lambda data: data[:63], "ends too early"),
        (lambda data: data + b"\0", "1 bytes follow"),
        (_swap, "not greater"),
        (_twice, "not greater"),
        (_with(0, "<I", 7), "does not begin with 'ARES'"),
        (_with(4, "<I", 2), "version 2"),
        (_with(8, "<Q", 1 << 63), "out of range"),
        (_with(16, "<Q", 1), "nothing for bucket 1"),
        (_with(16, "<Q", 80), "bytes follow|nothing"),
        (_with(16, "<Q", 1 << 63), "9,223,372,036,854,775,808 infosets"),
        (_with(24, "<f", float("nan")), "out of range"),
        (_with(28, "<I", 2), "reserved"),
        (_with(63, "<B", 1), "reserved"),
        (_with(64, "<Q", 3 << 62), "nothing for bucket 0 of street 0"),
        (_with(64, "<Q", 200 << 46), "key of entry 0"),
        (_with(64, "<Q", 1 << 45), "key of entry 0"),
        (_with(72, "<B", 200), "number of actions of entry 0"),
        (_with(73, "<f", float("nan")), "probabilities"),
        (_with(73, "<f", -0.25), "probabilities"),
        (_with(73, "<f", 1.5), "probabilities"),
    ],
)
def test_damage_is_told_in_one_line(
    tmp_path: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    path = tmp_path / "a.bin"
    write(path)
    path.write_bytes(damage(without_checksum(path.read_bytes())))
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    assert "\n" not in str(caught.value)


def _fuzz(tmp_path: Path, count: int, learning: Learning | None) -> None:
    path = tmp_path / "a.bin"
    write(path, learning)
    data = path.read_bytes()
    rng = np.random.default_rng(count)
    for number in range(count):
        changed = bytearray(data)
        if number % 3 == 0:
            changed = changed[: rng.integers(len(data))]
        elif number % 3 == 1:
            changed[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        else:
            begin, end = sorted(rng.integers(len(data), size=2).tolist())
            at = int(rng.integers(len(data)))
            changed[at:at] = data[begin : end + 1]
        path.write_bytes(changed)
        with pytest.raises(FormatError) as caught:
            read(path)
        assert "\n" not in str(caught.value)
        # Without the checksum a number may change unnoticed, but nothing worse happens.
        path.write_bytes(without_checksum(bytes(changed)))
        try:
            found = read(path)
        except FormatError:
            continue
        assert all(np.isfinite(table).all() for table in found)


@pytest.mark.parametrize("learning", [None, LEARNING, COUNTED])
def test_damaged_files_are_refused(tmp_path: Path, learning: Learning | None) -> None:
    _fuzz(tmp_path, 300, learning)


@pytest.mark.long
@pytest.mark.parametrize("learning", [None, LEARNING, COUNTED])
def test_many_damaged_files_are_refused(tmp_path: Path, learning: Learning | None) -> None:
    _fuzz(tmp_path, 40_000, learning)


@pytest.mark.parametrize(
    "learning",
    [
        LEARNING._replace(weight=0.0),
        LEARNING._replace(gamma=float("nan")),
        LEARNING._replace(alpha=-1.0),
        LEARNING._replace(seed=1 << 63),
    ],
)
def test_how_a_checkpoint_was_learnt_must_be_possible(tmp_path: Path, learning: Learning) -> None:
    path = tmp_path / "a.bin"
    write(path, learning)
    with pytest.raises(FormatError, match="how it was learnt is out of range"):
        read_header(path)


def test_clipped_regrets_are_not_negative(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    numbers = tables(2)
    numbers[0][0, 0] = -1.0
    for learning, is_sound in ((LEARNING, False), (LEARNING._replace(is_clipped=False), True)):
        header = Header(97, 0, 20.0, learning)
        path.write_bytes(b"".join(Writer(TREE, BUCKETS, header).chunks(numbers)))
        if is_sound:
            assert read(path)[0][0, 0] == -1.0
        else:
            with pytest.raises(FormatError, match="regrets or sums"):
                read(path)


def _chain(depth: int) -> DealTree:
    """Return a tree in which one of three actions leads on."""

    def expand(left: int) -> DecisionNode | Fold | ShowdownNode:
        return DecisionNode(left % 2, 0, [0, 0, left - 1]) if left > 0 else Fold(1.0)

    return grow(depth, expand)


def test_betting_that_needs_more_bits_than_a_key_has_is_refused() -> None:
    # The betting before the last of 24 decisions is a number below 4^23, of 46 bits.
    order = orders_of(_chain(24))[0]
    assert int(order.betting[-1]) == sum(3 * 4**place for place in range(23))
    with pytest.raises(GameTooLarge, match="46 bits"):
        orders_of(_chain(25))
