"""Charts of a blueprint at a line: hand by hand as the blueprint says, by class, and by weight."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.cards.combos import CLASS_NAMES, CLASS_OF_COMBO, combo_name
from untilt.errors import CardError, InvalidOption, RunError
from untilt.play.review.blueprint_chart import BlueprintCharts, verify_decision
from untilt.policy.nodes.node import Node

__all__ = ["stored"]  # a fixture

LINE, BOARD = "cr6c/cb6", "Td9d6h"


@pytest.fixture(scope="module")
def path(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("charts") / "blueprint.bin"
    random_blueprint(path)
    return path


@pytest.fixture(scope="module")
def chart(path: Path) -> Node:
    return BlueprintCharts(path).at(LINE, BOARD)


def slow_weight(blueprint: Blueprint, hand: str) -> float:
    """Return how often the big blind raises to 6 and checks the flop with a hand."""
    raised = blueprint.probabilities("c", hand)["raise 6"]
    return raised * blueprint.probabilities("cr6c/", hand, BOARD)["check"]


def test_every_combo_does_what_the_blueprint_says(path: Path, chart: Node) -> None:
    blueprint = Blueprint(path)
    assert chart.player == 1
    assert (chart.hands[0].axis, len(chart.hands[0]), chart.reach[0]) == ("labels", 0, None)
    assert chart.hands[1].axis == "combos"
    names, reach = list(chart.hands[1].names), chart.reach[1]
    assert reach is not None
    for combo in range(0, 1326, 41):
        hand = combo_name(combo)
        if {hand[:2], hand[2:]} & {"Td", "9d", "6h"}:
            assert hand not in names
            continue
        mix, at = blueprint.probabilities(LINE, hand, BOARD), names.index(hand)
        assert list(chart.names) == list(mix)
        assert chart.mix[:, at].tolist() == pytest.approx(list(mix.values()))
        assert reach[at] == pytest.approx(slow_weight(blueprint, hand))


def test_a_class_is_the_mean_of_its_combos_by_weight(chart: Node) -> None:
    num_here = 0
    reach, combos = chart.reach[1], chart.hands[1].combos
    assert reach is not None
    assert combos is not None
    class_weights, class_mix = chart.class_weights(1), chart.class_mix()
    for number in range(len(CLASS_NAMES)):
        live = [at for at, combo in enumerate(combos) if CLASS_OF_COMBO[combo] == number]
        total = math.fsum(reach[each] for each in live)
        assert class_weights[number] == pytest.approx(total / len(live))
        if total == 0.0:
            assert np.isnan(class_mix[:, number]).all()
            continue
        num_here += 1
        for action in range(len(chart.actions)):
            mean = sum(reach[each] * chart.mix[action, each] for each in live) / total
            assert class_mix[action, number] == pytest.approx(mean)
    assert num_here > 20
    whole = sum(reach[each] * chart.mix[:, each] for each in range(len(reach)))
    assert list(chart.whole_mix) == pytest.approx((whole / reach.sum()).tolist())
    assert sum(chart.whole_mix) == pytest.approx(1.0)


def test_places_lead_to_their_charts(path: Path, chart: Node) -> None:
    charts = BlueprintCharts(path)
    moves = [station for station in chart.path if station.player >= 0]
    choices = [choice.place for station in moves for choice in station.choices]
    for place in (*chart.children, *choices):
        assert place is not None
        assert charts.at(place.line, place.board or "").place == place
    assert [station.chosen for station in moves] == [
        *("call", "raise 6", "call", "check", "bet 6"),
    ]
    assert {place.kind for place in chart.children if place} == {"fold", "deal", "decision"}


@pytest.mark.parametrize(
    ("line", "board", "kind", "street"),
    [
        ("f", "", "fold", "preflop"),
        ("a40c", "", "all-in", "preflop"),
        ("cc", "", "deal", "flop"),
        ("cc/", "Td9d", "deal", "flop"),
        ("cc/cc/", "Td9d6h", "deal", "turn"),
        (
            "call, check / check, check / check, check / check, check",
            "Td9d6hQc2s",
            "showdown",
            "river",
        ),
        ("call, check / check", "Td9d6h", "decision", "flop"),
    ],
)
def test_kinds_of_places(path: Path, line: str, board: str, kind: str, street: str) -> None:
    found = BlueprintCharts(path).at(line, board)
    assert (found.kind, found.street) == (kind, street)
    assert (len(found.actions) > 0) == (kind == "decision")
    if kind == "decision":
        verify_decision(found)
    else:
        with pytest.raises(InvalidOption, match="board" if kind == "deal" else "over"):
            verify_decision(found)


def test_where_no_hand_gets_all_count_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    charts = BlueprintCharts(path)
    real = charts.blueprint.mixes_at
    monkeypatch.setattr(
        charts.blueprint, "mixes_at", lambda node, board: real(node, board) * (node != 0)
    )
    found = charts.at("cr6")  # only the small blind's first move is never made
    assert not found.is_reached
    assert found.reach[0] is not None
    assert found.reach[0].tolist() == [1.0] * 1326
    assert charts.at("c").is_reached


def test_boards_that_do_not_fit_are_refused(path: Path) -> None:
    charts = BlueprintCharts(path)
    with pytest.raises(CardError, match="before the flop, where none lie"):
        charts.at("", "As")
    with pytest.raises(CardError, match="on the flop, where 3 lie"):
        charts.at("cc/", "AsKsQsJs")
    with pytest.raises(CardError, match="twice"):
        charts.at("cc/", "AsAs")
    with pytest.raises(InvalidOption, match="not on the menu"):
        charts.at("r5")


def test_tables_are_not_built_by_those_who_must_not(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CardAbstraction, "is_stored", False)
    charts = BlueprintCharts(path, builds=False)
    assert charts.at("r6").kind == "decision"
    with pytest.raises(RunError, match=r"untilt buckets --preflop 169 --flop 200 --turn 100"):
        charts.at("cc/", BOARD)


def test_only_the_first_chart_loads_the_compiler(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from untilt.play.review.blueprint_chart import BlueprintCharts\n"
        "charts = BlueprintCharts(Path(sys.argv[1]))\n"
        "assert 'numba' not in sys.modules\n"
        "charts.at('')\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
