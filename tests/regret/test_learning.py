"""One regret learner at a time, against the formulas on plain numbers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.regret.matching import learn
from untilt.regret.rule import UpdateRule
from untilt.regret.step import Step, step_of

PLAIN = Step(positive=1.0, negative=1.0, floor=-math.inf, prediction=0.0, decay=1.0)
NUMBERS = st.floats(-100.0, 100.0)


def after(
    regrets: list[float], values: list[float], behaviour: list[float], step: Step
) -> tuple[list[float], list[float]]:
    """Return regrets and behaviour of one infoset that has learned, between two others."""
    margin = [7.0]
    regret_sum = np.array([*margin, *regrets, *margin])
    value = np.array([*margin, *values, *margin])
    played = np.array([*margin, *behaviour, *margin])
    mean = sum(p * v for p, v in zip(behaviour, values, strict=True))
    learn(regret_sum, value, mean, played, 1, 1 + len(values), step)
    for changed in (regret_sum, value, played):
        assert (changed[0], changed[-1]) == (7.0, 7.0)
    assert value[1:-1].tolist() == values
    return regret_sum[1:-1].tolist(), played[1:-1].tolist()


def test_regret_is_what_an_action_would_have_gained() -> None:
    regrets, behaviour = after([0.0, 0.0], [3.0, 1.0], [0.5, 0.5], PLAIN)
    assert regrets == [1.0, -1.0]
    assert behaviour == [1.0, 0.0]


def test_behaviour_is_in_proportion_to_positive_regrets() -> None:
    regrets, behaviour = after([3.0, 1.0, -4.0], [2.0, 2.0, 2.0], [0.5, 0.25, 0.25], PLAIN)
    assert regrets == [3.0, 1.0, -4.0]
    assert behaviour == [0.75, 0.25, 0.0]


@pytest.mark.parametrize("regrets", [[0.0, 0.0, 0.0], [-1.0, -2.0, 0.0], [-1.0, -1.0, -1.0]])
def test_where_nothing_is_regretted_all_actions_are_equally_likely(regrets: list[float]) -> None:
    assert after(regrets, [2.0, 2.0, 2.0], [1.0, 0.0, 0.0], PLAIN) == (regrets, [1 / 3] * 3)


@pytest.mark.parametrize("regret", [5e-324, 1e-310, 1e-301])
def test_regrets_too_small_to_divide_by_count_as_none(regret: float) -> None:
    assert after([regret, 0.0], [0.0, 0.0], [0.5, 0.5], PLAIN) == ([regret, 0.0], [0.5, 0.5])
    assert after([regret, regret], [0.0, 0.0], [1.0, 0.0], PLAIN)[1] == [0.5, 0.5]


def test_clipped_regrets_forget_how_bad_an_action_was() -> None:
    clipped = PLAIN._replace(floor=0.0)
    assert after([0.0, 0.5], [3.0, 1.0], [0.5, 0.5], clipped) == ([1.0, 0.0], [1.0, 0.0])
    assert after([0.0, 5.0], [3.0, 1.0], [0.5, 0.5], clipped) == ([1.0, 4.0], [0.2, 0.8])


def test_positive_and_negative_regrets_are_discounted_apart() -> None:
    step = PLAIN._replace(positive=0.5, negative=0.25)
    regrets, _ = after([4.0, -4.0, 0.0], [1.0, 1.0, 1.0], [0.2, 0.3, 0.5], step)
    assert regrets == [2.0, -1.0, 0.0]


def test_a_prediction_counts_the_last_regret_again_for_the_behaviour_only() -> None:
    step = PLAIN._replace(floor=0.0, prediction=1.0)
    regrets, behaviour = after([1.0, 3.0], [3.0, 1.0], [0.5, 0.5], step)
    assert regrets == [2.0, 2.0]
    assert behaviour == [0.75, 0.25]
    assert after([1.0, 3.0], [3.0, 1.0], [0.5, 0.5], step._replace(prediction=0.5)) == (
        [2.0, 2.0],
        [0.625, 0.375],
    )


@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS, st.floats(0.01, 1.0)), min_size=1, max_size=6),
    positive=st.floats(0.0, 1.0),
    negative=st.floats(0.0, 1.0),
    is_clipped=st.booleans(),
    prediction=st.sampled_from([0.0, 1 / 3, 1.0]),
)
@settings(deadline=None)
def test_learning_follows_the_formula(
    rows: list[tuple[float, float, float]],
    positive: float,
    negative: float,
    is_clipped: bool,
    prediction: float,
) -> None:
    total = sum(weight for _, _, weight in rows)
    played = [weight / total for _, _, weight in rows]
    values = [value for _, value, _ in rows]
    mean = sum(p * v for p, v in zip(played, values, strict=True))
    expected, basis = [], []
    for before, value, _ in rows:
        regret = before * (positive if before > 0.0 else negative) + (value - mean)
        regret = max(regret, 0.0) if is_clipped else regret
        expected.append(regret)
        basis.append(max(regret + prediction * (value - mean), 0.0))
    floor = 0.0 if is_clipped else -math.inf
    step = Step(positive, negative, floor, prediction, 1.0)
    regrets, behaviour = after([before for before, _, _ in rows], values, played, step)
    assert regrets == pytest.approx(expected, abs=1e-12, rel=0)
    assert math.fsum(behaviour) == pytest.approx(1.0, abs=1e-12, rel=0)
    assert min(behaviour) >= 0.0
    if sum(basis) > 1e-9:
        shares = [weight / sum(basis) for weight in basis]
        assert behaviour == pytest.approx(shares, abs=1e-12 / min(sum(basis), 1.0), rel=0)


class TestSteps:
    @pytest.mark.parametrize("iteration", [1, 2, 3, 10, 1000, 10**9])
    def test_the_plain_rule_forgets_nothing_and_averages_uniformly(self, iteration: int) -> None:
        assert step_of(UpdateRule(), iteration) == PLAIN

    @pytest.mark.parametrize("iteration", [2, 3, 10, 1000, 10**9])
    @pytest.mark.parametrize("exponent", [-2.0, -0.5, 0.0, 0.5, 1.0, 1.5, 5.0])
    def test_discounts_are_those_of_the_formula(self, iteration: int, exponent: float) -> None:
        power = (iteration - 1) ** exponent
        expected = pytest.approx(power / (power + 1), rel=1e-15, abs=0)
        assert step_of(UpdateRule(alpha=exponent), iteration).positive == expected
        assert step_of(UpdateRule(beta=exponent), iteration).negative == expected
        assert step_of(UpdateRule(alpha=exponent), iteration).negative == 1.0
        assert step_of(UpdateRule(beta=exponent), iteration).positive == 1.0

    @pytest.mark.parametrize("exponent", [-1000.0, -1.0, 0.0, 1.5, 1000.0, -math.inf, math.inf])
    @pytest.mark.parametrize("iteration", [1, 2, 3, 10**6])
    def test_discounts_lie_between_0_and_1_for_every_exponent(
        self, exponent: float, iteration: int
    ) -> None:
        rule = UpdateRule(alpha=exponent, beta=exponent)
        assert 0.0 <= step_of(rule, iteration).positive <= 1.0
        assert 0.0 <= step_of(rule, iteration).negative <= 1.0

    def test_an_exponent_of_minus_infinity_forgets_all_after_the_second_iteration(self) -> None:
        discounts = [step_of(UpdateRule(beta=-math.inf), t).negative for t in (2, 3, 4, 100)]
        assert discounts == [0.5, 0.0, 0.0, 0.0]

    @pytest.mark.parametrize("gamma", [0.0, 1.0, 2.0, 4.0, 2.5])
    def test_iteration_t_weighs_t_to_the_gamma(self, gamma: float) -> None:
        # After n iterations the sum holds iteration t with ∏ decay = (t/n)^γ.
        weight = 1.0
        weights = [weight]
        for iteration in range(20, 1, -1):
            weight *= step_of(UpdateRule(gamma=gamma), iteration).decay
            weights.append(weight)
        expected = [(t / 20) ** gamma for t in range(20, 0, -1)]
        assert weights == pytest.approx(expected, rel=1e-13, abs=0)

    def test_clipping_is_a_floor_of_zero(self) -> None:
        assert step_of(UpdateRule(is_clipped=True), 5).floor == 0.0
        assert step_of(UpdateRule(), 5).floor == -math.inf
        assert step_of(UpdateRule(prediction=0.25), 5).prediction == 0.25
