"""Goodness of fit: exact moments, uniform p-values under the model, power against others."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.special import chdtrc
from scipy.stats import kstest
from tests.reference.games import Matrix
from tests.solvers.qre.simulation import behaviour_at, simulated

from untilt.game.compiled import compile_histories
from untilt.games import kuhn, leduc
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.estimates.estimation import Fit, fit
from untilt.solvers.qre.estimates.goodness import goodness_of_fit
from untilt.solvers.qre.estimates.observed_play import ObservedPlay
from untilt.solvers.qre.problem import QuantalProblem

GAMES = {
    "kuhn": kuhn(),
    "leduc": leduc(),
    "pennies": Matrix(((4.0, 0.0), (0.0, 1.0))),
    "general-sum": Matrix(((2.0, 0.0), (1.0, 3.0)), ((0.0, 1.0), (2.0, 0.0))),
    "rows of three": Matrix(((1.0, 0.0), (0.0, 2.0), (3.0, -1.0))),
}


def problem_of(name: str) -> QuantalProblem:
    return QuantalProblem(compile_histories(GAMES[name]))


@pytest.fixture(scope="module")
def problem() -> QuantalProblem:
    return problem_of("kuhn")


def samples(
    problem: QuantalProblem, behaviour: Floats, num_hands: int, number: int, seed: int
) -> Iterator[Fit]:
    """Yield the fits of some simulated samples."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        yield fit(problem, simulated(problem, behaviour, num_hands, rng), max_beta=30.0)


def verify_uniform(name: str, beta: float, num_hands: int, number: int) -> None:
    """Fail unless p-values are uniform, and adjusted residuals standard, under the model."""
    problem = problem_of(name)
    overall: list[float] = []
    players: tuple[list[float], list[float]] = ([], [])
    residuals: list[float] = []
    for found in samples(problem, behaviour_at(problem, beta), num_hands, number, seed=29):
        goodness = found.goodness
        assert goodness.overall.p_value is not None
        overall.append(goodness.overall.p_value)
        for values, test in zip(players, goodness.players, strict=True):
            if test.p_value is not None:
                values.append(test.p_value)
        residuals.extend(
            row.residuals[0]
            for row in goodness.infosets
            if row.residuals[0] is not None and min(row.expected) > 5.0
        )
    for p_values in (overall, *players):
        assert kstest(p_values, "uniform").pvalue > 0.01, name
        # The end that decides: at most four standard deviations off.
        for level in (0.01, 0.05):
            found_share = sum(value < level for value in p_values)
            expected, spread = level * len(p_values), math.sqrt(level * len(p_values))
            assert abs(found_share - expected) < 4.0 * spread, (name, level)
    # Residuals of a sample depend on one another: bounds for `number` independent ones.
    assert abs(float(np.mean(residuals))) < 4.0 / math.sqrt(number)
    assert abs(float(np.var(residuals)) - 1.0) < 4.0 * math.sqrt(2.0 / number)


@pytest.mark.parametrize(
    ("name", "beta", "num_hands", "number"),
    [
        ("pennies", 0.7, 150, 150),
        ("general-sum", 0.5, 200, 150),
        ("rows of three", 0.6, 200, 150),
        ("kuhn", 3.0, 300, 100),
        ("leduc", 1.0, 800, 15),
    ],
)
def test_p_values_are_uniform_under_the_model(
    name: str, beta: float, num_hands: int, number: int
) -> None:
    verify_uniform(name, beta, num_hands, number)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "beta", "num_hands", "number"),
    [
        ("pennies", 0.0, 300, 500),
        ("pennies", 0.7, 300, 1_000),
        ("general-sum", 0.5, 1_000, 500),
        ("rows of three", 0.6, 200, 500),
        ("kuhn", 0.0, 500, 500),
        ("kuhn", 1.0, 100, 500),
        ("kuhn", 3.0, 1_000, 800),
        ("kuhn", 10.0, 1_000, 500),
        ("leduc", 1.0, 1_000, 80),
        ("leduc", 3.0, 300, 50),
    ],
)
def test_p_values_of_many_samples_are_uniform_under_the_model(
    name: str, beta: float, num_hands: int, number: int
) -> None:
    verify_uniform(name, beta, num_hands, number)
    print(f"{number:,} samples of {num_hands:,} hands of {name} at beta {beta:g}")


@pytest.mark.parametrize(
    ("name", "num_hands", "deviation"),
    [
        ("pennies", 200, {"P1::": (0.85, 0.15)}),
        ("kuhn", 400, {"P1:K:b": (0.3, 0.7)}),
        ("kuhn", 400, {"P0:J:": (0.5, 0.5), "P1:Q:b": (0.8, 0.2)}),
        pytest.param(
            "leduc", 600, {"P0:K::": (0.9, 0.1), "P0:J::": (0.3, 0.7)}, marks=pytest.mark.long
        ),
    ],
)
def test_players_outside_the_model_are_seen(
    name: str, num_hands: int, deviation: dict[str, tuple[float, float]]
) -> None:
    problem = problem_of(name)
    behaviour = behaviour_at(problem, 1.0 if name == "leduc" else 3.0)
    labels = problem.game.infosets[0].labels + problem.game.infosets[1].labels
    for label, shares in deviation.items():
        at = problem.variables.first_action[labels.index(label)]
        behaviour[at : at + 2] = shares
    number = 6 if name == "leduc" else 20
    for found in samples(problem, behaviour, num_hands, number, seed=3):
        assert found.goodness.overall.p_value is not None
        assert found.goodness.overall.p_value < 0.01
        assert found.goodness.infosets[0].adjusted_p_value is not None
        assert found.goodness.infosets[0].adjusted_p_value < 0.01


def multinomial_outcomes(total: int, shares: Floats) -> Iterator[tuple[Floats, float]]:
    """Yield every table of counts with its probability."""
    for counts in itertools.product(range(total + 1), repeat=len(shares)):
        if sum(counts) == total:
            ways = math.factorial(total)
            for count in counts:
                ways //= math.factorial(count)
            chance = ways * math.prod(float(s) ** c for s, c in zip(shares, counts, strict=True))
            yield np.array(counts, dtype=np.float64), chance


@pytest.mark.parametrize("num_directions", [0, 1, 2])
def test_mean_and_variance_are_those_of_all_possible_tables(num_directions: int) -> None:
    # Every table of 9 and 6 decisions, residuals projected by linear algebra.
    problem = problem_of("rows of three")
    shares, totals = (np.array([0.5, 0.3, 0.2]), np.array([0.35, 0.65])), (9, 6)
    behaviour = np.concatenate(shares)
    expected = behaviour * np.repeat(np.array(totals, dtype=np.float64), (3, 2))
    directions = np.random.default_rng(1).normal(size=(num_directions, 5))
    scaled = []
    for direction in directions:
        centred = direction.copy()
        centred[:3] -= centred[:3] @ shares[0]
        centred[3:] -= centred[3:] @ shares[1]
        scaled.append(centred * np.sqrt(expected))
    basis = np.linalg.qr(np.array(scaled).T)[0] if scaled else np.zeros((5, 0))
    values, chances = [], []
    for first, chance in multinomial_outcomes(totals[0], shares[0]):
        for second, other_chance in multinomial_outcomes(totals[1], shares[1]):
            residual = (np.concatenate((first, second)) - expected) / np.sqrt(expected)
            residual -= basis @ (basis.T @ residual)
            values.append(float(residual @ residual))
            chances.append(chance * other_chance)
    assert sum(chances) == pytest.approx(1.0)
    mean = float(np.dot(values, chances))
    variance = float(np.dot(np.square(values), chances)) - mean**2
    counts = np.array([5.0, 2.0, 2.0, 1.0, 5.0])
    found = goodness_of_fit(ObservedPlay(problem, counts), behaviour, directions).overall
    pearson = float(((counts - expected) ** 2 / expected).sum())
    assert mean == pytest.approx(3 - num_directions)
    assert found.df == pytest.approx(2.0 * mean**2 / variance)
    assert found.statistic == pytest.approx(pearson * 2.0 * mean / variance)
    assert found.p_value == pytest.approx(chdtrc(found.df, found.statistic))


def test_with_large_counts_the_p_value_is_that_of_the_degrees_of_freedom_shown() -> None:
    problem = problem_of("pennies")
    counts = 1e6 * behaviour_at(problem, 0.7)
    counts[:2] += (1_500.0, -1_500.0)
    found = fit(problem, counts)
    overall = found.goodness.overall
    assert overall.df == pytest.approx(1.0, abs=1e-4)
    assert overall.statistic > 5.0
    assert overall.p_value == pytest.approx(chdtrc(1.0, overall.statistic), rel=1e-3)
    # With one degree of freedom left, every residual says the same.
    for row in found.goodness.infosets:
        assert row.residuals[0] is not None
        assert row.residuals[0] ** 2 == pytest.approx(overall.statistic, rel=1e-2)
        assert row.statistic == pytest.approx(row.residuals[0] ** 2, rel=1e-4)


def test_a_model_that_can_follow_any_counts_is_not_tested() -> None:
    problem = problem_of("pennies")
    counts = simulated(problem, behaviour_at(problem, 0.7), 500, np.random.default_rng(4))
    goodness = fit(problem, counts, per_player=True).goodness
    for test in (goodness.overall, *goodness.players):
        assert test.p_value is None
        assert test.df == 0.0
    assert all(row.p_value is None for row in goodness.infosets)
    assert goodness.num_parameters == 2
    assert all(row.residuals == (None, None) for row in goodness.infosets)


def test_payoffs_from_the_same_counts_allow_no_test(problem: QuantalProblem) -> None:
    counts = simulated(problem, behaviour_at(problem, 3.0), 500, np.random.default_rng(4))
    goodness = fit(problem, counts, method="empirical").goodness
    assert not goodness.is_tested
    assert goodness.overall.p_value is None
    assert goodness.overall.statistic > 0.0
    assert all(row.p_value is None for row in goodness.infosets)


def test_one_all_but_impossible_action_stands_out_among_many_rare_ones() -> None:
    problem = problem_of("leduc")
    behaviour = behaviour_at(problem, 3.0)
    counts = simulated(problem, behaviour, 300, np.random.default_rng(5))
    labels = problem.game.infosets[0].labels + problem.game.infosets[1].labels
    first = problem.variables.first_action
    totals = np.add.reduceat(counts, first[:-1])
    least = np.minimum.reduceat(behaviour, first[:-1])
    infoset = int(np.argmin(np.where(totals > 0.0, least, 1.0)))
    action = first[infoset] + int(np.argmin(behaviour[first[infoset] : first[infoset + 1]]))
    assert behaviour[action] * totals[infoset] < 1e-9
    # With β known: a fit would move it towards that one action.
    known = np.zeros((0, len(counts)))
    before = goodness_of_fit(ObservedPlay(problem, counts), behaviour, known)
    counts[action] += 1.0
    after = goodness_of_fit(ObservedPlay(problem, counts), behaviour, known)
    assert before.overall.p_value is not None
    assert before.overall.p_value > 0.05
    assert after.overall.p_value is not None
    assert after.overall.p_value < 1e-3
    assert after.infosets[0].label == labels[infoset]
    assert after.infosets[0].adjusted_p_value is not None
    assert after.infosets[0].adjusted_p_value < 1e-3


def test_corrected_p_values_are_those_of_holm(problem: QuantalProblem) -> None:
    counts = simulated(problem, behaviour_at(problem, 1.0), 500, np.random.default_rng(6))
    rows = fit(problem, counts).goodness.infosets
    assert len(rows) == 12
    largest = 0.0
    for rank, row in enumerate(rows):
        assert row.p_value is not None
        largest = max(largest, min(1.0, (12 - rank) * row.p_value))
        assert row.adjusted_p_value == pytest.approx(largest)


def test_a_player_who_was_not_observed_is_not_tested(problem: QuantalProblem) -> None:
    counts = simulated(problem, behaviour_at(problem, 2.0), 300, np.random.default_rng(6))
    counts[problem.game.infosets[0].num_sequences - 1 :] = 0.0
    goodness = fit(problem, counts).goodness
    assert goodness.players[1].p_value is None
    assert goodness.players[0].p_value == pytest.approx(goodness.overall.p_value)
