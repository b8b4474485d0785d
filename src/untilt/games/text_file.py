"""Text files that a user names: regular files only, and no larger than they can be."""

import stat
from pathlib import Path

from untilt.errors import FormatError, StorageError


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of a file in UTF-8; nothing is read of a file that is too large.

    Raises StorageError if it cannot be read, and FormatError, before anything is read, if it is a
    device, a pipe or too large.
    """
    try:
        found = path.stat()
        # Asked before opening, because opening a pipe waits for its other end.
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise FormatError(f"{path} is not a regular file; check the path")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1) if found.st_size <= max_bytes else b""
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise StorageError(f"{path} cannot be read: {reason}") from None
    if max(found.st_size, len(data)) > max_bytes:
        raise FormatError(
            f"{path} is larger than {max_bytes >> 20} MB, the limit for such a file; check the path"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{path} is not text: save it as UTF-8") from None
