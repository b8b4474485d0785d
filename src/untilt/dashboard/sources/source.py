"""What a run folder holds, and its frames, as the endpoints see them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.errors import UntiltError
from untilt.formats.run.compiled_game import GameFacts
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
    """When a frame was taken."""

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


class FrameSource(Protocol):
    """Strategies and action values of a run at several moments."""

    @property
    def infos(self) -> Sequence[FrameInfo]:
        """When each frame was taken, in order."""
        ...

    def row(self, position: int) -> tuple[Row, Row]:
        """Return [S] probabilities and [S] action values of one frame; values may be nan."""
        ...

    def columns(self, block: slice) -> tuple[Row, Row]:
        """Return probabilities and action values, [frames, sequences of the block]."""
        ...


def position_of(frames: FrameSource, frame: int) -> int:
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
