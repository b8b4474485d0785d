"""Frames: the strategy and the action values of a run at a bounded number of moments.

A run offers moments 0, 1, 2, … (log-spaced in iterations, which does not matter here). Moments
whose number is a multiple of the stride are kept; the stride is a power of two that doubles
whenever more than the bound would be kept. Which frames exist therefore depends only on the number
of the latest moment, and a run that was stopped and resumed ends with the same frames as one that
was not.

Arrays of n frames and S sequences: index int64[n], iteration int64[n], seconds float64[n],
strategy float32[n, S], action_values float32[n, S].
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.formats.base.container import (
    Array,
    checked_array,
    open_container,
    read_container,
    write_container,
)
from untilt.formats.base.files import shown
from untilt.game.strategy.snapshot import FRAME_DTYPE, frames_within
from untilt.numeric.arrays import Floats, Offsets

KIND = "frames"
FILE_NAME = "frames.bin"

_MIN_FRAMES = 2
_ROWS = ("strategy", "action_values")

FloatRows: TypeAlias = npt.NDArray[np.float32]
"""Numbers per sequence of both players, player 0's first."""


class FileReplaced(FormatError):
    """The file has been replaced since it was opened; ask again to get the new one."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One kept moment; `seconds` as in the progress rows, both rows of length S."""

    index: int
    iteration: int
    seconds: float
    strategy: npt.NDArray[np.float32]
    action_values: npt.NDArray[np.float32]


class Frames:
    """The frames kept so far: at most `capacity`, which is at least two whatever the bounds."""

    def __init__(
        self, num_sequences: int, *, max_frames: int = 256, max_bytes: int = 64 << 20
    ) -> None:
        if num_sequences < 0:
            raise ValueError(f"num_sequences {num_sequences} is negative")
        self.num_sequences = num_sequences
        self.max_frames = max_frames
        self.max_bytes = max_bytes
        self.capacity = _capacity(num_sequences, max_frames, max_bytes)
        self._stride = 1
        self._kept: list[Frame] = []

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, position: int) -> Frame:
        return self._kept[position]

    @property
    def stride(self) -> int:
        """Moments whose number is a multiple of this power of two are kept."""
        return self._stride

    @property
    def meta(self) -> dict[str, Any]:
        """The bounds and the stride, which `from_arrays` needs in addition to the arrays."""
        return {
            "num_sequences": self.num_sequences,
            "max_frames": self.max_frames,
            "max_bytes": self.max_bytes,
            "stride": self._stride,
        }

    def offer(
        self,
        index: int,
        iteration: int,
        seconds: float,
        row: Callable[[], tuple[Array, Array]],
    ) -> None:
        """Keep moment `index` if its frame is due; `row` is called only then.

        `row` returns strategy and action values, which are copied to float32. Frames with this or
        a later number, which a resumed run repeats, are replaced.
        """
        while self._kept and self._kept[-1].index >= index:
            self._kept.pop()
        if index < 0 or (self._kept and self._kept[-1].iteration > iteration):
            raise ValueError(f"moment {index} at iteration {iteration} is out of order")
        if not np.isfinite(seconds):
            raise ValueError(f"moment {index} at {seconds} seconds")
        # Thinned first: the newest frame itself may be dropped, and is then not computed.
        stride = self._stride
        while index // stride + 1 > self.capacity:
            stride *= 2
        if stride > self._stride:
            # In this order: interrupted between the two, the frames still fit their stride.
            self._kept = [frame for frame in self._kept if frame.index % stride == 0]
            self._stride = stride
        if index % self._stride == 0:
            strategy, action_values = row()
            frame = Frame(
                index, iteration, seconds, self._copied(strategy), self._copied(action_values)
            )
            self._kept.append(frame)

    def to_arrays(self) -> dict[str, Array]:
        """Return the arrays named at the top of the module."""
        shape = (len(self._kept), self.num_sequences)
        arrays: dict[str, Array] = {
            "index": np.array([frame.index for frame in self._kept], np.int64),
            "iteration": np.array([frame.iteration for frame in self._kept], np.int64),
            "seconds": np.array([frame.seconds for frame in self._kept], np.float64),
            "strategy": np.empty(shape, FRAME_DTYPE),
            "action_values": np.empty(shape, FRAME_DTYPE),
        }
        for position, frame in enumerate(self._kept):
            arrays["strategy"][position] = frame.strategy
            arrays["action_values"][position] = frame.action_values
        return arrays

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, Array],
        meta: Mapping[str, Any],
        *,
        up_to_iteration: int | None = None,
        source: str = "frames",
    ) -> "Frames":
        """Return the frames that `to_arrays` and `meta` describe, as copies.

        Those beyond `up_to_iteration`, the checkpoint of a resumed run, are left out. Raises a
        FormatError that names `source` if they are inconsistent.
        """
        moments = _checked_moments(meta, partial(checked_array, arrays, source=source), source)
        frames = cls(
            moments.num_sequences, max_frames=moments.max_frames, max_bytes=moments.max_bytes
        )
        frames._stride = moments.stride
        shape = (len(moments.number), moments.num_sequences)
        strategy, action_values = (
            checked_array(arrays, name, FRAME_DTYPE, shape, source=source) for name in _ROWS
        )
        iterations = moments.iteration.tolist()
        for position, number in enumerate(moments.number.tolist()):
            if up_to_iteration is not None and iterations[position] > up_to_iteration:
                break
            frame = Frame(
                number,
                iterations[position],
                float(moments.seconds[position]),
                # Copied row by row: a view would keep the whole array alive after thinning.
                strategy[position].copy(),
                action_values[position].copy(),
            )
            frames._kept.append(frame)
        return frames

    def _copied(self, row: Array) -> npt.NDArray[np.float32]:
        if row.shape != (self.num_sequences,):
            raise ValueError(f"a row of shape {row.shape}, expected ({self.num_sequences},)")
        with np.errstate(over="ignore"):  # numbers too large for float32 become infinite
            return np.array(row, FRAME_DTYPE)


def write_frames(path: Path, frames: Frames) -> None:
    """Write all frames atomically."""
    write_container(path, KIND, frames.meta, frames.to_arrays())


def read_frames(path: Path, *, up_to_iteration: int | None = None) -> Frames:
    """Return the frames of a file, without those beyond `up_to_iteration`."""
    container = read_container(path, KIND)
    return Frames.from_arrays(
        container.arrays, container.meta, up_to_iteration=up_to_iteration, source=shown(path)
    )


class FramesFile:
    """`frames.bin`, whose checksums were right when it was opened.

    Rows are read on demand: all of them are too many to keep in memory. The file is open only
    while it is read, because Windows does not let a run replace an open file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        container = read_container(path, KIND, wanted=lambda name: name not in _ROWS)
        moments = _checked_moments(container.meta, container.array, shown(path))
        self.number = moments.number
        """[n] the number of the moment of each frame."""
        self.iteration = moments.iteration
        self.seconds = moments.seconds
        self.num_sequences = moments.num_sequences
        with open_container(path, KIND) as opened:
            for name in _ROWS:
                opened.shape(name, FRAME_DTYPE, (len(self), self.num_sequences))

    def __len__(self) -> int:
        return len(self.number)

    def row(self, position: int) -> tuple[FloatRows, FloatRows]:
        """Return [S] probabilities and action values of one frame."""
        strategy, values = self._parts([position], slice(0, self.num_sequences))
        return strategy[0], values[0]

    def columns(self, block: slice) -> tuple[FloatRows, FloatRows]:
        """Return [frames, sequences of the block] of both."""
        return self._parts(range(len(self)), block)

    def _parts(self, positions: Sequence[int], block: slice) -> tuple[FloatRows, FloatRows]:
        """Return [positions, sequences of the block] of the same frames as when it was opened."""
        with open_container(self._path, KIND) as opened:
            shape = (len(self), self.num_sequences)
            try:
                for name in _ROWS:
                    opened.shape(name, FRAME_DTYPE, shape)
                for name in ("index", "iteration"):
                    opened.shape(name, np.int64, shape[:1])
                is_same = np.array_equal(opened.read("index"), self.number) and np.array_equal(
                    opened.read("iteration"), self.iteration
                )
            except FormatError:
                is_same = False
            if not is_same:
                raise FileReplaced(f"{shown(self._path)} has just been replaced; ask again")
            first, second = (
                np.array([opened.read_row(name, position, block) for position in positions])
                for name in _ROWS
            )
            return first, second


@dataclass(frozen=True, eq=False)
class _Moments:
    """The moments of the frames of a file, [n] each, and the bounds that they respect."""

    number: Offsets
    iteration: Offsets
    seconds: Floats
    num_sequences: int
    max_frames: int
    max_bytes: int
    stride: int


def _checked_moments(
    meta: Mapping[str, Any],
    array: Callable[[str, type[np.generic], tuple[int | None, ...]], Array],
    source: str,
) -> _Moments:
    """Return the moments of a file; FormatError, naming `source`, unless they fit its bounds."""
    keys = ("num_sequences", "max_frames", "max_bytes", "stride")
    given = [meta.get(key) for key in keys]
    values = [value for value in given if type(value) is int]
    if len(values) < len(keys) or values[0] < 0 or values[3] < 1 or values[3].bit_count() > 1:
        raise FormatError(f"{source} is damaged (its bounds and stride are {given})"[:300])
    number = array("index", np.int64, (None,))
    n = len(number)
    iteration = array("iteration", np.int64, (n,))
    seconds = array("seconds", np.float64, (n,))
    *bounds, stride = values
    is_sound = (
        n <= _capacity(*bounds)
        # In Python integers, because a stride may be too large for NumPy.
        and all(each >= 0 and each % stride == 0 for each in number.tolist())
        and bool(np.all(number[:-1] < number[1:]))
        and bool(np.all(iteration[:-1] <= iteration[1:]))
        and bool(np.all(np.isfinite(seconds)))
    )
    if not is_sound:
        raise FormatError(f"{source} is damaged (its moments are out of order or too many)")
    return _Moments(number, iteration, seconds, *values)


def _capacity(num_sequences: int, max_frames: int, max_bytes: int) -> int:
    return max(_MIN_FRAMES, min(max_frames, frames_within(max_bytes, num_sequences)))
