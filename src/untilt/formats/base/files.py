"""Writing files atomically, and reading JSON from untrusted files.

A file is written completely to a temporary file in the same folder, forced to disk, and then
renamed over its target; a crash, a full disk or Ctrl-C leaves the old file as it was. Temporary
files are named `.{name}.{pid}-{random}.tmp`. Only a process killed while writing leaves one
behind; the holder of the folder's lock may call `remove_leftovers`.

A folder may come from an untrusted source. Its files are opened only by `open_own` or
`descriptor_of`: a symbolic link would lead out of the folder and a pipe would block the reader, so
neither is opened, for reading or for writing. Replacing a file replaces a link and leaves its
target alone. The folder itself may be reached through links. Files that a user names individually
may be links too.
"""

import errno
import json
import math
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from untilt.errors import Argument, FormatError, RunError, StorageError, shortened

MAX_JSON_BYTES = 64 << 20

MAX_JSON_VALUES = 2_000_000
"""A value may take 250 bytes of memory but only three in a file: limiting bytes is not enough."""

_PIECE_BYTES = 1 << 20

RESUME, REPEAT = "resume the run", "run the command again"
"""What to do after a disk was full: while a run is saved, and while anything else is written."""
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_LEFTOVER = re.compile(r"\.(?P<name>.+)\.(?P<process>\d{1,10})-[0-9a-f]{8}\.tmp", re.DOTALL)
# Windows has neither; there, a file is checked before it is opened.
_UNFOLLOWED = getattr(os, "O_NOFOLLOW", 0)
_UNBLOCKED = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
# A reader that has the target open makes a rename fail on Windows, for as long as it reads.
_RENAME_DELAYS = (0.01, 0.05, 0.2, 0.5) if os.name == "nt" else ()


def write_atomically(
    path: Path, chunks: Iterable[bytes | memoryview], *, remedy: str = RESUME
) -> None:
    """Write the chunks as the new content of `path`, completely or not at all.

    `remedy` is what to do when the disk has space again; `REPEAT` where there is no run.
    """
    with complete_temporary(path, chunks, remedy=remedy) as temporary:
        rename(temporary, path)
        sync_folder(path.parent)


def write_json(path: Path, obj: Any, *, remedy: str = RESUME) -> None:
    """Write `obj` atomically as indented UTF-8 JSON; `remedy` as in `write_atomically`.

    NumPy scalars become plain numbers. JSON has no NaN and infinities: they raise ValueError,
    before anything is written.
    """
    write_atomically(path, [json_bytes(obj, indent=2) + b"\n"], remedy=remedy)


def read_json(path: Path, *, max_bytes: int = MAX_JSON_BYTES) -> Any:
    """Return the content of a JSON file in a run folder; raise FormatError if it is not valid.

    It must have at most `max_bytes` and be neither a link nor a pipe. Duplicate keys, NaN and
    infinities are rejected, because programs disagree on them.
    """
    with open_own(path) as file:
        return _read_json(path, file, max_bytes)


def read_given_json(path: Path, *, max_bytes: int = MAX_JSON_BYTES) -> Any:
    """Return the content of a JSON file that a user names; it may be a link or a pipe."""
    try:
        if path.is_char_device() or path.is_block_device():
            raise FormatError(f"{shown(path)} is not a regular file; check the path")
        file = path.open("rb")
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    with file:
        return _read_json(path, file, max_bytes)


def _read_json(path: Path, file: BinaryIO, max_bytes: int) -> Any:
    # Reading up to one byte more than allowed, in addition to asking for the size, also bounds
    # pipes and files that grow; in pieces, as each read allocates what it asks for.
    pieces: list[bytes] = []
    size = 0
    try:
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise _too_large(path, max_bytes)
        while piece := file.read(min(_PIECE_BYTES, max_bytes + 1 - size)):
            pieces.append(piece)
            size += len(piece)
    except OSError as error:
        raise unreadable(path, error) from error
    data = b"".join(pieces)
    if len(data) > max_bytes:
        raise _too_large(path, max_bytes)
    try:
        return parse_json(data)
    except FormatError as error:
        raise FormatError(f"{shown(path)}: {error}") from error


def _too_large(path: Path, max_bytes: int) -> FormatError:
    return FormatError(
        f"{shown(path)} is larger than {max_bytes} bytes, the limit for JSON; is it the right file?"
    )


def json_bytes(obj: Any, *, indent: int | None = None) -> bytes:
    """Return `obj` as UTF-8 JSON; raise ValueError if it contains NaN or an infinity."""
    separators = None if indent else (",", ":")

    def dump(*, ensure_ascii: bool) -> bytes:
        text = json.dumps(
            obj,
            ensure_ascii=ensure_ascii,
            allow_nan=False,
            indent=indent,
            separators=separators,
            default=_plain_scalar,
        )
        return text.encode()

    try:
        return dump(ensure_ascii=False)
    except UnicodeEncodeError:
        # Lone surrogates (file names that are not UTF-8) exist in JSON only as escapes.
        return dump(ensure_ascii=True)


def parse_json(data: bytes) -> Any:
    """Return the value of a UTF-8 JSON text; raise FormatError, without a file name, if invalid.

    A text of more than `MAX_JSON_VALUES` values is rejected before it takes any memory.
    """
    if not _has_few_values(data):
        raise FormatError(f"JSON holds more than {MAX_JSON_VALUES:,} values")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    try:
        return json.loads(
            text,
            object_pairs_hook=_object_of_unique_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
        )
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not valid JSON, line {error.lineno} column {error.colno}: {error.msg}"
        ) from error
    except RecursionError as error:
        raise FormatError("JSON is nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits, see sys.set_int_max_str_digits
        raise FormatError("JSON holds a number with too many digits") from error


def is_within_limits(data: bytes) -> bool:
    """Whether a file with this content is small enough for `read_json`."""
    return len(data) <= MAX_JSON_BYTES and _has_few_values(data)


def _has_few_values(data: bytes) -> bool:
    # Every value but the first of a list or object follows a comma or opens one.
    return sum(data.count(mark) for mark in (b",", b"[", b"{")) <= MAX_JSON_VALUES


@contextmanager
def complete_temporary(
    path: Path, chunks: Iterable[bytes | memoryview], *, remedy: str = RESUME
) -> Iterator[Path]:
    """Yield a temporary file next to `path` that holds all chunks and has reached the disk.

    The body renames it; otherwise it is removed. An OSError, also in the body, becomes the
    StorageError for `path`.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    except OSError as error:
        raise storage_error(path, error, remedy) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def rename(source: Path, target: Path) -> None:
    """Replace `target` with `source`, retrying briefly on systems where a reader blocks it."""
    for delay in _RENAME_DELAYS:
        try:
            source.replace(target)
        except PermissionError:
            time.sleep(delay)
        else:
            return
    source.replace(target)


def remove(path: Path) -> None:
    """Remove a file if it exists."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(path, error) from error


def sync_folder(folder: Path) -> None:
    """Force the names in `folder` to disk, on systems that can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows does not open folders
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files that killed writers left in `folder`; call it only under its lock."""
    with suppress(OSError):
        for path in list(folder.iterdir()):
            if is_leftover(path):
                with suppress(OSError):  # a folder of that name, or another user's file
                    path.unlink(missing_ok=True)


def is_leftover(path: Path) -> bool:
    """Whether a file has the name of one that a killed writer leaves behind."""
    return _LEFTOVER.fullmatch(path.name) is not None


def remove_leftovers_of(path: Path) -> None:
    """Remove the temporary files of `path` whose writers are gone; for files without a lock."""
    with suppress(OSError):
        for other in list(path.parent.iterdir()):
            found = _LEFTOVER.fullmatch(other.name)
            if found and found["name"] == path.name and not is_process(int(found["process"])):
                with suppress(OSError):
                    other.unlink(missing_ok=True)


def is_process(number: int) -> bool:
    """Whether a process with this number is running; True if that cannot be determined."""
    # Beyond 2³¹ there are no processes, and os.kill overflows.
    if not 0 < number < 1 << 31:
        return False
    if sys.platform == "win32":  # where os.kill ends the process
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to another user
        return True
    return True


def is_there(path: Path) -> bool:
    """Whether anything exists at `path`, even if damaged or of another kind."""
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def open_own(path: Path) -> BinaryIO:
    """Open a file of a run folder for reading; raise FormatError if it is not a regular file."""
    try:
        return os.fdopen(descriptor_of(path, os.O_RDONLY), "rb")
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def descriptor_of(path: Path, flags: int) -> int:
    """Return the descriptor of a regular file, opened by `os.open` with these flags.

    Raises FormatError, before anything is read or written, if it is something else: a symbolic
    link is not followed, and a pipe does not block. A file opened for writing must not have a
    second name (hard link), which could be any of the user's files.
    """
    if not _UNFOLLOWED and path.is_symlink():
        raise _not_regular(path)
    try:
        descriptor = os.open(path, flags | _UNFOLLOWED | _UNBLOCKED | _BINARY, 0o666)
    except OSError as error:
        # The errors for a link, and for a pipe or socket without a peer.
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise _not_regular(path) from error
        raise
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _not_regular(path)
        if flags & (os.O_WRONLY | os.O_RDWR) and found.st_nlink > 1:
            raise FormatError(
                f"{shown(path)} has a second name (hard link), which would be written too; put a "
                "copy in its place"
            )
        if _UNBLOCKED:
            os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file that a user names; it may be a link. Raise FormatError otherwise."""
    try:
        # Checked before opening, because opening a pipe waits for its other end.
        if not stat.S_ISREG(path.stat().st_mode):
            raise FormatError(f"{shown(path)} is not a regular file; check the path")
        return path.open("rb")
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def _not_regular(path: Path) -> FormatError:
    return FormatError(
        f"{shown(path)} cannot be read or written: it is not a regular file but a link, a folder "
        "or a pipe; remove it, or put a copy of the file in its place"
    )


def unreadable(path: Path, error: Exception) -> FormatError:
    """Return the error for a file that could not be opened or read."""
    if isinstance(error, FileNotFoundError):
        return FormatError(f"{shown(path)} does not exist; check the path")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FormatError(
        f"{shown(path)} cannot be read ({reason}); check the path and its permissions"
    )


def storage_error(path: Path, error: OSError, remedy: str = RESUME) -> StorageError:
    """Return the error for a file that could not be written, with what to do next.

    `remedy` is what to do when the disk has space again.
    """
    given = f"cannot write {shown(path)}"
    if error.errno in _FULL:
        return StorageError(
            f"{given}: the disk is full; free some space, then {remedy}", is_full=True
        )
    reason = error.strerror or str(error)
    output = Argument("output")
    advice: tuple[str | Argument, ...] = (f"check the disk, then {remedy}",)
    if error.errno in _FORBIDDEN:
        advice = ("choose another ", output, ", or change the permissions of the folder")
    elif error.errno in (errno.ENOENT, errno.ENOTDIR):
        advice = ("create the folder, or choose another ", output)
    return StorageError(f"{given} ({reason}); ", *advice)


def shown(path: Path) -> str:
    """Return the path as shown in a message: on one line, whatever its name contains."""
    name = str(path)
    return name if name.isprintable() else repr(name)


def _is_encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


_LONGEST_NAME = 255
"""No common file system allows longer names, and opening one fails with another error."""


def path_of(given: object) -> Path:
    """Return the path that a caller gave, or raise RunError if it cannot be one."""
    if not isinstance(given, str | os.PathLike):
        raise RunError(f"{shortened(given)} is not a path; give that of a file or folder")
    path = os.fspath(given)
    is_name = isinstance(path, str) and path and "\0" not in path and _is_encodable(path)
    if not is_name or max(map(len, Path(path).parts), default=0) > _LONGEST_NAME:
        raise RunError(f"{shortened(given)} is not a path; give that of a file or folder")
    return Path(path)


def _plain_scalar(obj: object) -> object:
    if isinstance(obj, np.generic):
        return obj.item()
    raise TypeError(f"{type(obj).__name__} has no JSON form")


def _object_of_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise FormatError(f"JSON holds the key {key[:80]!r} twice in one object")
            seen.add(key)
    return result


def _refuse_constant(name: str) -> float:
    raise FormatError(f"{name} is not valid JSON; write a finite number")


def _finite_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise FormatError(f"JSON holds the number {text[:40]}, too large for a float")
    return value
