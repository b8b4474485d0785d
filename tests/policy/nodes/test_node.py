"""Nodes: means over ranges and classes, and what four sources make of them."""

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.cards.combos import CLASS_NAMES, CLASS_OF_COMBO, combo_index
from untilt.game.actions import action_data
from untilt.games.pushfold.chart import PushFoldChart, PushFoldPlay
from untilt.games.pushfold.game import Stakes
from untilt.policy.nodes.node import NO_HANDS, Hands, Node, NodePlace
from untilt.policy.nodes.node_json import node_json
from untilt.policy.nodes.pushfold_node import pushfold_node
from untilt.policy.nodes.spot_node import spot_node

ACES, KINGS = CLASS_NAMES.index("AA"), CLASS_NAMES.index("KK")


def node_of(hands: Hands, reach: list[float] | None, bets: list[float], **given: Any) -> Node:
    """A player who checks or bets; the other's hands are unknown."""
    return Node(
        place=NodePlace("", "", "decision"),
        words="",
        player=0,
        hands=(hands, NO_HANDS),
        reach=(None if reach is None else np.array(reach), None),
        mix=np.array([[1.0 - share for share in bets], bets]),
        actions=(action_data("check"), action_data("bet 2")),
        **given,
    )


def combos(*names: str) -> Hands:
    cards = [(untilt.cards.parse_cards(name)) for name in names]
    return Hands.of_combos(np.array([combo_index(first, second) for first, second in cards]))


def test_combos_count_by_how_much_of_them_is_here() -> None:
    node = node_of(combos("AsAh", "AdAc", "KsKh"), [1.0, 0.5, 0.25], [0.0, 1.0, 0.4])
    assert node.total(0) == 1.75
    assert node.shares == {
        "check": pytest.approx((1.0 + 0.25 * 0.6) / 1.75),
        "bet 2": pytest.approx((0.5 + 0.25 * 0.4) / 1.75),
    }
    bets = node.class_mix()[1]
    assert bets[ACES] == pytest.approx(0.5 / 1.5)
    assert bets[KINGS] == pytest.approx(0.4)
    assert np.isnan(bets).sum() == 167
    assert node.class_weights(0)[[ACES, KINGS]].tolist() == [0.75, 0.25]


def test_means_weigh_hands_by_what_they_can_be_dealt_against() -> None:
    hands, reach, bets = combos("AsAh", "KsKh"), [1.0, 1.0], [0.0, 1.0]
    assert node_of(hands, reach, bets).whole_mix == (0.5, 0.5)
    met = (np.array([1.0, 3.0]), None)
    node = node_of(hands, reach, bets, met=met)
    assert node.whole_mix == (0.25, 0.75)
    assert node.total(0) == 2.0
    # A hand that meets no other has no part in means, whatever its number.
    alone = node_of(hands, reach, bets, met=(np.array([0.0, 3.0]), None))
    assert alone.mean(np.array([math.nan, 7.0]), 0) == 7.0


def test_a_class_counts_as_often_as_it_has_combos() -> None:
    bets = [0.0] * 169
    bets[ACES] = bets[CLASS_NAMES.index("AKo")] = 1.0
    node = node_of(Hands.of_classes(), [1.0] * 169, bets)
    assert node.hands[0].axis == "classes"
    assert node.total(0) == 1326.0
    assert node.whole_mix[1] == pytest.approx((6 + 12) / 1326)
    assert node.class_mix()[1].tolist() == bets


def test_what_is_unknown_is_none_in_a_node_and_null_in_json() -> None:
    node = node_of(Hands("labels", 2, ["J", "K"]), None, [0.2, 0.3])
    assert (node.values, node.total(0), node.mass(0)) == (None, None, None)
    assert all(math.isnan(share) for share in node.whole_mix)
    page = node_json(node)
    assert (page["mix"], page["reach"], page["chips"], page["pot"]) == (None, None, None, None)
    assert (page["sides"][0]["reach"], page["sides"][0]["values"]) == (None, None)
    assert page["sides"][0]["mix"] == [[0.8, 0.7], [0.2, 0.3]]


def test_a_node_has_a_row_for_every_player() -> None:
    hands = combos("AsAh", "KsKh")
    node = Node(
        place=NodePlace("cc", "", "decision"),
        words="",
        player=2,
        hands=(hands, NO_HANDS, hands),
        reach=(np.ones(2), None, np.array([0.5, 1.0])),
        mix=np.array([[1.0, 0.0], [0.0, 1.0]]),
        actions=(action_data("check"), action_data("bet 2")),
    )
    assert [node.total(player) for player in range(3)] == [2.0, None, 1.5]
    assert node.whole_mix == pytest.approx((1 / 3, 2 / 3))
    assert [side["num_hands"] for side in node_json(node)["sides"]] == [2, 0, 2]


def test_a_range_that_is_empty_has_no_mix() -> None:
    page = node_json(node_of(combos("AsAh"), [0.0], [1.0]))
    assert (page["mix"], page["sides"][0]["total"]) == (None, 0.0)


def test_a_node_of_a_spot_has_the_numbers_of_the_solution() -> None:
    spot = untilt.Spot("2c2d2h3c3d", ("AA:0.5, QQ", "KK"), 100, 100, untilt.Sizes("50%, 100%"))
    found = untilt.solve(spot, iterations=50, save=False).at("check")
    node = spot_node(found)
    assert (node.line, node.board, node.player, node.kind) == ("c", "2c2d2h3c3d", 1, "decision")
    assert node.names == found.actions
    assert node.shares == found.frequencies
    assert node.values is not None
    assert node.values.tolist() == found.action_ev.tolist()
    assert node.pot == found.pot
    for player, side in enumerate(found.sides):
        assert list(node.hands[player].names) == side.hands
        assert node.total(player) == side.num_combos
        reach = node.reach[player]
        assert reach is not None
        assert reach.tolist() == side.weights.tolist()
        np.testing.assert_array_equal(node.class_weights(player), side.class_weights())
        np.testing.assert_array_equal(
            node.by_class(side.equity, player), side.by_class(side.equity)
        )
    (station,) = node.path
    assert (station.player, station.chosen, station.place) == (0, "check", node.place)
    assert [child.line for child in node.children if child] == [
        child.place.line.letters for child in found.children.values()
    ]


def test_both_decisions_of_push_fold_are_nodes() -> None:
    push, call = np.linspace(0.0, 1.0, 169), np.linspace(1.0, 0.0, 169)
    evs = push - 0.7, call - 1.2
    chart = PushFoldChart.of(Stakes(9.0), PushFoldPlay(push, call), evs, 0.1, 0.0)
    first = pushfold_node(chart)
    reply = first.panels["reply"]
    assert first.children == (None, reply.place)
    assert (first.line, reply.line, reply.player) == ("", "a", 1)
    assert reply.reach[0].tolist() == push.tolist()
    for node, seat in ((first, chart.push), (reply, chart.call)):
        assert node.names == ("fold", seat.action)
        assert 100.0 * node.whole_mix[1] == pytest.approx(seat.percent)
        assert node.mix.sum(axis=0).tolist() == pytest.approx([1.0] * 169)
        regret = node.columns[node.player]["regret"]
        values = np.array([np.full(169, seat.fold_ev), seat.ev])
        gained = (node.mix * values).sum(axis=0)
        np.testing.assert_allclose(regret, values.max(axis=0) - gained, atol=1e-12)


def test_every_class_is_the_class_of_its_combos() -> None:
    every = Hands.of_combos(np.arange(1326, dtype=np.int16))
    node = node_of(every, [1.0] * 1326, CLASS_OF_COMBO.astype(float).tolist())
    assert node.class_mix()[1].tolist() == list(range(169))


def test_nodes_need_no_compiler() -> None:
    program = (
        "import sys; import untilt.policy.nodes.node, untilt.policy.nodes.spot_node\n"
        "import untilt.policy.nodes.pushfold_node, untilt.policy.nodes.node_json\n"
        "assert not {'numba', 'llvmlite', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
