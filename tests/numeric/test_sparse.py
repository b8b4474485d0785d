"""Arrays in the sparse form are packed, and read like others."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from untilt.numeric.half_floats import narrowed, number_at, widened
from untilt.numeric.kernel import kernel
from untilt.numeric.sparse import (
    GROUP,
    PAIR_BYTES,
    Sparse,
    dense,
    empty,
    firsts_of,
    most_bytes,
    num_values_of,
    pack_group,
)
from untilt.numeric.vectors import gather16x4, store

LENGTH = 5 * GROUP

Singles = npt.NDArray[np.float32]


def packed_slowly(numbers: Singles) -> Sparse:
    """Pack bfloat16 numbers as the module describes it, with a string of bits for each group."""
    marks, bases, values = [], [], b""
    for begin in range(0, len(numbers), GROUP):
        halves = narrowed(numbers[begin : begin + GROUP]).tolist()
        kept = [half for half in halves if half > 0]
        base = max(max(kept, default=0) - 0xFFF, 0)
        marks.append(sum((half > 0) << place for place, half in enumerate(halves)))
        bases.append(base)
        stream = sum((half - base) << 12 * number for number, half in enumerate(kept))
        values += stream.to_bytes(-(-len(kept) // 2) * PAIR_BYTES, "little")
    words = np.array(marks, dtype=np.uint64)
    assert num_values_of(words) == len(values)
    return Sparse(
        words,
        firsts_of(words),
        np.array(bases, dtype=np.uint16),
        np.frombuffer(values + bytes(PAIR_BYTES), dtype=np.uint8).copy(),
    )


def some(share: float, seed: int = 1) -> Singles:
    """Return numbers of 30 powers of two, of which this share is not 0."""
    rng = np.random.default_rng(seed)
    numbers = np.where(rng.random(LENGTH) < share, 2.0 ** rng.uniform(-10.0, 20.0, LENGTH), 0.0)
    return widened(narrowed(numbers.astype(np.float32)))


@kernel
def _read(sparse: Sparse, places: Any, out: Any) -> None:
    for number in range(len(places)):
        out[number] = number_at(sparse, places[number])


@kernel
def _gather(sparse: Sparse, places: Any, offset: int, out: Any) -> None:
    a, b, c, d = gather16x4(sparse, places, 0, offset)
    store(out, 0, a)
    store(out, 16, b)
    store(out, 32, c)
    store(out, 48, d)


@kernel
def _pack(numbers: Singles, key: np.uint64, halves: Any, sparse: Sparse) -> int:
    end = 0
    for group in range(len(sparse.marks)):
        sparse.firsts[group] = end
        own = key + np.uint64(2 * GROUP * group)
        end = pack_group(numbers, group * GROUP, own, halves, sparse, group)
    return end


def packed(numbers: Singles, key: int = 1) -> Sparse:
    sparse = empty(len(numbers))._replace(
        values=np.full(len(numbers) // 2 * PAIR_BYTES, 0xFF, dtype=np.uint8)
    )
    end = _pack(numbers, np.uint64(key), np.empty(GROUP, dtype=np.uint16), sparse)
    assert end * PAIR_BYTES == sparse.num_values
    return sparse


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_numbers_are_those_of_the_array(share: float) -> None:
    exact = some(share)
    sparse = packed_slowly(exact)
    assert sparse.num_kept == np.count_nonzero(exact)
    assert sparse.nbytes == LENGTH // GROUP * 14 + sparse.num_values <= most_bytes(LENGTH)
    found = np.zeros(LENGTH, dtype=np.float32)
    _read(sparse, np.arange(LENGTH), found)
    np.testing.assert_array_equal(found, exact)
    np.testing.assert_array_equal(dense(sparse, GROUP, 2 * GROUP), exact[GROUP : 3 * GROUP])
    rng = np.random.default_rng(2)
    places = rng.integers(0, LENGTH - 8, 16)
    places[:4] = 57 + np.arange(4)  # from the end of one group into the next
    gathered = np.zeros(64, dtype=np.float32)
    _gather(sparse, places, 3, gathered)
    expected = [exact[place + 3 + number] for number in range(4) for place in places.tolist()]
    np.testing.assert_array_equal(gathered, np.array(expected, dtype=np.float32))
    ours = packed(exact)
    for name in ("marks", "firsts", "bases"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(sparse, name))
    used = slice(sparse.num_values)
    np.testing.assert_array_equal(ours.values[used], sparse.values[used])


def test_numbers_are_rounded_to_themselves_in_the_mean() -> None:
    numbers = np.zeros(GROUP, dtype=np.float32)
    numbers[:4] = 1.0, 1.0 + 2.0**-9, 2.0**-20, 3.0 * 2.0**-35
    found = np.array([dense(packed(numbers, 1_000 * key), 0, GROUP) for key in range(4_000)])
    assert set(found[:, 0].tolist()) == {1.0}
    assert set(found[:, 1].tolist()) == {1.0, 1.0 + 2.0**-7}
    assert set(found[:, 2].tolist()) == {2.0**-20}
    # It is 0, or the smallest number that can be kept, which the largest one decides.
    least = set(found[:, 3].tolist()) - {0.0}
    assert sorted(least) == pytest.approx([2.0**-32] * len(least), rel=0.02)
    np.testing.assert_allclose(found.mean(axis=0)[:4], numbers[:4], rtol=0.12)
    assert not found[:, 4:].any()


def test_an_empty_one_has_zeros() -> None:
    sparse = empty(LENGTH)
    assert sparse.num_kept == sparse.num_values == 0
    assert not dense(sparse, 0, LENGTH).any()
