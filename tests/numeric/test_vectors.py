"""Vectors in kernels against NumPy, lane by lane."""

import numpy as np
import pytest

from untilt.numeric.kernel import kernel
from untilt.numeric.vectors import (
    absolute,
    fma,
    lane_sum,
    largest_lane,
    load16,
    load32,
    load_like,
    nearest,
    splat16,
    sqrt,
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
    return lane_sum(load32(x, 0)), largest_lane(load_like(x, 0, splat16(0.0)))


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
def _halve(x: np.ndarray[tuple[int], np.dtype[np.int16]], roots: Singles) -> None:
    vector = load16(x, 0)
    store(roots, 0, sqrt(absolute(vector)))
    store(x, 0, nearest(vector * 0.5))


def test_integers_become_floats_and_back() -> None:
    x = np.arange(-8, 8, dtype=np.int16) * 3
    before, roots = x.copy(), np.zeros(16, np.float32)
    _halve(x, roots)
    assert np.array_equal(x, np.rint(before * 0.5))  # halves to even
    assert np.allclose(roots, np.sqrt(np.abs(before)))
