"""What playing needs of a run folder: the game, the strategy and what its actions are worth."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilt.errors import RunError
from untilt.formats.files import shown
from untilt.formats.run_folder import RunFolder
from untilt.formats.strategy import Values
from untilt.game.compiled import CompiledGame
from untilt.game.strategy import Profile
from untilt.game.terms import Terms
from untilt.games.recipe import registered_terms


@dataclass(frozen=True, eq=False, repr=False)
class SavedRun:
    """A run as it lies in its folder."""

    name: str
    """Short name of the game."""
    title: str
    reference: str | None
    """What resolves to the game again, see `untilt.games.recipe`."""
    parameters: Mapping[str, Any]
    game: CompiledGame
    profile: Profile
    values: Values | None
    """None if they were not saved."""
    is_finished: bool
    """Whether it is the final strategy; False for the last frame of a run under way."""
    terms: Terms
    """What the game calls its things."""


def read_saved_run(path: Path) -> SavedRun:
    """Return the run in the folder `path`; an error of one line says what is missing."""
    folder = RunFolder(path)
    record = folder.record()
    if record.kind == "sweep":
        raise RunError(
            f"{shown(path)} holds charts of many stacks, and one strategy is played at a "
            "time: give a run of `untilt solve pushfold -p stack=10`, say"
        )
    record.verify("format", "title", "reference", "parameters", "fingerprint")
    if not folder.game_file.exists():
        raise RunError(
            f"{shown(path)} holds no game.bin yet: its game is too large to compile and is only "
            "sampled; wait for the end of the run"
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
    )
