"""Vectors in kernels against NumPy, lane by lane."""

import numpy as np
import pytest

from untilt.numeric.kernel import kernel
from untilt.numeric.prefetch import prefetch
from untilt.numeric.vectors import (
    absolute,
    add16x4,
    fma,
    gather16,
    gather16x4,
    lane_sum,
    largest_lane,
    load16,
    load_like,
    nearest,
    splat16,
    splat32,
    store,
    transpose8,
    where,
)

Singles = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def singles(*shape: int, seed: int = 1) -> Singles:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@kernel
def _combine(x: Singles, y: Singles, number: float, out: Singles) -> None:
    for at in range(0, len(x), 16):
        first, second = load16(x, at), load16(y, at)
        chosen = where(first > second, first, second * number)
        chosen = where(chosen < 0.0, chosen - 1.0, chosen)
        store(out, at, fma(chosen, second, 0.25) / (1.0 + absolute(first)))


def test_operators_work_lane_by_lane() -> None:
    x, y, out = singles(48), singles(48, seed=2), np.zeros(48, np.float32)
    _combine(x, y, 3.0, out)
    chosen = np.where(x > y, x, y * np.float32(3))
    chosen = np.where(chosen < 0, chosen - np.float32(1), chosen)
    expected = (chosen * y + np.float32(0.25)) / (1 + np.abs(x))
    assert np.allclose(out, expected, rtol=1e-6, atol=1e-7)


@kernel
def _choose(x: float) -> float:
    return where(x > 1.0, x, 2.0)


@pytest.mark.parametrize(("x", "expected"), [(3.0, 3.0), (1.0, 2.0), (np.nan, 2.0)])
def test_where_also_takes_numbers(x: float, expected: float) -> None:
    assert _choose(x) == expected


@kernel
def _fold(x: Singles) -> tuple[float, float]:
    return lane_sum(load_like(x, 0, splat32(0.0))), largest_lane(load_like(x, 0, splat16(0.0)))


def test_lanes_are_added_in_halves() -> None:
    x = singles(32)
    total, largest = _fold(x)
    halves = x
    while len(halves) > 1:
        halves = halves[: len(halves) // 2] + halves[len(halves) // 2 :]
    assert total == halves[0]
    assert largest == x[:16].max()


@kernel
def _transpose(source: Singles, rows: int, columns: int, target: Singles) -> None:
    for row in range(0, rows, 8):
        for column in range(0, columns, 8):
            transpose8(source, row * columns + column, columns, target, column * rows + row, rows)


def test_tiles_are_transposed() -> None:
    source, target = singles(24, 40), np.zeros((40, 24), np.float32)
    _transpose(source.ravel(), 24, 40, target.ravel())
    assert np.array_equal(target, source.T)


@kernel
def _halve(x: np.ndarray[tuple[int], np.dtype[np.int16]], sizes: Singles) -> None:
    vector = load16(x, 0)
    store(sizes, 0, absolute(vector))
    store(x, 0, nearest(vector * 0.5))


def test_integers_become_floats_and_back() -> None:
    x = np.arange(-8, 8, dtype=np.int16) * 3
    before, sizes = x.copy(), np.zeros(16, np.float32)
    _halve(x, sizes)
    assert np.array_equal(x, np.rint(before * 0.5))  # halves to even
    assert np.array_equal(sizes, np.abs(before))


Places = np.ndarray[tuple[int], np.dtype[np.int64]]


@kernel
def _pick(x: Singles, places: Places, out: Singles) -> None:
    for at in range(0, len(places), 16):
        prefetch(x, places[at])
        store(out, at, gather16(x, places, at, 3))


def test_gather_takes_numbers_from_anywhere() -> None:
    x, out = singles(1000), np.zeros(32, np.float32)
    places = np.random.default_rng(3).integers(0, 997, size=32)
    _pick(x, places, out)
    assert np.array_equal(out, x[places + 3])


@kernel
def _collect(x: Singles, places: Places, out: Singles) -> None:
    for at in range(0, len(places), 16):
        prefetch(x, places[at])
        a, b, c, d = gather16x4(x, places, at, 3)
        store(out, 4 * at, a)
        store(out, 4 * at + 16, b)
        store(out, 4 * at + 32, c)
        store(out, 4 * at + 48, d)


def test_gather_takes_four_numbers_from_anywhere() -> None:
    x, out = singles(1000), np.zeros(128, np.float32)
    places = np.random.default_rng(3).integers(0, 994, size=32)
    _collect(x, places, out)
    expected = x[places[:, None] + 3 + np.arange(4)]
    assert np.array_equal(out.reshape(2, 4, 16), expected.reshape(2, 16, 4).transpose(0, 2, 1))


@kernel
def _scatter(x: Singles, places: Places, added: Singles, floor: float) -> None:
    a, b = load16(added, 0), load16(added, 16)
    c, d = load16(added, 32), load16(added, 48)
    add16x4(x, places, 0, 3, (a, b, c, d), np.float32(floor), np.uint64(5))


@pytest.mark.parametrize("floor", [0.0, -np.inf])
def test_add_adds_to_rows_that_several_lanes_share(floor: float) -> None:
    x, added = singles(50), singles(4, 16, seed=2)
    places = np.random.default_rng(3).integers(0, 43, size=16)
    assert len(set(places.tolist())) < 16
    expected = x.copy()
    for lane, place in enumerate(places):
        row = expected[place + 3 : place + 7]
        row[:] = np.maximum(row + added[:, lane], np.float32(floor))
    _scatter(x, places, added.ravel(), floor)
    assert np.array_equal(x, expected)


@kernel
def _kept(x: Singles, least: Singles) -> float:
    return where(x[0] > least[0], x[0], least[0])


def test_where_of_single_numbers_does_not_round() -> None:
    x, least = np.array([0.1], np.float32), np.array([-1.0], np.float32)
    assert _kept(x, least) == np.float32(0.1)
