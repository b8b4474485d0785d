"""`untilt runs`: which runs there are, how far they came, and what is wrong with them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.runs import game_runs

import untilt
from untilt.formats.base.lock import FolderLock

KEYS = {
    *("name", "path", "kind", "game", "title", "parameters", "method", "noise"),
    *("status", "problem"),
    *("iterations", "exploitability", "unit", "seconds", "created"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three runs, the newest first by name, among files that are not ours."""
    runs = tmp_path / "runs"
    for day, name in ((3, "a"), (2, "deep/b"), (1, "c")):
        untilt.solve("kuhn", "cfr+", iterations=20, output=runs / name)
        path = runs / name / "run.json"
        created = {"created": f"2026-11-0{day}T10:00:00+00:00"}
        path.write_text(json.dumps(json.loads(path.read_text()) | created))
    (runs / "notes.txt").write_text("not a run")
    (runs / "empty").mkdir()
    return runs


def test_runs_are_listed_with_the_newest_first(command: Command, folder: Path) -> None:
    outcome = command("runs", folder, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    listed = outcome.json["runs"]
    assert [run["name"] for run in listed] == ["a", "deep/b", "c"]
    assert all(run.keys() == KEYS for run in listed)
    run = game_runs.load(folder / "a")
    first = listed[0]
    assert (first["game"], first["method"], first["unit"]) == ("kuhn", "cfr+", "chips")
    assert (first["status"], first["problem"]) == ("finished", None)
    assert (first["iterations"], first["seconds"]) == (20, run.seconds)
    assert first["exploitability"] == pytest.approx(run.exploitability)
    table = command("runs", folder).out.splitlines()
    assert [line.split()[0] for line in table] == ["run", "a", "deep/b", "c"]
    assert table[1].split()[1:5] == ["kuhn", "cfr+", "finished", "20"]
    assert "chips" in table[1]


def test_a_run_may_be_named_itself(command: Command, folder: Path) -> None:
    (run,) = command("runs", folder / "a", "--json").json["runs"]
    assert run["name"] == "a"


def test_runs_that_are_not_finished_show_their_last_row(command: Command, folder: Path) -> None:
    (folder / "a" / "result.json").unlink()
    rows = (folder / "a" / "progress.jsonl").read_text().splitlines()
    with FolderLock(folder / "a"):
        (first, *_) = command("runs", folder, "--json").json["runs"]
        assert first["status"] == "running"
    assert first["exploitability"] == json.loads(rows[-1])["exploitability"]
    with (folder / "a" / "progress.jsonl").open("a") as file:
        file.write('{"event":"resumed","iteration":3}\n')
    (first, *_) = command("runs", folder, "--json").json["runs"]
    assert (first["status"], first["iterations"]) == ("interrupted", 3)


@pytest.mark.parametrize("name", ["run.json", "result.json", "game.bin", "frames.bin"])
def test_a_damaged_run_is_listed_with_its_problem(
    command: Command, folder: Path, name: str
) -> None:
    (folder / "c" / name).write_bytes(b"{")
    outcome = command("runs", folder, "--json")
    assert outcome.status == 0
    (run,) = (run for run in outcome.json["runs"] if run["name"] == "c")
    assert run["status"] == "damaged"
    assert name in run["problem"]
    table = command("runs", folder)
    assert table.status == 0
    assert f"c: {run['problem']}" in table.out


def test_a_folder_without_runs_says_how_to_make_one(command: Command, tmp_path: Path) -> None:
    outcome = command("runs", tmp_path)
    assert outcome.status == 0
    assert "no runs in" in outcome.out
    assert command("runs", tmp_path, "--json").json["runs"] == []


def test_a_folder_that_does_not_exist_is_an_error_of_one_line(
    command: Command, tmp_path: Path
) -> None:
    outcome = command("runs", tmp_path / "gone")
    assert outcome.status == 2
    assert "gone does not exist; give the folder that contains your runs" in outcome.error
    (tmp_path / "file").write_text("")
    assert "is not a folder" in command("runs", tmp_path / "file").error


def test_amounts_of_old_push_fold_runs_are_in_big_blinds(command: Command, tmp_path: Path) -> None:
    untilt.solve("pushfold", "lp", output=tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    entries = json.loads(path.read_text())
    assert entries.pop("terms")["unit"] == "bb"
    path.write_text(json.dumps(entries))
    (run,) = command("runs", tmp_path, "--json").json["runs"]
    assert run["unit"] == "bb"
    assert run["parameters"]["stack"] == 10.0
    assert game_runs.load(tmp_path / "run").request.terms.unit == "bb"


def test_names_cannot_change_the_terminal(command: Command, folder: Path) -> None:
    path = folder / "c" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"game": "\x1b[31m", "created": "x"}))
    assert "\x1b" not in command("runs", folder).out


def test_listing_loads_neither_numba_nor_scipy(folder: Path) -> None:
    code = (
        "import sys; from untilt.cli.main import run; run(['runs']); "
        "sys.exit(bool({'numba', 'scipy'} & sys.modules.keys()))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=folder.parent, env=os.environ, check=False
    )
    assert found.returncode == 0
