"""Games made again from what a run stores of them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from untilt.errors import InvalidOption, RunError
from untilt.game.compiled import NOTHING_KNOWN
from untilt.game.compiled import compile as compile_game
from untilt.game.histories.tree_position import TreePosition
from untilt.game.terms import Chips, Terms, chips_of
from untilt.games import REGISTRY, resolve
from untilt.games.recipe import (
    Recipe,
    Use,
    quoted,
    rebuild_root,
    registered_terms,
    verify_same_game,
)
from untilt.games.registry import GameSpec, name_position

USE = Use("playing", ("untilt play run --trust",), "give it")
LIARS_DICE = str(Path(__file__).parents[2] / "examples" / "liars_dice.py")


@pytest.mark.parametrize("spec", REGISTRY.values(), ids=list(REGISTRY))
def test_a_position_is_named_by_its_type(spec: GameSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    game = spec.factory()
    assert spec.position == f"{type(game).__module__}.{type(game).__qualname__}"

    def never() -> None:
        raise AssertionError("no game is made to name another")

    without: Mapping[str, GameSpec] = {
        name: GameSpec(
            **{field: getattr(one, field) for field in one.__slots__} | {"factory": never}
        )
        for name, one in REGISTRY.items()
    }
    monkeypatch.setattr(REGISTRY, "own", without)
    assert name_position(game).name == spec.name


def test_games_of_ours_are_made_by_their_rules_and_others_on_their_histories() -> None:
    compiled = compile_game(resolve("leduc").game)
    ours = Recipe("leduc", {"ranks": 3})
    assert type(rebuild_root(ours, compiled, USE)).__name__ == "Leduc"
    theirs = Recipe("other.py:game", {})
    assert isinstance(rebuild_root(theirs, compiled, USE, trust=True), TreePosition)
    assert isinstance(rebuild_root(Recipe(None, {}), compiled, USE), TreePosition)


def test_code_of_others_runs_only_if_it_is_trusted() -> None:
    recipe = Recipe(LIARS_DICE, {"sides": 2})
    with pytest.raises(RunError, match="if you trust it: untilt play run --trust"):
        rebuild_root(recipe, NOTHING_KNOWN, USE)
    assert type(rebuild_root(recipe, NOTHING_KNOWN, USE, trust=True)).__name__ == "LiarsDice"
    with pytest.raises(InvalidOption, match="made in Python that is not saved in the run: give it"):
        rebuild_root(Recipe(None, {}), NOTHING_KNOWN, USE, trust=True)


def test_another_game_is_refused_unless_it_may_have_moved() -> None:
    verify_same_game(Recipe("kuhn", {}), "kuhn", "kuhn", may_have_moved=True)
    verify_same_game(Recipe("old.py", {}), "old", "new.py", may_have_moved=True)
    verify_same_game(Recipe("kuhn", {}), "kuhn", None, may_have_moved=False)
    for recipe, may_have_moved in ((Recipe("kuhn", {}), True), (Recipe("old.py", {}), False)):
        with pytest.raises(InvalidOption, match=r"not of new\.py; leave the game out"):
            verify_same_game(recipe, "name", "new.py", may_have_moved=may_have_moved)


def test_terms_of_registered_games_need_no_parameters() -> None:
    assert registered_terms("pushfold").unit == "bb"
    assert registered_terms("path/to/game.py") == registered_terms(None) == Terms()


def test_a_tree_with_its_rules_knows_the_chips() -> None:
    game = resolve("leduc").game
    position = TreePosition.root_of(compile_game(game), game)
    for move in (0, 2, "bet", "call"):
        position = position.apply(move)
    assert position.chips == Chips(6.0, (0.0, 0.0), (None, None))
    assert position.terms.has_chips
    bare = TreePosition.root_of(compile_game(game))
    assert (chips_of(bare), bare.terms) == (None, Terms())


def test_rules_keep_pace_with_a_tree_past_forced_moves() -> None:
    dice = resolve(LIARS_DICE, {"sides": 2}).game
    position = TreePosition.root_of(compile_game(dice), dice)
    for move in (0, 1, "1-2", "2-2"):
        position = position.apply(move)
    assert position.terminal
    assert position.rules is not None
    assert position.rules.terminal
    assert position.payoff(0) == position.rules.payoff(0)


def test_references_are_quoted_for_a_shell() -> None:
    assert quoted("my game.py") == "'my game.py'"
    assert quoted("a\nb") == repr("a\nb")
