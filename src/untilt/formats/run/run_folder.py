"""The only reader of a run folder: its request, progress and result.

A folder may be written while it is read, may be damaged, and may come from an untrusted source:
nothing in it is executed, everything is checked, and any fault raises a FormatError that names the
file. Each file has its parser in a separate module; this one knows which files belong together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from untilt.errors import FormatError, RunError
from untilt.formats.base.entries import damaged
from untilt.formats.base.files import is_there, shown
from untilt.formats.base.lock import writer_of
from untilt.formats.kinds import strategy_file as strategy
from untilt.formats.kinds import sweep_file as sweep
from untilt.formats.kinds.strategy_file import Values, read_strategy_and_values
from untilt.formats.run import compiled_game, frames, progress, result_file, run_file
from untilt.formats.run.compiled_game import read_game
from untilt.formats.run.frames import FramesFile
from untilt.formats.run.result_file import RunResult, read_result
from untilt.formats.run.run_file import RunRecord, fingerprint_of, kinds_of_runs, read_run_file
from untilt.game.compiled import CompiledGame
from untilt.game.strategy.snapshot import frame_length, parts_of
from untilt.game.strategy.strategy import Profile, infoset_sums, is_behaviour, profile_from_arrays
from untilt.game.terms import Terms

Status: TypeAlias = Literal["running", "finished", "interrupted", "damaged"]

_SUM_TOLERANCE = 1e-3
"""How far from 1 the probabilities of a frame may sum: they are float32."""


class Described(Protocol):
    """The game of a run in words: from run.json, or from the request in this process."""

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
    def terms(self) -> Terms | None:
        """Its words; None in old files."""
        ...

    @property
    def abstraction(self) -> Mapping[str, Any] | None:
        """What an abstract game is made of."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class SavedRun:
    """A run of a game with its newest strategy."""

    asked: Described
    game: CompiledGame
    profile: Profile
    values: Values | None
    """What each action is worth; None if that was not saved."""
    is_finished: bool
    """Whether it is the final strategy; False for the last frame of an unfinished run."""


@dataclass(frozen=True)
class RunFolder:
    """The files of the run in `path`; each is read on demand."""

    path: Path

    @property
    def run_file(self) -> Path:
        """The request."""
        return self.path / run_file.FILE_NAME

    @property
    def game_file(self) -> Path:
        """The compiled game; written at the end by a run that only samples."""
        return self.path / compiled_game.FILE_NAME

    @property
    def progress_file(self) -> Path:
        """Scalars by iteration."""
        return self.path / progress.FILE_NAME

    @property
    def frames_file(self) -> Path:
        """Strategies at several moments."""
        return self.path / frames.FILE_NAME

    @property
    def strategy_file(self) -> Path:
        """The strategy at the end."""
        return self.path / strategy.FILE_NAME

    @property
    def result_file(self) -> Path:
        """The result; a run is finished if it exists."""
        return self.path / result_file.FILE_NAME

    @property
    def sweep_file(self) -> Path:
        """Push/fold charts of many stacks."""
        return self.path / sweep.FILE_NAME

    def status(self) -> Status:
        """Return `running`, `finished` or `interrupted`, whatever the files contain."""
        if is_there(self.result_file):
            return "finished"
        return "running" if writer_of(self.path) is not None else "interrupted"

    def record(self) -> RunRecord:
        """Return the request; raise RunError if there is no run."""
        return read_run_file(self.path)

    def result(self) -> RunResult:
        """Return the result."""
        return read_result(self.result_file)

    def game(self, record: RunRecord) -> CompiledGame:
        """Return the game; raise FormatError unless it is the one that `record` names."""
        game = read_game(self.game_file)
        if record.fingerprint != fingerprint_of(game):
            raise FormatError(
                f"{shown(self.path)}: {self.game_file.name} and {self.run_file.name} belong to "
                "different games"
            )
        # Only runs of two players were ever written without the words of their game.
        seats = 2 if record.terms is None else len(record.terms.seats)
        if seats != game.num_players:
            players = f"{game.num_players} players"
            raise damaged(self.run_file, f"it names {seats} seats, and the game has {players}")
        return game

    def newest(self, record: RunRecord) -> SavedRun:
        """Return the run with its final strategy, or the last frame of an unfinished run.

        A resumed run still has the strategy file of its earlier end; the frame is newer.
        """
        game = self.game(record)
        has_frames, has_strategy = self.frames_file.exists(), self.strategy_file.exists()
        is_final = has_strategy and self.result_file.exists()
        if has_frames and not is_final:
            return SavedRun(record, game, *self._last_frame(game), is_finished=False)
        if not has_strategy:
            command = kinds_of_runs()[record.kind].command
            raise RunError(
                f"{shown(self.path)} has no strategy yet; wait a moment, or continue it with "
                f"untilt {command} --resume {shown(self.path)}"
            )
        profile, values = read_strategy_and_values(self.strategy_file, game)
        if values is None and has_frames:  # the file was written before strategies had values
            _, values = self._last_frame(game)
        return SavedRun(record, game, profile, values, is_final)

    def _last_frame(self, game: CompiledGame) -> tuple[Profile, Values]:
        path = self.frames_file
        file = FramesFile(path)
        if file.num_sequences != frame_length(game.infosets):
            raise FormatError(f"{shown(path)} belongs to another game than {self.game_file.name}")
        if not len(file):
            raise RunError(f"{shown(self.path)} has no strategy yet; wait a moment")
        strategy, values = (row.astype(np.float64) for row in file.row(len(file) - 1))
        parts = parts_of(game.infosets, strategy)
        for table, row in zip(game.infosets, parts, strict=True):
            if not is_behaviour(table, row, _SUM_TOLERANCE):
                raise FormatError(
                    f"{shown(path)} is damaged (the probabilities of its last frame do not sum to "
                    "1); restore it from a copy or create it again"
                )
            row[1:] /= np.repeat(infoset_sums(table, row), np.diff(table.first_sequence))
        profile = profile_from_arrays(game, parts)
        return profile, parts_of(game.infosets, values)
