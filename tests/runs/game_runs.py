"""Loading and continuing runs whose kind is known."""

from pathlib import Path
from typing import Any

from untilt.abstraction.blueprint import Blueprint
from untilt.games.holdem.solutions.solution import Solution
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


def load_spot(folder: str | Path) -> Solution:
    """Return what `untilt.load` returns for a spot."""
    found = loading.load(folder)
    assert isinstance(found, Solution)
    return found


def load_blueprint(path: str | Path) -> Blueprint:
    """Return what `untilt.load` returns for a blueprint."""
    found = loading.load(path)
    assert isinstance(found, Blueprint)
    return found
