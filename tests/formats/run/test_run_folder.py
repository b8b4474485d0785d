"""Run folders as all readers see them: one parser per file, whatever is wrong with it."""

import json
from pathlib import Path
from typing import Any

import pytest

from untilt.errors import FormatError, RunError
from untilt.formats.base import files
from untilt.formats.base.lock import FolderLock
from untilt.formats.run.result_file import read_result, write_result
from untilt.formats.run.run_file import Bounds, read_run_file, save_stop, write_run_file
from untilt.formats.run.run_folder import RunFolder
from untilt.game.terms import Terms

ENTRIES: dict[str, Any] = {
    "format": 1,
    "created": "2026-11-16T10:00:00+00:00",
    "game": "kuhn",
    "title": "Kuhn Poker",
    "reference": "kuhn",
    "parameters": {},
    "stop": {"iterations": 5, "target": None, "seconds": None, "is_default": False},
    "method": "cfr+",
    "options": {"average": "linear"},
    "horizon": 5,
    "seed": 0,
    "fingerprint": "abc",
}


def record_of(folder: Path, **changes: Any) -> Any:
    """What is read of a run.json with these entries, None for those left out."""
    entries = {name: value for name, value in (ENTRIES | changes).items() if value != "gone"}
    (folder / "run.json").write_text(json.dumps(entries))
    return read_run_file(folder)


def test_a_sound_file_has_no_flaws(tmp_path: Path) -> None:
    record = record_of(tmp_path)
    assert record.flaws == {}
    assert record.stop == Bounds(iterations=5)
    assert (record.kind, record.game, record.seed, record.horizon) == ("solve", "kuhn", 0, 5)
    assert record.terms is None
    record.verify(*ENTRIES)


def test_a_run_says_what_its_game_calls_its_things(tmp_path: Path) -> None:
    terms = Terms(unit="bb", seats=("small blind", "big blind"))
    assert record_of(tmp_path, terms=terms.to_json()).terms == terms


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", 3),
        ("title", "gone"),
        ("reference", 3),
        ("reference", "gone"),
        ("parameters", []),
        ("parameters", {"stack": 2**70}),
        ("stop", {"iterations": 5}),
        ("stop", {"iterations": "5", "target": None, "seconds": None, "is_default": False}),
        ("stop", None),
        ("horizon", True),
        ("horizon", 0),
        ("seed", True),
        ("seed", -1),
        ("seed", None),
        ("fingerprint", None),
        ("format", "gone"),
        ("terms", {"unit": 3}),
    ],
)
def test_a_flaw_stops_only_who_needs_the_entry(tmp_path: Path, name: str, value: Any) -> None:
    record = record_of(tmp_path, **{name: value})
    assert list(record.flaws) == [name]
    assert record.game == "kuhn"
    record.verify(*(other for other in (*ENTRIES, "terms") if other != name))
    with pytest.raises(FormatError, match=r"run\.json is damaged \("):
        record.verify(name)


@pytest.mark.parametrize("changes", [{"game": 5}, {"kind": "other"}, {"format": 2}])
def test_no_reader_goes_on_without_a_game_and_a_kind_it_knows(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    with pytest.raises(FormatError, match=r"run\.json"):
        record_of(tmp_path, **changes)


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"holds no run \(run\.json is missing\)"):
        read_run_file(tmp_path)
    with pytest.raises(RunError, match="is not a folder"):
        read_run_file(tmp_path / "gone")


def test_a_new_stop_leaves_other_entries_alone(tmp_path: Path) -> None:
    record_of(tmp_path, machine={"cores": 2})
    save_stop(tmp_path, Bounds(seconds=2.0))
    assert read_run_file(tmp_path).stop == Bounds(seconds=2.0)
    assert json.loads((tmp_path / "run.json").read_text())["machine"] == {"cores": 2}


def test_a_run_that_could_not_be_read_again_is_not_begun(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"too long for run\.json"):
        write_run_file(tmp_path, {**ENTRIES, "parameters": {"deck": "x" * (1 << 20)}})
    assert not (tmp_path / "run.json").exists()


def test_the_status_is_told_by_result_and_lock(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert folder.status() == "interrupted"
    with FolderLock(tmp_path):
        assert folder.status() == "running"
    folder.result_file.write_text("{")
    assert folder.status() == "finished"


class TestResults:
    def test_what_came_out_is_read_and_flaws_are_named(self, tmp_path: Path) -> None:
        path = tmp_path / "result.json"
        times = {"seconds": 1, "compile_seconds": 0.5, "total_seconds": -1.0}
        given = {"iterations": 7, "value": None, "exploitability": 0.25, **times}
        write_result(path, {**given, "outcome": {"folds": [1, 2.5, "x"]}})
        result = read_result(path)
        assert (result.iterations, result.seconds, result.exploitability) == (7, 1.0, 0.25)
        assert result.value is None
        assert result.folds == (1.0, 2.5)
        result.verify("iterations", "seconds", "compile_seconds")
        with pytest.raises(FormatError, match=r"result\.json is damaged"):
            result.verify("total_seconds")

    def test_a_result_too_large_to_be_read_leaves_out_the_largest_part(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(files, "MAX_JSON_VALUES", 100)
        path = tmp_path / "result.json"
        outcome = {"converged": True, "branch": [1.0] * 200, "steps": [1.0] * 40}
        assert write_result(path, {"iterations": 3, "outcome": outcome}) == ("branch",)
        kept = {"converged": True, "steps": [1.0] * 40, "left_out": ["branch"]}
        assert read_result(path).outcome == kept
        monkeypatch.setattr(files, "MAX_JSON_VALUES", 20)
        assert write_result(path, {"outcome": outcome}) == ("branch", "steps")
        assert read_result(path).outcome == {"converged": True, "left_out": ["branch", "steps"]}

    def test_a_result_of_usual_size_is_written_whole(self, tmp_path: Path) -> None:
        outcome = {"branch": [{"beta": 1.0}]}
        assert write_result(tmp_path / "result.json", {"outcome": outcome}) == ()
        assert read_result(tmp_path / "result.json").outcome == outcome
