"""The frames of a run folder: `frames.bin`, and `strategy.bin` as the last one.

Of `frames.bin` only the rows that are looked at are read: it is too large to be kept in memory. It
is open for as long as a look takes, because Windows would not let the run replace it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from untilt.dashboard.source import FrameInfo, Row
from untilt.errors import FormatError
from untilt.formats.container import open_container, read_container
from untilt.formats.files import shown
from untilt.formats.frames import KIND as FRAMES
from untilt.formats.strategy import KIND as STRATEGY
from untilt.numeric.arrays import Floats, Offsets

_MOMENTS = frozenset({"index", "iteration", "seconds"})
_ROWS = ("strategy", "action_values")


class WrittenAnew(FormatError):
    """The file has been replaced since it was opened; whoever asks again gets the new one."""


class FramesFile:
    """`frames.bin` whose checksums were right when it was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        container = read_container(path, FRAMES, wanted=_MOMENTS.__contains__)
        self.number: Offsets = container.array("index", np.int64, (None,))
        count = len(self.number)
        self.iteration: Offsets = container.array("iteration", np.int64, (count,))
        self.seconds: Floats = container.array("seconds", np.float64, (count,))
        with open_container(path, FRAMES) as opened:
            self.num_sequences = opened.shape("strategy", np.float32, (count, None))[1]
            opened.shape("action_values", np.float32, (count, self.num_sequences))
        is_sound = (
            bool(np.all(self.number[:-1] < self.number[1:]))
            and bool(np.all(self.iteration[:-1] <= self.iteration[1:]))
            and bool(np.all(np.isfinite(self.seconds)))
            and (count == 0 or min(self.number[0], self.iteration[0]) >= 0)
        )
        if not is_sound:
            raise container.error("its moments are out of order")

    def __len__(self) -> int:
        return len(self.number)

    def row(self, position: int) -> tuple[Row, Row]:
        """Return [S] probabilities and action values of one frame."""
        strategy, values = self._parts([position], slice(0, self.num_sequences))
        return strategy[0], values[0]

    def columns(self, block: slice) -> tuple[Row, Row]:
        """Return [frames, sequences of the block] of both."""
        return self._parts(range(len(self)), block)

    def _parts(self, positions: Sequence[int], block: slice) -> tuple[Row, Row]:
        """Return [positions, sequences of the block] of the same frames as when it was opened."""
        with open_container(self._path, FRAMES) as opened:
            shape = (len(self), self.num_sequences)
            try:
                for name in _ROWS:
                    opened.shape(name, np.float32, shape)
                for name in ("index", "iteration"):
                    opened.shape(name, np.int64, shape[:1])
                is_same = np.array_equal(opened.read("index"), self.number) and np.array_equal(
                    opened.read("iteration"), self.iteration
                )
            except FormatError:
                is_same = False
            if not is_same:
                raise WrittenAnew(f"{shown(self._path)} was just written anew; ask again")
            first, second = (
                np.array([opened.read_row(name, position, block) for position in positions])
                for name in _ROWS
            )
            return first, second


class FinalStrategy:
    """`strategy.bin` as one frame; action values are nan if it has none."""

    def __init__(self, path: Path, fingerprint: str, counts: tuple[int, int]) -> None:
        container = read_container(path, STRATEGY)
        if container.meta.get("fingerprint") != fingerprint:
            raise FormatError(f"{shown(path)} is a strategy of another game; solve it again")

        def both(name: str) -> Row:
            rows = [container.array(f"{name}_{p}", np.float64, (counts[p],)) for p in (0, 1)]
            return np.concatenate(rows)

        self.probabilities = both("behaviour")
        if not np.all((self.probabilities >= 0.0) & (self.probabilities <= 1.0)):
            raise container.error("its probabilities are not in [0, 1]")
        has_values = "action_values_0" in container.arrays
        self.values = both("action_values") if has_values else np.full(sum(counts), np.nan)

    @property
    def num_bytes(self) -> int:
        """How much memory it takes."""
        return self.probabilities.nbytes + self.values.nbytes


class RunFrames:
    """The frames of a file, of which the final strategy, if there is one, replaces the end."""

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
        assert self._file is not None, "whoever has infos has frames"
        return self._file.row(position)

    def columns(self, block: slice) -> tuple[Row, Row]:
        """Return [frames, sequences of the block] of both through all frames."""
        width = block.stop - block.start
        empty: Row = np.empty((0, width))
        strategy, values = (empty, empty) if self._file is None else self._file.columns(block)
        if self._final is None:
            return strategy, values
        before = slice(len(self.infos) - 1)
        return (
            np.vstack((strategy[before], self._final.probabilities[block])),
            np.vstack((values[before], self._final.values[block])),
        )
