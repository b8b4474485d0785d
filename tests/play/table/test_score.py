"""The score of a session, against the standard library's statistics."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.play.review.test_review import reviewed
from tests.play.tables import kuhn_opponent

from untilt.play.table.score import Score

GAINS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50)


@given(GAINS)
def test_mean_and_interval_are_those_of_the_normal_law(gains: list[float]) -> None:
    score = Score()
    for gain in gains:
        score.add(gain)
    assert score.num_hands == len(gains)
    assert score.total == pytest.approx(math.fsum(gains), abs=1e-6)
    assert score.mean == pytest.approx(statistics.fmean(gains), abs=1e-6)
    margin = statistics.NormalDist().inv_cdf(0.975)
    margin *= statistics.stdev(gains) / math.sqrt(len(gains))
    assert score.interval is not None
    low, high = score.interval
    assert high - low == pytest.approx(2 * margin, abs=1e-3, rel=1e-6)
    assert (low + high) / 2 == pytest.approx(statistics.fmean(gains), abs=1e-6)


def test_four_hands_of_one_chip() -> None:
    score = Score()
    for gain in (1.0, -1.0, 1.0, 1.0):
        score.add(gain)
    assert score.to_json() == {
        "hands": 4,
        "total": 2.0,
        "mean": 0.5,
        "interval": pytest.approx([0.5 - 1.959964 * 0.5, 0.5 + 1.959964 * 0.5]),
        "decisions": 0,
        "mistakes": 0,
        "cost": 0.0,
    }


def test_below_two_hands_there_is_no_interval() -> None:
    score = Score()
    assert (score.mean, score.interval) == (None, None)
    score.add(3.0)
    assert (score.mean, score.interval) == (3.0, None)


def test_costs_of_all_decisions_add_up_and_mistakes_are_counted() -> None:
    score = Score()
    opponent = kuhn_opponent(0.25)
    score.add(-2.0, [reviewed(opponent, "P0:Q:", "bet")])  # costs 1/6
    score.add(1.0, [reviewed(opponent, "P1:K:c", "check"), reviewed(opponent, "P1:Q:b", "call")])
    score.add(1.0, [reviewed(kuhn_opponent(0.0), "P1:K:b", "fold")])  # not known
    assert (score.num_decisions, score.num_mistakes) == (4, 2)
    assert score.cost == pytest.approx(1 / 6 + 1 / 3)
