"""Folders that are moved, replaced, or left behind by a kill: only the run's own is written."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.runs.folders import (
    assert_same,
    can_fork,
    contents,
    ended,
    forked,
    outcome,
    save_often,
)
from tests.runs.game_runs import load, resume

from untilt.errors import RunError
from untilt.formats.base.lock import FolderLock
from untilt.formats.run.checkpoint import NEWEST
from untilt.games.pushfold.game import Stakes
from untilt.runs import drive, recorder
from untilt.runs.pushfold.sweep_folder import sweep_folder
from untilt.runs.pushfold.training import Moment, train
from untilt.runs.pushfold.training_start import prepare
from untilt.runs.solve import solve
from untilt.runs.watching import Status

KUHN: dict[str, Any] = {"game": "kuhn", "method": "dcfr+", "iterations": 70}


def replace_by_another_run(folder: Path) -> dict[str, bytes]:
    """Move a folder away and put another run in its place; return what that one holds."""
    folder.rename(folder.with_name("moved"))
    solve("kuhn", "cfr", iterations=3, output=folder)
    return contents(folder)


def test_a_run_whose_folder_was_replaced_stops_and_leaves_the_new_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    there: dict[str, bytes] = {}

    def watch(status: Status) -> None:
        if not there and status.progress is not None and (status.progress.iteration or 0) >= 20:
            there.update(replace_by_another_run(folder))

    save_often(monkeypatch)
    with pytest.raises(
        RunError, match=r"was moved, removed or replaced while .*continue the run in"
    ):
        solve(**KUHN, output=folder, watcher=watch)
    assert contents(folder) == there
    assert resume(tmp_path / "moved").iterations == 70
    solve(**KUHN, output=tmp_path / "whole")
    assert_same(outcome(tmp_path / "moved"), outcome(tmp_path / "whole"))


def test_a_run_whose_folder_went_stops_without_making_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"

    def watch(status: Status) -> None:
        if status.progress is not None and folder.exists():
            shutil.rmtree(folder)

    save_often(monkeypatch)
    with pytest.raises(RunError, match="was moved, removed or replaced"):
        solve(**KUHN, output=folder, watcher=watch)
    assert not folder.exists()


@pytest.mark.parametrize("late", ["before it begins", "at its end", "on Ctrl-C"])
def test_a_folder_is_looked_at_before_every_kind_of_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    folder = tmp_path / "run"
    there: dict[str, bytes] = {}
    real = drive.Drive.warm_up

    def warm_up(driving: drive.Drive[Any]) -> None:
        real(driving)
        if not there and driving._recorder.folder == folder:
            there["made"] = b""
            there.update(replace_by_another_run(folder))

    def watch(status: Status) -> None:
        if there or status.progress is None:
            return
        if late == "on Ctrl-C" or status.progress.iteration == 70:
            there.update(replace_by_another_run(folder))
            if late == "on Ctrl-C":
                raise KeyboardInterrupt

    if late == "before it begins":
        monkeypatch.setattr(drive.Drive, "warm_up", warm_up)
    with pytest.raises(RunError, match="was moved, removed or replaced"):
        solve(**KUHN, output=folder, watcher=watch)
    there.pop("made", None)
    assert contents(folder) == there


def test_a_training_whose_folder_was_replaced_leaves_the_new_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    there: dict[str, bytes] = {}
    monkeypatch.setattr(recorder, "FRAMES_SECONDS", 0.0)

    def watch(moment: Moment) -> None:
        if not there and moment.hands >= 5_000:
            there.update(replace_by_another_run(folder))

    with pytest.raises(RunError, match="was moved, removed or replaced"):
        train(prepare(None, {}), hands=50_000, output=folder, watcher=watch)
    assert contents(folder) == there


def test_a_sweep_whose_folder_was_replaced_leaves_the_new_one_alone(tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    there: dict[str, bytes] = {}

    def sweep() -> None:
        with sweep_folder([Stakes(5.0), Stakes(6.0)], "lp", folder):
            there.update(replace_by_another_run(folder))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        sweep()
    assert contents(folder) == there


def test_a_lock_knows_its_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with FolderLock(folder) as lock:
        lock.verify()
        (folder / ".lock").unlink()
        (folder / ".lock").touch()  # another process could lock this one
        with pytest.raises(RunError):
            lock.verify()


# --- what a kill leaves ---


def die_before(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Kill this process just before a file of that name takes its place."""
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        if Path(target).name == name:
            os.kill(os.getpid(), signal.SIGKILL)
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)


def killed(monkeypatch: pytest.MonkeyPatch, before: str, work: Callable[[], object]) -> None:
    def die() -> None:
        die_before(monkeypatch, before)
        work()

    assert ended(forked(die)) == -signal.SIGKILL


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]


@can_fork
@pytest.mark.parametrize("before", ["game.bin", "run.json"])
def test_a_folder_in_which_no_run_began_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    folder = tmp_path / "run"
    killed(monkeypatch, before, lambda: solve(**KUHN, output=folder))
    assert leftovers(folder)
    assert (folder / "game.bin").exists() == (before == "run.json")
    assert solve("leduc", "cfr", iterations=3, output=folder).path == folder
    assert load(folder).request.game == "leduc"
    assert leftovers(folder) == []


@can_fork
@pytest.mark.parametrize("before", ["game.bin", "run.json"])
def test_a_folder_in_which_no_training_began_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    def work() -> None:
        train(prepare(None, {}), hands=1_000, output=tmp_path / "run")

    killed(monkeypatch, before, work)
    assert leftovers(tmp_path / "run")
    work()
    assert leftovers(tmp_path / "run") == []


@can_fork
def test_a_folder_in_which_a_sweep_was_killed_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "sweep"

    def work() -> None:
        with sweep_folder([Stakes(5.0), Stakes(6.0)], "lp", folder):
            os.kill(os.getpid(), signal.SIGKILL)

    killed(monkeypatch, "none", work)
    assert (folder / "run.json").exists()
    solve(**KUHN, output=folder)
    with (
        pytest.raises(RunError, match="already holds a run"),
        sweep_folder([Stakes(5.0), Stakes(6.0)], "lp", folder),
    ):
        pass


def test_a_folder_with_anything_else_in_it_is_not_used(tmp_path: Path) -> None:
    solve(**KUHN, output=tmp_path / "run")
    (tmp_path / "run" / "run.json").unlink()
    before = contents(tmp_path / "run")
    with pytest.raises(RunError, match="is not empty"):
        solve(**KUHN, output=tmp_path / "run")
    assert contents(tmp_path / "run") == before


@can_fork
def test_resuming_removes_what_killed_writers_left_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    killed(monkeypatch, NEWEST, lambda: solve(**KUHN, output=folder))
    assert leftovers(folder)
    kept = ["notes.tmp", ".notes.tmp", ".a.12-xyz.tmp", ".a.1-12345678.tmp.txt"]
    for name in kept:
        (folder / name).touch()
    (folder / ".folder.1-12345678.tmp").mkdir()
    (folder / ".old.1-12345678.tmp").touch()
    resume(folder)
    assert not (folder / ".old.1-12345678.tmp").exists()
    assert all((folder / name).exists() for name in kept)
    assert sorted(leftovers(folder)) == sorted([".folder.1-12345678.tmp", *kept[:3]])


@can_fork
@pytest.mark.parametrize("before", ["regret.dat", "regret.dat.json"])
def test_training_on_removes_what_a_killed_training_left_beside_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    path = tmp_path / "regret.dat"
    train(prepare(path, {}), hands=1_000, path=path)
    killed(monkeypatch, before, lambda: train(prepare(path, {}), hands=2_000, path=path))
    assert leftovers(tmp_path)
    living = f".regret.dat.{os.getpid()}-12345678.tmp"
    (tmp_path / living).touch()  # somebody may be writing it
    (tmp_path / ".other.dat.1-12345678.tmp").touch()
    train(prepare(path, {}), hands=3_000, path=path)
    assert sorted(leftovers(tmp_path)) == sorted([living, ".other.dat.1-12345678.tmp"])
