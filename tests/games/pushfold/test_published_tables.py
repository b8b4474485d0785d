"""Published charts of three seats: what best responses gain against them, and against ours."""

import json
from pathlib import Path

import numpy as np
import pytest

import untilt
from untilt.games.pushfold.tables.table_analysis import compare_ranges

PUBLISHED = json.loads(
    (Path(__file__).parents[2] / "data" / "three_handed_push_fold.json").read_text("utf-8")
)


@pytest.mark.parametrize(("stack", "most"), [(5.0, 5e-4), (10.0, 5e-4), (15.0, 2.5e-3)])
def test_best_responses_gain_little_against_published_charts_and_less_against_ours(
    stack: float, most: float
) -> None:
    chart = untilt.pushfold.chart(seats=3, stack=stack)
    nodes = {state: node for node, state in enumerate(chart.table.states)}
    theirs = {}
    for each in PUBLISHED["charts"]:
        decision = chart.decision(each["seat"], tuple(each["before"]))
        theirs[nodes[decision.state]] = (np.array(each["deepest"]).ravel() >= stack).astype(float)
    assert len(theirs) == 6
    against_theirs = compare_ranges(chart, theirs).nash_conv
    assert chart.nash_conv < 0.1 * against_theirs
    assert 1e-5 < against_theirs <= most
