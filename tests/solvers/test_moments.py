"""Where a target may be reached: the moments of solvers whose measurements are expensive."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.solvers.moments import Measured, is_moment, moment_towards, next_moment


@pytest.mark.parametrize("power", [-0.7, -1.0, -2.0, -3.0])
def test_a_power_law_is_met_at_once(power: float) -> None:
    def at(iteration: int) -> Measured:
        return Measured(iteration, 100.0 * iteration**power)

    target = 100.0 * 190**power
    moments: list[int] = []
    last = before = None
    while last is None or last.exploitability > target:
        moments.append(moment_towards(target, last, before))
        before, last = last, at(moments[-1])
    assert moments[:-1] == [1, 2, 4, 8, 16, 32, 64, 128]
    assert 190 <= moments[-1] <= 191


finite = st.floats(1e-9, 1e9)


@given(
    iteration=st.integers(2, 10**9),
    earlier=st.floats(0.0, 1.0),
    exploitabilities=st.tuples(finite, finite),
    target=st.floats(0.0, 1e9),
)
@settings(deadline=None)
def test_a_moment_is_ahead_and_at_most_twice_as_far(
    iteration: int, earlier: float, exploitabilities: tuple[float, float], target: float
) -> None:
    before = Measured(max(1, int(earlier * (iteration - 1))), exploitabilities[0])
    last = Measured(iteration, exploitabilities[1])
    for found in (moment_towards(target, last, before), moment_towards(target, last, None)):
        assert iteration < found <= 2 * iteration


def test_slow_progress_is_looked_at_again_after_a_while() -> None:
    moments = [100]
    while moments[-1] < 1000:
        stuck = Measured(moments[-1], 1.0), Measured(moments[-1] - 1, 1.0)
        moments.append(moment_towards(0.99, *stuck))
    assert all(after >= 1.03 * before for before, after in itertools.pairwise(moments))


@given(iteration=st.integers(1, 10**12), gap=st.integers(1, 1000))
@settings(deadline=None)
def test_moments_are_recognised(iteration: int, gap: int) -> None:
    moment = next_moment(iteration, gap)
    assert is_moment(moment, gap)
    assert not is_moment(moment - 1, gap) or moment - 1 <= iteration
    assert not is_moment(None)
    assert not is_moment(0)
