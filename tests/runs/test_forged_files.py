"""Forged checkpoints and games never reach a kernel: no process dies or hangs on one."""

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.faulty_games import OnlySampled
from tests.runs.folders import can_fork, save_often
from tests.runs.forging import Arrays, assert_harmless, forge, try_forgeries

from untilt.errors import FormatError
from untilt.evaluation.best_response import evaluate
from untilt.formats.base.container import read_container, write_container
from untilt.formats.base.files import json_bytes
from untilt.formats.run.checkpoint import NEWEST, PREVIOUS
from untilt.formats.run.compiled_game import read_game, write_game
from untilt.formats.run.run_file import fingerprint_of
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.histories.tree import GameTree
from untilt.game.histories.tree_position import TreePosition
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.strategy.strategy import uniform_profile
from untilt.games.registry import resolve
from untilt.runs.games.game_folder import read_own_game
from untilt.runs.games.game_request import GameSubject, solver_of
from untilt.runs.interrupt import Interrupted
from untilt.runs.kinds import read_task
from untilt.runs.restoring import restore_solver
from untilt.runs.solve import solve
from untilt.runs.watching import Status
from untilt.solvers.mccfr.solver import _CACHE_CHECK
from untilt.solvers.methods import method_named

_OF_THREE: dict[str, Any] = {"game": "kuhn", "parameters": {"players": 3}, "iterations": 500}
RECIPES: dict[str, dict[str, Any]] = {
    "cfr": {"game": "kuhn", "method": "cfr", "iterations": 500},
    "deferred": {"game": "kuhn", "method": "dcfr+", "iterations": 500},
    "chance": {"game": "kuhn", "method": "cs", "iterations": 500, "batch": 7},
    "external": {"game": "leduc", "method": "es", "iterations": 500, "batch": 50},
    "lazy": {"game": "kuhn", "method": "es", "average": "lazy", "iterations": 500, "batch": 9},
    "outcome": {"game": "kuhn", "method": "os", "iterations": 500, "batch": 9},
    "bare": {"game": "kuhn", "method": "os", "baseline": "none", "iterations": 500},
    "objects": {"game": "kuhn", "method": "es+", "on": "objects", "iterations": 500},
    "histories": {"game": "kuhn", "method": "os", "on": "objects", "iterations": 500},
    "external of three": {**_OF_THREE, "method": "es", "batch": 9},
    "outcome of three": {**_OF_THREE, "method": "os", "batch": 9},
    "objects of three": {**_OF_THREE, "method": "os", "on": "objects"},
    "dealt": {"game": OnlySampled(), "method": "os", "on": "objects", "iterations": 500},
}
_STOPPED_AT = 150
_LARGEST_BATCH = 50


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a run by a recipe, which was interrupted."""
    root = tmp_path_factory.mktemp("stopped")

    def watch(status: Status) -> None:
        if status.progress is not None and (status.progress.iteration or 0) >= _STOPPED_AT:
            raise KeyboardInterrupt

    def make(name: str) -> Path:
        folder = root / name
        if not folder.exists():
            with pytest.MonkeyPatch.context() as patch:
                save_often(patch)
                with pytest.raises(Interrupted):
                    solve(**RECIPES[name], output=folder, watcher=watch)
            (folder / PREVIOUS).unlink()
        return folder

    return make


def attempt_of(folder: Path, name: str) -> Callable[[random.Random], None]:
    """Return what restores a forged checkpoint of the run and goes on from it."""
    request, record = read_task(folder)
    assert isinstance(request.subject, GameSubject)
    game = read_own_game(folder, record)
    root = None
    if request.options.get("on") == "objects":
        given, parameters = RECIPES[name]["game"], RECIPES[name].get("parameters", {})
        root = resolve(given, parameters).game if isinstance(given, str) else given
    container = read_container(folder / NEWEST, "checkpoint", in_memory=True)
    solver_of(request, game, root).warm_up()

    def restored(arrays: Arrays) -> None:
        write_container(folder / NEWEST, "checkpoint", container.meta, arrays)
        solver = solver_of(request, game, root)
        restore_solver(
            request, solver, folder, fingerprint_of(game), lambda: solver.snapshot().is_sound()
        )
        # At least one batch, and one look at the size of the cache.
        done = solver.iteration or 0
        until = max(done + _LARGEST_BATCH, (done // _CACHE_CHECK + 1) * _CACHE_CHECK)
        for _ in solver.progress(until):
            pass
        solver.snapshot()
        json_bytes(solver.outcome())

    restored(container.arrays)  # what was not forged goes on
    return lambda rng: restored(forge(container.arrays, rng))


def try_checkpoints(folder: Path, name: str, count: int) -> None:
    sound = (folder / NEWEST).read_bytes()
    counts = try_forgeries(count, attempt_of(folder, name))
    (folder / NEWEST).write_bytes(sound)
    assert_harmless(f"checkpoint of {name}", counts)
    assert counts["refused"] > count / 3


@can_fork
@pytest.mark.parametrize("name", RECIPES)
def test_forged_checkpoints_are_refused_or_harmless(
    stopped: Callable[[str], Path], name: str
) -> None:
    try_checkpoints(stopped(name), name, 40)


@can_fork
@pytest.mark.long
@pytest.mark.parametrize("name", RECIPES)
def test_thousands_of_forged_checkpoints_are_refused_or_harmless(
    stopped: Callable[[str], Path], name: str
) -> None:
    try_checkpoints(stopped(name), name, 1_000)


def set_to(name: str, place: Any, value: Any) -> Callable[[Arrays], None]:
    """Return a change of one array."""

    def change(arrays: Arrays) -> None:
        arrays[name][place] = value

    return change


EVERYTHING = slice(None)
KNOWN: list[tuple[str, Callable[[Arrays], None]]] = [
    # A kernel that trusted these would leave its arrays, never end, or compute nonsense.
    ("bare", set_to("clock", 4, 2**40)),
    ("external", set_to("clock", 1, 2**61)),
    ("external", set_to("clock", 2, 2**62)),
    ("external", set_to("behaviour", slice(1, None), 0.0)),
    ("external", set_to("regret_sum", 1, 1e300)),
    ("lazy", set_to("mass", EVERYTHING, -1.0)),
    ("cfr", set_to("behaviour_0", EVERYTHING, 0.0)),
    ("cfr", set_to("strategy_sum_1", 3, 1e6)),
    ("deferred", set_to("skipped_50_0", EVERYTHING, 7.0)),
    ("outcome", lambda arrays: arrays.update(touched_baselines=np.zeros(3, np.uint32))),
    ("histories", set_to("histories_nodes", (0, 1), 0)),
    ("histories", set_to("histories_nodes", (EVERYTHING, 2), 2**31)),
    ("histories", set_to("histories_parent", -1, 0)),
    ("histories", set_to("histories_cumulative", EVERYTHING, 0.0)),
    ("histories", set_to("histories_probability", EVERYTHING, 0.5)),
    ("histories", set_to("depths", EVERYTHING, 0)),
    ("histories", set_to("entries", EVERYTHING, 2**40)),
    ("objects", set_to("parent_entry", EVERYTHING, 2**31)),
]


@pytest.mark.parametrize(("name", "change"), KNOWN)
def test_what_kernels_rely_on_is_checked_before_they_run(
    stopped: Callable[[str], Path], name: str, change: Callable[[Arrays], None]
) -> None:
    folder = stopped(name)
    request, record = read_task(folder)
    assert isinstance(request.subject, GameSubject)
    arrays = read_container(folder / NEWEST, "checkpoint", in_memory=True).arrays
    solver = solver_of(request, read_own_game(folder, record))
    solver.restore(arrays)
    change(arrays)
    with pytest.raises(FormatError, match="of the saved state"):
        solver.restore(arrays)


def use(game: CompiledGame) -> None:
    """Do with a game what commands do."""
    if game.has(PlanForm):
        evaluate(game.plan_form(), uniform_profile(game))
    methods = ["cfr+", "es", "os"] if game.has(GameTree) and game.has(SequenceForm) else ["cfr+"]
    for method in methods if game.has(PlanForm) and game.is_zero_sum else ():
        chosen = method_named(method)
        solver = chosen.build(game, chosen.options({}), 20)
        for _ in itertools.islice(solver.progress(20), 40):
            pass
    if game.has(GameTree):
        rng = random.Random(0)
        position: Any = TreePosition.root_of(game)
        while not position.terminal:
            moves = position._moves()
            position = position.apply(rng.choice(moves))


def try_games(folder: Path, players: int, count: int) -> None:
    path = folder / "game.bin"
    write_game(path, compile_histories(resolve("kuhn", {"players": players}).game))
    container = read_container(path, "game", in_memory=True)
    use(read_game(path))

    def attempt(rng: random.Random) -> None:
        # A forger computes the fingerprint of what he forged.
        CompiledGame.fingerprint = lambda self: container.meta["fingerprint"]  # type: ignore[method-assign]
        meta = dict(container.meta)
        if rng.random() < 0.1:
            name = rng.choice(sorted(meta))
            meta[name] = rng.choice((None, True, False, 0, 1, -1, 2**70, "x", [], meta[name]))
        write_container(path, "game", meta, forge(container.arrays, rng))
        use(read_game(path))

    counts = try_forgeries(count, attempt)
    assert_harmless("game.bin", counts)
    assert counts["refused"] > count / 3


@can_fork
@pytest.mark.parametrize("players", [2, 3])
def test_forged_games_are_refused_or_harmless(players: int, tmp_path: Path) -> None:
    try_games(tmp_path, players, 100)


@can_fork
@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3])
def test_thousands_of_forged_games_are_refused_or_harmless(players: int, tmp_path: Path) -> None:
    try_games(tmp_path, players, 2_000)
