"""Exponentials and logarithms of vectors against NumPy, lane by lane."""

from typing import Any

import numpy as np
import pytest

from untilt.numeric.kernel import kernel
from untilt.numeric.vector_math import exponential, logarithm
from untilt.numeric.vectors import load16, store

Numbers = np.ndarray[Any, Any]


@kernel
def _both(x: Numbers, exponentials: Numbers, logarithms: Numbers) -> None:
    for at in range(0, len(x), 16):
        store(exponentials, at, exponential(load16(x, at)))
        store(logarithms, at, logarithm(load16(x, at)))


def of(x: Numbers) -> tuple[Numbers, Numbers]:
    padded = np.concatenate([x, np.ones(-len(x) % 16, x.dtype)])
    first, second = np.zeros_like(padded), np.zeros_like(padded)
    _both(padded, first, second)
    return first[: len(x)], second[: len(x)]


def spacing_apart(found: Numbers, exact: Numbers) -> float:
    """Return the largest error in units of the last place."""
    unit = np.spacing(np.abs(exact.astype(found.dtype)))
    return float(np.max(np.abs(found.astype(np.longdouble) - exact) / unit))


@pytest.mark.parametrize(("dtype", "least"), [(np.float32, -87.0), (np.float64, -708.0)])
def test_exponentials_are_those_of_numpy(dtype: type, least: float) -> None:
    random = np.random.default_rng(3)
    x: Numbers = np.concatenate(
        [
            np.linspace(least + 0.01, 80.0, 40_000),
            random.normal(size=20_000),
            random.normal(size=20_000) * 1e-4,
            [0.0, 1.0, -1.0],
        ]
    ).astype(dtype)
    assert spacing_apart(of(x)[0], np.exp(x.astype(np.longdouble))) < 2.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exponentials_of_what_is_too_small_are_zero(dtype: type) -> None:
    x: Numbers = np.array([-1e30, -np.inf, -5000.0, -709.0, 0.0], dtype)
    assert np.array_equal(of(x)[0], [0.0, 0.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize(("dtype", "most"), [(np.float32, 37), (np.float64, 300)])
def test_logarithms_are_those_of_numpy(dtype: type, most: int) -> None:
    random = np.random.default_rng(4)
    x: Numbers = np.concatenate(
        [
            np.logspace(-most, most, 40_000),
            random.uniform(0.5, 2.0, size=20_000),
            1.0 + random.normal(size=20_000) * 1e-5,
            [1.0],
        ]
    ).astype(dtype)
    found, exact = of(x)[1], np.log(x.astype(np.longdouble))
    assert spacing_apart(found[x != 1.0], exact[x != 1.0]) < 2.5
    assert np.all(found[x == 1.0] == 0.0)
