"""`untilt cluster`, `--cluster` and `--grid`, without Ray."""

import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.cli.test_cli_report import SHORT

SPOT = "board = 'Td9d6hQc'\n" + SHORT


def test_the_check_says_what_is_there(command: Command) -> None:
    found = command("cluster", "check", "--cluster", "in-process:3", "--json").json
    assert found["workers"] == 3
    assert list(found["machines"].values()) == [3]
    assert set(found["versions"]) == {"python", "untilt", "numba", "numpy"}
    text = command("cluster", "check", "--cluster", "in-process").out
    assert text.startswith("workers       1 on ")


def test_without_ray_the_command_that_installs_it_is_named(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for where in ("local:2", "auto", "ray://localhost:10001"):
        found = command("cluster", "check", "--cluster", where)
        assert found.error.endswith("not installed: pip install 'untilt[ray]'")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cluster", "check", "--cluster", "near"], "--cluster is 'near'; give local:N for"),
        (["solve", "kuhn", "--cluster", "local:2"], "--cluster is for many runs: give --grid"),
        (["solve", "kuhn", "seed=1:2"], "'seed=1:2' is one argument too many"),
        (["solve", "kuhn", "--grid", "seed"], "--grid is 'seed'; give NAME=VALUES"),
        (["solve", "kuhn", "--grid", "seed=2:1"], "a range goes up"),
        (["solve", "kuhn", "--grid", "seed=1,x"], "seed takes an integer"),
        (["solve", "kuhn", "--grid", "seed=1,1"], "give each value once"),
        (["solve", "kuhn", "--grid", "seed=1:999999999"], "a range goes up"),
        (["solve", "kuhn", "--grid", "method=cfx"], "unknown method 'cfx'"),
        (["solve", "kuhn", "--grid", "ranks=3"], "kuhn takes no parameters"),
        (["solve", "kuhn", "--grid", "seed=1", "--grid", "seed=2"], "give each name once"),
        (["solve", "--grid", "seed=1:2"], "--grid needs a game"),
        (["solve", "kuhn", "--grid", "seed=1:2", "--watch"], "--watch is for one run"),
        (["report", "x.toml", "--flops", "2", "--cluster", "in-process", "--processes", "2"],
         "--processes is for this machine alone"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_one_line(
    command: Command, arguments: list[str], message: str
) -> None:
    assert message in command(*arguments).error


def test_a_grid_is_a_table_and_is_resumed(command: Command) -> None:
    arguments = ("solve", "kuhn", "--grid", "method=cfr+,dcfr", "seed=1:3", "-n", 50, "-o", "grid")
    found = command(*arguments, "--json").json
    assert found["axes"] == {"method": ["cfr+", "dcfr"], "seed": [1, 2, 3]}
    assert [(row["method"], row["seed"]) for row in found["rows"]] == [
        (method, seed) for method in ("cfr+", "dcfr") for seed in (1, 2, 3)
    ]
    assert all(row["iterations"] == 50 for row in found["rows"])
    lost = Path("grid") / "cells" / "00004.json"
    lost.write_text(lost.read_text().replace('"iterations": 50', '"iterations": 51'))
    kept = (Path("grid") / "cells" / "00003.json").stat().st_mtime_ns
    again = command("solve", "--resume", "grid", "--cluster", "in-process:2", "--json").json
    for row, other in zip(found["rows"], again["rows"], strict=True):
        assert row["exploitability"] == other["exploitability"]
    assert again["rows"][4]["iterations"] == 50
    assert (Path("grid") / "cells" / "00003.json").stat().st_mtime_ns == kept
    assert "give nothing else" in command("solve", "--resume", "grid", "-n", 9).error
    table = command("solve", "--resume", "grid").out.splitlines()
    assert table[0].split() == [
        "method",
        "seed",
        "iterations",
        "seconds",
        "exploitability",
        "value",
    ]
    assert len(table) == 8


def test_a_report_and_a_spot_on_workers_are_those_of_one_process(command: Command) -> None:
    Path("spot.toml").write_text(SPOT)
    for name, more in (("here", ()), ("there", ("--cluster", "in-process:2"))):
        solved = command("spot", "spot.toml", "-n", 4, "-o", f"spot-{name}", *more)
        assert solved.status == 0, solved.err
    first, second = (
        Path(f"spot-{name}", "strategy.bin").read_bytes() for name in ("here", "there")
    )
    assert first == second
    flops = ("report", "spot.toml", "--flops", "AsKs2h,7c7d2s", "-n", 2, "--json")
    here, there = command(*flops), command(*flops, "--cluster", "in-process:2")
    assert here.status == there.status == 0, there.err
    assert here.json["rows"] == there.json["rows"]
