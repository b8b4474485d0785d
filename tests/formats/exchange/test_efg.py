"""Games written as Gambit's files: read again they are the same, and Gambit reads them."""

import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.game.trees import End, Nature, TreeGame, choice, random_trees
from tests.runs import game_runs

import untilt
from untilt.cli.main import run
from untilt.errors import FormatError, GameError
from untilt.formats.exchange.efg import write_efg
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.compiled import compile as compile_game
from untilt.game.histories.tree import GameTree
from untilt.game.protocol import Game
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.games import REGISTRY, resolve
from untilt.games.efg import ChanceMove, parse_efg

LARGE = {"pushfold", "holdem", "river-of-blood"}
"""Games whose files have hundreds of thousands of nodes."""

GAMES = [
    *(
        pytest.param(name, dict(spec.small), marks=[pytest.mark.long] * (name in LARGE))
        for name, spec in REGISTRY.items()
    ),
    ("leduc", {"ranks": 4, "suits": "distinguished"}),
    ("auction", {"pricing": "uniform", "units": 2, "values": 3, "bids": 3, "tick": 0.1}),
    ("market-maker", {"informed": 0.1, "levels": 7}),
    ("order-routing", {"urgent": 1 / 3, "fill": 0.7}),
]


def assert_same(game: CompiledGame, other: CompiledGame, relative: float = 0.0) -> None:
    """Assert that two games have the same names, and numbers to the last bit or nearly."""
    for ours, theirs in zip(game.infosets, other.infosets, strict=True):
        assert list(ours.items()) == list(theirs.items())
    tree, again = game.require(GameTree), other.require(GameTree)
    for name, values in again._asdict().items():
        assert np.allclose(values, getattr(tree, name), rtol=relative, atol=0.0), name
    assert game.has(SequenceForm) == other.has(SequenceForm)
    if game.has(SequenceForm):
        for side, expected in zip(other.exact_form().sides, game.exact_form().sides, strict=True):
            for name, values in side._asdict().items():
                assert np.allclose(values, getattr(expected, name), rtol=relative, atol=0.0), name


@pytest.mark.parametrize(("name", "parameters"), GAMES, ids=str)
def test_a_written_game_read_again_is_the_same(name: str, parameters: dict[str, Any]) -> None:
    named = resolve(name, parameters)
    compiled = compile_histories(named.game)
    text = write_efg(compiled, named.title, position=named.game)
    again = parse_efg(text)
    assert again.tree.title == named.title
    assert_same(compiled, compile_histories(again))
    assert write_efg(compile_histories(again), named.title, position=again) == text


@given(random_trees(is_zero_sum=False))
@settings(deadline=None, max_examples=60)
def test_any_written_tree_read_again_is_the_same(game: TreeGame) -> None:
    try:
        compiled = compile_histories(game)
    except GameError:  # nobody has a choice
        return
    for position in (None, game):
        again = parse_efg(write_efg(compiled, "", position=position))
        # Chances that were rounded twice do not all come back to the last bit.
        assert_same(compiled, compile_histories(again), relative=1e-13)


def game_with(payoffs: tuple[float, float], chances: tuple[float, ...] = (1.0,)) -> Game:
    """Return a game with one choice, these payoffs and these chances."""
    move = choice(0, 'the "only" one', a=End(*payoffs), b=End(1.0, 2.0))
    outcomes = tuple((f"o{number}", chance, move) for number, chance in enumerate(chances))
    return TreeGame(Nature(outcomes))


@given(st.tuples(*[st.floats(-1e300, 1e300)] * 2))
@example((9.9999998600001e299, -9.999999870000002e299))
def test_payoffs_keep_every_bit(payoffs: tuple[float, float]) -> None:
    compiled = compile_histories(game_with(payoffs))
    assert_same(compiled, compile_histories(parse_efg(write_efg(compiled, ""))))


def test_rounded_payoffs_of_a_zero_sum_game_sum_to_zero_exactly() -> None:
    move = choice(0, "the only one", a=End(0.1 + 0.2, -0.3), b=End(-1.0, 1.0))
    compiled = compile_histories(TreeGame(move))
    assert compiled.is_zero_sum
    again = parse_efg(write_efg(compiled, ""))
    assert again.is_zero_sum
    assert_same(compiled, compile_histories(again))


def chances_of(text: str) -> list[Fraction]:
    """Return the chances at the root of a file."""
    move = parse_efg(text).tree.moves[0]
    assert isinstance(move, ChanceMove)
    return list(move.probabilities)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=8))
def test_chances_keep_every_bit_and_sum_to_one_exactly(weights: list[int]) -> None:
    chances = tuple(weight / sum(weights) for weight in weights)
    compiled = compile_histories(game_with((0.0, 0.0), chances))
    text = write_efg(compiled, "")
    assert sum(chances_of(text)) == 1
    assert_same(compiled, compile_histories(parse_efg(text)))


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=8))
def test_carelessly_rounded_chances_sum_to_one_exactly_too(weights: list[float]) -> None:
    chances = tuple(weight / sum(weights) for weight in weights)
    written = chances_of(write_efg(compile_histories(game_with((0.0, 0.0), chances)), ""))
    assert sum(written) == 1
    changed = [(p, float(q)) for p, q in zip(chances, written, strict=True) if p != float(q)]
    assert len(changed) <= 1
    assert all(before == pytest.approx(after, rel=1e-15) for before, after in changed)


@given(st.text())
def test_any_title_comes_back(title: str) -> None:
    compiled = compile_histories(game_with((0.0, 0.0)))
    if title.endswith("\\"):
        with pytest.raises(FormatError, match="ends with a backslash"):
            write_efg(compiled, title)
    else:
        assert parse_efg(write_efg(compiled, title)).tree.title == title


def test_players_and_comment_come_back() -> None:
    compiled = compile_histories(game_with((0.0, 0.0)))
    text = write_efg(compiled, "", players=("A", 'the "B"'), comment="two\nlines")
    tree = parse_efg(text).tree
    assert (tree.players, tree.comment) == (("A", 'the "B"'), "two\nlines")


def test_a_game_without_its_tree_is_refused() -> None:
    with pytest.raises(GameError, match="only its sequence form"):
        write_efg(compile_game(resolve("leduc", {"ranks": 13}).game), "")


@pytest.mark.parametrize(("name", "parameters"), GAMES, ids=str)
def test_gambit_reads_our_files_and_we_what_it_writes(
    name: str, parameters: dict[str, Any]
) -> None:
    pygambit = pytest.importorskip("pygambit")
    named = resolve(name, parameters)
    compiled = compile_histories(named.game)
    text = write_efg(compiled, named.title, position=named.game)
    game = pygambit.read_efg(io.StringIO(text))
    assert game.title == named.title
    assert_same(compiled, compile_histories(parse_efg(game.to_efg())))


class TestCommand:
    @pytest.fixture(autouse=True)
    def _empty_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def test_a_game_is_exported_by_its_name(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["export", "leduc", "-p", "ranks=2", "--to", "efg"]) == 0
        assert capsys.readouterr().out.startswith("saved in leduc.efg (")
        exported = compile_histories(resolve("leduc.efg").game)
        assert_same(compile_histories(resolve("leduc", {"ranks": 2}).game), exported)
        assert '"J"' not in Path("leduc.efg").read_text(encoding="utf-8")

    def test_a_file_is_exported_with_its_names(self) -> None:
        compiled = compile_histories(game_with((1.0, -1.0)))
        text = write_efg(compiled, "T", players=("A", "B"), comment="C")
        Path("mine.efg").write_text(text, encoding="utf-8")
        assert run(["export", "mine.efg", "--to", "efg", "-o", "again.efg"]) == 0
        assert Path("again.efg").read_text(encoding="utf-8") == text

    def test_a_run_is_exported_as_its_game(self) -> None:
        untilt.solve("kuhn", "cfr+", iterations=2, output=Path("kuhn"))
        assert run(["export", "kuhn", "--to", "efg", "-o", "run.efg"]) == 0
        Path("kuhn").rename("elsewhere")
        assert run(["export", "kuhn", "--to", "efg", "-o", "game.efg"]) == 0
        assert Path("run.efg").read_bytes() == Path("game.efg").read_bytes()

    def test_a_run_without_a_tree_is_walked_again(self) -> None:
        untilt.solve("leduc", "cfr+", parameters={"ranks": 7}, iterations=1, output=Path("large"))
        assert not game_runs.load("large").game.has(GameTree)
        assert run(["export", "large", "--to", "efg"]) == 0
        exported = compile_histories(resolve("large.efg").game)
        assert (
            exported.num_infosets == compile_game(resolve("leduc", {"ranks": 7}).game).num_infosets
        )

    def test_a_run_of_a_file_can_be_exported_and_solved_again(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        run(["export", "kuhn", "--to", "efg"])
        untilt.solve("kuhn.efg", "lp", output=Path("run"))
        assert run(["export", "run", "--to", "efg"]) == 0
        capsys.readouterr()
        assert run(["solve", "run.efg", "--method", "lp", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["value"] == pytest.approx(-1 / 18)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["kuhnn", "--to", "efg"], "unknown game 'kuhnn'"),
            (["damaged.efg", "--to", "efg"], "damaged.efg, line 1, column 1:"),
            (["kuhn"], "kuhn is a game, and --to json exports the strategy of a run"),
            (["kuhn", "-p", "a=1"], "kuhn is a game, and --to json exports the strategy of a run"),
        ],
        ids=str,
    )
    def test_what_cannot_be_exported_is_refused_in_one_line(
        self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("damaged.efg").write_text("nonsense", encoding="utf-8")
        assert run(["export", *arguments]) == 2
        error = capsys.readouterr().err
        assert error.startswith("error: ")
        assert message in error
        assert error.count("\n") == 1
