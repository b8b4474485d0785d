"""Loading and continuing runs that are known to be of games."""

from pathlib import Path
from typing import Any

from untilt.runs import loading, solve
from untilt.runs.run import GameRun


def load(folder: str | Path) -> GameRun:
    """Return what `untilt.load` returns."""
    run = loading.load(folder)
    assert isinstance(run, GameRun)
    return run


def resume(folder: str | Path, **asked: Any) -> GameRun:
    """Return what `untilt.resume` returns."""
    run = solve.resume(folder, **asked)
    assert isinstance(run, GameRun)
    return run
