"""What a run folder says in the end, and work in processes that can be killed."""

import json
import os
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from untilt.formats.base.container import Container, read_container
from untilt.formats.run.frames import read_frames
from untilt.formats.run.progress import ProgressLog
from untilt.formats.run.progress_reader import read_progress
from untilt.runs import recorder

can_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")


def outcome(folder: Path, *, rows: bool = True) -> dict[str, Any]:
    """Return everything a finished run leaves that must not depend on how often it stopped.

    Without `rows`, only the state of the solver and the strategy.
    """
    result = json.loads((folder / "result.json").read_text())
    times = {"seconds", "compile_seconds", "total_seconds", "run"}
    clocked = {"seconds", "rate", "seconds_left"}
    found: dict[str, Any] = {
        "result": {name: value for name, value in result.items() if name not in times},
        "strategy": _bits(read_container(folder / "strategy.bin", "strategy")),
        "leftovers": [path.name for path in folder.iterdir() if path.name.endswith(".tmp")],
    }
    if (folder / "checkpoint.bin").exists():  # lp has none
        found["checkpoint"] = _bits(read_container(folder / "checkpoint.bin", "checkpoint"))
    if rows:
        found["rows"] = [
            {name: value for name, value in row.items() if name not in clocked}
            for row in read_progress(folder / "progress.jsonl")
        ]
        frames = read_frames(folder / "frames.bin")
        found["frames"] = [
            (frame.index, frame.iteration, frame.strategy.tobytes(), frame.action_values.tobytes())
            for frame in map(frames.__getitem__, range(len(frames)))
        ]
    return found


def _bits(container: Container) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in container.arrays.items()}


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compare part by part: pytest would compare megabytes to explain a difference."""
    assert found.keys() == expected.keys()
    different = [name for name, value in expected.items() if found[name] != value]
    assert different == []


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, the lock excepted."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def save_often(monkeypatch: pytest.MonkeyPatch, seconds: float = 0.0) -> None:
    """Let runs save at every progress, or as often as `seconds` say."""
    monkeypatch.setattr(recorder, "FIRST_CHECKPOINT_SECONDS", seconds)
    monkeypatch.setattr(recorder, "CHECKPOINT_SECONDS", seconds)
    monkeypatch.setattr(recorder, "_MAX_CHECKPOINT_SHARE", 1e9)


def forked(work: Callable[[], object]) -> int:
    """Start `work` in another process and return its id; 130 is the status of Ctrl-C."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        work()
        status = 0
    except KeyboardInterrupt:
        status = 130
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def wait_for(path: Path) -> None:
    """Wait until another process has written the file."""
    deadline = time.monotonic() + 60.0
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} never came"
        time.sleep(0.002)


def ended(process: int) -> int:
    """Wait for the process; return its exit status, or minus the signal that ended it."""
    deadline = time.monotonic() + 180.0
    while not (found := os.waitpid(process, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.kill(process, signal.SIGABRT)  # pytest's fault handler prints its stacks
            os.waitpid(process, 0)
            pytest.fail("the other process never ended")
        time.sleep(0.001)
    return os.waitstatus_to_exitcode(found[1])


def count_file_operations(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], None]) -> None:
    """Call `act` with 1, 2, … before and after each step that changes the disk."""
    count = 0

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            act(count)
            result = real(*arguments, **options)
            count += 1
            act(count)
            return result

        return call

    for name in ("fsync", "replace", "mkdir", "open", "unlink", "ftruncate"):
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    monkeypatch.setattr(ProgressLog, "flush", watched(ProgressLog.flush))
    monkeypatch.setattr(Path, "open", watched(Path.open))
