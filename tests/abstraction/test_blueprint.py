"""Blueprints read from their files, by line, hand and board."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.blueprint import Blueprint, blueprint_meta
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.menus import capped_bets, pot_fractions
from untilt.cards.card import parse_cards
from untilt.cards.combos import combo_index
from untilt.errors import CardError, FormatError, InvalidOption
from untilt.formats.base.container import read_container, write_container
from untilt.formats.kinds.blueprint_file import write_blueprint
from untilt.games.holdem.rules import HoldemRules
from untilt.numeric.byte_shares import WHOLE
from untilt.result import Run

RULES = HoldemRules(stacks=(20, 20))
MENU = capped_bets(pot_fractions(1.0, all_in=True), 3)
# Hands before the flop and on the river need no tables, which would take long to build.
CARDS = CardAbstraction(preflop=169, flop=2, turn=2, river=10)
BUCKETS = tuple(CARDS.sizes.values())
FORM = BettingForm(RULES, MENU)


def averages() -> list[Any]:
    rng = np.random.default_rng(4)
    found = []
    for street, count in enumerate(BUCKETS):
        average = np.zeros((count, int(FORM.tree.widths[street])), np.float32)
        for row, actions in zip(*map(np.ndarray.tolist, FORM.tree.rows_of(street)), strict=True):
            average[:, row : row + actions] = rng.dirichlet(np.ones(actions), size=count)
        found.append(average)
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blueprint") / "blueprint.bin"
    meta = blueprint_meta(RULES, MENU, CARDS)
    write_blueprint(path, meta, FORM.tree, BUCKETS, averages())
    return path


def expected(line: str, bucket: int) -> list[float]:
    place = FORM.find(line)
    node = FORM.tree.nodes[place.node]
    row = averages()[int(node["street"])][bucket]
    return list(row[int(node["row"]) : int(node["row"]) + int(node["num_actions"])])


@pytest.mark.parametrize(
    ("line", "hand", "board"),
    [
        ("", "AsKh", ""),
        ("c", "7d2c", ""),
        ("call, all-in", "QsQh", ""),
        ("cc/cc/cc/", "AsKh", "Td9d6h2c2s"),
        ("cc/cc/cc/c", "5s5h", "Td9d6h2c2s"),
    ],
)
def test_probabilities_are_those_of_the_bucket(
    path: Path, line: str, hand: str, board: str
) -> None:
    strategy = Blueprint(path)
    found = strategy.probabilities(line, hand, board)
    place = strategy.form.find(line)
    assert list(found) == [action.name for action in strategy.form.actions(place)]
    assert sum(found.values()) == pytest.approx(1.0)
    bucket = CARDS.bucket(hand, board)
    np.testing.assert_allclose(list(found.values()), expected(line, bucket), atol=1.0 / WHOLE)
    names, mixes = strategy.mixes(line, board)
    np.testing.assert_array_equal(
        mixes[combo_index(*parse_cards(hand))], [found[name] for name in names]
    )


def test_a_chart_has_all_classes_and_blocked_hands_have_no_mix(path: Path) -> None:
    strategy = Blueprint(path)
    chart = strategy.chart("c")
    assert len(chart) == 169
    assert chart["AKo"] == strategy.probabilities("c", "AsKh")
    _, mixes = strategy.mixes("cc/cc/cc/", "Td9d6h2c2s")
    assert np.isnan(mixes).all(axis=1).sum() == 1326 - 47 * 46 // 2


def test_bad_questions(path: Path) -> None:
    strategy = Blueprint(path)
    with pytest.raises(CardError, match="0 cards, but the line ends on a street with 5"):
        strategy.probabilities("cc/cc/cc/", "AsKh")
    with pytest.raises(CardError, match="appears twice"):
        strategy.probabilities("cc/cc/cc/", "AsKh", "As9d6h2c2s")
    with pytest.raises(CardError, match="a hand has 1 cards"):
        strategy.probabilities("", "As")
    with pytest.raises(InvalidOption, match="the hand is over"):
        strategy.probabilities("f", "AsKh")
    with pytest.raises(InvalidOption, match="not on the menu"):
        strategy.probabilities("r5", "AsKh")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("cards_hash", "0" * 16, "other card buckets"),
        ("menu", "import os", "not a blueprint of hold'em"),
        ("rules", {"stack": "x"}, "not a blueprint of hold'em"),
        ("cards", None, "it has no cards"),
        ("cards", {"flop": -1}, "not a blueprint of hold'em"),
        ("cards", {"watcher": 1}, "unknown entry of its cards 'watcher'"),
        ("cards", {"features": True}, "features is True"),
        ("rules", {"a\nb": 1}, r"unknown entry of its rules 'a\\nb'"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(
    path: Path, tmp_path: Path, name: str, value: object, words: str
) -> None:
    container = read_container(path, "blueprint")
    meta = {**container.meta, name: value}
    write_container(tmp_path / "other.bin", "blueprint", meta, container.arrays)
    with pytest.raises(FormatError, match=words):
        Blueprint(tmp_path / "other.bin")


@pytest.mark.parametrize("menu", ["pot_fractions(9)", "pot_fractions(0.5, 1, 2, all_in=True)"])
def test_a_forged_menu_is_refused_where_the_tree_has_other_actions(
    path: Path, tmp_path: Path, menu: str
) -> None:
    container = read_container(path, "blueprint")
    forged = tmp_path / "other.bin"
    write_container(forged, "blueprint", {**container.meta, "menu": menu}, container.arrays)
    blueprint = Blueprint(forged)
    with pytest.raises(FormatError, match="not that of its rules and its menu") as caught:
        blueprint.chart()
    assert "\n" not in str(caught.value)


def test_a_forged_stake_or_street_is_refused(path: Path, tmp_path: Path) -> None:
    container = read_container(path, "blueprint", in_memory=True)
    forged = tmp_path / "other.bin"
    stakes = container.arrays["nodes.stake"]
    large = np.where(stakes == 0.0, 0.0, 1e6).astype(np.float32)
    arrays = {**container.arrays, "nodes.stake": large}
    write_container(forged, "blueprint", container.meta, arrays)
    with pytest.raises(FormatError, match="its betting tree is not that of its rules"):
        Blueprint(forged).chart()
    streets = container.arrays["nodes.street"].copy()
    streets[container.arrays["nodes.kind"] != 0] = 200  # ends of hands, whose street is not used
    arrays = {**container.arrays, "nodes.street": streets}
    write_container(forged, "blueprint", container.meta, arrays)
    with pytest.raises(FormatError, match="its betting tree"):
        Blueprint(forged).chart()


def test_a_blueprint_is_the_run_that_ended_with_it(path: Path) -> None:
    alone = Blueprint(path)
    assert isinstance(alone, Run)
    assert alone.result is alone
    assert (alone.iterations, alone.is_finished, len(alone.progress)) == (None, True, 0)
    assert np.isnan(alone.seconds)
    assert alone.to_json()["infosets"] == alone.num_infosets
