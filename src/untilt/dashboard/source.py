"""What can be looked at, a run folder or a document, as the endpoints see it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from untilt.dashboard.infoset_table import InfosetTable
from untilt.errors import UntiltError
from untilt.formats.compiled_game import GameFacts
from untilt.formats.run_file import RunRecord
from untilt.game.terms import Terms

T = TypeVar("T")

Json: TypeAlias = dict[str, Any]

Row: TypeAlias = npt.NDArray[np.floating[Any]]
"""[S] one number per sequence of both players, player 0's first."""


class NotAvailable(UntiltError):
    """What was asked for does not exist: no such run, view, frame or infoset."""


@dataclass(frozen=True)
class FrameInfo:
    """When a frame was taken."""

    moment: int
    """Number of the row of the progress that belongs to it."""
    iteration: int
    seconds: float
    beta: float | None

    def to_json(self) -> Json:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Holdings:
    """What a run or document has to show, as far as the headers of its files say."""

    record: RunRecord | None = None
    """What was asked; None for a document and for a run that does not say it."""
    terms: Terms = field(default_factory=Terms)
    game: GameFacts | None = None
    has_rows: bool = False
    """Whether its progress has begun."""
    is_branch: bool = False
    """Whether rows have a beta."""
    has_strategy: bool = False
    """Whether there are frames or a final strategy, with names of the infosets."""
    has_sweep: bool = False


class Frames(Protocol):
    """Strategies and action values of a run at several moments."""

    @property
    def infos(self) -> Sequence[FrameInfo]:
        """When, in the order of the run."""
        ...

    def row(self, position: int) -> tuple[Row, Row]:
        """Return [S] probabilities and [S] action values of one frame; values may be nan."""
        ...

    def columns(self, block: slice) -> tuple[Row, Row]:
        """Return [frames, sequences of the block] of both through all frames."""
        ...


class Source(Protocol):
    """A run or a document. What cannot be read is a FormatError, what is not there NotAvailable."""

    @property
    def id(self) -> str:
        """By which requests name it."""
        ...

    @property
    def name(self) -> str:
        """Path below the served folder, or that of the document."""
        ...

    @property
    def run(self) -> "Run | None":
        """The run with its folder; None for a document."""
        ...

    def summary(self) -> Json:
        """Return its `RunSummary`; damaged files are its problem, not an error."""
        ...

    def asked(self) -> Json:
        """Return options, seed and stop as `RunDetail` has them."""
        ...

    def progress(self, num_points: int) -> Json:
        """Return its `ProgressPage`, thinned to about `num_points` rows."""
        ...

    def table(self) -> InfosetTable:
        """Return the names of its infosets."""
        ...

    def frames(self) -> Frames:
        """Return its frames."""
        ...

    def folds(self) -> list[float]:
        """Return the values of beta at which its branch turns."""
        ...


class Run(Source, Protocol):
    """A run with its folder."""

    def record(self) -> RunRecord:
        """Return what was asked."""
        ...

    def measured(self, info: FrameInfo) -> tuple[float | None, float | None]:
        """Return value and exploitability of a frame; None where they were not measured."""
        ...

    def kept(
        self,
        names: Sequence[str],
        load: Callable[[Path], T],
        *,
        missing: str,
        scale: float = 1.0,
    ) -> T:
        """Return what `load` makes of the run's folder, kept until one of these files changes.

        Without the first file it is NotAvailable, for the reason `missing`; what is made takes
        `scale` times its bytes.
        """
        ...

    def message(self, error: Exception) -> str:
        """Return the error as one line in which files are named by their place in the run."""
        ...


def position_of(frames: Frames, frame: int) -> int:
    """Return the position from 0 of the frame with this number, −1 being the last."""
    count = len(frames.infos)
    if not count:
        raise NotAvailable("this run has no frames yet; wait for its first checkpoint")
    if not -count <= frame < count:
        raise NotAvailable(
            f"frame {frame} does not exist; use 0 to {count - 1}, or -1 for the last"
        )
    return frame % count


def finite(value: float) -> float | None:
    """Return the number as JSON can have it: None for nan and infinities."""
    return value if math.isfinite(value) else None


def finite_list(values: Row) -> list[float | None]:
    """Return the numbers of a row as JSON can have them."""
    return [finite(value) for value in values.tolist()]
