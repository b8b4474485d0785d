"""Estimating β: derivatives against finite differences, known β recovered, intervals, misfits."""

import io
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.reference.games import Matrix
from tests.solvers.qre.simulation import behaviour_at, simulated

from untilt.errors import InvalidOption, UnknownName
from untilt.game.compiled import compile_histories
from untilt.game.protocol import Action, Game
from untilt.game.strategy.strategy import uniform_profile
from untilt.games import kuhn, leduc
from untilt.solvers.qre.estimates.estimation import fit
from untilt.solvers.qre.estimates.likelihood import (
    LikelihoodPoint,
    equilibrium_at,
    nash_log_likelihood,
    profile_log_likelihood,
)
from untilt.solvers.qre.estimates.observed_play import ObservedPlay
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import DEFINITIONS


@pytest.fixture(scope="module")
def problem() -> QuantalProblem:
    return QuantalProblem(compile_histories(kuhn()))


@pytest.fixture(scope="module")
def leduc_problem() -> QuantalProblem:
    return QuantalProblem(compile_histories(leduc()))


def point_at(observed: ObservedPlay, beta0: float, beta1: float) -> LikelihoodPoint:
    start = observed.problem.log_odds(uniform_profile(observed.problem.game))
    steps = np.linspace(0.0, 1.0, 21)
    point = equilibrium_at(observed, (0.0, 0.0), start)
    for share in steps[1:].tolist():
        assert point is not None
        betas = (share * beta0, share * beta1)
        point = equilibrium_at(observed, betas, point.towards(betas), tolerance=1e-12)
    assert point is not None
    return point


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("betas", [(0.5, 0.5), (3.0, 3.0), (2.0, 7.0), (15.0, 15.0)])
def test_the_score_is_the_derivative_of_the_log_likelihood(
    problem: QuantalProblem, definition: str, betas: tuple[float, float]
) -> None:
    rng = np.random.default_rng(3)
    defined = QuantalProblem(problem.game, definition)
    observed = ObservedPlay(
        defined, rng.integers(0, 50, defined.variables.num_actions).astype(np.float64)
    )
    point = point_at(observed, *betas)
    step = 1e-5
    for player in (0, 1):
        shift = (step, 0.0) if player == 0 else (0.0, step)
        sides = [
            equilibrium_at(
                observed,
                (betas[0] + sign * shift[0], betas[1] + sign * shift[1]),
                point.log_odds,
                tolerance=1e-12,
            )
            for sign in (1, -1)
        ]
        assert sides[0] is not None
        assert sides[1] is not None
        numeric = (sides[0].log_likelihood - sides[1].log_likelihood) / (2 * step)
        assert point.scores[player] == pytest.approx(numeric, rel=1e-5, abs=1e-5)
    assert point.score == sum(point.scores)


@pytest.mark.parametrize("betas", [(0.5, 0.5), (3.0, 3.0), (2.0, 7.0)])
def test_the_information_is_minus_the_expected_second_derivative(
    problem: QuantalProblem, betas: tuple[float, float]
) -> None:
    # With counts in proportion to σ itself, the observed curvature is the expected one.
    behaviour = behaviour_at(problem, *betas)
    totals = np.arange(1.0, 1.0 + len(problem.variables.player)) * 100.0
    observed = ObservedPlay(problem, behaviour * np.repeat(totals, 2))
    point = point_at(observed, *betas)
    assert point.scores == pytest.approx((0.0, 0.0), abs=1e-6)
    step = 1e-5
    for player, row in enumerate(point.information.tolist()):
        shift = (step, 0.0) if player == 0 else (0.0, step)
        ahead, behind = (
            equilibrium_at(
                observed, (betas[0] + sign * shift[0], betas[1] + sign * shift[1]), point.log_odds
            )
            for sign in (1, -1)
        )
        assert ahead is not None
        assert behind is not None
        numeric = [
            -(up - down) / (2 * step) for up, down in zip(ahead.scores, behind.scores, strict=True)
        ]
        assert row == pytest.approx(numeric, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("beta", [0.3, 1.0, 3.0, 10.0, 40.0])
def test_exact_frequencies_give_back_their_beta(
    problem: QuantalProblem, definition: str, beta: float
) -> None:
    defined = QuantalProblem(problem.game, definition)
    counts = 1e6 * behaviour_at(defined, beta)
    found = fit(defined, counts, per_player=True)
    assert found.beta == pytest.approx(beta, rel=1e-6)
    assert found.log_likelihood == pytest.approx(found.saturated_log_likelihood, rel=1e-9)
    assert found.per_player is not None
    assert found.per_player.betas == pytest.approx((beta, beta), rel=1e-4)
    assert found.per_player.likelihood_ratio == pytest.approx(0.0, abs=1e-5)
    assert found.goodness.overall.p_value is not None
    assert found.goodness.overall.p_value > 0.99


@pytest.mark.parametrize("beta", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("name", ["problem", "leduc_problem"])
def test_a_known_beta_is_recovered(name: str, beta: float, request: pytest.FixtureRequest) -> None:
    problem: QuantalProblem = request.getfixturevalue(name)
    rng = np.random.default_rng(11)
    counts = simulated(problem, behaviour_at(problem, beta), 10_000, rng)
    found = fit(problem, counts)
    assert found.standard_error is not None
    assert abs(found.beta - beta) < 3 * found.standard_error
    assert found.standard_error < 0.05 * beta
    assert found.uniform_log_likelihood < found.log_likelihood < found.saturated_log_likelihood
    assert found.goodness.overall.p_value is not None
    assert found.goodness.overall.p_value > 0.01
    assert found.log_likelihood == pytest.approx(
        profile_log_likelihood(problem.game, found.profile, counts)
    )


def test_intervals_cover_and_tests_keep_their_size(problem: QuantalProblem) -> None:
    # 60 samples: the bounds are four standard deviations of the binomial off 95 % and 5 %.
    rng = np.random.default_rng(7)
    for beta in (1.0, 3.0, 10.0):
        behaviour = behaviour_at(problem, beta)
        covered = covered_linear = apart = misfit = 0
        for _ in range(60):
            found = fit(problem, simulated(problem, behaviour, 500, rng), per_player=True)
            covered += found.interval[0] <= beta <= found.interval[1]
            covered_linear += found.linear_interval[0] <= beta <= found.linear_interval[1]
            assert found.per_player is not None
            assert found.per_player.p_value is not None
            assert found.goodness.overall.p_value is not None
            apart += found.per_player.p_value < 0.05
            misfit += found.goodness.overall.p_value < 0.05
        assert covered >= 50
        assert covered_linear >= 50
        assert apart <= 10
        assert misfit <= 10


def test_two_betas_are_told_apart(problem: QuantalProblem) -> None:
    counts = simulated(problem, behaviour_at(problem, 2.0, 8.0), 10_000, np.random.default_rng(5))
    both = fit(problem, counts, per_player=True).per_player
    assert both is not None
    assert both.standard_errors is not None
    assert both.covariance is not None
    for beta, found, error in zip((2.0, 8.0), both.betas, both.standard_errors, strict=True):
        assert error is not None
        assert abs(found - beta) < 3 * error
    assert both.covariance[0][1] == both.covariance[1][0]
    assert both.likelihood_ratio > 100
    assert both.p_value is not None
    assert both.p_value < 1e-9


INDIFFERENT = ((0.1 + 0.2, 0.3), (0.3, 0.1 + 0.2))
"""Payoffs that differ by rounding alone."""


@pytest.mark.parametrize("method", ["likelihood", "empirical"])
@pytest.mark.parametrize("payoffs", [((1.0, 1.0), (1.0, 1.0)), INDIFFERENT])
def test_a_beta_that_nothing_depends_on_is_not_identified_and_leaves_the_other_alone(
    payoffs: tuple[tuple[float, float], ...], method: str
) -> None:
    problem = QuantalProblem(compile_histories(Matrix(((3.0, 0.0), (1.0, 1.0)), payoffs)))
    counts = np.array([70.0, 30.0, 48.0, 52.0])
    found = fit(problem, counts, per_player=True, method=method)
    both = found.per_player
    assert both is not None
    assert both.is_identified == (True, False)
    assert both.betas[0] == pytest.approx(found.beta, rel=1e-6)
    assert found.standard_error is not None
    assert both.standard_errors[0] == pytest.approx(found.standard_error, rel=1e-5)
    assert both.standard_errors[1] is None
    assert both.covariance is None
    assert both.p_value is None
    assert found.goodness.num_parameters == 1
    if method == "likelihood":  # what remains: 48 : 52 against equal shares
        assert found.goodness.overall.statistic == pytest.approx(0.16, rel=0.02)


def test_two_betas_behind_one_frequency_are_not_identified() -> None:
    # Only player 0 was observed: one share, which either β moves.
    problem = QuantalProblem(
        compile_histories(Matrix(((3.0, 0.0), (1.0, 1.0)), ((0.0, 2.0), (1.0, 0.0))))
    )
    both = fit(problem, np.array([70.0, 30.0, 0.0, 0.0]), per_player=True).per_player
    assert both is not None
    assert both.is_identified == (False, False)
    assert both.standard_errors == (None, None)
    assert both.p_value is None


def test_one_beta_that_nothing_depends_on_has_no_standard_error() -> None:
    problem = QuantalProblem(compile_histories(Matrix(INDIFFERENT, INDIFFERENT)))
    found = fit(problem, np.array([6.0, 4.0, 5.0, 7.0]))
    assert found.standard_error is None
    assert found.interval == (0.0, math.inf)


def test_a_beta_at_the_end_of_the_search_leaves_the_other_its_standard_error(
    problem: QuantalProblem,
) -> None:
    counts = simulated(problem, behaviour_at(problem, 2.0, 30.0), 5_000, np.random.default_rng(2))
    both = fit(problem, counts, per_player=True, max_beta=10.0).per_player
    assert both is not None
    assert both.is_at_least == (False, True)
    assert both.is_identified == (True, True)
    assert both.standard_errors[0] is not None
    assert both.standard_errors[1] is None
    assert abs(both.betas[0] - 2.0) < 4 * both.standard_errors[0]


def test_per_player_estimates_are_a_maximum(leduc_problem: QuantalProblem) -> None:
    problem = leduc_problem
    counts = simulated(problem, behaviour_at(problem, 1.0, 3.0), 2_000, np.random.default_rng(5))
    both = fit(problem, counts, per_player=True).per_player
    assert both is not None
    point = point_at(ObservedPlay(problem, counts), *both.betas)
    assert point.log_likelihood == pytest.approx(both.log_likelihood)
    spread = np.sqrt(np.diag(point.information)).tolist()
    for score, deviation in zip(point.scores, spread, strict=True):
        assert abs(score) < 1e-4 * deviation


def test_a_player_outside_the_model_is_seen(problem: QuantalProblem) -> None:
    # Player 1 folds kings to a bet now and then, which no β explains; player 0 plays by it.
    behaviour = behaviour_at(problem, 3.0)
    labels = problem.game.infosets[0].labels + problem.game.infosets[1].labels
    strange = behaviour.copy()
    at = problem.variables.first_action[labels.index("P1:K:b")]
    strange[at : at + 2] = (0.2, 0.8)
    found = fit(problem, simulated(problem, strange, 3_000, np.random.default_rng(1)))
    assert found.goodness.infosets[0].label == "P1:K:b"
    for test in (
        found.goodness.infosets[0],
        found.goodness.players[1],
        found.goodness.overall,
    ):
        assert test.p_value is not None
        assert test.p_value < 1e-9
    assert found.goodness.players[1].statistic > 3 * found.goodness.players[0].statistic


def test_play_against_ones_interest_fits_uniform_play_best(problem: QuantalProblem) -> None:
    reversed_play = behaviour_at(problem, 2.0).reshape(-1, 2)[:, ::-1].reshape(-1)
    found = fit(problem, 1000.0 * reversed_play, per_player=True)
    assert found.beta == 0.0
    assert found.log_likelihood == pytest.approx(found.uniform_log_likelihood)
    assert found.interval_scale == "linear"
    assert found.interval[0] == 0.0 < found.interval[1]
    assert found.per_player is not None
    assert found.per_player.log_likelihood >= found.log_likelihood


def test_play_at_the_end_of_the_search_gives_a_bound(problem: QuantalProblem) -> None:
    counts = simulated(problem, behaviour_at(problem, 30.0), 20_000, np.random.default_rng(2))
    found = fit(problem, counts, max_beta=10.0)
    assert found.is_at_least
    assert found.beta == found.search_end == 10.0
    assert found.standard_error is None
    assert found.interval_scale == "likelihood"
    assert 5.0 < found.interval[0] < 10.0
    assert found.interval[1] == math.inf


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_empirical_payoffs_give_back_beta_from_exact_frequencies(
    problem: QuantalProblem, definition: str
) -> None:
    # Frequencies that are an equilibrium have the equilibrium's payoffs.
    defined = QuantalProblem(problem.game, definition)
    counts = 1e6 * behaviour_at(defined, 4.0)
    found = fit(defined, counts, method="empirical", per_player=True)
    assert found.beta == pytest.approx(4.0, rel=1e-6)
    assert found.per_player is not None
    assert found.per_player.betas == pytest.approx((4.0, 4.0), rel=1e-6)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_empirical_estimates_are_where_the_score_changes_sign(
    problem: QuantalProblem, definition: str
) -> None:
    defined = QuantalProblem(problem.game, definition)
    counts = np.round(200 * behaviour_at(defined, 2.0)) + np.arange(1.0, 25.0)
    found = fit(defined, counts, method="empirical", per_player=True)
    assert found.per_player is not None
    # The slow version: values against the frequencies, and bisection.
    pairs = counts.reshape(-1, 2)
    defined.respond(np.log(pairs[:, 1] / pairs[:, 0]))
    gains = np.diff(defined.system.response.values.reshape(-1, 2))[:, 0]

    def beta_of(rows: slice) -> float:
        low, high = 0.0, 1e3
        while high - low > 1e-12 * high:
            beta = 0.5 * (low + high)
            means = pairs[rows].sum(axis=1) / (1.0 + np.exp(-beta * gains[rows]))
            is_below = gains[rows] @ (pairs[rows, 1] - means) > 0.0
            low, high = (beta, high) if is_below else (low, beta)
        return low

    assert found.beta == pytest.approx(beta_of(slice(None)), rel=1e-8)
    expected = beta_of(slice(0, 6)), beta_of(slice(6, 12))
    assert found.per_player.betas == pytest.approx(expected, rel=1e-8)


def test_empirical_payoffs_of_perfect_play_give_a_bound(problem: QuantalProblem) -> None:
    counts = np.zeros(problem.variables.num_actions)
    labels = problem.game.infosets[0].labels + problem.game.infosets[1].labels
    counts[problem.variables.first_action[labels.index("P1:K:b")] + 1] = 10.0  # calls with K
    found = fit(problem, counts, method="empirical", max_beta=100.0)
    assert found.is_at_least
    assert found.beta == 100.0


def test_nash_play_excludes_what_a_mistake_shows(problem: QuantalProblem) -> None:
    counts = np.ones(problem.variables.num_actions)
    assert nash_log_likelihood(problem.game, counts) == -math.inf
    labels = problem.game.infosets[0].labels + problem.game.infosets[1].labels
    only = np.zeros(len(counts))
    only[problem.variables.first_action[labels.index("P1:Q:b")]] = 3.0  # folds, 2 in 3
    assert nash_log_likelihood(problem.game, only) == pytest.approx(3 * math.log(2 / 3))


def test_counts_and_options_are_checked(problem: QuantalProblem) -> None:
    num_actions = problem.variables.num_actions
    with pytest.raises(InvalidOption, match="all counts are 0"):
        fit(problem, np.zeros(num_actions))
    with pytest.raises(InvalidOption, match="one per action"):
        fit(problem, np.ones(num_actions + 1))
    with pytest.raises(InvalidOption, match="not negative"):
        fit(problem, -np.ones(num_actions))
    with pytest.raises(UnknownName, match="method"):
        fit(problem, np.ones(num_actions), method="guess")
    for max_beta in (-1.0, 0.0, math.nan, math.inf):
        with pytest.raises(InvalidOption, match="max_beta"):
            fit(problem, np.ones(num_actions), max_beta=max_beta)


def gambit_text(root: Game) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return a game as a Gambit file, and for each infoset the actions that lead to it."""
    lines = ['EFG 2 R "game" { "0" "1" }']
    numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})
    paths: dict[str, tuple[str, ...]] = {}

    def visit(position: Game, path: tuple[str, ...]) -> None:
        number = len(lines)
        if position.terminal:
            payoffs = f"{position.payoff(0):g} {position.payoff(1):g}"
            lines.append(f't "" {number} "" {{ {payoffs} }}')
            return
        actions: list[Action]
        if position.chance:
            chances = list(position.chances())
            actions = [action for action, _ in chances]
            shares = [Fraction(share).limit_denominator(1000) for _, share in chances]
            listed = " ".join(f'"{a}" {s}' for a, s in zip(actions, shares, strict=True))
            lines.append(f'c "" {number} "" {{ {listed} }} 0')
        else:
            infoset = position.infoset(position.active)
            actions = list(infoset.actions())
            own = numbers[position.active]
            known = own.setdefault(str(infoset), len(own) + 1)
            paths.setdefault(str(infoset), path)
            listed = " ".join(f'"{action}"' for action in actions)
            lines.append(f'p "" {position.active + 1} {known} "{infoset}" {{ {listed} }} 0')
        for action in actions:
            visit(position.apply(action), (*path, str(action)))

    visit(root, ())
    return "\n".join(lines), paths


@pytest.mark.parametrize("beta", [1.0, 3.0, 10.0])
def test_gambit_finds_the_same_beta(problem: QuantalProblem, beta: float) -> None:
    gambit = pytest.importorskip("pygambit")
    if not hasattr(gambit, "H"):
        pytest.skip("profiles of older versions of pygambit are indexed differently")
    text, paths = gambit_text(kuhn())
    data = gambit.read_efg(io.BytesIO(text.encode())).mixed_behavior_profile()
    rng = np.random.default_rng(5)
    counts = simulated(problem, behaviour_at(problem, beta), 10_000, rng)
    remaining = iter(counts.tolist())
    for table in problem.game.infosets:
        for label, actions in table.items():
            data[gambit.H.path(*paths[label])] = {a: next(remaining) for a in actions}
    for method, tolerance in (("likelihood", 1e-7), ("empirical", 1e-6)):
        theirs = gambit.qre.logit_estimate(data, use_empirical=method == "empirical")
        ours = fit(problem, counts, method=method)
        assert ours.beta == pytest.approx(theirs.lam, rel=tolerance)
        assert ours.log_likelihood == pytest.approx(theirs.log_like, rel=1e-9)
