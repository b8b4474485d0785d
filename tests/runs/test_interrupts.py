"""Ctrl-C at any line: the run is saved, and resumed it ends as one that never stopped."""

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.reference.games import Kuhn
from tests.runs.folders import assert_same, can_fork, ended, forked, outcome, save_often, wait_for
from tests.runs.game_runs import load, resume

from untilt.formats.kinds.strategy_file import write_strategy
from untilt.formats.run.checkpoint import save_checkpoint
from untilt.runs import recorder
from untilt.runs.interrupt import Interrupted, in_background
from untilt.runs.solve import solve
from untilt.runs.watching import Status

KUHN: dict[str, Any] = {"game": "kuhn", "method": "dcfr+", "iterations": 30}
PACKAGE = Path(sys.modules["untilt"].__file__ or "").parent
TRACED = tuple(str(PACKAGE / name) for name in ("runs", "formats", "solvers"))


@contextmanager
def at_line(number: int, act: Callable[[], None]) -> Iterator[list[int]]:
    """Call `act` before the given line of our modules that runs, counted from 1."""
    count = [0]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(TRACED):
            return None
        if event == "line":
            count[0] += 1
            if count[0] == number:
                act()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(scope="module")
def num_lines(tmp_path_factory: pytest.TempPathFactory) -> int:
    folder = tmp_path_factory.mktemp("lines")
    with pytest.MonkeyPatch.context() as patch:
        save_often(patch)
        solve(**KUHN, output=folder / "warm")
        with at_line(0, press) as count:
            solve(**KUHN, output=folder / "counted")
    return count[0]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("whole") / "run"
    solve(**KUHN, output=folder)
    return outcome(folder)


@pytest.mark.parametrize("seed", range(4))
def test_ctrl_c_at_any_line_saves_and_the_resumed_run_is_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    num_lines: int,
    expected: dict[str, Any],
    seed: int,
) -> None:
    rng = random.Random(seed)
    for attempt in range(6):
        folder = tmp_path / str(attempt)
        stopped: KeyboardInterrupt | None = None
        try:
            with monkeypatch.context() as patch, at_line(rng.randrange(num_lines), press):
                save_often(patch)
                solve(**KUHN, output=folder)
        except KeyboardInterrupt as error:
            stopped = error
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if not folder.exists():  # it came before the run had begun
            assert not isinstance(stopped, Interrupted)
            continue
        if isinstance(stopped, Interrupted):
            assert stopped.path == folder
            if stopped.iteration:
                assert load(folder).iterations == stopped.iteration
        resume(folder)
        assert_same(outcome(folder), expected)


# Between opening a file and keeping it there is a line too; such a file is left to the collector.
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seed", range(2))
def test_an_interrupt_that_does_not_wait_still_keeps_every_bit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    num_lines: int,
    expected: dict[str, Any],
    seed: int,
) -> None:

    def raise_at_once() -> None:
        raise KeyboardInterrupt

    rng = random.Random(seed)
    for attempt in range(6):
        folder = tmp_path / str(attempt)
        try:
            moment = rng.randrange(num_lines // 5, num_lines)
            with monkeypatch.context() as patch, at_line(moment, raise_at_once):
                save_often(patch)
                solve(**KUHN, output=folder)
        except KeyboardInterrupt:
            pass
        resume(folder)
        found = outcome(folder)
        bits = ("result", "strategy", "checkpoint", "leftovers")
        assert_same({name: found[name] for name in bits}, {name: expected[name] for name in bits})
    gc.collect()  # here, not in another test


@can_fork
def test_ctrl_c_from_outside_at_random_moments_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {"method": "dcfr", "parameters": {"ranks": 13}, "iterations": 1500}
    solve("leduc", **asked, output=tmp_path / "whole")
    save_often(monkeypatch, 0.05)
    rng = random.Random(3)
    folder = tmp_path / "stopped"
    process = forked(lambda: solve("leduc", **asked, output=folder))
    wait_for(folder / "progress.jsonl")
    for _ in range(3):
        time.sleep(rng.uniform(0.0, 0.1))
        os.kill(process, signal.SIGINT)
        if ended(process) == 0:
            break
        process = forked(lambda: resume(folder))
        time.sleep(0.1)
    else:
        ended(process)
    resume(folder)
    assert_same(outcome(folder), outcome(tmp_path / "whole"))


def test_a_second_ctrl_c_does_not_wait(tmp_path: Path, expected: dict[str, Any]) -> None:
    seen: list[int | None] = []

    def press_twice(status: Status) -> None:
        if status.progress is not None:
            press()
            seen.append(status.progress.iteration)
            press()
            seen.append(None)  # not reached

    with pytest.raises(Interrupted):
        solve(**KUHN, output=tmp_path / "run", watcher=press_twice)
    assert seen == [1]
    resume(tmp_path / "run")
    assert_same(outcome(tmp_path / "run"), expected)


def test_a_second_ctrl_c_saves_nothing(tmp_path: Path, expected: dict[str, Any]) -> None:
    def press_twice(status: Status) -> None:
        if status.progress is not None and status.progress.iteration == 20:
            press()
            press()

    with pytest.raises(Interrupted) as stopped:
        solve(**KUHN, output=tmp_path / "run", watcher=press_twice)
    assert (stopped.value.iteration, stopped.value.is_saved) == (None, False)
    assert not (tmp_path / "run" / "checkpoint.bin").exists()
    resume(tmp_path / "run")
    assert_same(outcome(tmp_path / "run"), expected)


def test_a_second_ctrl_c_while_it_is_saved_leaves_the_checkpoint_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, Any]
) -> None:
    saved: list[Any] = []

    def save(*arguments: Any) -> None:
        if saved:
            press()
        save_checkpoint(*arguments)
        saved.append(arguments)

    def press_late(status: Status) -> None:
        if status.progress is not None and status.progress.iteration == 20:
            press()

    with monkeypatch.context() as patch:
        patch.setattr(recorder, "FIRST_CHECKPOINT_SECONDS", 0.0)
        patch.setattr(recorder, "save_checkpoint", save)
        with pytest.raises(Interrupted) as stopped:
            solve(**KUHN, output=tmp_path / "run", watcher=press_late)
    assert (stopped.value.iteration, stopped.value.is_saved) == (1, False)
    assert load(tmp_path / "run").iterations == 1
    resume(tmp_path / "run")
    assert_same(outcome(tmp_path / "run"), expected)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_other_signals_that_end_programs_save_too(
    name: str, tmp_path: Path, expected: dict[str, Any]
) -> None:
    if not hasattr(signal, name):
        pytest.skip(f"there is no {name} here")
    number = getattr(signal, name)

    def end(status: Status) -> None:
        if status.progress is not None and status.progress.iteration == 7:
            signal.raise_signal(number)

    with pytest.raises(Interrupted) as stopped:
        solve(**KUHN, output=tmp_path / "run", watcher=end)
    assert (stopped.value.iteration, stopped.value.number) == (7, number)
    assert signal.getsignal(number) is signal.SIG_DFL
    assert load(tmp_path / "run").iterations == 7
    resume(tmp_path / "run")
    assert_same(outcome(tmp_path / "run"), expected)


@pytest.mark.parametrize("method", ["lp", "qre"])
def test_ctrl_c_does_not_wait_for_a_method_that_solves_in_one_step(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from untilt.solvers.lp import LpSolver
    from untilt.solvers.qre.solver import QreSolver

    is_stopped = threading.Event()
    waited: list[bool] = []

    def long_step(*_: Any) -> Iterator[Any]:
        signal.raise_signal(signal.SIGINT)
        waited.append(is_stopped.wait(60.0))
        yield from ()

    solver: Any = LpSolver if method == "lp" else QreSolver
    monkeypatch.setattr(solver, "progress", long_step)
    with pytest.raises(Interrupted) as stopped:
        solve("kuhn", method, output=tmp_path / "run")
    assert waited == []  # it is still at it
    is_stopped.set()
    assert stopped.value.iteration is None
    monkeypatch.undo()
    assert resume(tmp_path / "run").is_finished


def test_a_step_in_the_background_is_as_in_the_foreground() -> None:
    def steps() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("three")

    made = in_background(steps(), lambda: None)
    assert [next(made), next(made)] == [1, 2]
    with pytest.raises(ValueError, match="three"):
        next(made)
    assert list(in_background(iter(()), lambda: None)) == []


def test_ctrl_c_while_the_result_is_written_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, Any]
) -> None:
    real_write = write_strategy

    def pressed(*arguments: Any) -> None:
        press()
        real_write(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(recorder, "write_strategy", pressed)
        with pytest.raises(Interrupted):
            solve(**KUHN, output=tmp_path / "run")
    assert load(tmp_path / "run").is_finished
    assert_same(outcome(tmp_path / "run"), expected)


def test_a_run_in_another_thread_leaves_ctrl_c_alone(tmp_path: Path) -> None:
    handlers: list[object] = []

    def watch(_: Status) -> None:
        handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=lambda: solve("kuhn", iterations=5, save=False, watcher=watch))
    thread.start()
    thread.join()
    assert set(handlers) == {signal.default_int_handler}


def test_a_handler_of_ones_own_is_left_in_place() -> None:
    handlers: list[object] = []

    def own(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGINT, own)
    try:
        solve(
            "kuhn",
            iterations=5,
            save=False,
            watcher=lambda _: handlers.append(signal.getsignal(signal.SIGINT)),
        )
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, previous)
    assert set(handlers) == {own}


def test_ctrl_c_without_a_folder_says_where_it_stopped() -> None:
    def press_at_ten(status: Status) -> None:
        if status.progress is not None and status.progress.iteration == 10:
            press()

    with pytest.raises(Interrupted) as stopped:
        solve("kuhn", iterations=100, save=False, watcher=press_at_ten)
    assert stopped.value.path is None
    assert stopped.value.iteration == 10


class Slow(Kuhn):
    """Kuhn poker whose cards are dealt while somebody presses Ctrl-C."""

    def chances(self) -> list[tuple[str, float]]:
        press()
        return super().chances()


def test_ctrl_c_while_the_game_is_compiled_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for output in (None, "some/folder"):
        with pytest.raises(KeyboardInterrupt) as stopped:
            solve(Slow(), iterations=5, output=output)
        assert not isinstance(stopped.value, Interrupted)
    assert [str(path) for path in tmp_path.rglob("*")] == [str(tmp_path / "some")]


def test_ctrl_c_while_kernels_are_compiled_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from untilt.solvers.cfr import CfrSolver

    monkeypatch.setattr(CfrSolver, "warm_up", lambda _: press())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        solve("kuhn", iterations=5)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_at_the_command_says_how_to_resume(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = [sys.executable, "-c", "from untilt.cli.main import main; main()", "solve"]
    asked = ["leduc", "-p", "ranks=13", "--method", "cfr+", "--iterations", "1000000"]
    with subprocess.Popen(
        [*command, *asked, "--output", str(folder)], stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for(folder / "checkpoint.bin")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert f"untilt solve --resume {folder}" in said
    assert "Traceback" not in said
    assert (load(folder).iterations or 0) > 0
