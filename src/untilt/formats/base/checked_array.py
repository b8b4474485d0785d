"""Large arrays of files that are mapped into memory and checked where they are used.

When a block is first used, its checksum is compared and its numbers must be possible ones: a file
may be forged. So a file of any size opens in milliseconds, and no number is used unchecked.
"""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from untilt.errors import FormatError
from untilt.formats.base.container import Array, Container
from untilt.formats.base.files import shown

BLOCK_BYTES = 1 << 18
"""Bytes of an array that share a checksum."""


IsPossible: TypeAlias = Callable[[Array, int, int], bool]
"""Whether the numbers [start, stop) of an array can have been written by us."""


class CheckedArray:
    """An array of a file in memory, whose blocks are checked on first use.

    It can be sliced, and has the length and dtype of the array.
    """

    def __init__(
        self,
        path: Path,
        array: Array,
        checksums: Array,
        remedy: str,
        is_possible: IsPossible,
    ) -> None:
        self.path = path
        self._remedy = remedy
        self.dtype = array.dtype
        self._array = array
        self._bytes = array.view(np.uint8)
        self._checksums = checksums
        self._is_possible = is_possible
        self._is_checked = np.zeros(len(checksums), np.bool_)

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, part: slice) -> Array:
        start, stop, step = part.indices(len(self._array))
        if step != 1:
            raise IndexError("parts of a stored table are without steps")
        size = self.dtype.itemsize
        for block in range(start * size // BLOCK_BYTES, -(-stop * size // BLOCK_BYTES)):
            if not self._is_checked[block]:
                self._check(block)
        return self._array[start:stop]

    def _check(self, block: int) -> None:
        data = self._bytes[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES]
        if zlib.crc32(data.data) != self._checksums[block]:
            raise self._error("a checksum of its tables differs")
        start, stop = (end * BLOCK_BYTES // self.dtype.itemsize for end in (block, block + 1))
        if not self._is_possible(self._array, start, min(stop, len(self._array))):
            raise self._error("its tables hold impossible numbers")
        self._is_checked[block] = True

    def _error(self, what: str) -> FormatError:
        return FormatError(
            f"{shown(self.path)} is damaged ({what}); restore it from a copy, or {self._remedy}"
        )


def checked_map(
    container: Container, name: str, mapped: Array, remedy: str, is_possible: IsPossible
) -> CheckedArray:
    """Return a mapped array with the checksums of its blocks, which are the array `name`.crc32.

    `remedy` completes "restore it from a copy, or …" if the file is damaged.
    """
    count = -(-mapped.nbytes // BLOCK_BYTES)
    checksums = container.array(f"{name}.crc32", np.uint32, (count,))
    return CheckedArray(container.path, mapped, checksums, remedy, is_possible)


def within(low: float, high: float) -> IsPossible:
    """Return the check that all numbers are in [low, high], which nan is not."""

    def is_possible(array: Array, start: int, stop: int) -> bool:
        part = array[start:stop]
        return not len(part) or bool(low <= part.min() and part.max() <= high)

    return is_possible


def block_checksums(array: Array) -> Array:
    """Return the CRC-32 of each block of an array."""
    data = np.ascontiguousarray(array).view(np.uint8)
    starts = range(0, len(data), BLOCK_BYTES)
    return np.array(
        [zlib.crc32(data[start : start + BLOCK_BYTES].data) for start in starts], np.uint32
    )
