"""Reading the files of a run: only regular ones, and again only when they change.

A run folder may come from a stranger. A link could lead out of the folder, a pipe would block the
reader, and a sparse file can be larger than the disk, so all of these are refused before anything
is opened.
"""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from untilt.errors import FormatError
from untilt.formats.base.files import is_there, shown, unreadable

T = TypeVar("T")

MAX_FILE_BYTES = 1 << 30
"""Three times the largest game in the package; its checksums take a second."""

Stamp: TypeAlias = tuple[int, int, int]
"""Time of the last change in nanoseconds, size in bytes, inode; changes with the content."""


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp of a regular file, None if it does not exist.

    Raises FormatError for anything else; symbolic links are not followed.
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
            f"{shown(path)} has {found.st_size:,} bytes; at most {MAX_FILE_BYTES:,} are allowed: "
            "copy the run again"
        )
    return found.st_mtime_ns, found.st_size, found.st_ino


class WatchedFile(Generic[T]):
    """The content of a file, read again only after it has changed; damage is remembered too."""

    def __init__(self, path: Path, read: Callable[[Path], T]) -> None:
        self.path = path
        self._read = read
        self._stamp: Stamp | None = None
        self._value: T | None = None
        self._damage: str | None = None

    def get(self) -> T | None:
        """Return the content, None if the file is missing; raise FormatError if it is damaged."""
        stamp = stamp_of(self.path)
        if stamp is None or stamp != self._stamp:
            self._value = self._damage = self._stamp = None
        if stamp is None:
            return None
        if self._stamp is None:
            try:
                self._value = self._read(self.path)
            except FormatError as error:
                if not is_there(self.path):  # it was removed while being read
                    return None
                self._damage = str(error)
            self._stamp = stamp
        if self._damage is not None:
            # A new error each time: raising the same one again would extend its traceback.
            raise FormatError(self._damage)
        return self._value
