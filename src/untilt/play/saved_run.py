"""What playing needs of a run folder: the game, the strategy and what its actions are worth.

Only run.json, game.bin and strategy.bin are read, or frames.bin while a run is not finished: one
that was resumed still has the strategy of its earlier end. A folder may come from a stranger:
nothing in it is executed, and everything is checked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from untilt.errors import FormatError, RunError
from untilt.formats.compiled_game import read_game
from untilt.formats.container import open_container, read_container
from untilt.formats.files import shown
from untilt.formats.frames import KIND as FRAMES
from untilt.formats.run_file import damaged, read_run_file
from untilt.formats.strategy import Values, read_strategy_and_values
from untilt.game.compiled import CompiledGame
from untilt.game.strategy import Profile, infoset_sums, is_behaviour, profile_from_arrays

_SUM_TOLERANCE = 1e-3
"""How far from 1 the probabilities of a frame may sum: they are float32."""
_LARGEST_NUMBER = 1 << 63


@dataclass(frozen=True, eq=False, repr=False)
class SavedRun:
    """A run as it lies in its folder."""

    name: str
    """Short name of the game."""
    title: str
    reference: str | None
    """What resolves to the game again; not to be followed without need, see `root`."""
    parameters: Mapping[str, Any]
    game: CompiledGame
    profile: Profile
    values: Values | None
    """None if they were not saved."""
    is_finished: bool
    """Whether it is the final strategy; False for the last frame of a run under way."""


def read_saved_run(folder: Path) -> SavedRun:
    """Return the run in `folder`, or raise an error of one line that says what is missing."""
    match read_run_file(folder):
        case {"kind": "sweep"}:
            raise RunError(
                f"{shown(folder)} holds charts of many stacks, and one strategy is played at a "
                "time: give a run of `untilt solve pushfold -p stack=10`, say"
            )
        case {
            "game": str() as name,
            "title": str() as title,
            "reference": str() | None as reference,
            "parameters": dict() as parameters,
            "fingerprint": str() as fingerprint,
        }:
            pass
        case _:
            raise damaged(folder)
    if any(
        isinstance(given, int) and abs(given) >= _LARGEST_NUMBER for given in parameters.values()
    ):
        raise damaged(folder, "a parameter is larger than any game's")
    if not (folder / "game.bin").exists():
        raise RunError(
            f"{shown(folder)} holds no game.bin yet: its game is too large to compile and is only "
            "sampled; wait for the end of the run"
        )
    game = read_game(folder / "game.bin")
    if not game.is_partial and game.fingerprint() != fingerprint:
        raise FormatError(f"{shown(folder)}: game.bin and run.json belong to different games")
    profile, values, is_finished = _newest(folder, game)
    return SavedRun(name, title, reference, parameters, game, profile, values, is_finished)


def _newest(folder: Path, game: CompiledGame) -> tuple[Profile, Values | None, bool]:
    """Return the newest strategy, what its actions are worth, and whether it is the final one."""
    strategy, frames = folder / "strategy.bin", folder / "frames.bin"
    is_finished = strategy.exists() and (folder / "result.json").exists()
    if frames.exists() and not is_finished:
        return *_last_frame(frames, game), False
    if not strategy.exists():
        raise RunError(
            f"{shown(folder)} has no strategy yet; wait a moment, or continue it with "
            f"untilt solve --resume {shown(folder)}"
        )
    profile, values = read_strategy_and_values(strategy, game)
    if values is None and frames.exists():  # as in runs of old
        values = _last_frame(frames, game)[1]
    return profile, values, is_finished


def _last_frame(path: Path, game: CompiledGame) -> tuple[Profile, Values]:
    # All of the file is checked, and only its last rows are kept.
    container = read_container(path, FRAMES, wanted=lambda name: False)
    num_sequences = sum(table.num_sequences for table in game.infosets)
    with open_container(path, FRAMES) as opened:
        count, _ = opened.shape("strategy", np.float32, (None, num_sequences))
        opened.shape("action_values", np.float32, (count, num_sequences))
        if not count:
            raise RunError(f"{shown(path.parent)} has no strategy yet; wait a moment")
        everything = slice(0, num_sequences)
        last = opened.read_row("strategy", count - 1, everything).astype(np.float64)
        values = opened.read_row("action_values", count - 1, everything).astype(np.float64)
    split = game.infosets[0].num_sequences
    behaviours = []
    for table, row in zip(game.infosets, (last[:split], last[split:]), strict=True):
        if not is_behaviour(table, row, _SUM_TOLERANCE):
            raise container.error("the probabilities of its last frame do not sum to 1")
        row[1:] /= np.repeat(infoset_sums(table, row), np.diff(table.first_sequence))
        behaviours.append(row)
    profile = profile_from_arrays(game, (behaviours[0], behaviours[1]))
    return profile, (values[:split], values[split:])
