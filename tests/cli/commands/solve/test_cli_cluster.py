"""`untilt cluster`, `--cluster` and `--grid`, without Ray."""

import io
import sys
from pathlib import Path

import pytest
from tests.cli.commands.solve.test_cli_report import SHORT
from tests.cli.conftest import Command
from tests.runs import game_runs

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
        (["solve", "leduc-276", "--grid", "ranks=3"], "leduc-276 takes no parameters"),
        (["solve", "kuhn", "--grid", "seed=1", "--grid", "seed=2"], "give each name once"),
        (["solve", "--grid", "seed=1:2"], "--grid needs a game"),
        (["solve", "kuhn", "--grid", "seed=1:2", "--pace", "9"], "--pace is for one run"),
        (
            ["solve", "kuhn", "--grid", "seed=1:2", "--watch", "--cluster", "local:2"],
            "--watch follows runs on this machine: leave --cluster out",
        ),
        (["solve", "kuhn", "-m", "cfr+,cfx"], "unknown method 'cfx'"),
        (["solve", "kuhn", "-m", "cfr+,cfr+"], "give each value once"),
        (["solve", "kuhn", "-m", "cfr+,"], "give each value once"),
        (["solve", "kuhn", "-m", "cfr+,cfr", "--grid", "method=dcfr"], "give each name once"),
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
        "time",
        "exploitability",
        "value",
    ]
    assert len(table) == 8


@pytest.mark.parametrize(
    "sweep",
    [("pushfold", "--grid", "stack=5:6", "-n", 30), ("leduc", "-m", "qre", "--grid", "beta=1,2")],
)
def test_a_sweep_on_workers_is_that_of_one_process(
    command: Command, sweep: tuple[str | int, ...]
) -> None:
    here, there = (
        command("solve", *sweep, *more, "--json") for more in ((), ("--cluster", "in-process:2"))
    )
    assert here.status == there.status == 0, there.err
    assert len(here.json["rows"]) == 2
    for row, other in zip(here.json["rows"], there.json["rows"], strict=True):
        for timed in ("seconds", "compile_seconds", "total_seconds"):
            row.pop(timed, None), other.pop(timed, None)
        assert row == other


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


def test_several_methods_are_a_grid_that_keeps_its_runs(command: Command) -> None:
    found = command("solve", "kuhn", "--method", "cfr+,dcfr", "-n", 50, "-o", "both", "--json")
    assert found.status == 0
    document = found.json
    assert document["axes"] == {"method": ["cfr+", "dcfr"]}
    assert document["folders"] == ["both/runs/00-cfr+", "both/runs/01-dcfr"]
    axis = ("--grid", "method=cfr+,dcfr", "--keep", 0)
    plain = command("solve", "kuhn", *axis, "-n", 50, "-o", "plain", "--json")
    assert "folders" not in plain.json
    assert not (Path("plain") / "runs").exists()
    for row, folder, alike in zip(
        document["rows"], document["folders"], plain.json["rows"], strict=True
    ):
        assert game_runs.load(folder).request.method == row["method"]
        assert game_runs.load(folder).exploitability == row["exploitability"]
        assert row["exploitability"] == alike["exploitability"]


def test_a_kept_run_that_was_stopped_is_resumed_with_its_grid(command: Command) -> None:
    command("solve", "kuhn", "-m", "cfr+,dcfr", "-n", 50, "-o", "both")
    (Path("both") / "cells" / "00001.json").unlink()
    created = (Path("both") / "runs" / "01-dcfr" / "run.json").read_bytes()
    again = command("solve", "--resume", "both", "--json").json
    assert again["missing"] == 0
    assert (Path("both") / "runs" / "01-dcfr" / "run.json").read_bytes() == created


def test_the_page_follows_all_runs_of_a_grid(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    class Server:
        """What would serve the page."""

        def __init__(self, command: list[str], **options: object) -> None:
            asked.append(command)
            self.stdin, self.stdout = io.StringIO(), io.StringIO('{"url": "http://here"}\n')

        def poll(self) -> int:
            return 0

        def wait(self, seconds: float) -> int:
            return 0

    monkeypatch.setattr("untilt.cli.app.watching.subprocess.Popen", Server)
    found = command("solve", "kuhn", "-m", "cfr+,dcfr,pcfr+", "-n", 9, "--watch", "-o", "all")
    assert found.status == 0
    assert "watch it at http://here" in found.err
    [command_line] = asked
    assert command_line[3:] == [
        "untilt.cli.page.page_server",
        "--with=01-dcfr",
        "--with=02-pcfr+",
        "--",
        "all/runs/00-cfr+",
    ]


def test_plots_take_a_grid_that_keeps_its_runs(command: Command) -> None:
    pytest.importorskip("matplotlib")
    command("solve", "kuhn", "-m", "cfr+,dcfr", "-n", 50, "-o", "both")
    found = command("plot", "both", "--json").json
    assert found["runs"] == ["both/runs/00-cfr+", "both/runs/01-dcfr"]
    command("solve", "kuhn", "--grid", "seed=1:2", "-n", 50, "-o", "plain", "--keep", 0)
    assert "is a grid that kept no runs" in command("plot", "plain", "-o", "p.svg").error
