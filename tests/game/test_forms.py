"""Which forms a compiled game has, and why others are missing."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.game.trees import FORGETFUL

from untilt.errors import Argument, GameError, GameTooLarge, ImperfectRecall
from untilt.formats.run.compiled_game import read_game, write_game
from untilt.game.compiled import (
    CompiledGame,
    Form,
    compile,  # noqa: A004
    compile_histories,
    met_infosets,
)
from untilt.game.histories.tree import GameTree
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.games import kuhn, leduc
from untilt.games.pushfold.game import PushFold

KUHN = compile(kuhn())
DIRECT = compile(PushFold())
FORGOTTEN = compile(FORGETFUL)
SAMPLED = met_infosets(KUHN.infosets)


def read_again(path: Path) -> Iterator[CompiledGame]:
    for game in (KUHN, DIRECT, FORGOTTEN, SAMPLED):
        write_game(path, game)
        yield read_game(path)


def test_a_game_says_which_forms_it_has() -> None:
    def kinds(game: CompiledGame) -> list[type[Form]]:
        return [type(form) for form in game.forms]

    assert kinds(KUHN) == [SequenceForm, GameTree]
    assert kinds(DIRECT) == [SequenceForm]
    assert kinds(FORGOTTEN) == [GameTree]
    assert kinds(SAMPLED) == []
    for game in (KUHN, DIRECT, FORGOTTEN, SAMPLED):
        for kind in (SequenceForm, GameTree):
            assert game.has(kind) == (kind in kinds(game))
            assert game.has(kind) != (kind in game.missing)


def test_a_form_that_is_there_is_returned() -> None:
    assert KUHN.require(SequenceForm) is KUHN.forms[0] is KUHN.exact_form()
    assert KUHN.require(GameTree) is KUHN.forms[1]
    assert DIRECT.require(SequenceForm) is DIRECT.forms[0]


def test_a_form_that_is_missing_is_refused_with_the_reason(tmp_path: Path) -> None:
    for game in ((KUHN, DIRECT, FORGOTTEN, SAMPLED), tuple(read_again(tmp_path / "game.bin"))):
        _, direct, forgotten, sampled = game
        with pytest.raises(
            GameError, match="only its sequence form, not its histories; if there are not too many"
        ):
            direct.require(GameTree)
        with pytest.raises(ImperfectRecall, match=r"'P0:again'.*use a sampling solver"):
            forgotten.require(SequenceForm)
        for require in (sampled.exact_form, sampled.plan_form, partial(sampled.require, GameTree)):
            with pytest.raises(GameTooLarge, match=r"sampled, not compiled: .*; nothing exact"):
                require()


def test_who_needs_a_form_may_know_better_what_to_do() -> None:
    with pytest.raises(GameError) as caught:
        DIRECT.require(GameTree, "use ", Argument("on", "objects"))
    assert str(caught.value) == (
        "this game has only its sequence form, not its histories; use on='objects'"
    )


def test_names_without_forms_are_what_sampling_has_met() -> None:
    assert SAMPLED.is_partial
    assert SAMPLED.num_infosets == KUHN.num_infosets
    assert SAMPLED.num_terminals == 0
    assert SAMPLED.recall_error is None
    assert "sampled" in repr(SAMPLED)


def test_a_game_is_the_same_whether_it_was_walked_or_gave_its_form() -> None:
    game = leduc(ranks=4)
    walked = compile_histories(game)
    direct = CompiledGame(
        infosets=walked.infosets,
        forms=(walked.exact_form(),),
        forced={},
        is_zero_sum=True,
        num_terminals=walked.num_terminals,
        missing=DIRECT.missing,
    )
    assert direct == walked
