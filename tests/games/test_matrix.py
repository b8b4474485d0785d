"""Matrix games and Gambit's strategic-form files: read, written, refused."""

import importlib.util
import io
from pathlib import Path

import numpy as np
import pytest

import untilt
from untilt.cli.main import run
from untilt.errors import GameError, GameTooLarge, InvalidOption, UntiltError
from untilt.formats.exchange.nfg import write_nfg
from untilt.games import kuhn, matching_pennies, matrix, resolve
from untilt.games.matrix import MatrixGame
from untilt.games.nfg import parse_nfg, read_nfg

from .playing import play

# The game of Gambit's documentation ("Game representation formats"), in both layouts.
PAYOFFS = 'NFG 1 R "Selten" { "Player 1" "Player 2" } { 3 2 }\n"A comment"\n'
PAYOFFS += "1 1 0 2 0 2\n1 1 0 3 2 0\n"
OUTCOMES = """NFG 1 R "Selten" { "Player 1" "Player 2" }
{ { "1" "2" "3" } { "1" "2" } }
""
{ { "" 1, 1 } { "" 0, 2 } { "" 0, 2 } { "" 1, 1 } { "" 0, 3 } { "" 2, 0 } }
1 2 3 4 5 6
"""


def tables(game: MatrixGame) -> tuple[list[list[float]], list[list[float]]]:
    first, second = (np.array(table).tolist() for table in game.rules.payoffs)
    return first, second


@pytest.mark.parametrize("text", [PAYOFFS, OUTCOMES], ids=["payoffs", "outcomes"])
def test_the_row_changes_fastest(text: str) -> None:
    game = parse_nfg(text)
    assert tables(game) == (
        [[1.0, 1.0], [0.0, 0.0], [0.0, 2.0]],
        [[1.0, 1.0], [2.0, 3.0], [2.0, 0.0]],
    )
    assert game.rules.actions == (("1", "2", "3"), ("1", "2"))
    assert game.terms.seats == ("Player 1", "Player 2")
    assert play(game, "3 2").payoff(0) == 2.0


def test_outcome_0_pays_nothing_and_names_are_made_distinct() -> None:
    text = 'NFG 1 R "" { "A" "B" } { { "x" "x" "" } { "y" } } { { "" 1/3, -.5 } } 0 1 0'
    game = parse_nfg(text)
    assert tables(game) == ([[0.0], [1 / 3], [0.0]], [[0.0], [-0.5], [0.0]])
    assert game.rules.actions[0] == ("x (1)", "x (2)", "3")
    assert game.terms.has_forced_moves


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: not a Gambit strategic-form file"),
        ('EFG 2 R "x"', "line 1, column 1: not a Gambit strategic-form file"),
        ('NFG 2 R "x"', "format version 2; only NFG 1"),
        ('NFG 1 R "x" { "A" } { 2 }', "has 1 player; games have 2 to 100"),
        ('NFG 1 R "x" { "A" "B" } { 2 }', "strategies of 1 players"),
        ('NFG 1 R "x" { "A" "B" } { 2 0 } ', "a player has no strategy"),
        ('NFG 1 R "x" { "A" "B" } { 1 2 } 1 2 3', "expected a payoff, found the end of the file"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } 1 2 3', "the table is complete, but 3 follows"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } { { "" 1, 2 } } 2', "outcome 2 is not among the 1"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } { { "" 1 } } 1', "1 payoffs for two players"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } 1/0 2', "is not a finite number"),
    ],
)
def test_faults_are_named_with_their_place(text: str, message: str) -> None:
    with pytest.raises(UntiltError) as caught:
        parse_nfg(text, "game.nfg")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_too_many_strategies_are_refused_before_anything_is_made_of_them() -> None:
    with pytest.raises(GameTooLarge, match="more than 1,000 strategies"):
        parse_nfg('NFG 1 R "x" { "A" "B" } { 999999999999 2 }')


@pytest.mark.parametrize(
    "game", [matching_pennies(9.0), matrix(), matrix("1 2 .1; 3 4 1e-9", "0 1 2; -7 1 1")]
)
def test_a_written_table_read_again_is_the_same(game: MatrixGame) -> None:
    text = write_nfg(untilt.games.compile(game), "table")
    assert parse_nfg(text).rules.payoffs == game.rules.payoffs
    assert parse_nfg(text).rules.actions == game.rules.actions


def test_chance_is_written_as_its_expectation() -> None:
    # Player 1's only decision is to call; player 0 holds the higher of two cards half of the time.
    text = """EFG 2 R "toss" { "A" "B" }
    c "" 1 "" { "up" 1/4 "down" 3/4 } 0
    p "" 2 1 "B" { "in" "out" } 0 t "" 1 "" { 8, -8 } t "" 2 "" { 1, 0 }
    p "" 2 1 "B" { "in" "out" } 0 t "" 3 "" { 4, 0 } t "" 2 "" { 1, 0 }"""
    from untilt.games.efg import parse_efg

    written = parse_nfg(write_nfg(untilt.games.compile(parse_efg(text)), "toss"))
    assert tables(written) == ([[5.0, 1.0]], [[-2.0, 0.0]])


def test_a_game_of_several_decisions_has_no_table() -> None:
    with pytest.raises(GameError, match="has 6 infosets; export it with --to efg"):
        write_nfg(untilt.games.compile(kuhn()), "Kuhn")


def test_files_are_games_and_games_are_exported(tmp_path: Path) -> None:
    file = tmp_path / "pennies.nfg"
    run(["export", "matching-pennies", "-p", "heads=3", "--to", "nfg", "-o", str(file)])
    assert tables(read_nfg(file))[0] == [[3.0, -1.0], [-1.0, 1.0]]
    assert resolve(str(file)).name == "pennies"
    result = untilt.solve(matching_pennies(), "lp", save=False)
    assert result.value == pytest.approx(0.0, abs=1e-12)


def test_the_equilibrium_of_a_table_is_the_textbooks() -> None:
    # Two rows, two columns: p = (d − c) / (a − b − c + d), value (ad − bc) / (a − b − c + d).
    result = untilt.solve(matrix("3 -1; -2 1"), "lp", save=False)
    assert result.value == pytest.approx((3 - 2) / (3 + 1 + 2 + 1))
    assert result.strategy["P0:"]["1"] == pytest.approx((1 + 2) / 7)


@pytest.mark.parametrize(
    ("payoffs", "other", "message"),
    [
        ("1 2; 3", "", "give rows of finite numbers"),
        ("1 x", "", "give rows of finite numbers"),
        ("1 nan", "", "give rows of finite numbers"),
        ("", "", "give rows of finite numbers"),
        ("1 2", "1 2 3", "1 × 2 numbers and other 1 × 3"),
        (" ".join(["1"] * 1_001), "", "at most 1,000 rows and columns"),
    ],
)
def test_bad_tables_are_refused(payoffs: str, other: str, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        matrix(payoffs, other)


def test_illegal_moves_are_refused() -> None:
    with pytest.raises(GameError, match="'3' is not legal here; legal: heads, tails"):
        matching_pennies().apply("3")
    with pytest.raises(GameError, match="the game is over"):
        play(matching_pennies(), "heads tails").apply("heads")


@pytest.mark.skipif(importlib.util.find_spec("pygambit") is None, reason="needs pygambit")
def test_gambit_reads_what_is_written_and_finds_the_same_payoffs() -> None:
    import pygambit

    game = matrix("3 -1 .5; -2 1 0", "1 2 3; 4 5 6")
    theirs = pygambit.read_nfg(io.StringIO(write_nfg(untilt.games.compile(game), "table")))
    found = theirs.to_arrays(dtype=float)
    assert [table.tolist() for table in found] == list(tables(game))
