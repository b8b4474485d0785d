"""A paced run takes longer and finds the same."""

import time
from pathlib import Path

import numpy as np
import pytest

from untilt.errors import InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.formats.frames import read_frames
from untilt.formats.progress import read_progress
from untilt.runs.pace import Pace
from untilt.runs.run import load
from untilt.runs.solve import solve
from untilt.runs.stop import Stop
from untilt.solvers.progress import Progress


def moment(iteration: int, exploitability: float, beta: float | None = None) -> Progress:
    evaluation = Evaluation((0.0, 0.0), (exploitability, exploitability))
    return Progress(iteration, 0.0, evaluation, None, beta=beta)


def waited(pace: Pace, progress: Progress) -> float:
    begin = time.monotonic()
    pace.wait(progress, lambda: None)
    return time.monotonic() - begin


def test_a_paced_run_has_the_same_bits(tmp_path: Path) -> None:
    quick = solve("kuhn", "cfr+", iterations=30, output=tmp_path / "quick")
    begin = time.monotonic()
    paced = solve("kuhn", "cfr+", iterations=30, output=tmp_path / "paced", pace=0.6)
    assert time.monotonic() - begin >= 0.6 * np.log(30) / np.log(31)
    for one, other in zip(quick.profile.behaviours, paced.profile.behaviours, strict=True):
        assert np.array_equal(one, other)
    frames = [read_frames(tmp_path / name / "frames.bin") for name in ("quick", "paced")]
    assert len(frames[0]) == len(frames[1]) > 10
    for position in range(len(frames[0])):
        assert np.array_equal(frames[0][position].strategy, frames[1][position].strategy)


def test_waiting_is_no_solver_time(tmp_path: Path) -> None:
    run = solve("kuhn", "cfr+", iterations=10, output=tmp_path / "run", pace=0.5)
    assert run.seconds < 0.2 < run.total_seconds
    assert load(tmp_path / "run").is_finished


def test_the_way_to_a_target_is_measured_in_powers_of_ten() -> None:
    pace = Pace(0.4, Stop(target=1e-4), {})
    pace.begin()
    assert waited(pace, moment(1, 1.0)) < 0.1
    assert 0.1 < waited(pace, moment(2, 1e-2)) < 0.4


def test_the_way_along_a_branch_is_measured_in_beta() -> None:
    pace = Pace(0.4, Stop(), {"path": "arclength", "beta": 99.0})
    pace.begin()
    assert waited(pace, moment(1, 1.0, beta=0.0)) < 0.1
    assert 0.1 < waited(pace, moment(2, 0.5, beta=9.0)) < 0.4


def test_waiting_can_be_interrupted() -> None:
    pace = Pace(1000.0, Stop(iterations=10), {})
    pace.begin()

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pace.wait(moment(10, 1.0), interrupt)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_pace_that_is_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(InvalidOption, match="--pace"):
        solve("kuhn", save=False, pace=seconds)


def test_rows_tell_the_time_left(tmp_path: Path) -> None:
    solve("kuhn", "cfr+", iterations=50, output=tmp_path / "run")
    rows = read_progress(tmp_path / "run" / "progress.jsonl")
    assert all(row["seconds_left"] >= 0.0 for row in rows)
    assert rows[-1]["seconds_left"] == 0.0
