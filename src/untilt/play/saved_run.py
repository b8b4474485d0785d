"""What playing needs of a run folder: the game, the strategy and what its actions are worth.

Only run.json, game.bin and strategy.bin are read, or frames.bin while a run is not finished. A
folder may come from a stranger: nothing in it is executed, and everything is checked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from untilt.errors import FormatError, RunError
from untilt.formats.compiled_game import read_game
from untilt.formats.container import read_container
from untilt.formats.files import shown
from untilt.formats.frames import KIND as FRAMES
from untilt.formats.run_file import damaged, read_run_file
from untilt.formats.strategy import read_action_values, read_strategy
from untilt.game.compiled import CompiledGame
from untilt.game.infosets import Infosets
from untilt.game.strategy import Profile, profile_from_arrays
from untilt.numeric.arrays import Floats

_SUM_TOLERANCE = 1e-3
"""How far from 1 the probabilities of a frame may sum: they are float32."""

Values = tuple[Floats, Floats]
"""Per player and sequence, in chips: what an action is worth; nan where nobody knows."""


@dataclass(frozen=True, eq=False)
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
    if not (folder / "game.bin").exists():
        raise RunError(
            f"{shown(folder)} holds no game.bin yet: its game is too large to compile and is only "
            "sampled; wait for the end of the run"
        )
    game = read_game(folder / "game.bin")
    if not game.is_partial and game.fingerprint() != fingerprint:
        raise FormatError(f"{shown(folder)}: game.bin and run.json belong to different games")
    strategy = folder / "strategy.bin"
    is_finished = strategy.exists()
    if is_finished:
        profile = read_strategy(strategy, game)
        values = read_action_values(strategy, game) or _values_of_last_frame(folder, game)
    else:
        profile, values = _last_frame(folder, game)
    return SavedRun(name, title, reference, parameters, game, profile, values, is_finished)


def _values_of_last_frame(folder: Path, game: CompiledGame) -> Values | None:
    """Return the values that a finished run kept in its frames only, as old ones did."""
    return _last_frame(folder, game)[1] if (folder / "frames.bin").exists() else None


def _last_frame(folder: Path, game: CompiledGame) -> tuple[Profile, Values]:
    path = folder / "frames.bin"
    if not path.exists():
        raise RunError(
            f"{shown(folder)} has no strategy yet; wait a moment, or continue it with "
            f"untilt solve --resume {shown(folder)}"
        )
    container = read_container(path, FRAMES)
    num_sequences = sum(table.num_sequences for table in game.infosets)
    strategies = container.array("strategy", np.float32, (None, num_sequences))
    action_values = container.array("action_values", np.float32, (len(strategies), num_sequences))
    if not len(strategies):
        raise RunError(f"{shown(folder)} has no strategy yet; wait a moment")
    # The file is mapped; what is kept must be a copy.
    split = game.infosets[0].num_sequences
    last = strategies[-1].astype(np.float64)
    behaviours = []
    for table, row in zip(game.infosets, (last[:split], last[split:]), strict=True):
        if not _is_behaviour(table, row):
            raise container.error("the probabilities of its last frame do not sum to 1")
        behaviours.append(_normalised(table, row))
    values = action_values[-1].astype(np.float64)
    profile = profile_from_arrays(game, (behaviours[0], behaviours[1]))
    return profile, (values[:split], values[split:])


def _is_behaviour(table: Infosets, row: Floats) -> bool:
    if not (row[0] == 1.0 and np.all(row >= 0.0)):  # false for nan too
        return False
    return bool(np.all(np.abs(_sums(table, row) - 1.0) <= _SUM_TOLERANCE))


def _normalised(table: Infosets, row: Floats) -> Floats:
    scaled = row.copy()
    scaled[1:] /= np.repeat(_sums(table, row), np.diff(table.first_sequence))
    return scaled


def _sums(table: Infosets, row: Floats) -> Floats:
    """Return [infosets] the sum of each one's probabilities."""
    if not len(table):
        return np.empty(0)
    sums: Floats = np.add.reduceat(row, table.first_sequence[:-1])
    return sums
