"""Estimates of noise from lines of spots, against direct maximisation of the same likelihood."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize, minimize_scalar
from tests.runs.noisy_spots import noisy, solved

import untilt
from untilt.games.holdem.solutions.line_chances import LineChances, betting_ends
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.estimates.noise_estimation import (
    NoiseEstimate,
    NoiseGrid,
    frequency_test,
    log_of,
)

SPOT = untilt.Spot(
    "Td9d6hQc2s",
    ("QQ,JTs,87s,A5s,AQo", "TT,KJs,QJs,65s,KTo"),
    100,
    250,
    untilt.Sizes("60%,a", raises="3x"),
)
NOISES = np.geomspace(0.01, 0.4, 9)


@cache
def chances(first: float, second: float) -> Floats:
    """Return how likely each line is if the players have these noises."""
    solution = noisy(solved(SPOT), (first, second))
    return LineChances(solution).of_betting(betting_ends(solution.view))


def one_axis() -> tuple[NoiseGrid, Floats]:
    return NoiseGrid(NOISES, 1), np.array([chances(noise, noise) for noise in NOISES])


def estimate(grid: NoiseGrid, known: Floats, counts: Floats) -> NoiseEstimate:
    return grid.estimate(grid.log_likelihood(known, known, counts))


def counts_at(first: float, second: float, hands: int, seed: int) -> Floats:
    found = chances(first, second)
    rng = np.random.default_rng(seed)
    return rng.multinomial(hands, found / found.sum()).astype(np.float64)


def direct(counts: Floats) -> tuple[float, float, float]:
    """Return the most likely noise and the ends of its interval, without a grid."""

    def loss(log_noise: float) -> float:
        noise = float(np.exp(log_noise))
        return -float(counts @ log_of(chances(noise, noise)))

    best = minimize_scalar(loss, bounds=(np.log(0.01), np.log(0.4)), method="bounded")
    level = best.fun + 3.841458820694124 / 2.0
    low, high = (
        brentq(lambda at: loss(at) - level, best.x, end) for end in (np.log(0.01), np.log(0.4))
    )
    return float(np.exp(best.x)), float(np.exp(low)), float(np.exp(high))


@pytest.mark.parametrize(("noise", "seed"), [(0.2, 1), (0.1, 2), (0.06, 3)])
def test_estimate_and_interval_are_those_of_direct_maximisation(noise: float, seed: int) -> None:
    grid, known = one_axis()
    counts = counts_at(noise, noise, 2_000, seed)
    found = estimate(grid, known, counts)
    best, low, high = direct(counts)
    assert found.noises[0] == pytest.approx(best, rel=0.01)
    assert found.intervals[0].low == pytest.approx(low, rel=0.01)
    assert found.intervals[0].high == pytest.approx(high, rel=0.01)
    assert not found.intervals[0].is_open_below
    assert not found.intervals[0].is_open_above


def test_two_noises_are_those_of_direct_maximisation() -> None:
    noises = np.geomspace(0.02, 0.4, 7)
    grid = NoiseGrid(noises, 2)
    known = np.array([[chances(first, second) for second in noises] for first in noises])
    counts = counts_at(0.06, 0.25, 5_000, 4)

    def loss(logs: Any) -> float:
        return -float(counts @ log_of(chances(*np.exp(logs).tolist())))

    best = minimize(loss, np.log([0.1, 0.1]), method="Nelder-Mead", options={"xatol": 1e-4})
    found = estimate(grid, known, counts)
    assert found.noises == pytest.approx(np.exp(best.x), rel=0.02)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=0.05)
    common = estimate(grid.diagonal, grid.on_diagonal(known), counts)
    assert found.log_likelihood - common.log_likelihood > 10.0


def test_a_flat_likelihood_has_an_open_interval() -> None:
    grid, known = one_axis()
    found = estimate(grid, known, counts_at(0.011, 0.011, 30, 5))
    assert found.intervals[0].is_open_below
    assert not found.intervals[0].is_open_above
    assert found.intervals[0].low == pytest.approx(0.01)
    assert 0.011 < found.intervals[0].high < 0.4
    few = grid.estimate(np.zeros(len(grid.fine)))
    assert few.intervals[0].is_open_below
    assert few.intervals[0].is_open_above


def test_right_ranges_pass_as_often_as_they_should() -> None:
    grid, known = one_axis()
    rng = np.random.default_rng(6)
    values = [
        frequency_test(grid, [known], [counts_at(0.1, 0.1, 300, seed)], rng, 99).p_value
        for seed in range(100)
    ]
    assert 0.35 < np.mean(values) < 0.65
    assert np.mean(np.array(values) <= 0.05) <= 0.12


def test_lines_that_no_noise_explains_fail() -> None:
    """Two thirds of the hands end with the rarest line."""
    grid, known = one_axis()
    counts = counts_at(0.1, 0.1, 300, 7)
    rare = int(np.argmin(known[4]))
    counts[rare] += 600.0
    found = frequency_test(grid, [known], [counts], np.random.default_rng(8))
    assert found.p_value == 1.0 / 500.0
    assert found.lines[0].number == rare
    assert found.lines[0].residual > 10.0


def test_the_statistic_is_twice_the_ratio_of_log_likelihoods() -> None:
    grid, known = one_axis()
    counts = counts_at(0.2, 0.2, 400, 9)
    found = frequency_test(grid, [known], [counts], np.random.default_rng(10))
    seen = counts[counts > 0.0]
    best = estimate(grid, known, counts).log_likelihood
    saturated = float(seen @ np.log(seen / seen.sum()))
    assert found.statistic == pytest.approx(2.0 * (saturated - best), abs=0.02)
