"""The run of a game in its folder, finished or not."""

from pathlib import Path

from untilt.errors import RunError
from untilt.formats.base.files import shown
from untilt.formats.kinds.strategy_file import read_strategy
from untilt.formats.run.run_file import UNCOMPILED, RunRecord, fingerprint_of
from untilt.formats.run.run_folder import RunFolder
from untilt.game.compiled import NOTHING_KNOWN, CompiledGame
from untilt.runs.restoring import RestorableWithSnapshot, restore_solver
from untilt.runs.run import GameRun, evaluated
from untilt.runs.task import RunTask, Subject
from untilt.solvers.progress import game_of


def read_own_game(folder: Path, record: RunRecord) -> CompiledGame:
    """Return the game of the run in `folder`, without forms if it was too large to compile."""
    is_known = record.fingerprint != UNCOMPILED
    return RunFolder(folder).game(record) if is_known else NOTHING_KNOWN


def load_finished(request: RunTask[Subject], record: RunRecord) -> GameRun | None:
    """Return the finished run of a folder; None if it has no result yet."""
    folder = RunFolder(record.path.parent)
    if not folder.result_file.exists():
        return None
    compiled = read_own_game(folder.path, record)
    result = folder.result()
    result.verify("iterations", "seconds", "compile_seconds", "total_seconds")
    game = folder.game(record) if compiled.is_partial else compiled
    profile = read_strategy(folder.strategy_file, game)
    return GameRun(
        path=folder.path,
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


def load_unfinished(
    folder: Path,
    request: RunTask[Subject],
    compiled: CompiledGame,
    solver: RestorableWithSnapshot,
    command: str,
) -> GameRun:
    """Return the run at its last checkpoint; `solver` is new, and `command` would continue it."""
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
