"""A solver that continues from the newest sound checkpoint of a run folder."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from untilt.errors import FormatError
from untilt.formats.base.container import Container
from untilt.formats.run.checkpoint import LoadedCheckpoint, load_checkpoint
from untilt.formats.run.run_file import MAX_ITERATION
from untilt.game.strategy.snapshot import Snapshot
from untilt.runs.task import RunTask, Subject


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
    request: RunTask[Subject],
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
