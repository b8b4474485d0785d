"""The command that repeats a run: tried out, and harmless whatever a stranger's run.json says."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from untilt.cli.main import app
from untilt.formats.run_command import command_of
from untilt.formats.run_file import read_run_record
from untilt.formats.sweep import read_sweep

ASKED = ("game", "reference", "parameters", "method", "options", "stop", "seed", "kind")


def run_json(folder: Path) -> dict[str, Any]:
    given: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return given


@pytest.mark.parametrize(
    "words",
    [
        "solve leduc -p ranks=4 -m dcfr --alpha 2 -n 30",
        "solve leduc -m sapcfr+ --target 0.5",
        "solve kuhn -m linear --beta 0.5 -n 20",
        "solve kuhn -m dcfr --alpha inf -n 20",
        "solve kuhn -m es+ -n 200 --seed 7",
        "solve kuhn -m lp",
        "solve kuhn",
        "qre kuhn --beta 3",
        "qre kuhn --method newton --beta0 3 --beta1 7 --schedule 1,2 --definition ex-ante",
        "qre kuhn --beta 2 --trace --tol 1e-7",
        "pushfold train --stack 8 --hands 20000 --choice matching --seed 3 --output made",
        "chart --sweep 3:5:0.5 --ante 0.1 --method lp --output made",
        "chart --sweep 3:3:1 --output made",
    ],
)
def test_the_command_makes_the_same_run_again(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = words if "--output" in words else f"{words} --output made"
    assert CliRunner().invoke(app, shlex.split(first)).exit_code == 0
    record = read_run_record(tmp_path / "made" / "run.json")
    stacks: list[float] = []
    if record.kind == "sweep":
        stacks = read_sweep(tmp_path / "made" / "sweep.bin").stack.tolist()
    command, note = command_of(record, stacks=stacks)
    assert command is not None, note
    program, *again = shlex.split(command)
    assert program == "untilt"
    if "--output" not in again:
        again += ["--output", "runs/made-again"]
    result = CliRunner().invoke(app, again)
    assert result.exit_code == 0, result.output
    before, after = run_json(tmp_path / "made"), run_json(tmp_path / "runs" / "made-again")
    assert {name: before.get(name) for name in ASKED} == {name: after.get(name) for name in ASKED}
    if record.kind == "sweep":
        again_stacks = read_sweep(tmp_path / "runs" / "made-again" / "sweep.bin").stack
        assert again_stacks.tolist() == stacks


def record_of(folder: Path, **entries: Any) -> Any:
    given = {
        "format": 1,
        "game": "kuhn",
        "reference": "kuhn",
        "parameters": {},
        "method": "cfr",
        "options": {},
        "stop": {"iterations": 5, "target": None, "seconds": None, "is_default": False},
        "seed": 0,
    }
    path = folder / "run.json"
    path.write_text(json.dumps({**given, **entries}))
    return read_run_record(path)


@pytest.mark.parametrize(
    "evil", ["$(touch x)", "a; touch x", "`touch x`", "'; touch x; '", "a b", "--output=/"]
)
def test_whatever_a_run_says_stays_one_word(evil: str, tmp_path: Path) -> None:
    for entries in ({"reference": evil}, {"method": evil}, {"options": {"average": evil}}):
        text, _ = command_of(record_of(tmp_path, **entries))
        assert text is not None
        assert evil in shlex.split(text)
    text, _ = command_of(record_of(tmp_path, parameters={"ranks": evil}))
    assert text is not None
    assert f"ranks={evil}" in shlex.split(text)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"reference": None}, "made in Python"),
        ({"options": {"a b": 1}}, "does not say in full"),
        ({"options": None}, "does not say in full"),
        ({"method": "a\nb"}, "cannot be printed"),
        ({"method": "x" * 5000}, "too long"),
        ({"kind": "training", "hands_before": 1000}, "1,000 hands"),
        ({"kind": "sweep"}, "not finished"),
    ],
)
def test_what_no_command_can_repeat_is_explained(
    entries: dict[str, Any], words: str, tmp_path: Path
) -> None:
    text, note = command_of(record_of(tmp_path, **entries))
    assert text is None
    assert words in note


def test_a_command_that_runs_code_says_so(tmp_path: Path) -> None:
    text, note = command_of(record_of(tmp_path, reference="mine.py:game"))
    assert text is not None
    assert "mine.py:game" in note
    assert command_of(record_of(tmp_path)).note == ""


def test_uneven_stacks_have_no_step(tmp_path: Path) -> None:
    record = record_of(tmp_path, kind="sweep")
    assert command_of(record, stacks=[2.0, 3.0, 5.0]).text is None
