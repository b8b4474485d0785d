"""Files of a run as a server reads them: only regular ones, and again only when they change.

A run folder may come from a stranger. A link could lead out of the folder and a pipe would
block the reader, so both are refused before anything is opened.
"""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from untilt.errors import FormatError
from untilt.formats.files import read_json, shown, unreadable

T = TypeVar("T")

Stamp: TypeAlias = tuple[int, int, int]
"""Time of the last change in nanoseconds, size in bytes, inode: what tells two contents apart."""


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp of a regular file, None if there is nothing; FormatError for anything else.

    A symbolic link is not followed.
    """
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise FormatError(f"{shown(path)} is not a regular file; remove it, or copy the run again")
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_object(path: Path, max_bytes: int) -> dict[str, Any]:
    """Return the JSON object in a file whose stamp was taken; FormatError if it holds another."""
    parsed = read_json(path, max_bytes=max_bytes)
    if not isinstance(parsed, dict):
        raise FormatError(f"{shown(path)} is damaged (it is no JSON object)")
    return parsed


class WatchedFile(Generic[T]):
    """What a file holds, read again only after it has changed; a failure is remembered as well."""

    def __init__(self, path: Path, read: Callable[[Path], T]) -> None:
        self.path = path
        self._read = read
        self._stamp: Stamp | None = None
        self._value: T | None = None
        self._error: FormatError | None = None

    def get(self) -> T | None:
        """Return what the file holds, None if it is missing; FormatError if it is damaged."""
        stamp = stamp_of(self.path)
        if stamp is None or stamp != self._stamp:
            self._value = self._error = self._stamp = None
        if stamp is None:
            return None
        if self._stamp is None:
            try:
                self._value = self._read(self.path)
            except FormatError as error:
                self._error = error
            self._stamp = stamp
        if self._error is not None:
            raise self._error
        return self._value
