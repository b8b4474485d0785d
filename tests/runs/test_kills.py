"""kill −9 at any moment: resumed, a run ends with the bits of one that never stopped."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.runs.folders import (
    assert_same,
    can_fork,
    count_file_operations,
    ended,
    forked,
    outcome,
    save_often,
    wait_for,
)
from tests.runs.game_runs import load, resume

from untilt.dashboard.sources.library import Library
from untilt.errors import RunError
from untilt.formats.base.lock import FolderLock
from untilt.runs import recorder
from untilt.runs.solve import solve
from untilt.solvers.methods import METHODS

FULL_WIDTH = [
    name for name, method in METHODS.items() if method.has_iterations and not method.is_sampling
]
"""Those that sample do so many iterations a second that they have a test of their own."""


def solve_leduc(folder: Path, method: str) -> None:
    solve("leduc", method, parameters={"ranks": 13}, iterations=1500, output=folder)


@can_fork
@pytest.mark.parametrize(
    "method",
    [pytest.param(method, marks=[pytest.mark.long] * (method != "dcfr+")) for method in FULL_WIDTH],
)
def test_a_run_killed_at_random_moments_ends_as_one_never_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    never_killed = tmp_path / "never killed"
    solve_leduc(tmp_path / "warm", method)  # loads the kernels, so that the next one tells the time
    begin = time.perf_counter()
    solve_leduc(never_killed, method)
    duration = time.perf_counter() - begin
    save_often(monkeypatch, 0.02)
    rng = random.Random(method)
    folder = tmp_path / "killed"
    kills = 0
    while kills < 4:
        has_begun = (folder / "run.json").exists()
        if not has_begun:  # killed before the beginning: a new one may use the same name
            for path in folder.glob("*.*") if folder.exists() else ():
                path.unlink()
        process = forked(
            (lambda: resume(folder)) if has_begun else lambda: solve_leduc(folder, method)
        )
        time.sleep(rng.uniform(0.0, 0.6 * duration))
        os.kill(process, signal.SIGKILL)
        if ended(process) == 0:
            if kills:
                break
            shutil.rmtree(folder)  # it was faster than the first one: once more
            continue
        kills += (folder / "run.json").exists()  # before that there is nothing to continue
    assert kills > 0
    resume(folder)
    assert_same(outcome(folder), outcome(never_killed))


KUHN: dict[str, Any] = {"game": "kuhn", "method": "dcfr+", "iterations": 70}


@can_fork
@pytest.mark.long
def test_a_run_killed_at_any_file_operation_ends_as_one_never_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve(**KUHN, output=tmp_path / "warm")  # a slow first run would save more often
    with monkeypatch.context() as patch:
        save_often(patch)
        operations: list[int] = []
        count_file_operations(patch, operations.append)
        solve(**KUHN, output=tmp_path / "never killed")
    expected = outcome(tmp_path / "never killed")
    num_operations = len(operations)
    assert num_operations > 500
    sampled = random.Random(0).sample(range(60, num_operations - 60), 20)
    moments = [*range(1, 60, 3), *sampled, *range(num_operations - 60, num_operations, 3)]
    without_run = num_finished = 0
    for moment in moments:
        folder = tmp_path / f"killed at {moment}"

        def die(count: int, moment: int = moment) -> None:
            if count == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        def work(folder: Path = folder, die: Callable[[int], None] = die) -> None:
            save_often(monkeypatch)
            count_file_operations(monkeypatch, die)
            solve(**KUHN, output=folder)

        status = ended(forked(work))
        if status == 0:  # how often the clock makes a run save depends on the machine's load
            num_finished += 1
            assert_same(outcome(folder), expected)
            continue
        assert status == -signal.SIGKILL
        if not (folder / "run.json").exists():
            without_run += 1
            with pytest.raises(RunError, match=r"is not a folder|holds no run"):
                resume(folder)
            continue
        resume(folder)
        assert_same(outcome(folder), expected)
    assert 0 < without_run < len(moments) / 4
    assert num_finished < len(moments) / 4


@can_fork
@pytest.mark.parametrize("before", ["game.bin", "run.json", "checkpoint.bin", "result.json"])
def test_a_kill_just_before_a_file_is_written_loses_nothing_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    real_replace = os.replace

    def replace(source: Path, target: Path) -> None:
        if Path(target).name == before:
            os.kill(os.getpid(), signal.SIGKILL)
        real_replace(source, target)

    def work() -> None:
        monkeypatch.setattr(os, "replace", replace)
        solve(**KUHN, output=tmp_path / "killed")

    assert ended(forked(work)) == -signal.SIGKILL
    folder = tmp_path / "killed"
    assert any(path.name.endswith(".tmp") for path in folder.iterdir())
    with FolderLock(folder):  # the killed process holds it no longer
        pass
    if before in ("game.bin", "run.json"):
        for act in (resume, load):
            with pytest.raises(RunError, match=r"holds no run \(run.json is missing\)"):
                act(folder)
        return
    if before == "checkpoint.bin":
        with pytest.raises(RunError, match="has no checkpoint yet"):
            load(folder)
    else:
        assert not load(folder).is_finished
    solve(**KUHN, output=tmp_path / "never killed")
    run = resume(folder)
    assert run.is_finished
    assert_same(outcome(folder), outcome(tmp_path / "never killed"))


@can_fork
def test_a_run_killed_after_it_reached_its_target_goes_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = solve("kuhn", "cfr+", target=1e-4, output=tmp_path / "whole")

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def work() -> None:
        monkeypatch.setattr(recorder, "write_strategy", die)
        solve("kuhn", "cfr+", target=1e-4, output=tmp_path / "killed")

    assert ended(forked(work)) == -signal.SIGKILL
    assert resume(tmp_path / "killed").iterations == whole.iterations
    assert_same(outcome(tmp_path / "killed"), outcome(tmp_path / "whole"))


@can_fork
def test_a_linear_program_that_was_killed_is_solved_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work() -> None:
        monkeypatch.setattr(recorder, "write_strategy", lambda *_: os.kill(os.getpid(), 9))
        solve("kuhn", "lp", output=tmp_path / "killed")

    assert ended(forked(work)) == -signal.SIGKILL
    with pytest.raises(RunError, match="has no checkpoint yet"):
        load(tmp_path / "killed")
    resume(tmp_path / "killed")
    solve("kuhn", "lp", output=tmp_path / "whole")
    assert_same(outcome(tmp_path / "killed"), outcome(tmp_path / "whole"))
    assert len(outcome(tmp_path / "killed")["rows"]) == 1


@can_fork
@pytest.mark.parametrize("asked", [{"branch": True}, {"path": "newton"}, {"limit": True}])
def test_a_quantal_response_path_that_was_killed_leaves_no_row_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    def work() -> None:
        save_often(monkeypatch)
        monkeypatch.setattr(recorder, "write_strategy", lambda *_: os.kill(os.getpid(), 9))
        solve("kuhn", "qre", **asked, output=tmp_path / "killed")

    assert ended(forked(work)) == -signal.SIGKILL
    resume(tmp_path / "killed")
    solve("kuhn", "qre", **asked, output=tmp_path / "whole")
    assert_same(outcome(tmp_path / "killed"), outcome(tmp_path / "whole"))
    library = Library.of(tmp_path)
    library.scan()
    betas = {run.name: [info.beta for info in run.frames().infos] for run in library._runs.values()}
    assert betas["killed"] == betas["whole"]
    assert betas["whole"][0] is not None


COMMAND = [sys.executable, "-c", "from untilt.cli.main import main; main()", "solve"]


@pytest.mark.long
def test_the_command_resumes_what_was_killed(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    asked = ["--method", "dcfr+", "--iterations", "4000"]
    command = [*COMMAND, "leduc", "-p", "ranks=13", *asked, "--output", str(folder), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        wait_for(folder / "checkpoint.bin")
        process.kill()
    resumed = subprocess.run(
        [*COMMAND, "--resume", str(folder), "--json"], check=True, capture_output=True
    )
    assert json.loads(resumed.stdout)["iterations"] == 4000
    never_killed = tmp_path / "never killed"
    solve("leduc", "dcfr+", parameters={"ranks": 13}, iterations=4000, output=never_killed)
    assert_same(outcome(folder), outcome(never_killed))
