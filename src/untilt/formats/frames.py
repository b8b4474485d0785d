"""Frames: the strategy and the action values of a run at a bounded number of moments.

A run offers moments number 0, 1, 2, … (log-spaced in iterations, but that is its affair). Kept
are those whose number is a multiple of a stride, a power of two that doubles whenever more than
the bound would be kept. Which frames exist thus depends on the number of the latest moment only,
and a run that was stopped and resumed ends with the same frames as one that was not.

Arrays of n frames and S sequences: index int64[n], iteration int64[n], seconds float64[n],
strategy float32[n, S], action_values float32[n, S].
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.formats.container import Array, checked_array, read_container, write_container
from untilt.formats.files import shown

KIND = "frames"

_MIN_FRAMES = 2
_BYTES_PER_SEQUENCE = 2 * np.dtype(np.float32).itemsize


@dataclass(frozen=True, eq=False)
class Frame:
    """One kept moment; `seconds` as in the progress rows, both rows of length S."""

    index: int
    iteration: int
    seconds: float
    strategy: npt.NDArray[np.float32]
    action_values: npt.NDArray[np.float32]


class Frames:
    """The frames kept so far; at most `capacity`, which is at least two whatever the bounds."""

    def __init__(
        self, num_sequences: int, *, max_frames: int = 256, max_bytes: int = 64 << 20
    ) -> None:
        if num_sequences < 0:
            raise ValueError(f"num_sequences {num_sequences} is negative")
        self.num_sequences = num_sequences
        self.max_frames = max_frames
        self.max_bytes = max_bytes
        by_bytes = max_bytes // (_BYTES_PER_SEQUENCE * max(1, num_sequences))
        self.capacity = max(_MIN_FRAMES, min(max_frames, by_bytes))
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
        """The bounds and the stride, which `from_arrays` needs besides the arrays."""
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
        """Keep the moment number `index` if it is its turn; only then call `row`.

        `row` returns strategy and action values, which are copied to float32. Frames of this or
        a later number, which a resumed run goes through once more, give way to it.
        """
        while self._kept and self._kept[-1].index >= index:
            self._kept.pop()
        if index < 0 or (self._kept and self._kept[-1].iteration > iteration):
            raise ValueError(f"moment {index} at iteration {iteration} is out of order")
        if not np.isfinite(seconds):
            raise ValueError(f"moment {index} at {seconds} seconds")
        # Thinned first: the newest frame itself can fall victim, and is then not computed.
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
            "strategy": np.empty(shape, np.float32),
            "action_values": np.empty(shape, np.float32),
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

        Those beyond `up_to_iteration`, where the checkpoint of a resumed run stands, are left
        out. What does not fit together is a FormatError that names `source`.
        """
        keys = ("num_sequences", "max_frames", "max_bytes", "stride")
        given = [meta.get(key) for key in keys]
        values = [value for value in given if type(value) is int]
        if len(values) < len(keys) or values[0] < 0 or values[3] < 1 or values[3].bit_count() > 1:
            raise FormatError(f"{source} is damaged (its bounds and stride are {given})"[:300])
        num_sequences, max_frames, max_bytes, stride = values
        frames = cls(num_sequences, max_frames=max_frames, max_bytes=max_bytes)
        frames._stride = stride

        index = checked_array(arrays, "index", np.int64, (None,), source=source)
        n = len(index)
        iteration = checked_array(arrays, "iteration", np.int64, (n,), source=source)
        seconds = checked_array(arrays, "seconds", np.float64, (n,), source=source)
        shape = (n, num_sequences)
        strategy = checked_array(arrays, "strategy", np.float32, shape, source=source)
        action_values = checked_array(arrays, "action_values", np.float32, shape, source=source)
        numbers, iterations = index.tolist(), iteration.tolist()
        is_sound = (
            n <= frames.capacity
            and all(number >= 0 and number % stride == 0 for number in numbers)
            and all(a < b for a, b in pairwise(numbers))
            and all(a <= b for a, b in pairwise(iterations))
            and bool(np.all(np.isfinite(seconds)))
        )
        if not is_sound:
            raise FormatError(f"{source} is damaged (its moments are out of order or too many)")
        for position in range(n):
            if up_to_iteration is not None and iterations[position] > up_to_iteration:
                break
            frame = Frame(
                numbers[position],
                iterations[position],
                float(seconds[position]),
                # Copied row by row: a view would keep the whole array alive after thinning.
                strategy[position].copy(),
                action_values[position].copy(),
            )
            frames._kept.append(frame)
        return frames

    def _copied(self, row: Array) -> npt.NDArray[np.float32]:
        if row.shape != (self.num_sequences,):
            raise ValueError(f"a row of shape {row.shape}, expected ({self.num_sequences},)")
        with np.errstate(over="ignore"):  # what float32 cannot hold is shown as infinite
            return np.array(row, np.float32)


def write_frames(path: Path, frames: Frames) -> None:
    """Write all frames atomically."""
    write_container(path, KIND, frames.meta, frames.to_arrays())


def read_frames(path: Path, *, up_to_iteration: int | None = None) -> Frames:
    """Return the frames of a file, without those beyond `up_to_iteration`."""
    container = read_container(path, KIND)
    return Frames.from_arrays(
        container.arrays, container.meta, up_to_iteration=up_to_iteration, source=shown(path)
    )
