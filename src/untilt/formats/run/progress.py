"""The append-only log of a run's scalars, `progress.jsonl`.

One JSON object per line: a row with an integer `iteration`, or an event. The file only grows, so a
reader can use byte offsets as positions. A killed run may have logged more than its last
checkpoint includes; when it is resumed at iteration n it appends

    {"event": "resumed", "iteration": n}

and readers drop the earlier rows beyond n. All code that writes, reads, shows or explains rows
takes the names of their columns from here.
"""

import math
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from untilt.formats.base.files import descriptor_of, json_bytes, storage_error

FILE_NAME = "progress.jsonl"

FLUSH_SECONDS = 0.05


class Column(NamedTuple):
    """One number of a row."""

    name: str
    type: type[int] | type[float]
    meaning: str
    unit: str = ""
    """`game`: the unit that the game declares, such as chips; empty for a pure number."""
    is_always: bool = True
    """Whether every row has it (null if unknown); others appear only if a method measures them."""


COLUMNS = (
    Column("iteration", int, "iterations done; hands of a push/fold training"),
    Column("seconds", float, "solver time: iterations and stopping tests", "s"),
    Column("exploitability", float, "mean gain of the best responses per player", "game"),
    Column("nash_conv", float, "sum of all players' best-response gains", "game"),
    Column("value", float, "expected payoff of player 0", "game"),
    Column(
        "value_1", float, "expected payoff of player 1, if not zero-sum", "game", is_always=False
    ),
    Column("regret", float, "sum over infosets of the largest positive regret, per iteration"),
    Column("rate", float, "iterations per second since the run began or was resumed", "1/s"),
    Column("beta", float, "rationality, for quantal response", is_always=False),
    Column("residual", float, "norm of σ − LogitBR(σ), for quantal response", is_always=False),
    Column(
        "drift",
        float,
        "mean distance the average strategy moved since the last row",
        is_always=False,
    ),
    Column("nodes", int, "nodes visited so far, for sampling methods", is_always=False),
    Column(
        "infosets", int, "infosets met so far, if positions or deals are sampled", is_always=False
    ),
    Column(
        "lbr", float, "what local best response wins, for blueprints", "mbb/hand", is_always=False
    ),
    Column(
        "lbr_margin",
        float,
        "half of the 95 % interval of `lbr`",
        "mbb/hand",
        is_always=False,
    ),
    Column("seconds_left", float, "estimate of the solver time still to come", "s"),
)

COLUMN_NAMES = tuple(column.name for column in COLUMNS)


def progress_row(**known: Any) -> dict[str, Any]:
    """Return a row of what is known, in the order of the columns.

    Raises ValueError for a name that is not a column.
    """
    unknown = known.keys() - set(COLUMN_NAMES)
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))}: not a column of a run's progress")
    return {
        column.name: known.get(column.name)
        for column in COLUMNS
        if column.is_always or known.get(column.name) is not None
    }


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
