"""What can be looked at, a run folder or a document, as the endpoints see it."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.dashboard.infoset_table import InfosetTable
from untilt.errors import UntiltError

Json: TypeAlias = dict[str, Any]

Row: TypeAlias = npt.NDArray[np.floating[Any]]
"""[S] one number per sequence of both players, player 0's first."""


class NotOffered(UntiltError):
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
    """A run or a document. What cannot be read is a FormatError, what is not there NotOffered."""

    @property
    def id(self) -> str:
        """By which requests name it."""
        ...

    def summary(self) -> Json:
        """Return its `RunSummary`; never raises for damaged files, it tells them."""
        ...

    def detail(self) -> Json:
        """Return its `RunDetail`."""
        ...

    def progress(self, num_points: int) -> Json:
        """Return its `ProgressPage`, thinned to about so many rows."""
        ...

    def table(self) -> InfosetTable:
        """Return the names of its infosets."""
        ...

    def frames(self) -> Frames:
        """Return its frames."""
        ...

    def push_fold(self, frame: int, stack: float | None) -> Json:
        """Return its `PushFoldChart` at a frame, or at the stack of a sweep in bb."""
        ...

    def play(self, seed: int, hand: int, seat: int, actions: Sequence[str]) -> Json:
        """Return the `PlayState` of a hand after the human's `actions`."""
        ...


def position_of(frames: Frames, frame: int) -> int:
    """Return the position from 0 of the frame with this number, −1 being the last."""
    count = len(frames.infos)
    if not count:
        raise NotOffered("this run has no frames yet; wait for its first checkpoint")
    if not -count <= frame < count:
        raise NotOffered(f"frame {frame} does not exist; use 0 to {count - 1}, or -1 for the last")
    return frame % count


def finite(value: float) -> float | None:
    """Return the number as JSON can have it: None for nan and infinities."""
    return value if math.isfinite(value) else None


def finite_list(values: Row) -> list[float | None]:
    """Return the numbers of a row as JSON can have them."""
    return [finite(value) for value in values.tolist()]
