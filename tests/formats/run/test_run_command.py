"""The command that made a run: as it was typed, and harmless whatever run.json says."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

import untilt
from untilt.cli.main import run
from untilt.formats.run.run_command import Command, made_by
from untilt.formats.run.run_file import read_run_record
from untilt.runs.batches.grid import Grid, kept_runs, resume_grid, solve_grid
from untilt.runs.batches.pool import pool_of

REPORTED = """
pot = 10
stack = 10

[ranges]
oop = "AA"
ip = "KK"

[sizes]
bets = "a"
raises = "a"
"""


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spot.toml").write_text(REPORTED)


def argv_of(file: Path) -> Any:
    return json.loads(file.read_text())["argv"]


@pytest.mark.parametrize(
    "words",
    [
        "solve leduc -p ranks=4 -m dcfr --alpha 2 -n 30 -o made",
        "solve kuhn --output=made --target 1e-3 --json",
        "qre kuhn --beta 2 --trace --tol 1e-7 -o made",
        "pushfold train --stack 8 --hands 2000 --seed 3 --output made",
        "chart --sweep 3:4:0.5 --method lp --output made",
        "spot --board 2c2d2h3c3d --oop AA,QQ --ip 'KK, JJ' --pot 9 --stack 9 -n 5 -o made",
    ],
)
def test_a_run_keeps_the_words_that_were_typed(words: str) -> None:
    typed = shlex.split(words)
    assert run(typed) in (0, 1)
    assert argv_of(Path("made/run.json")) == ["untilt", *typed]
    text, note = read_run_record(Path("made/run.json")).command
    assert text is not None
    assert shlex.split(text) == ["untilt", *typed]
    assert note == ""


def test_resuming_keeps_the_first_command() -> None:
    assert run(["solve", "kuhn", "-n", "30", "-o", "made"]) == 0
    assert run(["solve", "--resume", "made", "-n", "60"]) == 0
    assert untilt.load("made").iterations == 60
    assert argv_of(Path("made/run.json"))[1:] == ["solve", "kuhn", "-n", "30", "-o", "made"]


def test_python_is_not_a_command() -> None:
    assert run(["solve", "kuhn", "-n", "3", "-o", "first"]) == 0
    untilt.solve("kuhn", iterations=3, output="made")
    assert argv_of(Path("made/run.json")) is None
    command = read_run_record(Path("made/run.json")).command
    assert command == Command(None, "made from Python; repeat it there")


def test_a_report_keeps_its_command() -> None:
    typed = ["report", "spot.toml", "--flops", "2c7dKh", "-n", "2", "-o", "made"]
    assert run(typed) == 0
    assert argv_of(Path("made/report.json")) == ["untilt", *typed]


def test_kept_runs_of_a_grid_name_the_command_of_the_grid() -> None:
    typed = ["solve", "kuhn", "--grid", "method=cfr,cfr+", "seed=1", "-n", "4", "-o", "made"]
    assert run(typed) == 0
    assert argv_of(Path("made/grid.json")) == ["untilt", *typed]
    first, second = (read_run_record(path / "run.json") for path in kept_runs(Path("made")))
    assert first.command.text == second.command.text == shlex.join(["untilt", *typed])
    assert first.command.note == "one run of a grid: method cfr, seed 1"
    assert second.command.note == "one run of a grid: method cfr+, seed 1"


def test_runs_in_other_processes_name_the_command_too() -> None:
    with made_by(["untilt", "typed"]):
        solve_grid("kuhn", ["seed=1:2"], common={"iterations": 3}, output="made", pool=pool_of(2))
    for kept in kept_runs(Path("made")):
        assert argv_of(kept / "run.json") == ["untilt", "typed"]


def test_a_resumed_grid_gives_its_runs_its_first_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_given: object) -> Grid:
        raise KeyboardInterrupt

    typed = ["solve", "kuhn", "--grid", "seed=1:2", "-n", "4", "-o", "made"]
    with monkeypatch.context() as patched:
        patched.setattr("untilt.runs.batches.grid._solve_cell", stopped)
        assert run(typed) == 130
    resume_grid("made")
    for kept in kept_runs(Path("made")):
        assert argv_of(kept / "run.json") == ["untilt", *typed]


@pytest.mark.parametrize("argv", [..., None, 7, "untilt"])
def test_a_grid_without_a_command_goes_on(argv: object) -> None:
    solve_grid("kuhn", ["seed=1"], common={"iterations": 3}, output="made")
    file = Path("made/grid.json")
    document = json.loads(file.read_text())
    del document["argv"]
    file.write_text(json.dumps(document if argv is ... else document | {"argv": argv}))
    for name in ("cells", "runs"):
        shutil.rmtree(Path("made") / name)
        Path("made", name).mkdir()
    assert resume_grid("made").num_missing == 0
    [kept] = kept_runs(Path("made"))
    assert argv_of(kept / "run.json") is None


def test_a_grid_made_in_python_says_so() -> None:
    solve_grid("kuhn", ["seed=1"], common={"iterations": 3}, output="made")
    [kept] = kept_runs(Path("made"))
    text, note = read_run_record(kept / "run.json").command
    assert text is None
    assert note == "made from Python; repeat it there; one run of a grid: seed 1"


def command_in(folder: Path, **entries: Any) -> Command:
    path = folder / "run.json"
    path.write_text(json.dumps({"format": 1, "game": "kuhn", **entries}))
    return read_run_record(path).command


@pytest.mark.parametrize(
    "evil", ["$(touch x)", "a; touch x", "`touch x`", "'; touch x; '", "a b", "--output=/"]
)
def test_whatever_a_run_says_stays_one_word(evil: str, tmp_path: Path) -> None:
    text, _ = command_in(tmp_path, argv=["untilt", "solve", evil])
    assert text is not None
    assert shlex.split(text) == ["untilt", "solve", evil]


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({}, "an earlier version made this run, and did not keep its command"),
        ({"argv": None}, "made from Python; repeat it there"),
        ({"argv": "untilt solve kuhn"}, "damaged"),
        ({"argv": {"untilt": 1}}, "damaged"),
        ({"argv": ["untilt", 3]}, "damaged"),
        ({"argv": []}, "damaged"),
        ({"argv": ["rm", "-rf", "/"]}, "damaged"),
        ({"argv": ["untilt", "solve", "a\nb"]}, "cannot be printed"),
        ({"argv": ["untilt", "\u202e"]}, "cannot be printed"),
        ({"argv": ["untilt", "x" * 5_000]}, "too long"),
        ({"argv": ["untilt"] * 5_000}, "too long"),
    ],
)
def test_what_cannot_be_shown_is_a_note(
    entries: dict[str, Any], words: str, tmp_path: Path
) -> None:
    text, note = command_in(tmp_path, **entries)
    assert text is None
    assert words in note


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"reference": "mine.py:game"}, "this runs the code of mine.py:game"),
        ({"kind": "training", "hands_before": 1000}, "a regret file of 1,000 hands"),
        ({"cell": {"method": "x" * 5_000}}, "one run of a grid: method xxx"),
    ],
)
def test_what_to_know_about_a_command_is_a_note(
    entries: dict[str, Any], words: str, tmp_path: Path
) -> None:
    text, note = command_in(tmp_path, argv=["untilt", "solve", "kuhn"], **entries)
    assert text == "untilt solve kuhn"
    assert words in note
    assert len(note) < 300


@pytest.mark.parametrize("entries", [{"cell": [1]}, {"reference": 3}, {"hands_before": "many"}])
def test_a_damaged_note_is_left_out(entries: dict[str, Any], tmp_path: Path) -> None:
    assert command_in(tmp_path, argv=["untilt", "x"], **entries) == Command("untilt x", "")
