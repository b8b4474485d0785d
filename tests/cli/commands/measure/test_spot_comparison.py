"""`untilt compare` of two solved spots, and ghost lines where spots are shown."""

from pathlib import Path

import pytest
from tests.cli.conftest import Command

import untilt
from untilt.policy.nodes.node_json import node_json
from untilt.policy.nodes.spot_node import spot_node

SPOT = ("--board", "2c2d2h3c3d", "--oop", "QQ", "--ip", "KK,AA", "--pot", "100", "--stack", "500")


@pytest.fixture(autouse=True)
def _solved(command: Command) -> None:
    for name, iterations in (("nash", "2000"), ("early", "2")):
        flags = ("--bets", "a", "-n", iterations, "-o", name)
        assert command("spot", *SPOT, *flags).status == 0


def test_lines_are_listed_by_what_they_cost(command: Command) -> None:
    shown = command("compare", "nash", "early").out
    assert "against the second, the first has an EV of" in shown
    assert "ghost lines: the first gets here in less than 0.0001 of hands" in shown
    found = command("compare", "nash", "early", "--json").json
    library = untilt.compare(untilt.load("nash"), untilt.load("early"))  # type: ignore[call-overload]
    assert found == library.to_json(10)
    assert found["ghost_lines"][0]["line"] == "all-in 500"
    costs = [line["cost"] for line in found["lines"]]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("nash", "early", "-g", "kuhn"), "-g and --trust are not for spots"),
        (("nash", "early", "--streets", "2"), "--streets is 2; give an integer from 1 to 1"),
        (("nash", "nowhere"), "nowhere"),
    ],
)
def test_what_does_not_fit_is_refused(
    command: Command, arguments: tuple[str, ...], reason: str
) -> None:
    assert reason in command("compare", *arguments).error


def test_streets_are_for_spots(command: Command) -> None:
    for name in ("one", "other"):
        assert command("solve", "kuhn", "-n", "2", "-o", name).status == 0
    assert "--streets is for spots" in command("compare", "one", "other", "--streets", "1").error


def test_a_ghost_line_says_so_and_offers_the_quantal_answer(command: Command) -> None:
    shown = command("show", "nash", "--line", "all-in").out
    assert "ghost line: Nash gets here in less than 1 of 10,000 hands" in shown
    assert "untilt spot nash --noise 2%" in shown
    ghost = command("show", "nash", "--line", "all-in", "--json").json["ghost"]
    assert ghost["reach"] < ghost["threshold"] == 1e-4
    assert ghost["command"] == "untilt spot nash --noise 2%"
    solution = untilt.load("nash")
    assert isinstance(solution, untilt.Solution)
    page = node_json(spot_node(solution.at("all-in")))
    assert page["panels"]["ghost"]["command"] == f"untilt spot {Path('nash')} --noise 2%"


def test_where_play_goes_nothing_is_said(command: Command) -> None:
    assert "ghost" not in command("show", "nash", "--line", "check").out
    assert command("show", "nash", "--json").json["ghost"] is None
    assert command("spot", "nash", "--respond", "oop", "-o", "answer").status == 0
    assert command("show", "answer", "--line", "all-in", "--json").json["ghost"] is None
