"""What actions of a blueprint are worth with buckets of hands."""

from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint
from tests.reference.bucket_values import values_on

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.menus import capped_bets, pot_fractions
from untilt.errors import InvalidOption
from untilt.policy.thinking import tabulated_values
from untilt.policy.thinking.tabulated_values import BucketValues, tabulated

__all__ = ["stored"]  # a fixture


@pytest.fixture(scope="module")
def blueprint(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    """A blueprint of few bets, so that a slow reference can follow all of them."""
    menu = capped_bets(pot_fractions(all_in=True), 2)
    return random_blueprint(tmp_path_factory.mktemp("bp") / "bp.bin", 6, menu)


def test_values_are_those_of_a_walk_with_matrices(blueprint: Blueprint) -> None:
    found = tabulated(blueprint, 4, seed=3)
    deck = list(blueprint.rules.deck)
    nodes = blueprint.form.tree.nodes
    for half in range(2):
        boards = [tabulated_values._board(deck, 3, number) for number in (half, half + 2)]
        expected = values_on(blueprint, boards)
        assert len(expected) > 1_000
        for (node, action, bucket), value in expected.items():
            assert found.at(node, bucket)[half, action] == pytest.approx(value, abs=2e-3, rel=1e-3)
        known = sum(int(np.isfinite(table[half]).sum()) for table in found.values)
        assert known == len(expected)
        assert set(nodes["player"][[node for node, _, _ in expected]].tolist()) == {0, 1}


def test_values_are_the_same_again_and_another_board_changes_them(blueprint: Blueprint) -> None:
    one, again, more = (tabulated(blueprint, count) for count in (4, 4, 6))
    for first, second, third in zip(one.values, again.values, more.values, strict=True):
        assert first.tobytes() == second.tobytes()
        assert first.tobytes() != third.tobytes()


def test_values_are_kept_in_a_file(blueprint: Blueprint, tmp_path: Path) -> None:
    found = tabulated(blueprint, 4)
    path = tmp_path / "values.bin"
    assert BucketValues.read(path, blueprint, "mine") is None
    found.write(path, "mine")
    again = BucketValues.read(path, blueprint, "mine")
    assert again is not None
    assert [table.tobytes() for table in again.values] == [x.tobytes() for x in found.values]
    assert BucketValues.read(path, blueprint, "another") is None
    path.write_bytes(path.read_bytes()[:-9])
    assert BucketValues.read(path, blueprint, "mine") is None


def test_a_blueprint_of_a_short_deck_is_refused(stored: Path, tmp_path: Path) -> None:
    menu = capped_bets(pot_fractions(all_in=True), 2)
    short = random_blueprint(tmp_path / "short.bin", 6, menu, ranks=9)
    with pytest.raises(InvalidOption, match="deck of 52 cards"):
        tabulated(short, 2)
