"""What playing needs from a run, saved or not: the game, the strategy and the action values."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from untilt.errors import RunError
from untilt.formats.files import shown
from untilt.formats.run_file import kinds_of_runs
from untilt.formats.run_folder import RunFolder
from untilt.formats.strategy import Values
from untilt.game.compiled import CompiledGame
from untilt.game.strategy import Profile
from untilt.game.terms import Terms
from untilt.games.recipe import registered_terms


class Described(Protocol):
    """What is known of the game of a run that was made in this process."""

    @property
    def game(self) -> str:
        """Its short name."""
        ...

    @property
    def title(self) -> str:
        """The game in words."""
        ...

    @property
    def reference(self) -> str | None:
        """What resolves to it."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters."""
        ...

    @property
    def terms(self) -> Terms:
        """Its words."""
        ...

    @property
    def abstraction(self) -> Mapping[str, Any] | None:
        """What an abstract game is made of."""
        ...


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


@dataclass(frozen=True, eq=False, repr=False)
class SavedRun:
    """A run, as it is loaded from its folder."""

    name: str
    """Short name of the game."""
    title: str
    reference: str | None
    """The reference that resolves to the game, see `untilt.games.recipe`."""
    parameters: Mapping[str, Any]
    game: CompiledGame
    profile: Profile
    values: Values | None
    """None if they were not saved."""
    is_finished: bool
    """Whether it is the final strategy; False for the last frame of an unfinished run."""
    terms: Terms
    """The game's words for its unit, its seats and what players hold."""
    abstraction: Mapping[str, Any] | None = None
    """What an abstract game is made of, with its fingerprint; None for any other game."""


def run_in_memory(run: Solved) -> SavedRun:
    """Return a run that need not have been saved, as if it were loaded; without values."""
    known = run.request
    named = known.game, known.title, known.reference, known.parameters
    found = run.game, run.profile, None, run.is_finished
    return SavedRun(*named, *found, known.terms, known.abstraction)


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
    game = folder.game(record)
    newest = folder.newest_strategy(game)
    return SavedRun(
        record.game,
        record.title,
        record.reference,
        record.parameters,
        game,
        newest.profile,
        newest.values,
        newest.is_final,
        record.terms or registered_terms(record.reference),
        record.abstraction,
    )
