"""Subjects and groups: clustered errors, a β per group, held-out subjects."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kstest
from tests.reference import clustering as reference
from tests.reference.games import Matrix
from tests.solvers.qre.simulation import behaviour_at, simulated

from untilt.errors import InvalidOption
from untilt.game.compiled import compile_histories
from untilt.games import kuhn
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.estimates.cross_validation import cross_validate
from untilt.solvers.qre.estimates.estimation import fit
from untilt.solvers.qre.estimates.grouped_fit import fit_levels
from untilt.solvers.qre.estimates.likelihood import profile_log_likelihood
from untilt.solvers.qre.problem import QuantalProblem

SPREAD = 0.5
"""Standard deviation of log β among subjects who differ."""


@pytest.fixture(scope="module")
def problem() -> QuantalProblem:
    return QuantalProblem(compile_histories(kuhn()))


def equal_subjects(problem: QuantalProblem, number: int, hands: int, seed: int) -> Floats:
    rng, behaviour = np.random.default_rng(seed), behaviour_at(problem, 1.5)
    return np.array([simulated(problem, behaviour, hands, rng) for _ in range(number)])


class Crowd:
    """Subjects whose β differ: log-normal, on a grid of equally likely quantiles."""

    def __init__(self, problem: QuantalProblem, centre: float, size: int = 25) -> None:
        from scipy.stats import norm

        self.problem = problem
        quantiles = norm.ppf((np.arange(size) + 0.5) / size)
        self.behaviours = [
            behaviour_at(problem, centre * math.exp(SPREAD * each)) for each in quantiles.tolist()
        ]
        # With so many hands, these are the expected counts: β of the model that fits all best.
        rng = np.random.default_rng(0)
        many = sum(simulated(problem, own, 10**9, rng) for own in self.behaviours)
        assert not isinstance(many, int)
        self.beta = fit(problem, many).beta

    def sample(self, subjects: int, hands: int, rng: np.random.Generator) -> Floats:
        chosen = rng.integers(len(self.behaviours), size=subjects)
        return np.array(
            [simulated(self.problem, self.behaviours[each], hands, rng) for each in chosen.tolist()]
        )


def named_counts(problem: QuantalProblem, counts: Floats) -> dict[str, dict[str, float]]:
    remaining = iter(counts.tolist())
    return {
        label: {action: next(remaining) for action in actions}
        for table in problem.game.infosets
        for label, actions in table.items()
    }


def test_clustered_errors_are_those_of_finite_differences(problem: QuantalProblem) -> None:
    subjects = equal_subjects(problem, 6, 30, 3)
    found = fit(problem, subjects.sum(axis=0), subjects)
    named = [named_counts(problem, own) for own in subjects]
    expected, score = reference.standard_error(kuhn(), named, found.beta)
    assert score == pytest.approx(0.0, abs=1e-3)
    assert found.clustered is not None
    assert found.clustered.num_subjects == 6
    assert found.clustered.standard_error == pytest.approx(expected, rel=1e-4)
    assert found.standard_error is not None
    assert abs(found.standard_error / expected - 1.0) > 0.05  # the two kinds differ here
    # t with 5 degrees of freedom, symmetric in log β
    low, high = found.clustered.interval
    assert low * high == pytest.approx(found.beta**2)
    assert math.log(high / found.beta) == pytest.approx(2.570582 * expected / found.beta, rel=1e-4)


def test_saying_everything_twice_does_not_make_subjects_more_certain(
    problem: QuantalProblem,
) -> None:
    subjects = equal_subjects(problem, 8, 30, 5)
    once = fit(problem, subjects.sum(axis=0), subjects, per_player=True)
    twice = fit(problem, 2 * subjects.sum(axis=0), 2 * subjects, per_player=True)
    assert once.clustered is not None
    assert twice.clustered is not None
    assert twice.clustered.standard_error == pytest.approx(once.clustered.standard_error, rel=1e-6)
    assert twice.clustered.per_player == pytest.approx(once.clustered.per_player, rel=1e-4)
    assert once.standard_error is not None
    assert twice.standard_error == pytest.approx(once.standard_error / math.sqrt(2.0), rel=1e-6)


def test_errors_per_player_agree_with_the_common_one_where_players_are_alike() -> None:
    # A symmetric game, all subjects in both roles with the same counts: β₀ = β₁ by symmetry, and
    # the mean of the two estimates is the common one.
    problem = QuantalProblem(
        compile_histories(Matrix(((3.0, 0.0), (1.0, 1.0)), ((3.0, 1.0), (0.0, 1.0))))
    )
    rng = np.random.default_rng(1)
    up = rng.integers(40, 80, size=12).astype(np.float64)
    subjects = np.stack([up, 100.0 - up, up, 100.0 - up], axis=1)
    found = fit(problem, subjects.sum(axis=0), subjects, per_player=True)
    assert found.per_player is not None
    assert found.per_player.betas == pytest.approx((found.beta, found.beta), rel=1e-6)
    assert found.clustered is not None
    assert found.clustered.covariance is not None
    total = sum(map(sum, found.clustered.covariance))
    assert found.clustered.standard_error == pytest.approx(math.sqrt(total) / 2.0, rel=1e-4)


def test_one_subject_or_an_estimate_at_an_end_has_no_clustered_error(
    problem: QuantalProblem,
) -> None:
    subjects = equal_subjects(problem, 3, 40, 1)
    alone = fit(problem, subjects[0], subjects[:1]).clustered
    assert alone is not None
    assert (alone.num_subjects, alone.standard_error) == (1, None)
    assert alone.interval == (0.0, math.inf)
    bounded = fit(problem, subjects.sum(axis=0), subjects, max_beta=0.5)
    assert bounded.is_at_least
    assert bounded.clustered is not None
    assert bounded.clustered.standard_error is None
    reversed_play = subjects.reshape(3, -1, 2)[:, :, ::-1].reshape(3, -1).copy()
    at_zero = fit(problem, reversed_play.sum(axis=0), reversed_play)
    assert at_zero.beta == 0.0
    assert at_zero.clustered is not None
    assert at_zero.clustered.standard_error is None


def test_subjects_must_add_up_and_empirical_payoffs_are_refused(problem: QuantalProblem) -> None:
    subjects = equal_subjects(problem, 3, 40, 1)
    with pytest.raises(InvalidOption, match="must add up"):
        fit(problem, subjects.sum(axis=0), 2 * subjects)
    with pytest.raises(InvalidOption, match="shape"):
        fit(problem, subjects.sum(axis=0), subjects[:, 1:])
    with pytest.raises(InvalidOption, match="method"):
        fit(problem, subjects.sum(axis=0), subjects, method="empirical")


def test_levels_have_their_own_estimates_and_nested_tests(problem: QuantalProblem) -> None:
    rng = np.random.default_rng(4)
    cells = np.array(
        [simulated(problem, behaviour_at(problem, beta), 200, rng) for beta in (1.0, 1.0, 3.0, 3.0)]
    )
    conditions = {"group": ("a", "b", "a", "b"), "treatment": ("low", "low", "high", "high")}
    found = fit_levels(problem, cells, conditions)
    assert [level.name for level in found.levels] == ["a, high", "a, low", "b, high", "b, low"]
    for cell, level in zip((2, 0, 3, 1), found.levels, strict=True):
        assert level.fit.beta == pytest.approx(fit(problem, cells[cell]).beta)
    one, by_group, by_treatment = found.shared
    assert [model.conditions for model in found.shared] == [(), ("group",), ("treatment",)]
    assert one.log_likelihood == pytest.approx(fit(problem, cells.sum(axis=0)).log_likelihood)
    apart = [fit(problem, cells[[0, 1]].sum(axis=0)), fit(problem, cells[[2, 3]].sum(axis=0))]
    shared = sum(own.log_likelihood for own in apart)
    assert by_treatment.log_likelihood == pytest.approx(shared)
    assert by_treatment.likelihood_ratio == pytest.approx(2 * (found.log_likelihood - shared))
    assert (one.df, by_group.df, by_treatment.df) == (3, 2, 2)
    assert one.p_value is not None
    assert one.p_value < 1e-9
    assert by_group.p_value is not None
    assert by_group.p_value < 1e-9
    assert by_treatment.p_value is not None
    assert by_treatment.p_value > 0.01
    assert one.robust is None
    two = fit_levels(problem, cells, {"treatment": conditions["treatment"]}, per_player=True)
    assert (two.num_parameters, two.shared[0].df) == (4, 2)


def test_the_robust_test_of_two_separate_groups_is_that_of_their_errors(
    problem: QuantalProblem,
) -> None:
    subjects = equal_subjects(problem, 20, 30, 9)
    group = ["a", "b"] * 10
    found = fit_levels(problem, subjects, {"group": group}, np.arange(20))
    first, second = (level.fit for level in found.levels)
    variance = 0.0
    for own in (first, second):
        assert own.clustered is not None
        assert own.clustered.num_subjects == 10
        assert own.clustered.standard_error is not None
        # Each error has the correction 10/9, the test of both together 20/19.
        variance += (own.clustered.standard_error / own.beta) ** 2 * (9 / 10) * (20 / 19)
    robust = found.shared[0].robust
    assert robust is not None
    assert (robust.df, robust.subjects_df) == (1, 19)
    expected = math.log(first.beta / second.beta) ** 2 / variance
    assert robust.statistic == pytest.approx(expected, rel=1e-9)


def test_one_level_or_none_cannot_be_compared(problem: QuantalProblem) -> None:
    subjects = equal_subjects(problem, 3, 20, 1)
    with pytest.raises(InvalidOption, match="at least two values"):
        fit_levels(problem, subjects, {"group": ["a"] * 3})
    with pytest.raises(InvalidOption, match="for every cell"):
        fit_levels(problem, subjects, {"group": ["a"] * 2})
    # A treatment that says the same as the group adds no model between.
    again = fit_levels(problem, subjects, {"group": list("aab"), "treatment": list("xxy")})
    assert [model.conditions for model in again.shared] == [()]


def test_every_subject_is_held_out_once(problem: QuantalProblem) -> None:
    subjects = equal_subjects(problem, 3, 60, 2)
    found = cross_validate(problem, subjects, np.arange(3), folds=3, seed=5)
    assert found.num_subjects == (1, 1, 1)
    by_name = {model.model: model for model in found.models}
    assert list(by_name) == ["uniform", "beta", "frequencies"]
    expected = {}
    for held in range(3):
        others = np.delete(subjects, held, axis=0).sum(axis=0)
        fitted = fit(problem, others)
        frequency = (others + 0.5) / np.repeat(others.reshape(-1, 2).sum(axis=1) + 1.0, 2)
        expected[fitted.beta] = (
            subjects[held].sum() * math.log(0.5),
            profile_log_likelihood(problem.game, fitted.profile, subjects[held]),
            float(subjects[held] @ np.log(frequency)),
        )
    for fold, beta in enumerate(found.betas):
        near = min(expected, key=lambda each: abs(each - beta))
        assert beta == pytest.approx(near, rel=1e-9)
        values = tuple(model.by_fold[fold] for model in found.models)
        assert values == pytest.approx(expected[near], rel=1e-9)
    assert by_name["beta"].log_likelihood == pytest.approx(sum(by_name["beta"].by_fold))


def test_folds_follow_the_seed_and_are_of_equal_size(problem: QuantalProblem) -> None:
    subjects = equal_subjects(problem, 11, 20, 2)
    codes = np.arange(11)
    found = cross_validate(problem, subjects, codes, folds=4, seed=1)
    assert sorted(found.num_subjects) == [2, 3, 3, 3]
    assert found == cross_validate(problem, subjects, codes, folds=4, seed=1)
    assert found != replace(cross_validate(problem, subjects, codes, folds=4, seed=2), seed=1)
    for folds, words in ((12, "there are 11 subjects"), (1, "at least 2")):
        with pytest.raises(InvalidOption, match=words):
            cross_validate(problem, subjects, codes, folds=folds)


def test_a_beta_per_group_predicts_groups_that_differ(problem: QuantalProblem) -> None:
    rng = np.random.default_rng(6)
    slow, fast = behaviour_at(problem, 0.7), behaviour_at(problem, 4.0)
    cells = np.array([simulated(problem, own, 60, rng) for own in [slow, fast] * 6])
    found = cross_validate(problem, cells, np.arange(12), folds=4, level_of_cell=np.arange(12) % 2)
    totals = {model.model: model.log_likelihood for model in found.models}
    assert totals["uniform"] < totals["beta"] < totals["beta per level"]


@pytest.mark.long
def test_clustered_intervals_cover_where_subjects_differ(problem: QuantalProblem) -> None:
    crowd, rng = Crowd(problem, 3.0), np.random.default_rng(8)
    covered = covered_if_independent = 0
    for _ in range(300):
        subjects = crowd.sample(30, 20, rng)
        found = fit(problem, subjects.sum(axis=0), subjects)
        assert found.clustered is not None
        low, high = found.clustered.interval
        covered += low <= crowd.beta <= high
        covered_if_independent += found.interval[0] <= crowd.beta <= found.interval[1]
    assert covered >= 0.91 * 300  # three standard deviations of the binomial below 95 %
    assert covered_if_independent < 0.85 * 300


@pytest.mark.long
def test_p_values_of_groups_that_do_not_differ_are_uniform(problem: QuantalProblem) -> None:
    rng, behaviour = np.random.default_rng(3), behaviour_at(problem, 2.0)
    ratios, robust = [], []
    for _ in range(300):
        subjects = np.array([simulated(problem, behaviour, 25, rng) for _ in range(24)])
        test = fit_levels(problem, subjects, {"group": list("abc") * 8}, np.arange(24)).shared[0]
        assert test.p_value is not None
        assert test.robust is not None
        ratios.append(test.p_value)
        robust.append(test.robust.p_value)
    assert kstest(ratios, "uniform").pvalue > 0.01
    assert kstest(robust, "uniform").pvalue > 0.001  # F(2, 23) is an approximation
    crowd = Crowd(problem, 2.0)
    ratios, robust = [], []
    for _ in range(300):
        subjects = crowd.sample(24, 25, rng)
        test = fit_levels(problem, subjects, {"group": list("ab") * 12}, np.arange(24)).shared[0]
        assert test.p_value is not None
        assert test.robust is not None
        ratios.append(test.p_value)
        robust.append(test.robust.p_value)
    # The likelihood ratio takes decisions as independent; only the robust test keeps its size.
    assert np.mean(np.array(ratios) < 0.05) > 0.1
    assert np.mean(np.array(robust) < 0.05) < 0.09


def test_all_cells_of_a_subject_are_held_out_together(problem: QuantalProblem) -> None:
    subjects = equal_subjects(problem, 6, 40, 4)
    parts = np.floor(subjects / 3.0)
    cells = np.concatenate((parts, subjects - parts))
    whole = cross_validate(problem, subjects, np.arange(6), folds=3, seed=2)
    divided = cross_validate(problem, cells, np.tile(np.arange(6), 2), folds=3, seed=2)
    assert divided == whole


def test_what_a_subject_does_twice_says_nothing_about_a_difference(
    problem: QuantalProblem,
) -> None:
    # Every subject does exactly the same in both treatments: the estimates move together.
    subjects = equal_subjects(problem, 8, 40, 4)
    treatment = ["calm"] * 8 + ["hurry"] * 8
    both = np.concatenate((subjects, subjects))
    found = fit_levels(problem, both, {"treatment": treatment}, np.tile(np.arange(8), 2))
    assert found.shared[0].likelihood_ratio == pytest.approx(0.0, abs=1e-6)
    assert found.shared[0].robust is None
    apart = fit_levels(problem, both, {"treatment": treatment}, np.arange(16)).shared[0].robust
    assert apart is not None
    assert apart.statistic == pytest.approx(0.0, abs=1e-9)
