"""Files of a run as a server reads them: only regular ones, and again only when they change.

A run folder may come from a stranger. A link could lead out of the folder, a pipe would block the
reader, and a file full of holes can be larger than the disk, so all of these are refused before
anything is opened.
"""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from untilt.errors import FormatError
from untilt.formats.files import is_there, shown, unreadable

T = TypeVar("T")

MAX_FILE_BYTES = 1 << 30
"""Three times the largest game that comes with us; its checksums take a second."""

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
    if found.st_size > MAX_FILE_BYTES:
        raise FormatError(
            f"{shown(path)} has {found.st_size:,} bytes; files of up to {MAX_FILE_BYTES:,} are "
            "shown: copy the run again"
        )
    return found.st_mtime_ns, found.st_size, found.st_ino


class WatchedFile(Generic[T]):
    """What a file holds, read again only after it has changed; damage is remembered as well."""

    def __init__(self, path: Path, read: Callable[[Path], T]) -> None:
        self.path = path
        self._read = read
        self._stamp: Stamp | None = None
        self._value: T | None = None
        self._damage: str | None = None

    def get(self) -> T | None:
        """Return what the file holds, None if it is missing; FormatError if it is damaged."""
        stamp = stamp_of(self.path)
        if stamp is None or stamp != self._stamp:
            self._value = self._damage = self._stamp = None
        if stamp is None:
            return None
        if self._stamp is None:
            try:
                self._value = self._read(self.path)
            except FormatError as error:
                if not is_there(self.path):  # it went while it was read
                    return None
                self._damage = str(error)
            self._stamp = stamp
        if self._damage is not None:
            # A new one each time: an error that is raised again grows by a traceback.
            raise FormatError(self._damage)
        return self._value
