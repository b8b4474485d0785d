"""Numbers of 16 bits, in both formats: read, added to and rounded as a slow twin does it."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.reference.half_floats import lane_word, rounded, split_mix, wide

from untilt.numeric.half_floats import (
    BFLOAT16,
    FLOAT16,
    Halves,
    add_number,
    narrowed,
    number_at,
    widened,
)
from untilt.numeric.kernel import kernel
from untilt.numeric.vectors import add16x4, gather16x4, load16, store

Singles = npt.NDArray[np.float32]
FORMATS = pytest.mark.parametrize("dtype", [BFLOAT16, FLOAT16], ids=["bfloat16", "float16"])


def halves(count: int, dtype: np.dtype[Any], seed: int = 1) -> Halves:
    """Return numbers of very different magnitude and sign."""
    rng = np.random.default_rng(seed)
    largest = 12.0 if dtype == BFLOAT16 else 3.5
    numbers = rng.normal(size=count) * 10.0 ** rng.uniform(-6.0, largest, size=count)
    return narrowed(numbers.astype(np.float32), dtype)


def bits_of(x: Halves) -> list[int]:
    return [int(each) for each in x.view(np.uint16)]


@kernel
def _add_each(x: Halves, added: Singles, keys: npt.NDArray[np.uint64], out: Singles) -> None:
    for at in range(len(x)):
        add_number(x, at, added[at], keys[at])
        out[at] = number_at(x, at)


@FORMATS
def test_a_number_is_rounded_to_one_of_its_neighbours(dtype: np.dtype[Any]) -> None:
    is_ieee = dtype == FLOAT16
    x = halves(2_000, dtype)
    rng = np.random.default_rng(2)
    added = (widened(x) * rng.normal(scale=0.1, size=len(x))).astype(np.float32)
    added[:100] = 0.0
    x[:50] = 0
    added[20:50] = 1e-7 if is_ieee else 1e-39  # below the smallest normal number
    keys = rng.integers(1 << 63, size=len(x), dtype=np.uint64)
    sums = widened(x) + added
    expected = [
        rounded(float(total), split_mix(int(key)) >> 48, is_ieee=is_ieee)
        for total, key in zip(sums, keys, strict=True)
    ]
    before, out = x.copy(), np.zeros(len(x), np.float32)
    _add_each(x, added, keys, out)
    assert bits_of(x) == expected
    assert out.tolist() == [wide(half, is_ieee=is_ieee) for half in expected]
    assert np.array_equal(x[50:100], before[50:100])
    assert np.count_nonzero(np.abs(out) > np.abs(sums)) > 500
    assert np.count_nonzero(np.abs(out) < np.abs(sums)) > 500


@kernel
def _add_many(x: Halves, added: float, count: int) -> None:
    for number in range(count):
        add_number(x, 0, np.float32(added), np.uint64(number))


@FORMATS
def test_many_small_numbers_are_not_lost(dtype: np.dtype[Any]) -> None:
    """To the nearest, the sum would stop at 256 or 2,048."""
    totals = []
    for sign in (1.0, -1.0):
        x = narrowed(np.array([sign * 256.0], np.float32), dtype)
        _add_many(x, sign, 20_000)
        totals.append(sign * float(widened(x)[0]))
    # The standard deviation is about 5 %, and a third of that.
    assert totals == pytest.approx([20_256.0] * 2, rel=0.2 if dtype == BFLOAT16 else 0.06)


@kernel
def _add_lanes(
    x: Halves, places: npt.NDArray[np.int64], added: Singles, floor: float, out: Singles
) -> None:
    a, b, c, d = gather16x4(x, places, 0, 3)
    store(out, 0, a)
    store(out, 16, b)
    store(out, 32, c)
    store(out, 48, d)
    vectors = (load16(added, 0), load16(added, 16), load16(added, 32), load16(added, 48))
    add16x4(x, places, 0, 3, vectors, np.float32(floor), np.uint64(77))


@FORMATS
@pytest.mark.parametrize("floor", [0.0, -np.inf])
def test_lanes_are_read_and_rounded_apart(floor: float, dtype: np.dtype[Any]) -> None:
    is_ieee = dtype == FLOAT16
    x = halves(50, dtype)
    added = np.random.default_rng(2).normal(size=(4, 16)).astype(np.float32)
    added[3] = 0.0
    places = np.random.default_rng(3).integers(0, 43, size=16)
    assert len(set(places.tolist())) < 16
    read = widened(x)[places[:, None] + 3 + np.arange(4)].T
    expected = bits_of(x)
    for lane, place in enumerate(places.tolist()):
        for number in range(4):
            at = place + 3 + number
            before = np.float32(wide(expected[at], is_ieee=is_ieee))
            total = max(before + added[number, lane], np.float32(floor))
            word = lane_word(77, lane, number)
            expected[at] = rounded(float(total), word, is_ieee=is_ieee)
    out = np.zeros(64, np.float32)
    _add_lanes(x, places, added.ravel(), floor, out)
    assert np.array_equal(out.reshape(4, 16), read)
    assert bits_of(x) == expected


def test_nearest_numbers() -> None:
    given = np.array([1.0, 1.0 + 2.0**-8, 1.0 + 3 * 2.0**-8, -1.0 - 2.0**-8 - 2.0**-20, 0.0])
    assert widened(narrowed(given.astype(np.float32))).tolist() == [
        1.0,
        1.0,
        1.0 + 2.0**-6,
        -1.0 - 2.0**-7,
        0.0,
    ]
    assert widened(given.astype(np.float32)).dtype == np.float32
