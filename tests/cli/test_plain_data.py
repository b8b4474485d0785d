"""`to_json` of results from Python is what the command of the same purpose prints."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

import untilt

Printed = Callable[..., Any]
"""What a command prints with --json."""


@pytest.fixture
def printed(command: Command) -> Printed:
    return lambda *arguments: command(*arguments, "--json").json


def plain(value: Any) -> Any:
    """Return what a reader of the JSON gets."""
    return json.loads(json.dumps(value))


def test_charts(printed: Printed) -> None:
    chart = untilt.pushfold.chart(10)
    assert plain(chart.to_json()).items() <= printed("chart", "--stack", "10").items()
    sweep = untilt.pushfold.chart_sweep((5.0, 5.5, 6.0))
    assert plain(sweep.to_json()) == printed("chart", "--sweep", "5:6:0.5")


def test_a_table_of_three(printed: Printed) -> None:
    chart = untilt.pushfold.chart(stacks=(5, 5, 5))
    asked = "chart", "--seats", "3", "--stacks", "5,5,5"
    assert plain(chart.to_json()).items() <= printed(*asked).items()


def test_equities_and_ranks(printed: Printed) -> None:
    hands = "AsKs", "QdQh"
    found = untilt.cards.equity(*hands, board="2c7d9s")
    assert plain(found.to_json()) == printed("equity", *hands, "--board", "2c7d9s")
    [first, _] = printed("rank", "AsKs", "QdQh", "--board", "QsJsTs2d3c")["hands"]
    assert first.pop("hand")
    assert plain(untilt.cards.rank("AsKs", "QsJsTs2d3c").to_json()) == first


def test_the_check_of_a_game(printed: Printed) -> None:
    report = untilt.games.check(untilt.games.kuhn())
    shown = printed("games", "--check", "kuhn")
    assert plain(report.to_json()).items() <= shown.items()
    assert shown["infosets"] == 12


def test_the_size_of_a_spot(printed: Printed) -> None:
    spot = untilt.Spot("Ks7h2d4c9h", ("KK,AK,QJs", "QQ,KQs,87s"), 20, 40)
    flags = "--board", "Ks7h2d4c9h", "--pot", "20", "--stack", "40"
    shown = printed("spot", *flags, "--oop", "KK,AK,QJs", "--ip", "QQ,KQs,87s", "--dry-run")
    size = untilt.research.measure_spot(spot)
    assert plain(size.to_json()) == {name: shown[name] for name in shown if name != "board"}


def test_a_list_of_runs(printed: Printed, tmp_path: Path) -> None:
    folder = tmp_path / "listed"
    untilt.solve("kuhn", iterations=20, output=folder / "one")
    [summary] = untilt.runs.list_runs(folder)
    assert plain([summary.to_json()]) == printed("runs", str(folder))["runs"]


def test_a_distance_names_the_infoset() -> None:
    kuhn = untilt.games.compile(untilt.games.kuhn())
    uniform = untilt.strategies.uniform(kuhn)
    pure = untilt.strategies.from_dict(
        kuhn,
        {
            **{label: dict(mix) for label, mix in uniform.items()},
            "P0:J:": {"check": 0.0, "bet": 1.0},
        },
    )
    found = untilt.strategies.distance(kuhn, uniform, pure)
    assert found.to_json()["label"] == "P0:J:"
    assert found.to_json()["largest"] == 0.5
