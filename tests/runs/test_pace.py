"""A paced run takes longer and finds the same."""

from pathlib import Path

import numpy as np
import pytest
from tests.runs.game_runs import load

from untilt.errors import InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.formats.run.frames import read_frames
from untilt.formats.run.progress_reader import read_progress
from untilt.options.option import Options
from untilt.runs import pace as pace_module
from untilt.runs.pace import Pace
from untilt.runs.solve import solve
from untilt.runs.stop import Stop
from untilt.solvers.progress import Progress


def moment(
    iteration: int, exploitability: float, beta: float | None = None, seconds: float = 0.0
) -> Progress:
    evaluation = Evaluation((0.0, 0.0), (exploitability, exploitability))
    return Progress(iteration, seconds, evaluation, None, beta=beta)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock by which runs are paced."""
    clock = Clock()
    monkeypatch.setattr(pace_module, "time", clock)
    return clock


def test_a_paced_run_has_the_same_bits(tmp_path: Path, clock: Clock) -> None:
    quick = solve("kuhn", "cfr+", iterations=30, output=tmp_path / "quick")
    assert clock.now == 0.0
    paced = solve("kuhn", "cfr+", iterations=30, output=tmp_path / "paced", pace=60.0)
    for one, other in zip(quick.profile.behaviours, paced.profile.behaviours, strict=True):
        assert np.array_equal(one, other)
    frames = [read_frames(tmp_path / name / "frames.bin") for name in ("quick", "paced")]
    assert len(frames[0]) == len(frames[1]) > 10
    # It does not wait at its end any more, only at the moment before.
    assert clock.now == pytest.approx(60.0 * np.log1p(frames[1][-2].iteration) / np.log1p(30))
    for position in range(len(frames[0])):
        assert np.array_equal(frames[0][position].strategy, frames[1][position].strategy)


def test_waiting_is_no_solver_time(tmp_path: Path) -> None:
    run = solve("kuhn", "cfr+", iterations=10, output=tmp_path / "run", pace=0.5)
    assert run.total_seconds - run.seconds > 0.4
    assert load(tmp_path / "run").is_finished


@pytest.mark.parametrize(
    ("stop", "options", "steps"),
    [
        (Stop(iterations=99), {}, [(moment(9, 1.0), 20.0), (moment(99, 1.0), 40.0)]),
        (Stop(target=1e-4), {}, [(moment(1, 1.0), 0.0), (moment(2, 1e-2), 20.0)]),
        (Stop(seconds=8.0), {}, [(moment(1, 1.0, seconds=2.0), 10.0)]),
        (
            Stop(),
            {"path": "arclength", "beta": 99.0},
            [(moment(1, 1.0, beta=0.0), 0.0), (moment(2, 0.5, beta=9.0), 20.0)],
        ),
    ],
    ids=["iterations by powers", "target by powers", "solver time", "branch by beta"],
)
def test_the_time_that_has_passed_is_the_share_of_the_way_that_is_done(
    clock: Clock, stop: Stop, options: Options, steps: list[tuple[Progress, float]]
) -> None:
    pace = Pace(40.0, stop, options)
    pace.begin()
    for progress, passed in steps:
        pace.wait(progress, lambda: None)
        assert clock.now == pytest.approx(passed)


def test_waiting_can_be_interrupted() -> None:
    pace = Pace(1000.0, Stop(iterations=10), {})
    pace.begin()

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pace.wait(moment(10, 1.0), interrupt)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_pace_that_is_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(InvalidOption, match="pace is"):
        solve("kuhn", save=False, pace=seconds)


def test_rows_tell_the_time_left(tmp_path: Path) -> None:
    solve("kuhn", "cfr+", iterations=50, output=tmp_path / "run")
    rows = read_progress(tmp_path / "run" / "progress.jsonl")
    assert all(row["seconds_left"] >= 0.0 for row in rows)
    assert rows[-1]["seconds_left"] == 0.0
