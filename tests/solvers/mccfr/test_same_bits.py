"""A run is a function of its seed: not of its threads, its back end, its pauses."""

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game.trees import TreeGame, random_trees
from tests.solvers.mccfr.solving import SCHEMES, different, everything, shown, solver_of

from untilt.errors import FormatError
from untilt.solvers.mccfr.logs import Logs, SharedLogs, grown, make_logs
from untilt.solvers.mccfr.solver import MccfrSolver

RECIPES: dict[str, dict[str, Any]] = {
    **SCHEMES,
    "external lazy discounted": {
        "method": "mccfr-external",
        "average": "lazy",
        "regret": "discounted",
        "period": 700,
    },
    "outcome lazy": {"method": "mccfr-outcome", "average": "lazy", "period": 333},
    "chance rm+": {"method": "mccfr-chance", "regret": "rm+", "period": 500},
    "small batches": {"method": "mccfr-external", "batch": 7},
    "sequential": {"method": "mccfr-external", "batch": 1},
}
LONG = 25_000
"""Iterations after which batches have their full length of 200."""


def finished(iterations: int, game: Any = "leduc", **recipe: Any) -> MccfrSolver:
    solver = solver_of(game, **recipe)
    solver.advance(iterations)
    return solver


@pytest.mark.parametrize("name", RECIPES)
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    # With more threads than processors, waiting for one another takes most of the time.
    iterations = {"sequential": 500, "small batches": 3000, "chance": 3000}.get(name, LONG)
    expected = everything(finished(iterations, seed=11, **RECIPES[name]))
    for threads in (2, 3, 5):
        found = everything(finished(iterations, seed=11, threads=threads, **RECIPES[name]))
        assert different(found, expected) == [], threads


@pytest.mark.parametrize("name", RECIPES)
def test_so_does_it_with_three_players(name: str) -> None:
    iterations = {"sequential": 500, "small batches": 3000, "chance": 3000}.get(name, LONG)
    game = "kuhn for three"
    expected = everything(finished(iterations, game, seed=11, **RECIPES[name]))
    for threads in (2, 4):
        found = everything(finished(iterations, game, seed=11, threads=threads, **RECIPES[name]))
        assert different(found, expected) == [], threads


@pytest.mark.parametrize("game", ["kuhn", "leduc", "kuhn for three"])
@pytest.mark.parametrize("name", RECIPES)
def test_objects_and_the_tree_give_the_same_bits(name: str, game: str) -> None:
    iterations = 3000 if "chance" in name else LONG
    expected = shown(finished(iterations, game, seed=12, **RECIPES[name]))
    found = shown(finished(iterations, game, seed=12, on="objects", **RECIPES[name]))
    assert different(found, expected) == []


@given(game=random_trees(max_depth=5), seed=st.integers(0, 2**64 - 1))
@settings(deadline=None, max_examples=25)
def test_so_they_do_on_random_games(game: TreeGame, seed: int) -> None:
    for recipe in SCHEMES.values():
        expected = finished(150, game, seed=seed, batch=3, **recipe)
        found = finished(150, game, seed=seed, batch=3, on="objects", **recipe)
        assert different(shown(found), shown(expected)) == []


@pytest.mark.parametrize("on", ["tree", "objects"])
@pytest.mark.parametrize("name", RECIPES)
def test_the_way_of_cutting_a_run_into_pieces_does_not_matter(name: str, on: str) -> None:
    total = 5200 if "chance" in name else LONG
    expected = everything(finished(total, seed=13, on=on, **RECIPES[name]))
    for pieces in ([7] * 300, [1000] * 5, [1, 255, 1, 256, 257, 100, 0, 1], [total - 1]):
        solver = solver_of("leduc", seed=13, on=on, **RECIPES[name])
        for count in pieces:
            solver.advance(count)
        solver.advance(total - solver.iteration)
        assert different(everything(solver), expected) == [], pieces


@pytest.mark.parametrize("threads", [2, 3])
def test_neither_does_it_with_several_threads(threads: int) -> None:
    for name in ("external", "outcome lazy"):
        recipe = RECIPES[name]
        expected = everything(finished(12_000, seed=13, **recipe))
        solver = solver_of("leduc", seed=13, threads=threads, **recipe)
        for count in (1, 7, 1000, 0, 5003):
            solver.advance(count)
            solver.snapshot()
        solver.advance(12_000 - solver.iteration)
        assert different(everything(solver), expected) == []


SAVED_AT = (1, 2, 101, 256, 4999, 20_101)
"""In the first batches of one iteration, and in the middle of longer ones."""


@pytest.mark.parametrize("game", ["leduc", "kuhn for three"])
@pytest.mark.parametrize("on", ["tree", "objects"])
@pytest.mark.parametrize("name", RECIPES)
def test_a_saved_and_restored_run_goes_on_as_one_that_never_stopped(
    name: str, on: str, game: str
) -> None:
    total = 5200 if "chance" in name else LONG
    recipe = {**RECIPES[name], "on": on, "seed": 14}
    expected = shown(finished(total, game, **recipe))
    first = solver_of(game, **recipe)
    for saved_at in SAVED_AT:
        if saved_at > total:
            continue
        first.advance(saved_at - first.iteration)
        saved = {key: array.copy() for key, array in first.state().items()}
        second = solver_of(game, **recipe)
        second.restore(saved)
        assert different(shown(second), shown(first)) == [], saved_at
        second.advance(total - saved_at)
        assert different(shown(second), expected) == [], saved_at


def test_saving_in_the_middle_of_a_batch_is_what_the_test_above_does() -> None:
    solver = finished(20_101, method="mccfr-external", seed=14)
    assert solver.state()["touched"].size > 0


def test_a_run_may_be_saved_and_restored_again_and_again_with_other_threads() -> None:
    for name in ("external", "outcome lazy", "outcome with baselines"):
        recipe = RECIPES[name]
        expected = everything(finished(9000, seed=15, **recipe))
        solver = solver_of("leduc", seed=15, **recipe)
        for number, count in enumerate((1, 30, 700, 2, 4001, 1111, 3155)):
            solver.advance(count)
            saved = {key: array.copy() for key, array in solver.state().items()}
            solver = solver_of("leduc", seed=15, threads=1 + number % 3, **recipe)
            solver.restore(saved)
        assert different(everything(solver), expected) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_asking_on_the_way_changes_nothing(scheme: str) -> None:
    silent, asked = (solver_of("kuhn", **SCHEMES[scheme]) for _ in range(2))
    silent.advance(1200)
    for _ in range(120):
        asked.advance(10)
        asked.snapshot().behaviours[0][:] = np.nan
        asked.current_behaviours()[1][:] = np.nan
        asked.regrets()[0][:] = np.nan
        asked.mean_regret()
        asked.warm_up()
    assert different(everything(asked), everything(silent)) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("change", [{"seed": 1}, {"batch": 50}, {"seed": 2**63}])
def test_another_seed_or_batch_gives_other_bits(scheme: str, change: dict[str, Any]) -> None:
    first = finished(12_000, "kuhn", **SCHEMES[scheme])
    second = finished(12_000, "kuhn", **SCHEMES[scheme], **change)
    again = finished(12_000, "kuhn", **SCHEMES[scheme])
    assert different(everything(again), everything(first)) == []
    assert {"average", "regrets"} <= set(different(shown(second), shown(first)))


def with_short_logs(solver: MccfrSolver) -> MccfrSolver:
    """Return the solver with logs that are soon full."""
    every = [shared.logs for shared in solver._logs]
    solver._logs[:] = [
        SharedLogs(make_logs(len(logs.members.records), len(logs.begins), capacity=16))
        for logs in every
    ]
    return solver


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", SCHEMES)
def test_a_log_that_is_full_grows_and_changes_nothing(name: str, threads: int) -> None:
    expected = finished(6000, seed=16, **SCHEMES[name])
    solver = with_short_logs(solver_of("leduc", seed=16, threads=threads, **SCHEMES[name]))
    solver.advance(6000)
    assert different(everything(solver), everything(expected)) == []
    assert solver._logs[0].logs.members.regrets.shape[-1] > 16


def test_growing_keeps_the_logs() -> None:
    logs = make_logs(2, 3, capacity=8)
    logs.members.regrets[1, 1] = np.arange(8)
    logs.members.lengths["records"][1] = 5
    longer = grown(logs)
    assert longer.members.regrets.shape == longer.members.visits.shape == (2, 2, 16)
    assert longer.members.values.shape == (2, 16)
    assert longer.members.regrets[1, 1].tolist() == [*range(8), *[0.0] * 8]
    assert longer.members.lengths is logs.members.lengths
    assert longer.begins is logs.begins


def test_logs_grow_when_nobody_uses_them_and_once_for_all_who_found_them_full() -> None:
    shared = SharedLogs(make_logs(2, 1, capacity=8))
    with shared.used() as full:
        growing = threading.Thread(target=shared.grow, args=(full,))
        growing.start()
        growing.join(0.05)
        assert growing.is_alive()
        assert shared.logs is full
    growing.join()
    assert shared.logs.members.regrets.shape[-1] == 16
    shared.grow(full)  # another member found the same logs full
    assert shared.logs.members.regrets.shape[-1] == 16


def test_logs_can_be_used_after_growing_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(full: Logs) -> Logs:
        raise KeyboardInterrupt

    shared = SharedLogs(make_logs(1, 1, capacity=8))
    monkeypatch.setattr("untilt.solvers.mccfr.logs.grown", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shared.grow(shared.logs)
    uses = threading.Thread(target=lambda: shared.used().__enter__(), daemon=True)
    uses.start()
    uses.join(10.0)
    assert not uses.is_alive()


class TestUnsynchronised:
    def test_each_thread_has_a_log_that_grows(self) -> None:
        solver = solver_of("leduc", seed=16, threads=2, sync="none", method="mccfr-external")
        with_short_logs(solver).advance(6000)
        assert solver.iteration == 6000
        assert [shared.logs.members.regrets.shape[:2] for shared in solver._logs] == [(1, 2)] * 2
        assert all(shared.logs.members.regrets.shape[2] > 16 for shared in solver._logs)

    def test_one_thread_without_waiting_is_like_one_with(self) -> None:
        waiting = finished(9000, "kuhn", method="mccfr-external", batch=1)
        hasty = finished(9000, "kuhn", method="mccfr-external", batch=1, sync="none")
        assert different(shown(hasty), shown(waiting)) == []

    @pytest.mark.parametrize("method", ["mccfr-external", "mccfr-chance", "es-linear"])
    def test_several_threads_do_all_iterations_and_come_near_an_equilibrium(
        self, method: str
    ) -> None:
        solver = solver_of("kuhn", method=method, threads=3, sync="none", period=1000)
        solver.warm_up()
        *_, last = solver.progress(60_000)
        assert solver.iteration == last.iteration == 60_000
        assert last.evaluation is not None
        assert last.evaluation.exploitability < 0.03
        for array in (*solver.snapshot().behaviours, *solver.current_behaviours()):
            assert np.isfinite(array).all()
            assert array.min() >= 0.0

    def test_a_saved_state_can_be_continued_by_threads_that_wait(self) -> None:
        hasty = solver_of("kuhn", method="mccfr-external", threads=2, sync="none")
        hasty.advance(5000)
        patient = solver_of("kuhn", method="mccfr-external")
        patient.restore(hasty.state())
        assert patient.iteration == 5000
        patient.advance(5000)
        assert patient._evaluate(patient._average()).nash_conv < 0.2  # type: ignore[union-attr]


class TestStates:
    @pytest.mark.parametrize("on", ["tree", "objects"])
    @pytest.mark.parametrize("name", ["external", "outcome with baselines"])
    def test_a_state_with_something_missing_or_wrong_is_refused(self, name: str, on: str) -> None:
        recipe = {**SCHEMES[name], "on": on}
        solver = finished(20_101, "kuhn", **recipe)
        good = {key: array.copy() for key, array in solver.state().items()}
        for key, array in good.items():
            wrong = [
                {other: kept for other, kept in good.items() if other != key},
                good | {key: array.reshape(1, *array.shape)},
                good | {key: array.astype(np.float32)},
            ]
            if array.dtype == np.float64 and array.size:
                wrong.append(good | {key: np.where(np.arange(array.size) == 1, np.nan, array)})
            for state in wrong:
                with pytest.raises(FormatError):
                    solver_of("kuhn", **recipe).restore(state)
        solver_of("kuhn", **recipe).restore(good)

    @pytest.mark.parametrize(
        ("position", "value"), [(0, -1), (1, 0), (2, 0), (3, 99), (3, -1), (4, -1)]
    )
    def test_a_clock_that_contradicts_the_rest_is_refused(self, position: int, value: int) -> None:
        solver = finished(20_101, "kuhn", method="mccfr-external")
        state = {key: array.copy() for key, array in solver.state().items()}
        state["clock"][position] = value
        with pytest.raises(FormatError, match="clock"):
            solver_of("kuhn", method="mccfr-external").restore(state)

    def test_a_state_of_another_game_is_refused(self) -> None:
        state = finished(500, "kuhn", method="mccfr-external").state()
        with pytest.raises(FormatError):
            solver_of("leduc", method="mccfr-external").restore(state)

    @pytest.mark.parametrize("on", ["tree", "objects"])
    def test_a_restored_solver_has_its_own_arrays(self, on: str) -> None:
        recipe: dict[str, Any] = {"method": "mccfr-outcome", "on": on}
        first, second = finished(150, "kuhn", **recipe), solver_of("kuhn", **recipe)
        second.restore(first.state())
        before = shown(second)
        first.advance(500)
        assert different(shown(second), before) == []
