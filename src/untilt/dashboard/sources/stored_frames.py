"""The frames of a run: the frames in `frames.bin`, and `strategy.bin` as the last one."""

from collections.abc import Sequence

import numpy as np

from untilt.dashboard.sources.source import FrameInfo, Row
from untilt.formats.kinds.strategy_file import StoredStrategy
from untilt.formats.run.frames import FramesFile

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
