"""The progress of a run as columns, read incrementally.

`progress.jsonl` only grows, so positions are byte offsets. A line without a line end is still being
written, and is read by the next update.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.formats.files import open_own, shown, unreadable
from untilt.formats.progress_columns import COLUMN_NAMES, COLUMNS
from untilt.formats.progress_lines import Resumed, parse_lines
from untilt.numeric.arrays import Floats

MAX_ROWS = 1 << 17
"""Beyond this, every second row is dropped: 18 MB for one run, which the cache can hold."""
MAX_LINE_BYTES = 1 << 18
"""How much is read at once. A longer line was not written by us and is skipped."""
MAX_BYTES = 64 << 20
MAX_DAMAGED_LINES = 10_000
"""A file with more was not written by us; reading it to the end could take hours."""

_PREFIX_BYTES = 256

Positions = npt.NDArray[np.int64]


class ProgressFeed:
    """The valid rows of one file as columns, as far as it has been read."""

    def __init__(self, path: Path) -> None:
        self._path = path
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
                if size > MAX_BYTES:
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
        if self._num_damaged > MAX_DAMAGED_LINES:
            raise FormatError(
                f"{shown(self._path)} is damaged ({self._num_damaged:,} lines are not rows); "
                "restore it from a copy, or remove it"
            )

    def _take(self, block: bytes) -> None:
        """Add the rows of whole lines."""
        parsed = parse_lines(block)
        self._num_damaged += parsed.num_damaged
        for item, _ in parsed.items:
            if isinstance(item, Resumed):
                self._void(item)
            else:
                self._append(item.columns)

    def _append(self, rows: Floats) -> None:
        added = rows.shape[1]
        needed = self._count + added
        if needed > self._columns.shape[1]:
            larger = np.empty((len(COLUMN_NAMES), max(needed, min(3 * needed // 2, MAX_ROWS))))
            larger[:, : self._count] = self._columns[:, : self._count]
            self._columns = larger
        self._columns[:, self._count : self._count + added] = rows
        self._count += added
        self.total += added
        if self._count > MAX_ROWS:
            halved = self._columns[:, : self._count : 2].copy()
            self._columns, self._count = halved, halved.shape[1]

    def _void(self, resumed: Resumed) -> None:
        kept = self._columns[:, : self._count][:, resumed.keeps(self.column("iteration"))]
        self.total -= self._count - kept.shape[1]
        self._count = kept.shape[1]
        self._columns[:, : self._count] = kept


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
