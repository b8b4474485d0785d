"""The noise of simulated players, whose noise and its changes are known."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from untilt.numeric.arrays import Bools, Floats
from untilt.play.leaks.noise import (
    ChoiceGaps,
    PlayerNoise,
    estimate_noise,
    find_changes,
    strength_of_difference,
)

NUM_ACTIONS = 5


def simulated(noises: Floats, seed: int) -> ChoiceGaps:
    """Return the decisions of a player with this noise in each hand.

    There are 2.5 decisions in a hand and 3 to 5 actions; half of them are worth less than 9 % of
    the pot less than the best, as those of a blueprint at 25 big blinds.
    """
    rng = np.random.default_rng(seed)
    counts = 1 + rng.poisson(1.5, len(noises))
    hands = np.repeat(np.arange(len(noises)), counts)
    values = -rng.exponential(0.13, (len(hands), NUM_ACTIONS))
    values[:, 0] = 0.0
    values[np.arange(NUM_ACTIONS) >= rng.integers(3, 6, (len(hands), 1))] = -np.inf
    chosen = (values / noises[hands, np.newaxis] + rng.gumbel(size=values.shape)).argmax(axis=1)
    return ChoiceGaps(values - values[np.arange(len(hands)), chosen][:, np.newaxis], hands)


def estimated(chosen: ChoiceGaps) -> PlayerNoise:
    found = estimate_noise(chosen)
    assert found is not None
    return found


def test_the_estimate_is_the_maximum_of_the_likelihood() -> None:
    chosen = simulated(np.full(300, 0.2), seed=5)

    def minus_likelihood(beta: float) -> float:
        return float(np.log(np.exp(beta * chosen.gaps).sum(axis=1)).sum())

    found = minimize_scalar(minus_likelihood, bounds=(0.01, 100.0), method="bounded")
    assert estimated(chosen).noise == pytest.approx(1.0 / found.x, rel=1e-4)


def test_intervals_contain_the_noise_as_often_as_they_say() -> None:
    for noise in (0.03, 0.1, 0.5):
        found = [estimated(simulated(np.full(400, noise), seed)) for seed in range(100)]
        covered = sum(each.low <= noise <= each.high for each in found)
        assert 89 <= covered <= 99
        assert np.median([each.noise for each in found]) == pytest.approx(noise, rel=0.03)


def test_decisions_of_a_hand_count_as_one_cluster() -> None:
    chosen = simulated(np.full(500, 0.1), seed=2)
    doubled = ChoiceGaps(np.repeat(chosen.gaps, 2, axis=0), np.repeat(chosen.hands, 2))
    one, two = estimated(chosen), estimated(doubled)
    assert two.noise == pytest.approx(one.noise)
    assert (two.low, two.high) == pytest.approx((one.low, one.high))
    assert two.decisions == 2 * one.decisions


def test_players_who_never_or_always_err_have_open_intervals() -> None:
    best = np.tile([0.0, -0.2, -0.5], (50, 1))
    never = estimated(ChoiceGaps(best, np.arange(50)))
    assert never.noise == 0.0
    assert 0.0 < never.high < 0.2
    always = estimated(ChoiceGaps(best + 0.5, np.arange(50)))
    assert math.isinf(always.noise)
    assert always.low > 1.0
    assert str(never).startswith("below ")
    assert str(always).startswith("above ")
    assert never.to_json()["interval"][0] == 0.0
    assert always.to_json()["noise"] is None
    assert estimate_noise(ChoiceGaps(best[:0], np.zeros(0, np.int64))) is None


@pytest.mark.parametrize("count", [5, pytest.param(200, marks=pytest.mark.long)])
def test_a_switch_from_10_to_30_percent_is_found_within_100_hands(count: int) -> None:
    steady, tilted = np.full(5_000, 0.1), np.full(500, 0.3)
    found, soon, false = 0, 0, 0
    for seed in range(count):
        chosen = simulated(np.concatenate((steady, tilted)), seed)
        changes = find_changes(chosen, shuffles=99)
        found += any(abs(change.hand - 5_000) <= 100 for change in changes)
        is_early: Bools = chosen.hands < 5_100
        early = find_changes(chosen.only(is_early), shuffles=99)
        soon += any(abs(change.hand - 5_000) <= 100 for change in early)
        false += bool(find_changes(simulated(np.full(5_500, 0.1), seed + 1_000), shuffles=99))
    assert found >= 0.8 * count
    assert soon >= 0.8 * count  # also if only 100 hands have been played since
    assert false <= max(0.05 * count, 1)


def test_a_player_who_tilts_and_recovers_has_two_changes() -> None:
    noises = np.repeat([0.08, 0.4, 0.08], [1_500, 300, 1_500])
    first, second = find_changes(simulated(noises, seed=1))
    assert abs(first.hand - 1_500) <= 50
    assert abs(second.hand - 1_800) <= 50
    assert first.before.high < first.after.low
    assert second.after.high < second.before.low


def test_shuffles_are_a_function_of_the_seed() -> None:
    chosen = simulated(np.repeat([0.1, 0.2], [800, 200]), seed=3)
    assert find_changes(chosen, seed=5) == find_changes(chosen, seed=5)


def test_few_hands_have_no_changes() -> None:
    assert find_changes(simulated(np.full(39, 0.1), 1)) == ()
    nothing = simulated(np.full(3, 0.1), 1).only(np.zeros(1, bool).repeat(0))
    assert find_changes(ChoiceGaps(nothing.gaps[:0], nothing.hands[:0])) == ()


def test_a_difference_between_kinds_of_hands_has_a_strength() -> None:
    is_special = np.arange(3_000) % 10 == 0
    noisy = simulated(np.where(is_special, 0.3, 0.1), seed=4)
    strength = strength_of_difference(noisy, is_special[noisy.hands])
    assert strength is not None
    assert strength <= 0.002
    found = [
        strength_of_difference(same, is_special[same.hands], shuffles=99)
        for same in (simulated(np.full(3_000, 0.1), seed) for seed in range(30))
    ]
    assert sum(each is not None and each <= 0.05 for each in found) <= 5
    assert strength_of_difference(noisy, np.zeros(len(noisy.hands), bool)) is None
