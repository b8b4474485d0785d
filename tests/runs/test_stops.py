"""When runs end: by iterations, target and time, in any combination, also after resuming."""

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.runs.folders import assert_same, contents, outcome, save_often
from tests.runs.game_runs import load, resume

from untilt.errors import InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.runs import solve as driving
from untilt.runs.interrupt import Interrupted
from untilt.runs.kinds import read_task
from untilt.runs.solve import solve
from untilt.runs.stop import DEFAULT_SECONDS, DEFAULT_TARGET, Stop, make_stop
from untilt.runs.watching import Status
from untilt.solvers.moments import MOMENTS
from untilt.solvers.progress import Progress

ITERATIONS, TARGET, SECONDS = 200, 1e-3, 0.02


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        (
            Stop(seconds=1200.0),
            "continuing after 3,000 iterations in 1 min 2 s, up to 20 min in all",
        ),
        (
            Stop(iterations=5_000, target=1e-3),
            "continuing after 3,000 iterations in 1 min 2 s, up to 5,000 iterations or "
            "exploitability 0.001 in all",
        ),
        (
            Stop(seconds=60.0),
            "nothing to do after 3,000 iterations in 1 min 2 s: the end is 1 min in all",
        ),
    ],
)
def test_a_resumed_run_says_that_its_stop_counts_from_the_beginning(stop: Stop, words: str) -> None:
    assert stop.resumed_words(3_000, 62.1, None) == words


def test_the_time_of_a_resumed_run_is_the_time_in_all(tmp_path: Path) -> None:
    first = solve("leduc", "cfr+", time=SECONDS, output=tmp_path / "run")
    notes: list[str] = []

    def keep(status: Status) -> None:
        notes.extend([status.note] if status.note else [])

    again = resume(tmp_path / "run", time=SECONDS / 2.0, watcher=keep)
    assert again.iterations == first.iterations
    assert [note.partition(" after ")[0] for note in notes] == ["nothing to do"]
    # A busy machine may have left the first run late.
    whole = math.ceil(10.0 * first.seconds) / 10.0 + 2.0 * SECONDS
    more = resume(tmp_path / "run", time=whole, watcher=keep)
    assert (more.iterations or 0) > (first.iterations or 0)
    assert [note.partition(" after ")[0] for note in notes[1:]] == ["continuing"]
    assert notes[1].endswith(f"up to {whole:g} s in all")


@pytest.mark.parametrize("given", list(itertools.product([False, True], repeat=3)))
def test_a_run_ends_at_the_first_of_its_stops(given: tuple[bool, bool, bool]) -> None:
    by_iterations, by_target, by_time = given
    run = solve(
        "leduc",
        "cfr+",
        iterations=ITERATIONS if by_iterations else None,
        target=TARGET if by_target else None,
        time=SECONDS if by_time else None,
        save=False,
    )
    ends = [
        by_iterations and run.iterations == ITERATIONS,
        run.exploitability <= (TARGET if by_target else DEFAULT_TARGET) and by_target,
        by_time and run.seconds >= SECONDS,
        not any(given) and run.exploitability <= DEFAULT_TARGET,
    ]
    assert any(ends)
    assert run.iterations is not None
    assert not by_iterations or run.iterations <= ITERATIONS
    assert run.missed_target == (by_target and run.exploitability > TARGET)
    assert run.request.stop.is_default == (not any(given))


def test_a_target_is_reached_at_the_same_iteration_however_fast_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from untilt.solvers import cfr

    first = solve("leduc", "cfr+", target=1e-3, save=False)
    monkeypatch.setattr(cfr, "_TICK_SECONDS", 1e-9)  # one iteration at a time
    slow = solve("leduc", "cfr+", target=1e-3, save=False)
    assert slow.iterations == first.iterations
    assert first.iterations in MOMENTS
    assert not first.missed_target


@pytest.mark.parametrize("iterations", [3, 10, 37, 100])
def test_a_target_that_a_run_meets_to_the_last_bit_is_not_missed(iterations: int) -> None:
    best = solve("kuhn", "cfr+", iterations=iterations, save=False).exploitability
    again = solve("kuhn", "cfr+", iterations=10_000, target=best, save=False)
    assert not again.missed_target
    assert again.exploitability <= best


def test_the_default_stop_is_a_target_that_may_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untilt.runs.stop.DEFAULT_SECONDS", 0.01)
    monkeypatch.setattr("untilt.runs.stop.DEFAULT_TARGET", 1e-30)
    run = solve("leduc", "cfr", save=False)
    assert run.exploitability > 1e-30
    assert not run.missed_target
    assert make_stop() == Stop(target=1e-30, seconds=0.01, is_default=True)


def test_the_linear_program_takes_a_target_but_no_other_stop() -> None:
    assert not solve("kuhn", "lp", target=1e-9, save=False).missed_target
    for stop in ({"iterations": 5}, {"time": 1.0}):
        with pytest.raises(InvalidOption, match="lp runs to its end"):
            solve("kuhn", "lp", save=False, **stop)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("iterations", value) for value in (0, -1, 1.5, 1e6, True, "5", 2**63, math.nan)),
        *(("target", value) for value in (-1e-9, math.nan, math.inf, "1", True, 10**400)),
        *(("time", value) for value in (0, -1, math.nan, math.inf, "1", True, 10**400)),
        *(("seed", value) for value in (-1, 2**64, 1.5, True, "1")),
        ("target", 0),
    ],
)
def test_a_stop_or_seed_that_means_nothing_is_refused(
    tmp_path: Path, name: str, value: Any
) -> None:
    with pytest.raises(InvalidOption, match=f"^{name} "):
        solve("kuhn", output=tmp_path / "run", **{name: value})
    assert not (tmp_path / "run").exists()


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    options: Any = {"iterations": np.int64(5), "target": np.float32(0.5), "seed": np.uint64(3)}
    solve("kuhn", "cfr+", output=tmp_path / "run", **options)
    run = load(tmp_path / "run")
    assert run.request.stop == Stop(iterations=5, target=0.5)
    assert run.request.seed == 3


def test_times_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from untilt.solvers.cfr import CfrSolver

    real_warm_up = CfrSolver.warm_up

    def slow(solver: CfrSolver) -> None:
        import time

        time.sleep(0.2)
        real_warm_up(solver)

    monkeypatch.setattr(CfrSolver, "warm_up", slow)
    run = solve("kuhn", "cfr+", iterations=1000, output=tmp_path / "run")
    assert run.compile_seconds >= 0.2
    assert 0.0 < run.seconds < 0.2
    assert run.total_seconds >= run.seconds + run.compile_seconds
    longer = resume(tmp_path / "run", iterations=2000)
    assert longer.seconds > run.seconds
    assert longer.total_seconds >= run.total_seconds + 0.2
    assert longer.total_seconds >= longer.seconds + longer.compile_seconds


# --- resuming ---


def stopped_at(folder: Path, iteration: int, **asked: Any) -> None:
    """Leave a run that was interrupted at `iteration`."""

    def watch(status: Status) -> None:
        if status.progress is not None and (status.progress.iteration or 0) >= iteration:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        solve(**asked, output=folder, watcher=watch)


def test_resuming_keeps_the_original_stop(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"game": "kuhn", "method": "cfr+", "iterations": 500, "target": 1e-9}
    stopped_at(tmp_path / "run", 100, **asked)
    run = resume(tmp_path / "run")
    assert run.iterations == 500
    assert run.request.stop == make_stop(500, 1e-9)
    assert run.missed_target


def test_a_new_stop_becomes_the_runs_own(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    stopped_at(folder, 100, game="kuhn", method="cfr+", iterations=500)
    stop = json.loads((folder / "run.json").read_text())["stop"]
    assert stop == {"iterations": 500, "target": None, "seconds": None, "is_default": False}

    def stop_again(status: Status) -> None:
        if status.progress is not None:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        resume(folder, iterations=300, watcher=stop_again)
    assert read_task(folder)[0].stop == make_stop(300)
    assert resume(folder).iterations == 300
    assert resume(folder, target=1e-3).exploitability <= 1e-3
    assert read_task(folder)[0].stop == make_stop(target=1e-3)


@pytest.mark.parametrize("bad", [{"iterations": 0}, {"target": math.nan}, {"time": -1.0}])
def test_a_new_stop_that_means_nothing_changes_nothing(tmp_path: Path, bad: Any) -> None:
    solve("kuhn", iterations=50, output=tmp_path / "run")
    before = contents(tmp_path / "run")
    with pytest.raises(InvalidOption):
        resume(tmp_path / "run", **bad)
    assert contents(tmp_path / "run") == before


@pytest.mark.parametrize("method", ["cfr+", "lp"])
def test_a_finished_run_is_only_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    stop = {} if method == "lp" else {"iterations": 50}
    run = solve("kuhn", method, output=tmp_path / "run", **stop)  # type: ignore[call-overload]
    before = contents(tmp_path / "run")
    monkeypatch.setattr(driving, "Drive", None)
    again = resume(tmp_path / "run")
    assert again.to_json(strategy=True) == run.to_json(strategy=True)
    assert contents(tmp_path / "run") == before
    if method == "lp":
        with pytest.raises(InvalidOption, match="takes no new stop"):
            resume(tmp_path / "run", iterations=5)


def test_a_new_stop_that_lies_behind_ends_the_run_where_it_stands(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    stopped_at(folder, 100, game="kuhn", method="cfr+", iterations=500)
    where = load(folder).iterations
    assert where is not None
    assert resume(folder, iterations=10).iterations == where
    assert resume(folder, iterations=20).iterations == where
    assert read_task(folder)[0].stop == make_stop(20)


def test_time_spent_before_counts_against_the_time_asked_for(tmp_path: Path) -> None:
    solve("kuhn", "cfr", time=0.02, output=tmp_path / "run")
    before = load(tmp_path / "run")
    assert resume(tmp_path / "run").iterations == before.iterations
    more = before.seconds + 0.02
    longer = resume(tmp_path / "run", time=more)
    assert (longer.iterations or 0) > (before.iterations or 0)
    assert longer.seconds >= more


def test_the_last_row_of_a_run_that_ends_by_time_is_its_result(tmp_path: Path) -> None:
    run = solve("kuhn", "cfr+", time=0.02, output=tmp_path / "run")
    last = outcome(tmp_path / "run")["rows"][-1]
    assert last["iteration"] == run.iterations
    measured = [last[name] for name in ("exploitability", "nash_conv", "value")]
    assert measured == pytest.approx([run.exploitability, run.nash_conv, run.value])


def test_an_extended_run_averages_as_it_was_planned_at_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """dcfr+ leaves out a tenth of 5,000 iterations, also when 20,000 are done in the end."""
    once = tmp_path / "extended once"
    solve("leduc", "dcfr+", iterations=5000, output=once)
    assert read_task(once)[0].horizon == 5000
    extended = resume(once, iterations=20_000)
    assert read_task(once)[0].horizon == 5000

    planned = tmp_path / "planned"
    same = solve("leduc", "dcfr+", iterations=20_000, defer_averaging=500, output=planned)
    assert extended.value == same.value
    assert outcome(once)["strategy"] == outcome(planned)["strategy"]
    assert outcome(once)["frames"] == outcome(planned)["frames"]
    rows = [row for row in outcome(once)["rows"] if row["iteration"] != 5000]
    assert rows == outcome(planned)["rows"]

    other = solve("leduc", "dcfr+", iterations=20_000, save=False)  # leaves out 1,000
    assert other.exploitability != same.exploitability

    save_often(monkeypatch, 0.01)
    twice = tmp_path / "extended and interrupted"
    solve("leduc", "dcfr+", iterations=5000, output=twice)
    for iteration in (7_000, 13_000):

        def watch(status: Status, iteration: int = iteration) -> None:
            if status.progress is not None and (status.progress.iteration or 0) >= iteration:
                raise KeyboardInterrupt

        with pytest.raises(Interrupted):
            resume(twice, iterations=20_000, watcher=watch)
    resume(twice)
    assert_same(outcome(twice), outcome(once))


# --- time left ---


def moments(count: int, *, exponent: float = -1.0) -> list[Progress]:
    """Return a run of 100 iterations a second whose exploitability falls as a power."""
    return [
        Progress(n, n / 100, Evaluation((0.0, 0.0), (n**exponent, n**exponent)), None)
        for n in MOMENTS[:count]
    ]


def test_the_time_left_is_that_of_the_nearest_stop() -> None:
    measured = moments(60)
    now = measured[-1]
    assert now.iteration is not None
    left = (1000 * now.iteration - now.iteration) / 100
    by_target = make_stop(target=1 / (1000 * now.iteration))
    assert by_target.seconds_left(now, measured, 100.0) == pytest.approx(left, rel=1e-6)
    by_all = make_stop(now.iteration + 200, 1e-12, now.seconds + 5)
    assert by_all.seconds_left(now, measured, 100.0) == pytest.approx(2.0)
    assert make_stop(seconds=now.seconds + 5).seconds_left(now, [], 100.0) == pytest.approx(5.0)


def test_the_time_left_to_a_residual_is_that_of_an_exponential() -> None:
    stop = Stop(residual=1e-3, seconds=60.0)
    measured = [
        Progress(n, n / 100, Evaluation((0.0, 0.0), (1.0, 1.0)), None, residual=math.exp(-n / 50))
        for n in (16, 32, 64, 128, 200)
    ]
    left = (50.0 * math.log(1e3) - 200) / 100
    assert stop.seconds_left(measured[-1], measured, 100.0) == pytest.approx(left)
    assert stop.seconds_left(measured[1], measured[:2], 100.0) == pytest.approx(60.0 - 0.32)
    rising = [replace(each, residual=0.1 * number) for number, each in enumerate(measured, start=1)]
    assert stop.seconds_left(rising[-1], rising, 100.0) == pytest.approx(58.0)
    assert stop.share_to_residual(1e-1, 1e-2) == pytest.approx(0.5)
    assert stop.share_to_residual(1e-1, 1.0) == 0.0


def test_the_time_left_runs_on_between_two_measured_moments() -> None:
    measured = moments(60)
    assert measured[-1].iteration is not None
    stop = make_stop(iterations=measured[-1].iteration + 1000)
    between = Progress(measured[-1].iteration + 500, 0.0, None, None)
    assert stop.seconds_left(between, measured, 100.0) == pytest.approx(5.0)


def test_the_time_left_is_never_negative_and_unknown_rather_than_wrong() -> None:
    measured = moments(60)
    now = measured[-1]
    assert make_stop(iterations=1).seconds_left(now, measured, 100.0) == 0.0
    assert make_stop(target=1.0).seconds_left(now, measured, 100.0) == 0.0
    flat = moments(60, exponent=0.0)
    assert make_stop(target=1e-3).seconds_left(flat[-1], flat, 100.0) is None
    assert make_stop(target=1e-3).seconds_left(measured[0], measured[:1], 100.0) is None
    assert make_stop(target=0.0, seconds=9.0).seconds_left(measured[0], [], 1.0) is not None
    assert make_stop(iterations=5).seconds_left(now, measured, 0.0) is None
    of_lp = Progress(None, 1.0, now.evaluation, None)
    assert make_stop().seconds_left(of_lp, [of_lp], 0.0) is None
    perfect = [Progress(n, n / 9, Evaluation((0.0, 0.0), (0.0, 0.0)), None) for n in MOMENTS[:9]]
    assert make_stop(target=1e-9).seconds_left(perfect[-1], perfect, 9.0) is None
    assert DEFAULT_SECONDS == 60.0


def test_every_status_of_a_run_has_a_sane_time_left() -> None:
    seen: list[float | None] = []
    solve(
        "leduc",
        "cfr+",
        target=1e-3,
        time=5.0,
        save=False,
        watcher=lambda status: seen.append(status.seconds_left),
    )
    assert seen[0] is None  # compiling
    assert all(left is not None and 0.0 <= left <= 5.0 for left in seen[1:])
