"""The run of a game that is to be played, saved or not; other kinds of runs are refused."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from untilt.errors import RunError
from untilt.formats.base.files import shown
from untilt.formats.run.run_file import kinds_of_runs
from untilt.formats.run.run_folder import Described, RunFolder, SavedRun
from untilt.game.compiled import CompiledGame
from untilt.game.strategy.strategy import Profile
from untilt.game.terms import Terms
from untilt.games.recipe import registered_terms


@runtime_checkable
class Solved(Protocol):
    """A run in memory, see `untilt.solve`."""

    @property
    def request(self) -> Described:
        """What was asked for."""
        ...

    @property
    def game(self) -> CompiledGame:
        """The game."""
        ...

    @property
    def profile(self) -> Profile:
        """The strategy."""
        ...

    @property
    def is_finished(self) -> bool:
        """Whether the strategy is final."""
        ...


SPOT_KIND = "spot"
"""`kind` in the run.json of a solved spot."""


def run_in_memory(run: Solved) -> SavedRun:
    """Return a run that need not have been saved, as if it were loaded; without values."""
    return SavedRun(run.request, run.game, run.profile, None, run.is_finished)


def read_saved_run(path: Path) -> SavedRun:
    """Return the run in the folder `path`; raise RunError if something is missing."""
    folder = RunFolder(path)
    record = folder.record()
    kind = kinds_of_runs()[record.kind]
    if not kind.is_of_game:
        raise RunError(f"{shown(path)} {kind.played_otherwise(path)}")
    record.verify("format", "title", "reference", "parameters", "fingerprint")
    if not folder.game_file.exists():
        raise RunError(
            f"{shown(path)} has no game.bin yet: its game is too large to compile and is only "
            "sampled; wait for the run to end"
        )
    return folder.newest(record)


def terms_of_run(asked: Described) -> Terms:
    """Return the terms of a run's game; the registered ones if the run is older than terms."""
    # A sweep has no reference: its game is the registered one of that name.
    return asked.terms or registered_terms(asked.reference or asked.game)
