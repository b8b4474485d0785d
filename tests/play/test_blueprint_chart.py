"""Charts of a blueprint at a line: hand by hand as the blueprint says, by class, and by weight."""

import itertools
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
from untilt.cards.card import card_name
from untilt.cards.combos import CLASS_NAMES, CLASS_OF_COMBO, combo_name
from untilt.errors import CardError, InvalidOption, RunError
from untilt.play.blueprint_chart import BlueprintCharts, LineChart, verify_decision

__all__ = ["stored"]  # a fixture

LINE, BOARD = "cr6c/cb6", "Td9d6h"


@pytest.fixture(scope="module")
def path(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("charts") / "blueprint.bin"
    random_blueprint(path)
    return path


@pytest.fixture(scope="module")
def chart(path: Path) -> LineChart:
    return BlueprintCharts(path).at(LINE, BOARD)


def slow_weight(blueprint: Blueprint, hand: str) -> float:
    """Return how often the big blind raises to 6 and checks the flop with a hand."""
    raised = blueprint.probabilities("c", hand)["raise 6"]
    return raised * blueprint.probabilities("cr6c/", hand, BOARD)["check"]


def test_every_combo_does_what_the_blueprint_says(path: Path, chart: LineChart) -> None:
    blueprint = Blueprint(path)
    assert chart.betting.player == 1
    for combo in range(0, 1326, 41):
        hand = combo_name(combo)
        if {hand[:2], hand[2:]} & {"Td", "9d", "6h"}:
            assert not chart.is_live[combo]
            assert chart.weights[combo] == 0.0
            continue
        mix = blueprint.probabilities(LINE, hand, BOARD)
        assert [action.name for action in chart.actions] == list(mix)
        assert chart.mixes[combo].tolist() == pytest.approx(list(mix.values()))
        assert chart.weights[combo] == pytest.approx(slow_weight(blueprint, hand))


def test_a_class_is_the_mean_of_its_combos_by_weight(chart: LineChart) -> None:
    num_here = 0
    for number in range(len(CLASS_NAMES)):
        combos = [each for each in range(1326) if CLASS_OF_COMBO[each] == number]
        live = [each for each in combos if chart.is_live[each]]
        total = math.fsum(chart.weights[each] for each in live)
        assert chart.class_weights[number] == pytest.approx(total / len(live))
        if total == 0.0:
            assert np.isnan(chart.by_class[:, number]).all()
            continue
        num_here += 1
        for action in range(len(chart.actions)):
            mean = sum(chart.weights[each] * chart.mixes[each, action] for each in live) / total
            assert chart.by_class[action, number] == pytest.approx(mean)
    assert num_here > 20
    whole = sum(chart.weights[each] * chart.mixes[each] for each in range(1326))
    assert chart.shares.tolist() == pytest.approx((whole / chart.weights.sum()).tolist())
    assert chart.shares.sum() == pytest.approx(1.0)


def test_places_lead_to_their_charts(path: Path, chart: LineChart) -> None:
    charts = BlueprintCharts(path)
    for place in itertools.chain(chart.places, *(station.places for station in chart.stations)):
        board = "".join(map(card_name, place.board))
        found = charts.at(place.line.letters, board)
        assert found.place == place
    assert [station.actions[station.number].name for station in chart.stations] == [
        *("call", "raise 6", "call", "check", "bet 6"),
    ]
    assert {place.kind for place in chart.places} == {"fold", "deal", "decision"}


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
    assert (found.place.kind, found.street) == (kind, street)
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
    assert found.weights.tolist() == [1.0] * 1326
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
    assert charts.at("r6").place.kind == "decision"
    with pytest.raises(RunError, match=r"untilt buckets --preflop 169 --flop 200 --turn 100"):
        charts.at("cc/", BOARD)


def test_only_the_first_chart_loads_the_compiler(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from untilt.play.blueprint_chart import BlueprintCharts\n"
        "charts = BlueprintCharts(Path(sys.argv[1]))\n"
        "assert 'numba' not in sys.modules\n"
        "charts.at('')\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
