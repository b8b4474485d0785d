"""The reader of `progress.jsonl`: its valid rows as columns, and as they are added.

The file only grows, so positions are byte offsets. A line without a line end is still being
written, and is read when it has one. Damaged lines and unknown events are left out, as are rows
that a resumption has made void.
"""

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.formats.base.files import is_there, open_own, parse_json, shown, unreadable
from untilt.formats.run.progress import COLUMN_NAMES, COLUMNS
from untilt.numeric.arrays import Floats

MAX_ROWS = 1 << 17
"""Beyond this, every second row is dropped: 18 MB for one run, which the cache can hold."""
MAX_LINE_BYTES = 1 << 18
"""How much is read at once. A longer line was not written by us and is skipped."""
MAX_BYTES = 64 << 20
MAX_DAMAGED_LINES = 10_000
"""A file with more was not written by us; reading it to the end could take hours."""

_PREFIX_BYTES = 256

_FIRST_TAIL = 4 << 10
_LONGEST_TAIL = 1 << 20
_LARGEST_ITERATION = 1 << 63
_NAMES = frozenset(COLUMN_NAMES)

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, order=True)
class Resumed:
    """The run was resumed at an iteration: earlier rows beyond it are void."""

    iteration: int

    def keeps(self, iterations: Any) -> Any:
        """Return whether a row of this iteration is still valid; of an array, which ones are."""
        return iterations <= self.iteration


@dataclass(frozen=True)
class Rows:
    """Consecutive rows, [columns, rows]; nan if a row has no such number."""

    columns: Floats


@dataclass(frozen=True)
class ParsedLines:
    """The content of the complete lines of a block, in order."""

    items: list[tuple[Rows | Resumed, int]]
    """Each with the position in the block where its lines end."""
    num_damaged: int
    """Lines that could not be parsed."""


def parse_line(line: bytes) -> dict[str, Any] | Resumed | None:
    """Return a row, which has an int `iteration`, or a resumption; None for anything else.

    An event of another kind is an empty row: it is ignored, but does not count as damage.
    """
    if not line.startswith(b"{"):
        return None
    try:
        parsed = parse_json(line)
    except FormatError:
        return None
    assert isinstance(parsed, dict)
    event = parsed.get("event", "")
    if "event" in parsed and event != "resumed":
        return {}
    iteration = parsed.get("iteration")
    if type(iteration) is not int or abs(iteration) >= _LARGEST_ITERATION:
        return None
    return Resumed(iteration) if event else parsed


def parse_lines(block: bytes) -> ParsedLines:
    """Return the content of complete lines; damaged ones are only counted."""
    if b'"event"' not in block and (at_once := _rows_at_once(block)) is not None:
        items: list[tuple[Rows | Resumed, int]] = []
        if at_once.shape[1]:
            items.append((Rows(at_once), len(block)))
        return ParsedLines(items, 0)
    found: list[tuple[Rows | Resumed, int]] = []
    rows: list[dict[str, Any]] = []
    end = end_of_rows = num_damaged = 0

    def close() -> None:
        if rows:
            found.append((Rows(columns_of(rows)), end_of_rows))
            rows.clear()

    for line in block.splitlines(keepends=True):
        end += len(line)
        parsed = parse_line(line)
        if parsed is None:
            num_damaged += 1
        elif isinstance(parsed, Resumed):
            close()
            found.append((parsed, end))
        elif parsed:
            rows.append(parsed)
            end_of_rows = end
    close()
    return ParsedLines(found, num_damaged)


def _rows_at_once(block: bytes) -> Floats | None:
    """Return [columns, rows] of sound lines that hold only rows; None for any other block.

    One parser call for many lines takes half the time of one call per line.
    """
    lines = [line for line in block.split(b"\n") if line]
    try:
        parsed = json.loads(b"[" + b",".join(lines) + b"]", parse_constant=_refuse_constant)
        if len(parsed) != len(lines) or not all(line.startswith(b"{") for line in lines):
            return None  # joined by commas, broken lines became valid JSON
        if sum(map(len, parsed)) != block.count(b'":') or set().union(*parsed) - _NAMES:
            return None  # a key is given twice, or unknown: its number may be infinite
        columns = [[row.get(name) for row in parsed] for name in COLUMN_NAMES]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    iterations, *others = columns
    are_numbers = {*map(type, iterations)} <= {int} and all(
        {*map(type, column)} <= {int, float, type(None)} for column in others
    )
    if not are_numbers or max(map(abs, iterations), default=0) >= _LARGEST_ITERATION:
        return None
    try:
        rows = np.array(columns, np.float64)
    except OverflowError:
        return None
    # 1e999 is infinite: line by line, those that hold such a number are left out.
    return None if np.any(np.isinf(rows)) else rows


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _number(value: object) -> float:
    """Return a number of a row; nan for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


class ProgressFeed:
    """The valid rows of one file as columns, as far as it has been read.

    Unless it is unbounded, there are limits for the size of the file and for damaged lines, and
    beyond `MAX_ROWS` every second row is dropped.
    """

    def __init__(self, path: Path, *, is_bounded: bool = True) -> None:
        self._path = path
        self._is_bounded = is_bounded
        self._forget()

    def _forget(self) -> None:
        self._columns: Floats = np.empty((len(COLUMN_NAMES), 64))
        self._count = 0
        self._prefix = b""
        self._num_damaged = 0
        self.offset = 0
        """Where the next line begins, in bytes."""
        self.total = 0
        """How many valid rows the file has; at most `MAX_ROWS` are kept."""

    def __len__(self) -> int:
        return self._count

    @property
    def num_bytes(self) -> int:
        """How much memory the rows take."""
        return self._columns.nbytes

    @property
    def columns(self) -> Floats:
        """All rows as [columns, rows]; valid until `update`."""
        return self._columns[:, : self._count]

    def column(self, name: str) -> Floats:
        """Return [rows] of a column, nan if a row has no such number; valid until `update`."""
        return self._columns[COLUMN_NAMES.index(name), : self._count]

    @property
    def is_branch(self) -> bool:
        """Whether the rows are points of a quantal response path, by beta."""
        return bool(np.any(np.isfinite(self.column("beta"))))

    def update(self) -> None:
        """Read the new lines; a file that has shrunk or was replaced is read from its start.

        Raises FormatError if it is not the progress of a run.
        """
        try:
            with open_own(self._path) as file:
                size = file.seek(0, 2)
                file.seek(0)
                if size < self.offset or file.read(len(self._prefix)) != self._prefix:
                    self._forget()
                if size > MAX_BYTES and self._is_bounded:
                    raise FormatError(
                        f"{shown(self._path)} has {size:,} bytes; up to {MAX_BYTES:,} are shown"
                    )
                file.seek(self.offset)
                self._verify_sound()
                while piece := file.read(MAX_LINE_BYTES):
                    end = piece.rfind(b"\n") + 1
                    if not end and len(piece) < MAX_LINE_BYTES:
                        break
                    end = end or len(piece)
                    if self.offset < _PREFIX_BYTES:
                        self._prefix = (self._prefix + piece[:end])[:_PREFIX_BYTES]
                    self._take(piece[:end])
                    self.offset += end
                    self._verify_sound()
                    file.seek(self.offset)
        except OSError as error:
            raise unreadable(self._path, error) from error

    def to_columns(self, positions: Positions) -> dict[str, list[Any]]:
        """Return the rows at `positions` by column, null where a number is missing."""
        return _plain_columns(self._columns[:, positions])

    def row(self, position: int) -> dict[str, Any]:
        """Return one row with all columns; a negative position counts from the end."""
        place = position % self._count
        return rows_of(self._columns[:, place : place + 1])[0]

    def rows_of_moments(self, numbers: Positions, iterations: Positions) -> Positions:
        """Return the positions of the rows of these moments, −1 where there is none.

        Points of a path may share an iteration, so there the number decides. Elsewhere the
        iteration does: a run that ended between two moments has a row that is not a moment.
        """
        if not self._count:
            return np.full(len(numbers), -1)
        of_rows = self.column("iteration")
        found = numbers
        if not self.is_branch:
            found = np.searchsorted(of_rows, iterations, side="right") - 1
        is_there = of_rows[np.clip(found, 0, self._count - 1)] == iterations
        return np.where(is_there & (found >= 0) & (found < self._count), found, -1)

    def _verify_sound(self) -> None:
        if self._num_damaged > MAX_DAMAGED_LINES and self._is_bounded:
            raise FormatError(
                f"{shown(self._path)} is damaged ({self._num_damaged:,} lines are not rows); "
                "restore it from a copy, or remove it"
            )

    def _take(self, block: bytes) -> None:
        """Add the rows of whole lines."""
        parsed = parse_lines(block)
        self._num_damaged += parsed.num_damaged
        # Only the lowest of consecutive resumptions matters: each takes time for all rows.
        lowest: Resumed | None = None
        for item, _ in parsed.items:
            if isinstance(item, Resumed):
                lowest = item if lowest is None else min(lowest, item)
                continue
            if lowest is not None:
                self._void(lowest)
                lowest = None
            self._append(item.columns)
        if lowest is not None:
            self._void(lowest)

    def _append(self, rows: Floats) -> None:
        added = rows.shape[1]
        needed = self._count + added
        if needed > self._columns.shape[1]:
            room = 3 * needed // 2
            room = max(needed, min(room, MAX_ROWS)) if self._is_bounded else room
            larger = np.empty((len(COLUMN_NAMES), room))
            larger[:, : self._count] = self._columns[:, : self._count]
            self._columns = larger
        self._columns[:, self._count : self._count + added] = rows
        self._count += added
        self.total += added
        if self._count > MAX_ROWS and self._is_bounded:
            halved = self._columns[:, : self._count : 2].copy()
            self._columns, self._count = halved, halved.shape[1]

    def _void(self, resumed: Resumed) -> None:
        kept = self.columns[:, resumed.keeps(self.column("iteration"))]
        self.total -= self._count - kept.shape[1]
        self._count = kept.shape[1]
        self._columns[:, : self._count] = kept

    def read_last_row(self) -> dict[str, Any] | None:
        """Return the last valid row; None if there is none near the end of the file.

        Only the end is read: as much as needed, at most a mebibyte.
        """
        try:
            with open_own(self._path) as file:
                size = file.seek(0, os.SEEK_END)
                length = _FIRST_TAIL
                while True:
                    self._forget()
                    file.seek(max(size - length, 0))
                    tail = file.read(length)
                    # The first line is cut off, unless this is the whole file.
                    begin = tail.find(b"\n") + 1 if size > length else 0
                    self._take(tail[begin : tail.rfind(b"\n") + 1])
                    if self._count or length >= min(size, _LONGEST_TAIL):
                        return self.row(-1) if self._count else None
                    length *= 16
        except OSError as error:
            raise unreadable(self._path, error) from error


def read_columns(path: Path) -> Floats:
    """Return the valid rows of a whole file as [columns, rows]; none if it is missing."""
    feed = ProgressFeed(path, is_bounded=False)
    if is_there(path):
        feed.update()
    return feed.columns


def read_progress(path: Path) -> list[dict[str, Any]]:
    """Return the valid rows of a whole file with all columns; none if it is missing."""
    return rows_of(read_columns(path))


def read_last_row(path: Path) -> dict[str, Any] | None:
    """Return the last valid row; None if there is none near the end of the file, or no file."""
    return ProgressFeed(path).read_last_row() if is_there(path) else None


def columns_of(rows: Iterable[Mapping[str, Any]]) -> Floats:
    """Return rows as [columns, rows], nan where a number is missing."""
    numbers = [[_number(row.get(name)) for name in COLUMN_NAMES] for row in rows]
    return np.array(numbers).reshape(-1, len(COLUMN_NAMES)).T


def rows_of(columns: Floats) -> list[dict[str, Any]]:
    """Return [columns, rows] as rows with all columns, null where a number is missing."""
    plain = _plain_columns(columns)
    return [dict(zip(plain, values, strict=True)) for values in zip(*plain.values(), strict=True)]


def _plain_columns(columns: Floats) -> dict[str, list[Any]]:
    plain = {
        column.name: [column.type(value) if math.isfinite(value) else None for value in values]
        for column, values in zip(COLUMNS, columns.tolist(), strict=True)
    }
    plain["seconds"] = [value or 0.0 for value in plain["seconds"]]
    return plain
