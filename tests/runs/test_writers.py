"""Who may write where: locks, numbered folders, full disks and folders that are read-only."""

import errno
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reference.games import Kuhn, Matrix
from tests.runs.folders import (
    assert_same,
    can_fork,
    contents,
    ended,
    forked,
    outcome,
    save_often,
    wait_for,
)
from tests.runs.game_runs import load, resume

from untilt.cli.main import run as command
from untilt.errors import GameError, NotZeroSum, RunError, StorageError
from untilt.formats.base.lock import FolderLock
from untilt.formats.run.checkpoint import save_checkpoint
from untilt.runs import recorder
from untilt.runs.folder import create_folder
from untilt.runs.solve import solve
from untilt.runs.watching import Status

# --- locks ---


def test_a_second_writer_is_refused_at_once_and_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    seen: list[str] = []

    def watch(status: Status) -> None:
        if status.progress is None or status.progress.iteration != 5:
            return
        before = contents(folder)
        for act in (resume, lambda path: solve("kuhn", iterations=5, output=path)):
            with pytest.raises(RunError) as error:
                act(folder)
            seen.append(str(error.value))
        with pytest.raises(RunError, match="no checkpoint yet"):
            load(folder)  # reading needs no lock
        assert contents(folder) == before

    solve("kuhn", "cfr+", iterations=20, output=folder, watcher=watch)
    assert re.search(rf"is being written by process {os.getpid()}; wait", seen[0])
    assert "already holds a run" in seen[1]
    assert load(folder).iterations == 20


class Watched(Kuhn):
    """Kuhn poker during whose compilation somebody else wants the same folder."""

    def chances(self) -> list[tuple[str, float]]:
        with pytest.raises(RunError, match="is being written by process"):
            solve("kuhn", iterations=5, output="shared")
        return super().chances()


def test_a_second_writer_is_refused_while_the_game_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = solve(Watched(), "cfr+", iterations=20, output="shared")
    assert load("shared").iterations == run.iterations


def test_a_run_that_ended_in_the_meantime_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def create(*arguments: Any) -> Path:
        folder = create_folder(*arguments)
        with monkeypatch.context() as patch:
            patch.setattr(recorder, "create_folder", create_folder)
            solve("kuhn", "cfr+", iterations=7, output=tmp_path / "run")
        return folder

    with monkeypatch.context() as patch:
        patch.setattr(recorder, "create_folder", create)
        with pytest.raises(RunError, match="already holds a run"):
            solve("kuhn", "cfr", iterations=5, output=tmp_path / "run")
    assert load(tmp_path / "run").iterations == 7


@can_fork
def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = forked(lambda: solve("leduc", "cfr", time=60, output=folder))
    wait_for(folder / "progress.jsonl")
    with pytest.raises(RunError, match=f"is being written by process {process}"):
        resume(folder)
    os.kill(process, signal.SIGKILL)
    assert ended(process) == -signal.SIGKILL
    assert resume(folder, iterations=50).is_finished


@can_fork
def test_processes_that_start_together_get_folders_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin = time.monotonic() + 0.2

    def work() -> None:
        time.sleep(max(0.0, begin - time.monotonic()))
        for _ in range(3):
            solve("kuhn", "cfr+", iterations=10)

    assert [ended(process) for process in [forked(work) for _ in range(6)]] == [0] * 6
    names = {path.name for path in Path("runs").iterdir()}
    assert names == {f"kuhn-cfr+-{number}" for number in range(1, 19)}
    for name in names:
        assert load(Path("runs") / name).iterations == 10


# --- where a run may go ---


def test_folders_are_numbered_from_one_by_game_and_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs/kuhn-cfr+-2").mkdir(parents=True)
    for method in ("cfr+", "cfr+", "lp"):
        stop = {} if method == "lp" else {"iterations": 2}
        solve("kuhn", method, **stop)  # type: ignore[call-overload]
    assert sorted(path.name for path in Path("runs").iterdir()) == [
        "kuhn-cfr+-1",
        "kuhn-cfr+-2",
        "kuhn-cfr+-3",
        "kuhn-lp-1",
    ]


def test_a_folder_that_is_not_empty_is_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "game.bin").write_text("of somebody else")
    with pytest.raises(RunError, match="mine is not empty; choose another output"):
        solve("kuhn", iterations=5, output=folder)
    with pytest.raises(RunError, match="is a file; choose another output"):
        solve("kuhn", iterations=5, output=folder / "game.bin")
    assert contents(folder) == {"game.bin": b"of somebody else"}
    with pytest.raises(StorageError, match=r"game\.bin"):
        solve("kuhn", iterations=5, output=folder / "game.bin" / "below")


def test_an_empty_folder_may_be_used_also_after_an_early_kill(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / ".lock").touch()  # all that a kill while compiling leaves
    assert solve("kuhn", iterations=5, output=folder).path == folder


class Broken(Kuhn):
    """Kuhn poker that raises."""

    def payoff(self, player: int) -> float:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("game", "error"),
    [
        (Broken(), GameError),
        (Matrix(((1.0, 0.0), (0.0, 1.0)), ((1.0, 0.0), (0.0, 1.0))), NotZeroSum),
    ],
)
def test_a_game_that_cannot_be_solved_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: Any, error: type[Exception]
) -> None:
    monkeypatch.chdir(tmp_path)
    for output in (None, tmp_path / "run"):
        with pytest.raises(error):
            solve(game, "cfr+", iterations=5, output=output)
    assert list(tmp_path.iterdir()) == []


# --- disks ---


def fail_from(number: int, code: int) -> Callable[[int], None]:
    """Return an `os.fsync` that fails from its call `number` on."""
    real_fsync = os.fsync
    count = 0

    def fsync(descriptor: int) -> None:
        nonlocal count
        count += 1
        if count >= number:
            raise OSError(code, os.strerror(code))
        real_fsync(descriptor)

    return fsync


@pytest.mark.parametrize("number", range(1, 40, 3))
def test_a_full_disk_is_one_line_and_the_run_goes_on_when_there_is_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    folder = tmp_path / "run"
    asked = ["solve", "kuhn", "--method", "dcfr+", "--iterations", "70", "--output", str(folder)]
    with monkeypatch.context() as patch:
        save_often(patch)
        patch.setattr(os, "fsync", fail_from(number, errno.ENOSPC))
        assert command([*asked, "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    remedy = "resume the run" if folder.exists() else "run the command again"
    assert re.fullmatch(rf"error: cannot write .*: the disk is full; .*{remedy}\n", printed.err)
    if not folder.exists():
        assert number <= 4
        return
    assert not list(folder.glob(".*.tmp"))
    assert not (folder / "result.json").exists()
    resume(folder)
    solve("kuhn", "dcfr+", iterations=70, output=tmp_path / "whole")
    assert_same(outcome(folder), outcome(tmp_path / "whole"))


def test_a_full_disk_keeps_the_checkpoint_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    checkpoints: list[bytes] = []

    def save(where: Path, *content: Any) -> None:
        if len(checkpoints) == 3:
            monkeypatch.setattr(os, "fsync", fail_from(1, errno.ENOSPC))
        save_checkpoint(where, *content)
        checkpoints.append((where / "checkpoint.bin").read_bytes())

    with monkeypatch.context():
        save_often(monkeypatch)
        monkeypatch.setattr(recorder, "save_checkpoint", save)
        with pytest.raises(StorageError) as error:
            solve("kuhn", "cfr+", iterations=70, output=folder)
        monkeypatch.undo()
    assert error.value.is_full
    assert (folder / "checkpoint.bin").read_bytes() == checkpoints[2]
    assert (folder / "checkpoint.previous.bin").read_bytes() == checkpoints[1]
    assert load(folder).iterations == 3
    with FolderLock(folder):
        pass


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_that_is_read_only_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    solve("kuhn", "cfr+", iterations=5, output=tmp_path / "run")
    capsys.readouterr()
    real_open, real_mkdir = os.open, os.mkdir

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    def open_for_reading(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            refuse()
        return real_open(path, flags, *rest, **options)

    before = contents(tmp_path / "run")
    for asked in (["kuhn", "--output", str(tmp_path / "new")], ["--resume", str(tmp_path / "run")]):
        with monkeypatch.context() as patch:
            patch.setattr(os, "mkdir", refuse)
            patch.setattr(os, "open", open_for_reading)
            assert command(["solve", *asked, "--json"]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert re.fullmatch(r"error: cannot write .*; choose another --output.*\n", printed.err)
    assert real_mkdir is os.mkdir
    assert not (tmp_path / "new").exists()
    assert contents(tmp_path / "run") == before
    assert load(tmp_path / "run").iterations == 5


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO])
def test_a_disk_that_fails_on_the_way_is_a_storage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    solve("kuhn", "cfr+", iterations=20, output=tmp_path / "run")
    with monkeypatch.context() as patch:

        def refuse(*_: object, **__: object) -> None:
            raise OSError(code, os.strerror(code))

        patch.setattr(os, "unlink", refuse)
        with pytest.raises(StorageError, match=r"cannot write .*result\.json"):
            resume(tmp_path / "run", iterations=30)
    assert resume(tmp_path / "run").iterations == 30
