"""Messages in memory that two processes on one machine share.

Ray copies a message several times on its way, which takes milliseconds per megabyte. On the
driver's machine only the small part of a message is sent; its arrays are in a *segment*, anonymous
memory of the driver that workers open through /proc. A segment has no name in any folder, so
nothing is left behind if a process is killed. Where segments cannot be used (on another machine, by
another user, in another container, without Linux), messages are sent whole.
"""

import mmap
import os
import pickle
from itertools import accumulate
from pathlib import Path
from secrets import token_bytes
from typing import Any, NamedTuple
from weakref import finalize

_TOKEN_BYTES = 64
"""Before the content: a random number by which the right segment is recognized."""
_ALIGNED = 64
LARGEST = 64 << 20
"""Larger messages are sent whole: they are rare, and not worth keeping memory for."""
_MOST_MAPPED = 8


def can_make_segments() -> bool:
    """Whether this system supports segments."""
    return hasattr(os, "memfd_create")


class SegmentPlace(NamedTuple):
    """The place of a segment, for another process."""

    path: str
    token: bytes


class Packed(NamedTuple):
    """A message whose buffers are in a segment."""

    head: bytes
    """The message pickled, without its buffers."""
    place: SegmentPlace
    buffers: tuple[tuple[int, int], ...]
    """Where each begins, and its size."""


class Segment:
    """Memory of this process that others may open; written by one of them at a time."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.num_open = 0
        """Calls that have not been answered, and so may still read or write here."""
        file = os.memfd_create("untilt-messages")
        finalize(self, os.close, file)  # the memory is freed when no process has it open
        os.ftruncate(file, _TOKEN_BYTES + size)
        self._memory = mmap.mmap(file, _TOKEN_BYTES + size)
        token = token_bytes(_TOKEN_BYTES)
        self._memory[:_TOKEN_BYTES] = token
        self.place = SegmentPlace(f"/proc/{os.getpid()}/fd/{file}", token)

    def pack(self, parts: "Parts") -> Packed | None:
        """Return a message with its buffers here; None if they do not fit."""
        return parts.packed_in(self.place, self._memory)

    def unpack(self, packed: Packed) -> Any:
        """Return a message that another process has put here; its arrays are read-only views."""
        return _loaded(packed, self._memory)


class Segments:
    """Segments of another process, opened when they are needed."""

    def __init__(self) -> None:
        self._mapped: dict[bytes, mmap.mmap] = {}

    def can_open(self, place: SegmentPlace) -> bool:
        """Whether the segment at `place` belongs to a process on this machine."""
        try:
            self._open(place)
        except (OSError, ValueError):
            return False
        return True

    def unpack(self, packed: Packed) -> Any:
        """Return a message; its arrays are read-only views."""
        return _loaded(packed, self._open(packed.place))

    def pack(self, parts: "Parts", place: SegmentPlace) -> Packed | None:
        """Return a message with its buffers at `place`; None if they do not fit."""
        return parts.packed_in(place, self._open(place))

    def _open(self, place: SegmentPlace) -> mmap.mmap:
        found = self._mapped.get(place.token)
        if found is None:
            with Path(place.path).open("r+b") as file:
                found = mmap.mmap(file.fileno(), 0)
            if found[:_TOKEN_BYTES] != place.token:
                raise ValueError(f"{place.path} is not the segment that was meant")
            while len(self._mapped) >= _MOST_MAPPED:
                del self._mapped[next(iter(self._mapped))]
            self._mapped[place.token] = found
        return found


class Parts:
    """A message taken apart: what is pickled, and the buffers of its arrays."""

    def __init__(self, message: Any) -> None:
        buffers: list[pickle.PickleBuffer] = []
        self._head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
        self._views = [buffer.raw() for buffer in buffers]
        aligned = [-(-len(view) // _ALIGNED) * _ALIGNED for view in self._views]
        *self._begins, self._end = accumulate(aligned, initial=_TOKEN_BYTES)

    @property
    def num_bytes(self) -> int:
        """The size of a segment that has room for the buffers."""
        return self._end - _TOKEN_BYTES

    def packed_in(self, place: SegmentPlace, memory: mmap.mmap) -> Packed | None:
        """Copy the buffers to the memory at `place`; None if they do not fit."""
        if self._end > len(memory):
            return None
        target = memoryview(memory)
        for view, begin in zip(self._views, self._begins, strict=True):
            target[begin : begin + len(view)] = view
        sizes = map(len, self._views)
        return Packed(self._head, place, tuple(zip(self._begins, sizes, strict=True)))


def _loaded(packed: Packed, memory: mmap.mmap) -> Any:
    view = memoryview(memory).toreadonly()
    buffers = [view[begin : begin + size] for begin, size in packed.buffers]
    return pickle.loads(packed.head, buffers=buffers)
