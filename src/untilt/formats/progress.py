"""The append-only log of a run's scalars, `progress.jsonl`.

One JSON object per line: a row with an integer `iteration`, or an event. The file only grows, so a
reader can use byte offsets as positions. A killed run may have logged more than its last
checkpoint includes; when it is resumed at iteration n it appends

    {"event": "resumed", "iteration": n}

and readers drop the earlier rows beyond n.
"""

import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np

from untilt.errors import FormatError
from untilt.formats.files import (
    descriptor_of,
    json_bytes,
    open_own,
    storage_error,
    unreadable,
)
from untilt.formats.progress_lines import valid_rows

FILE_NAME = "progress.jsonl"

FLUSH_SECONDS = 0.05

_FIRST_TAIL = 4 << 10
_LONGEST_TAIL = 1 << 20


class ProgressLog:
    """A progress file open for appending, created if it is missing.

    Rows are collected and written together: by the first call at least 50 ms after the last
    write, and by `flush` and `close`. A full disk raises StorageError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pending = bytearray()
        self._last_flush = -math.inf
        try:
            # Unbuffered, so that one flush is one write and other processes see whole lines.
            descriptor = descriptor_of(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            self._file = os.fdopen(descriptor, "ab", buffering=0)
        except OSError as error:
            raise storage_error(path, error) from error
        try:
            if not _ends_with_newline(descriptor):
                self._pending += b"\n"
        except BaseException as error:
            self._file.close()
            if isinstance(error, OSError):
                raise storage_error(path, error) from error
            raise

    def append(self, row: Mapping[str, Any]) -> None:
        """Add one row; floats that are not finite are written as null.

        A row has an int `iteration`, unless it is an event (has the key `event`).
        """
        plain = _plain(row)
        if "event" not in plain and not _is_int(plain.get("iteration")):
            raise ValueError(f"a row needs an integer iteration, not {plain.get('iteration')!r}")
        self._pending += json_bytes(plain) + b"\n"
        if time.monotonic() - self._last_flush >= FLUSH_SECONDS:
            self.flush()

    def mark_resumed(self, iteration: int) -> None:
        """Record that the run continues from `iteration`: earlier rows beyond it are void."""
        self.append({"event": "resumed", "iteration": iteration})
        self.flush()

    def flush(self) -> None:
        """Hand all rows to the operating system."""
        try:
            while self._pending:
                written = self._file.write(self._pending)
                # A write cut short by a full disk is continued, not repeated, by the next flush.
                del self._pending[:written]
        except OSError as error:
            raise storage_error(self._path, error) from error
        self._last_flush = time.monotonic()

    def close(self) -> None:
        """Flush and close; further calls of `close` do nothing."""
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read_progress(path: Path) -> list[dict[str, Any]]:
    """Return the valid rows in the order of the file; none if it is missing.

    Each has an int `iteration`. Damaged and incomplete lines are left out, as are events and rows
    that a resumed run has made void.
    """
    with _reading(path) as file:
        return [] if file is None else valid_rows(file.read().split(b"\n"))


def read_last_row(path: Path) -> dict[str, Any] | None:
    """Return the last valid row; None if there is none near the end of the file.

    Only the end is read: as much as needed, at most a mebibyte.
    """
    with _reading(path) as file:
        size = 0 if file is None else file.seek(0, os.SEEK_END)
        length = _FIRST_TAIL
        while file is not None:
            file.seek(max(size - length, 0))
            # The first line may be cut off; it then counts as damaged and is left out.
            rows = valid_rows(file.read(length).split(b"\n"))
            if rows or length >= min(size, _LONGEST_TAIL):
                return rows[-1] if rows else None
            length *= 16
    return None


@contextmanager
def _reading(path: Path) -> Iterator[BinaryIO | None]:
    """Open a progress file, None if it is missing; raise FormatError if it cannot be read."""
    try:
        file = open_own(path)
    except FormatError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        yield None
        return
    with file:
        try:
            yield file
        except OSError as error:
            raise unreadable(path, error) from error


def _ends_with_newline(descriptor: int) -> bool:
    """Return whether the next line can begin at the end of the file."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if size == 0:
        return True
    os.lseek(descriptor, -1, os.SEEK_END)
    return os.read(descriptor, 1) == b"\n"


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """Return `value` in types that JSON has, with null for floats that are not finite."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
