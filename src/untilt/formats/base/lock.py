"""One writer per run folder.

It is an operating-system lock on the file `.lock`, so it ends with its process, however that dies.
The file itself stays; it holds the process id of the writer, for the message to a second one.
"""

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

from untilt.errors import Argument, FormatError, RunError
from untilt.formats.base.files import descriptor_of, is_process, shown, storage_error

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK_NAME = ".lock"

_BUSY = {errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}
# Windows forbids reading a locked region: the byte that is locked lies beyond the text.
_LOCKED_BYTE = 1 << 20


class FolderLock:
    """Exclusive permission to write to a folder, for the duration of a `with` block.

    A second lock raises RunError at once, in the same process too. StorageError is raised if the
    folder does not exist or cannot be written to.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        path = self.folder / LOCK_NAME
        try:
            descriptor = descriptor_of(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise storage_error(path, error) from error
        try:
            _lock(descriptor)
            _write_holder(descriptor, f"{os.getpid()}\n")
            self._descriptor = descriptor
        except OSError as error:
            holder = _read_holder(descriptor)
            os.close(descriptor)
            if error.errno not in _BUSY:  # a file system without locks
                raise storage_error(path, error) from error
            raise RunError(
                f"{shown(self.folder)} is being written by {holder}; wait for it, or choose "
                "another ",
                Argument("output"),
            ) from error
        except BaseException:
            os.close(descriptor)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            # The file is not removed: between removing and unlocking, two others could each lock
            # a file of this name.
            _write_holder(descriptor, "")
            # Explicitly, because a forked child shares the lock and would keep it.
            with suppress(OSError):
                _unlock(descriptor)
        finally:
            os.close(descriptor)

    def is_valid(self) -> bool:
        """Whether the folder at this path is still the one that was locked.

        While a process sleeps, its folder can be moved and replaced by another one, which must not
        be written to. Ask before every save.
        """
        assert self._descriptor is not None, "asked while the lock is held"
        path = self.folder / LOCK_NAME
        try:
            there = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise storage_error(path, error) from error
        return os.path.samestat(there, os.fstat(self._descriptor))

    def verify(self) -> None:
        """Raise RunError unless `is_valid`."""
        if not self.is_valid():
            raise RunError(
                f"{shown(self.folder)} was moved, removed or replaced while this run was being "
                "written; the run has stopped, and nothing more is written there: continue the "
                "run in the folder that was moved"
            )


def writer_of(folder: Path) -> int | None:
    """Return the id of the process that is writing to `folder`; None if there is none.

    The text of the file says which process, and the lock whether it is still writing: a writer
    that was killed leaves its id behind, which another process may have by now. The lock is
    taken for an instant, and only if the text names a living process, so that a writer that is just
    starting is not locked out.
    """
    path = folder / LOCK_NAME
    try:
        descriptor = descriptor_of(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    except (OSError, FormatError):
        return None
    try:
        text = _read_text(descriptor)
        if not text.isdigit():
            return None
        return int(text) if is_process(int(text)) and _is_locked(descriptor) else None
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int) -> bool:
    try:
        _lock(descriptor, is_shared=True)
    except OSError:
        return True
    with suppress(OSError):
        _unlock(descriptor)
    return False


def _lock(descriptor: int, *, is_shared: bool = False) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)


def _unlock(descriptor: int) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _write_holder(descriptor: int, text: str) -> None:
    # The text only serves a message: a full disk must not stop the holder.
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, text.encode())


def _read_holder(descriptor: int) -> str:
    text = _read_text(descriptor)
    return f"process {text.decode()}" if text.isdigit() else "another process"


def _read_text(descriptor: int) -> bytes:
    with suppress(OSError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        return os.read(descriptor, 32).strip()
    return b""
