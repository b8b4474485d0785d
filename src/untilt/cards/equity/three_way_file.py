"""The file of the table of three-way all-ins: built when it is first needed, kept in the cache.

`three-way-1.bin` in the cache folder is made again if it is damaged:

    8 bytes   `untilt3w`
    16 bytes  BLAKE2b of everything that follows
    rows      818,805 × 13 counts, uint32, little-endian

`three_way_table` explains the rows.
"""

import os
import stat
import threading
import uuid
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np

from untilt.cache_folder import cache_folder, distrust, make_private
from untilt.cards.data_file import head_of, unsealed
from untilt.cards.equity.three_way_table import (
    NUM_ORDERS,
    NUM_TRIPLES,
    Counts,
    has_all_deals,
)
from untilt.errors import CardError, FormatError
from untilt.numeric.chunks import OnShare
from untilt.numeric.free_memory import available_bytes

FILE_NAME = "three-way-1.bin"
MAGIC = b"untilt3w"
_NUM_BYTES = len(head_of(MAGIC, b"")) + NUM_TRIPLES * NUM_ORDERS * 4

_BUILD_BYTES = 400 << 20
"""The memory that building needs, compiler included."""

_lock = threading.Lock()
_loaded: list[Counts] = []


class ThreeWayWarning(UserWarning):
    """The table could not be read or kept, so it is built again."""


def three_way_counts(threads: int = 1, watcher: OnShare | None = None) -> Counts:
    """Return [818805, 13] the table, read-only; built and kept in the cache folder if missing.

    Building takes about 15 seconds of one thread and reports to `watcher`. Raises CardError if
    there is too little memory for it.
    """
    with _lock:
        if not _loaded:
            _loaded.append(_read(_path()))
            if not len(_loaded[0]):
                _loaded[0] = _build(threads, watcher)
            _loaded[0].setflags(write=False)
        return _loaded[0]


def _path() -> Path:
    return cache_folder() / FILE_NAME


def _build(threads: int, watcher: OnShare | None) -> Counts:
    from untilt.cards.equity.build_three_way import build_three_way

    free = available_bytes()
    if free < _BUILD_BYTES:
        raise CardError(
            f"the table of three-way all-ins needs {_BUILD_BYTES >> 20} MB of memory while it is "
            f"built, and {free >> 20} MB are free: close other programs"
        )
    counts = build_three_way(threads, watcher)
    try:
        _write(_path(), counts.astype("<u4", copy=False).data.cast("B"))
    except OSError as error:
        warnings.warn(
            f"{error}; the table of three-way all-ins is not kept: set UNTILT_CACHE_DIR to a "
            "folder that can be written",
            ThreeWayWarning,
            stacklevel=4,
        )
    return counts


def _read(path: Path) -> Counts:
    """Return the table in a file; empty if there is none that can be trusted."""
    none = np.empty((0, NUM_ORDERS), dtype=np.uint32)
    # Do not wait for a pipe or follow a link; Windows has neither flag.
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | flags), "rb") as file:  # noqa: PTH123
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or distrust(found) is not None:
                return none
            content = file.read(_NUM_BYTES + 1)
        numbers = np.frombuffer(unsealed(MAGIC, content, f"{path}"), dtype="<u4")
        counts = numbers.reshape(NUM_TRIPLES, NUM_ORDERS).astype(np.uint32, copy=False)
        if not has_all_deals(counts):
            raise FormatError(f"{path} does not have all deals")
        return counts
    except FileNotFoundError:
        return none
    except (OSError, ValueError, FormatError):
        warnings.warn(
            f"{path} is damaged; the table of three-way all-ins is built again",
            ThreeWayWarning,
            stacklevel=4,
        )
        return none


def _write(path: Path, content: memoryview) -> None:
    make_private(path.parent)
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(temporary, flags, 0o600), "wb") as file:  # noqa: PTH123
            file.write(head_of(MAGIC, content))
            file.write(content)
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()
