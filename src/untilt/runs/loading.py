"""Loading runs from their folders, finished or not."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from untilt.errors import FormatError, RunError
from untilt.formats.blueprint_path import blueprint_file, is_blueprint
from untilt.formats.checkpoint import LoadedCheckpoint, load_checkpoint
from untilt.formats.container import Container
from untilt.formats.files import path_of, shown
from untilt.formats.run_file import MAX_ITERATION, UNCOMPILED, RunRecord, fingerprint_of
from untilt.formats.run_folder import RunFolder
from untilt.formats.strategy import read_strategy
from untilt.game.compiled import NOTHING_KNOWN, CompiledGame
from untilt.game.snapshot import Snapshot
from untilt.result import Run
from untilt.runs.request import Request, RunRequest, TrainingRequest, read_request
from untilt.runs.run import GameRun, evaluated
from untilt.solvers.progress import game_of


def read_own_game(folder: Path, record: RunRecord) -> CompiledGame:
    """Return the game of the run in `folder`, without forms if it was too large to compile."""
    is_known = record.fingerprint != UNCOMPILED
    return RunFolder(folder).game(record) if is_known else NOTHING_KNOWN


class Restorable(Protocol):
    """A solver or learner that can continue from a checkpoint."""

    seconds: float

    @property
    def iteration(self) -> int | None:
        """Iterations done."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state; raise FormatError if it does not fit."""
        ...


class RestorableWithSnapshot(Restorable, Protocol):
    """A solver or learner whose strategy has named infosets."""

    def snapshot(self) -> Snapshot:
        """Return what has been found so far."""
        ...


def restore_solver(
    request: RunRequest,
    solver: Restorable,
    folder: Path,
    fingerprint: str,
    is_sound: Callable[[], bool],
) -> tuple[LoadedCheckpoint | None, Mapping[str, float]]:
    """Restore `solver`, made for `request`, from the folder's newest sound checkpoint.

    `fingerprint` is that of the game; `is_sound` says whether what was restored gives a strategy.

    Return the checkpoint, or None if there is none yet, and the times spent so far.
    """
    times: dict[str, float] = {"seconds": 0.0, "compile_seconds": 0.0, "total_seconds": 0.0}

    def check(container: Container) -> None:
        if container.meta.get("recipe") != request.identity():
            raise container.error("it was made by another method or with different options")
        for name in times:
            times[name] = _duration(container.meta.get(name), container)
        try:
            solver.restore(container.arrays)
        except FormatError as error:
            raise container.error(str(error)) from error
        if not 0 < (solver.iteration or 0) < MAX_ITERATION:
            raise container.error(f"it is at iteration {solver.iteration}")
        try:
            with np.errstate(divide="raise", invalid="raise", over="raise"):
                is_whole = is_sound()
        except FloatingPointError as error:
            raise container.error("its sums give no strategy") from error
        if not is_whole:
            raise container.error("its sums give no strategy")

    loaded = load_checkpoint(folder, fingerprint, check=check)
    solver.seconds = times["seconds"]
    return loaded, times


def _duration(value: Any, container: Container) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value < 1e18:
        raise container.error(f"a time of the run is {str(value)[:40]!r}")
    return float(value)


def load(path: str | Path) -> Run[Any]:
    """Return the run in the folder `path`: a `GameRun`, a spot's `Solution`, or a `Blueprint`.

    An interrupted run has the strategy of its last checkpoint. The file of a blueprint without its
    run folder can be given, too.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=10, output="kuhn-to-load")
    >>> untilt.load("kuhn-to-load") == run
    True
    """
    folder = path_of(path)
    if is_blueprint(folder):
        from untilt.abstraction.blueprint import Blueprint

        return Blueprint(blueprint_file(folder))
    if RunFolder(folder).record().kind == "spot":
        from untilt.runs.spots import load_spot

        return load_spot(folder)
    return load_run(folder)


def load_run(folder: Path) -> GameRun:
    """Return the run of a game in a folder, finished or not."""
    request, record = read_request(folder)
    game = read_own_game(folder, record)
    finished = load_finished(folder, request, record, game)
    if finished is not None:
        return finished
    if isinstance(request, TrainingRequest) and record.hands_before is None:
        raise recorded_without_checkpoints(folder)
    return _load_unfinished(folder, request, game)


def recorded_without_checkpoints(folder: Path) -> RunError:
    """Return the error for an unfinished training of a version that kept no checkpoints."""
    return RunError(
        f"{shown(folder)} was recorded by an earlier version, without checkpoints; go on from its "
        "regret file with `untilt pushfold train --regret-file FILE`, or start over"
    )


def load_finished(
    path: Path, request: RunRequest, record: RunRecord, compiled: CompiledGame
) -> GameRun | None:
    """Return the finished run in the folder `path`; None if it has no result yet."""
    folder = RunFolder(path)
    if not folder.result_file.exists():
        return None
    result = folder.result()
    result.verify("iterations", "seconds", "compile_seconds", "total_seconds")
    game = folder.game(record) if compiled.is_partial else compiled
    profile = read_strategy(folder.strategy_file, game)
    return GameRun(
        path=path,
        request=request,
        game=game,
        profile=profile,
        evaluation=evaluated(game, profile),
        iterations=result.iterations,
        seconds=result.seconds,
        compile_seconds=result.compile_seconds,
        total_seconds=result.total_seconds,
        is_finished=True,
        outcome=result.outcome,
    )


def _load_unfinished(folder: Path, request: RunRequest, compiled: CompiledGame) -> GameRun:
    solver: RestorableWithSnapshot
    if isinstance(request, Request):
        solver, command = request.solver(compiled), "solve"
    else:
        solver, command = _trainee(folder, request), "pushfold train"
    loaded, times = restore_solver(
        request, solver, folder, fingerprint_of(compiled), lambda: solver.snapshot().is_sound()
    )
    if loaded is None:
        raise RunError(
            f"{shown(folder)} has no checkpoint yet; wait, or start it again with "
            f"untilt {command} --resume {shown(folder)}"
        )
    game = game_of(solver, compiled)
    profile = solver.snapshot().profile
    return GameRun(
        path=folder,
        request=request,
        game=game,
        profile=profile,
        evaluation=evaluated(game, profile),
        iterations=solver.iteration,
        seconds=solver.seconds,
        compile_seconds=times["compile_seconds"],
        total_seconds=times["total_seconds"],
        is_finished=False,
        warning=loaded.damage,
    )


def _trainee(folder: Path, request: RunRequest) -> RestorableWithSnapshot:
    """Return the learner of a training; its modules are imported only here."""
    from untilt.games.pushfold.learner import RegretLearner
    from untilt.runs.trainee import Trainee, settings_of

    return Trainee.of(RegretLearner(settings_of(folder, request)))
