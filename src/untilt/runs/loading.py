"""Loading runs from their folders, finished or not."""

from pathlib import Path
from typing import Any

from untilt.errors import RunError
from untilt.formats.base.files import path_of, shown
from untilt.formats.kinds.blueprint_path import is_blueprint
from untilt.formats.run.run_folder import RunFolder
from untilt.result import Run
from untilt.runs.kinds import KINDS
from untilt.runs.run import GameRun
from untilt.runs.watching import Watcher, report_nothing, verified


def load(path: str | Path, *, watcher: Watcher | None = None) -> Run[Any]:
    """Return the run in the folder `path`: a `GameRun`, a spot's `Solution`, or a `Blueprint`.

    The folder of `untilt chart --sweep` gives a run whose `result` is a `PushFoldSweep`. An
    interrupted run has the strategy of its last checkpoint. The file of a blueprint without its
    run folder can be given, too. `watcher` is called before something that takes seconds.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=10, output="kuhn-to-load")
    >>> untilt.load("kuhn-to-load") == run
    True
    """
    watch = verified(watcher)
    folder = path_of(path)
    if not folder.is_dir() and is_blueprint(folder):
        from untilt.abstraction.blueprint import Blueprint

        return Blueprint(folder)
    record = RunFolder(folder).record()
    return KINDS[record.kind].load(record, watch)


def load_run(folder: Path) -> GameRun:
    """Return the run of a game in a folder, finished or not."""
    record = RunFolder(folder).record()
    kind = KINDS[record.kind]
    if not kind.is_of_game:
        raise RunError(
            f"{shown(folder)} holds {kind.noun}, not a run of a game; {kind.advice(folder)}"
        )
    run = kind.load(record, report_nothing)
    assert isinstance(run, GameRun)
    return run
