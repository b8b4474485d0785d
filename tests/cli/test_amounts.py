"""Stacks with and without their unit, in every command that takes one."""

import pytest
from tests.cli.conftest import Command

import untilt
from untilt.errors import InvalidOption
from untilt.games.registry import resolve
from untilt.runs.blueprints.trainer import rules_for


@pytest.mark.parametrize("stack", ["7.5", "7.5bb", " 7.5 BB", "7.5bb/9", "9bb/7.5bb"])
def test_a_stack_of_a_chart_is_in_big_blinds_with_and_without_the_unit(
    stack: str, command: Command
) -> None:
    assert command("chart", "--stack", stack, "--json").json["stack_bb"] == 7.5


def test_a_sweep_and_a_training_take_the_unit(command: Command) -> None:
    swept = command("chart", "--sweep", "2bb:3bb:0.5bb", "--json").json
    assert [chart["stack_bb"] for chart in swept["stacks"]] == [2.0, 2.5, 3.0]
    trained = command("pushfold", "train", "--stack", "7.5bb", "--hands", "1e3", "--json").json
    assert trained["stack_bb"] == 7.5


def test_python_takes_the_unit() -> None:
    assert untilt.pushfold.chart("7.5bb").push.percent == untilt.pushfold.chart(7.5).push.percent
    with pytest.raises(InvalidOption, match=r"stack is '7\.5x'; it must be a number of big blinds"):
        untilt.pushfold.chart("7.5x")


@pytest.mark.parametrize(
    ("stack", "chips"), [("92.5bb", 185), ("100bb", 200), ("185", 185), (185, 185), ("1e2bb", 200)]
)
def test_a_stack_of_a_blueprint_is_in_big_blinds_or_chips_of_half_a_blind(
    stack: str | int, chips: int
) -> None:
    assert rules_for(stack).stacks == (chips, chips)


@pytest.mark.parametrize("stack", ["92.3bb", "92.5", "", "bb", "1e300bb", "-5bb", "nan"])
def test_a_stack_that_is_not_whole_chips_of_a_blueprint_is_refused(stack: str) -> None:
    with pytest.raises(InvalidOption, match=r"give big blinds such as 100bb or 92\.5bb, or chips"):
        rules_for(stack)


@pytest.mark.parametrize(
    ("game", "given", "stack"),
    [
        ("holdem", {"stack": "92.5bb"}, 185),
        ("holdem", {"stack": " 20 BB", "big_blind": "100", "small_blind": 50}, 2_000),
        ("holdem", {"stack": "185"}, 185),
        ("river-of-blood", {"stack": "100bb", "big_blind": 4}, 400),
        ("pushfold", {"stack": "7.5bb"}, 7.5),
        ("pushfold", {"stack": 7.5, "ante": "0.125bb"}, 7.5),
    ],
)
def test_parameters_of_games_take_the_unit(
    game: str, given: dict[str, str | float], stack: float
) -> None:
    assert resolve(game, given).parameters["stack"] == stack


def test_a_solve_and_a_match_take_the_unit(command: Command) -> None:
    solved = command("solve", "pushfold", "-p", "stack=8bb", "-n", "2", "--json").json
    assert solved["parameters"]["stack"] == 8.0
    played = ("match", "call", "random", "--game", "holdem", "-n", "2", "--json")
    parts = (("-p", "stack=20bb"), ("-p", "stack=40"))
    first, second = ({**command(*played, *part).json, "seconds": 0} for part in parts)
    assert first == second


@pytest.mark.parametrize(
    ("game", "given", "words"),
    [
        ("holdem", {"stack": "92.3bb"}, "stack=92.3bb is 184.6 chips of a big blind of 2"),
        ("holdem", {"stack": "-5bb"}, "give chips such as 200"),
        ("holdem", {"stack": "1e300bb"}, "give an integer from 1 to 1000000000"),
        ("holdem", {"stack": "20bb", "big_blind": "many"}, "stack=20bb is not allowed"),
        ("holdem", {"ranks": "13bb"}, "ranks=13bb is not allowed"),
        ("kuhn", {"ante": "1bb"}, "ante=1bb is not allowed"),
    ],
)
def test_amounts_of_games_that_cannot_be_are_refused(
    game: str, given: dict[str, str], words: str
) -> None:
    with pytest.raises(InvalidOption, match=words):
        resolve(game, given)
