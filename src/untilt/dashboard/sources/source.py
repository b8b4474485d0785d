"""A run folder as the endpoints see it: what it holds, and its frames, the final strategy last."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.errors import UntiltError
from untilt.formats.kinds.strategy_file import StoredStrategy
from untilt.formats.run.compiled_game import GameFacts
from untilt.formats.run.frames import FramesFile
from untilt.formats.run.run_file import RunRecord
from untilt.game.terms import Terms
from untilt.number import finite

Json: TypeAlias = dict[str, Any]

Row: TypeAlias = npt.NDArray[np.floating[Any]]
"""[S] one number per sequence of both players, player 0's first."""


class NotAvailable(UntiltError):
    """The requested run, view, frame or infoset does not exist."""


@dataclass(frozen=True)
class FrameInfo:
    """The moment at which a frame was taken."""

    moment: int
    """Number of its row in the progress."""
    iteration: int
    seconds: float
    beta: float | None

    def to_json(self) -> Json:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Holdings:
    """The contents of a run, according to the headers of its files."""

    record: RunRecord | None = None
    """The content of `run.json`; None if it is missing."""
    terms: Terms = field(default_factory=Terms)
    game: GameFacts | None = None
    has_rows: bool = False
    """Whether its progress has any rows."""
    is_branch: bool = False
    """Whether rows have a beta."""
    has_strategy: bool = False
    """Whether there are frames or a final strategy, with the names of the infosets."""
    has_sweep: bool = False
    has_solution: bool = False
    """Whether it has the solution of a spot."""
    has_blueprint: bool = False


_MAX_PROBABILITY = 1.0 + 1e-6
"""1, and what rounding adds."""


class FinalStrategy:
    """A final strategy as one frame; action values are nan if it has none."""

    def __init__(self, stored: StoredStrategy) -> None:
        self.probabilities: Row = np.concatenate(stored.behaviours)
        self.values: Row = (
            np.full_like(self.probabilities, np.nan)
            if stored.values is None
            else np.concatenate(stored.values)
        )

    @property
    def num_bytes(self) -> int:
        """Memory that it takes."""
        return self.probabilities.nbytes + self.values.nbytes


class RunFrames:
    """The frames of a file, and after them the final strategy, if there is one."""

    def __init__(
        self, infos: Sequence[FrameInfo], file: FramesFile | None, final: FinalStrategy | None
    ) -> None:
        self.infos = infos
        self._file = file
        self._final = final

    def row(self, position: int) -> tuple[Row, Row]:
        """Return [S] probabilities and action values of one frame."""
        if self._final is not None and position == len(self.infos) - 1:
            return self._final.probabilities, self._final.values
        assert self._file is not None, "only a file or a final strategy has infos"
        strategy, values = self._file.row(position)
        return _known(strategy), values

    def columns(self, block: slice) -> tuple[Row, Row]:
        """Return probabilities and action values, [frames, sequences of the block]."""
        width = block.stop - block.start
        empty: Row = np.empty((0, width))
        strategy, values = (empty, empty) if self._file is None else self._file.columns(block)
        if self._final is None:
            return _known(strategy), values
        before = slice(len(self.infos) - 1)
        return (
            np.vstack((_known(strategy[before]), self._final.probabilities[block])),
            np.vstack((values[before], self._final.values[block])),
        )


def _known(strategy: Row) -> Row:
    """Return probabilities with nan for what cannot be one: frames hold whatever a file says."""
    return np.where((strategy >= 0.0) & (strategy <= _MAX_PROBABILITY), strategy, np.nan)


def position_of(frames: RunFrames, frame: int) -> int:
    """Return the position of a frame, at least 0, from its number; −1 is the last frame."""
    count = len(frames.infos)
    if not count:
        raise NotAvailable("this run has no frames yet; wait for its first checkpoint")
    if not -count <= frame < count:
        raise NotAvailable(
            f"frame {frame} does not exist; use 0 to {count - 1}, or -1 for the last"
        )
    return frame % count


def finite_list(values: Row) -> list[float | None]:
    """Return the numbers of a row in a form that JSON can hold."""
    return [finite(value) for value in values.tolist()]
