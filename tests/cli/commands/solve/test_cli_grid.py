"""The runs that `untilt solve … --grid` keeps."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command
from tests.runs import game_runs

from untilt.formats.run.run_list import list_runs
from untilt.runs.batches import grid

_TIMES = frozenset({"seconds", "compile_seconds"})


def test_every_combination_is_a_run_that_other_commands_open(command: Command) -> None:
    found = command(
        *("solve", "leduc", "--grid", "method=cfr,cfr+", "seed=1:2", "-n", 50, "-o", "runs/g")
    )
    assert found.out.splitlines()[-1] == "4 runs in runs/g"
    listed = command("runs", "--json").json["runs"]
    names = ["g/runs/00-cfr-1", "g/runs/01-cfr-2", "g/runs/02-cfr+-1", "g/runs/03-cfr+-2"]
    assert sorted(run["name"] for run in listed) == names
    assert {run["status"] for run in listed} == {"finished"}
    rows = command("solve", "--resume", "runs/g", "--json").json["rows"]
    for name, row in zip(names, rows, strict=True):
        assert command("show", Path("runs", name)).out.startswith("Leduc Hold'em")
        run = game_runs.load(Path("runs", name))
        assert run.exploitability == row["exploitability"]
        assert (run.request.method, run.request.seed) == (row["method"], row["seed"])
    assert command("show", "runs/g").error.endswith("give one of them, see `untilt runs runs/g`")


def test_a_grid_keeps_as_many_runs_as_it_is_asked_to(command: Command) -> None:
    axes = ("solve", "kuhn", "--grid", "seed=1:3", "-n", 9)
    some = command(*axes, "-o", "some", "--keep", 2)
    last = some.out.splitlines()[-1]
    assert last == "3 results in some; 2 runs are kept (--keep 3 keeps all)"
    assert {run.name for run in list_runs(Path("some"))} == {"runs/00-1", "runs/01-2"}
    one = command(*axes, "-o", "one", "--keep", 1)
    assert one.out.splitlines()[-1] == "3 results in one; 1 run is kept (--keep 3 keeps all)"
    none = command(*axes, "-o", "none", "--keep", 0)
    assert none.out.splitlines()[-1] == "3 results in none; no runs are kept"
    assert list_runs(Path("none")) == []
    assert "folders" not in command("solve", "--resume", "none", "--json").json
    assert list_runs(Path("none")) == []


def test_by_default_a_large_grid_keeps_its_first_runs(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grid, "MOST_KEPT", 2)
    found = command("solve", "kuhn", "--grid", "seed=1:4", "-n", 9, "-o", "many", "--json")
    assert found.json["folders"] == ["many/runs/00-1", "many/runs/01-2"]
    assert len(found.json["rows"]) == 4


def test_by_default_no_run_is_kept_once_the_others_take_too_much(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("solve", "kuhn", "--grid", "seed=1", "-n", 9, "-o", "one")
    size = sum(path.stat().st_size for path in Path("one", "runs", "00-1").iterdir())
    monkeypatch.setattr(grid, "KEPT_BYTES", 3 * size // 2)
    axes = ("solve", "kuhn", "--grid", "seed=1:4", "-n", 9)
    assert len(command(*axes, "-o", "small", "--json").json["folders"]) == 2
    assert len(command(*axes, "-o", "all", "--keep", 4, "--json").json["folders"]) == 4


def test_only_the_results_come_from_machines_elsewhere(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    axes = ("solve", "kuhn", "--grid", "seed=1:2", "-n", 9)
    here = command(*axes, "-o", "here", "--cluster", "in-process:2", "--json")
    assert len(here.json["folders"]) == 2
    monkeypatch.setattr("untilt.distributed.engine.InProcess.is_one_machine", False)
    found = command(*axes, "-o", "there", "--cluster", "in-process:2")
    assert found.out.splitlines()[-1] == "2 results in there; no runs are kept"
    assert not Path("there", "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("kuhn", "--keep", 1), "--keep is for many runs"),
        (("kuhn", "--grid", "seed=1:2", "--keep", -1), "--keep is -1; it must be an integer"),
        (("kuhn", "--grid", "seed=1:2", "--keep", 10**6), "--keep is 1000000; it must be"),
        (("kuhn", "--grid", "seed=1:2", "--keep", 1, "--cluster", "auto"), "a cluster elsewhere"),
        (("kuhn", "--grid", "seed=1:2", "--keep", 0, "--watch"), "leave --keep 0 out"),
    ],
)
def test_a_limit_that_does_not_fit_is_refused(
    command: Command, arguments: tuple[object, ...], message: str
) -> None:
    assert message in command("solve", *arguments).error


def test_a_grid_of_an_earlier_version_keeps_all_runs_or_none(command: Command) -> None:
    command("solve", "kuhn", "--grid", "seed=1:2", "-n", 9, "-o", "grid", "--keep", 0)
    file = Path("grid", "grid.json")
    asked = json.loads(file.read_text())
    for written, num_kept in ((True, 2), (None, 0)):
        old = {name: value for name, value in asked.items() if name != "keep_runs"}
        file.write_text(json.dumps(old if written is None else {**old, "keep_runs": written}))
        for cell in Path("grid", "cells").iterdir():
            cell.unlink()
        again = command("solve", "--resume", "grid", "--json").json
        assert len(again.get("folders", ())) == num_kept
        for folder in Path("grid", "runs").glob("*/run.json"):
            folder.unlink()
    file.write_text(json.dumps({**asked, "keep_runs": "all"}))
    assert "grid.json is damaged" in command("solve", "--resume", "grid").error


def test_a_stopped_run_on_a_game_of_ones_own_is_resumed_with_its_grid(
    command: Command, faulty: Callable[[str], str]
) -> None:
    command(
        *("solve", faulty("OnlySampled"), "-m", "es", "--grid", "seed=1:2", "-n", 50, "-o", "grid")
    )
    Path("grid", "cells", "00001.json").unlink()
    Path("grid", "runs", "01-2", "result.json").unlink()
    again = command("solve", "--resume", "grid", "--json")
    assert again.status == 0, again.err
    assert again.json["missing"] == 0


def test_a_killed_grid_ends_as_if_it_had_never_stopped(command: Command) -> None:
    axes = ("solve", "leduc", "--grid", "method=cfr,cfr+,dcfr", "-n", 60_000)
    words = [*map(str, axes), "-o", "killed"]
    process = subprocess.Popen(
        [sys.executable, "-m", "untilt", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    second = Path("killed", "runs", "01-cfr+", "run.json")
    deadline = time.monotonic() + 120
    while process.poll() is None and not second.exists():
        assert time.monotonic() < deadline, "the second run has not begun"
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    again = command("solve", "--resume", "killed", "--json").json
    whole = command(*axes, "-o", "whole", "--json").json
    assert again["missing"] == 0
    assert list(map(_untimed, again["rows"])) == list(map(_untimed, whole["rows"]))
    for folder, other in zip(again["folders"], whole["folders"], strict=True):
        one, two = (Path(each, "strategy.bin").read_bytes() for each in (folder, other))
        assert one == two


def _untimed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _TIMES}
