"""The frames of a run folder: `frames.bin`, and `strategy.bin` as the last one.

The files are mapped for as long as a look takes. Kept open, a large file would count as memory
of the server, and Windows would not let the run replace it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from untilt.dashboard.source import FrameInfo, Row
from untilt.errors import FormatError
from untilt.formats.container import read_container
from untilt.formats.files import shown
from untilt.formats.frames import KIND as FRAMES
from untilt.formats.strategy import KIND as STRATEGY
from untilt.numeric.arrays import Floats, Offsets


class WrittenAnew(FormatError):
    """The file has been replaced since it was opened; whoever asks again gets the new one."""


class FramesFile:
    """`frames.bin` whose checksums were right when it was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        container = read_container(path, FRAMES)
        self.number: Offsets = container.array("index", np.int64, (None,)).copy()
        count = len(self.number)
        self.iteration: Offsets = container.array("iteration", np.int64, (count,)).copy()
        self.seconds: Floats = container.array("seconds", np.float64, (count,)).copy()
        self.num_sequences = container.array("strategy", np.float32, (count, None)).shape[1]
        container.array("action_values", np.float32, (count, self.num_sequences))
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
        strategy, values = self._arrays()
        return strategy[position].copy(), values[position].copy()

    def columns(self, block: slice) -> tuple[Row, Row]:
        """Return [frames, sequences of the block] of both."""
        strategy, values = self._arrays()
        return strategy[:, block].copy(), values[:, block].copy()

    def _arrays(self) -> tuple[Row, Row]:
        """Return both arrays, mapped, of the same frames as when the file was opened."""
        container = read_container(self._path, FRAMES, verify=False)
        arrays = container.arrays
        is_same = (
            arrays["strategy"].shape[1:] == (self.num_sequences,)
            and np.array_equal(arrays["index"], self.number)
            and np.array_equal(arrays["iteration"], self.iteration)
        )
        if not is_same:
            raise WrittenAnew(f"{shown(self._path)} was just written anew; ask again")
        return arrays["strategy"], arrays["action_values"]


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
