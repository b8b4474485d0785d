"""Arrays in the sparse form are read like others."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from untilt.numeric.bfloat16 import narrowed, number_at, widened
from untilt.numeric.kernel import kernel
from untilt.numeric.sparse import GROUP, Sparse, dense, empty, firsts_of
from untilt.numeric.vectors import gather16x4, store

LENGTH = 5 * GROUP


def sparse_of(numbers: npt.NDArray[np.float32]) -> Sparse:
    """Pack an array, bit by bit."""
    marks = np.zeros(len(numbers) // GROUP, dtype=np.uint64)
    for place in np.flatnonzero(numbers):
        marks[place // GROUP] |= np.uint64(1 << int(place) % GROUP)
    kept = narrowed(numbers[numbers != 0.0])
    return Sparse(marks, firsts_of(marks), np.append(kept, np.uint16(7)))


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


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_numbers_are_those_of_the_array(share: float) -> None:
    rng = np.random.default_rng(1)
    numbers = np.where(rng.random(LENGTH) < share, rng.random(LENGTH) + 0.1, 0.0)
    exact = widened(narrowed(numbers.astype(np.float32)))
    sparse = sparse_of(exact)
    assert sparse.num_kept == np.count_nonzero(exact)
    assert sparse.nbytes == LENGTH // GROUP * 12 + 2 * sparse.num_kept
    found = np.zeros(LENGTH, dtype=np.float32)
    _read(sparse, np.arange(LENGTH), found)
    np.testing.assert_array_equal(found, exact)
    np.testing.assert_array_equal(dense(sparse, GROUP, 2 * GROUP), exact[GROUP : 3 * GROUP])
    places = rng.integers(0, LENGTH - 8, 16)
    gathered = np.zeros(64, dtype=np.float32)
    _gather(sparse, places, 3, gathered)
    expected = [exact[place + 3 + number] for number in range(4) for place in places.tolist()]
    np.testing.assert_array_equal(gathered, np.array(expected, dtype=np.float32))


def test_an_empty_one_has_zeros() -> None:
    sparse = empty(LENGTH)
    assert sparse.num_kept == 0
    assert not dense(sparse, 0, LENGTH).any()
