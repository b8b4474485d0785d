"""Decisions of a push/fold table as nodes: lines, whole ranges, amounts in bb or percent."""

import numpy as np
import pytest

import untilt
from untilt.games.pushfold.tables.table_chart import TableChart
from untilt.policy.nodes.node_json import node_json
from untilt.policy.nodes.table_node import table_nodes


@pytest.fixture(scope="module")
def chips() -> TableChart:
    return untilt.pushfold.chart(stacks=[8, 6, 9], iterations=20)


def test_each_decision_is_a_node_with_what_the_seats_before_did(chips: TableChart) -> None:
    nodes = table_nodes(chips)
    assert [(node.line, node.player) for node in nodes] == [
        ("", 0),
        ("f", 1),
        ("a", 1),
        ("af", 2),
        ("fa", 2),
        ("aa", 2),
    ]
    for node, decision in zip(nodes, chips.decisions, strict=True):
        assert node.words == decision.name
        assert node.names == ("fold", decision.action)
        assert 100.0 * node.whole_mix[1] == pytest.approx(decision.percent, abs=1e-5)
        assert node.frequency == decision.probability
        assert np.allclose(node.columns[node.player]["weight"], decision.reach, rtol=1e-4, atol=0)
        assert node.values is not None
        assert np.allclose(node.values[1] - node.values[0], decision.gain, atol=2e-7)


def test_the_page_gets_hands_of_the_seat_that_acts_only(chips: TableChart) -> None:
    page = node_json(table_nodes(chips)[-1])
    assert [side["num_hands"] for side in page["sides"]] == [0, 0, 169]
    assert page["unit"] == "bb"
    assert page["seats"] == ("button", "small blind", "big blind")
    assert len(page["sides"][2]["mix"][1]) == 169


def test_shares_of_the_pool_are_shown_in_percent() -> None:
    chart = untilt.pushfold.chart(stacks=[10, 6], prizes=[60, 40], iterations=20)
    first = table_nodes(chart)[0]
    assert first.unit == "% of the pool"
    assert first.values is not None
    assert np.allclose(first.values[1], 100.0 * chart.decisions[0].ev, atol=1e-7)
    # Of a pool of 100 %, the second prize is certain.
    assert float(first.values.min()) > 39.0
