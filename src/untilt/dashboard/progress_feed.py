"""The progress of a run as columns, read on from where the last look ended.

`progress.jsonl` only grows, so positions are byte offsets. A line without its end is half
written and waits for the next look. When a run is resumed at iteration n, the rows beyond n
that stand before that event are void.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.dashboard.source import Json, finite
from untilt.errors import FormatError
from untilt.formats.files import open_own, parse_json, shown, unreadable
from untilt.numeric.arrays import Floats

COLUMNS = (
    "iteration",
    "seconds",
    "exploitability",
    "nash_conv",
    "value",
    "regret",
    "residual",
    "drift",
    "beta",
    "rate",
    "seconds_left",
)
"""The numbers of a row."""

MAX_ROWS = 1 << 17
"""Beyond so many, every second row is forgotten: 12 MB for one run, which its cache can hold."""
MAX_LINE_BYTES = 1 << 18
"""So much is read at once. A longer line is none of ours and is skipped."""
MAX_BYTES = 64 << 20
MAX_DAMAGED_LINES = 10_000
"""A file with more is none of ours; reading it to its end could take hours."""

_PREFIX_BYTES = 256
_LARGEST_ITERATION = 1 << 63

Positions = npt.NDArray[np.int64]


class ProgressFeed:
    """The valid rows of one file as columns, as far as it has been read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._forget()

    def _forget(self) -> None:
        self._columns: Floats = np.empty((len(COLUMNS), 64))
        self._count = 0
        self._prefix = b""
        self._num_damaged = 0
        self.offset = 0
        """Where the next line begins, in bytes."""
        self.total = 0
        """Valid rows that the file has; `MAX_ROWS` at most are kept."""

    def __len__(self) -> int:
        return self._count

    @property
    def num_bytes(self) -> int:
        """How much memory the rows take."""
        return self._columns.nbytes

    def column(self, name: str) -> Floats:
        """Return [rows] of a column, nan where a row has no such number; valid until `update`."""
        return self._columns[COLUMNS.index(name), : self._count]

    @property
    def is_branch(self) -> bool:
        """Whether the rows are points of a quantal response path, by beta."""
        return bool(np.any(np.isfinite(self.column("beta"))))

    def update(self) -> None:
        """Read what has been added; a file that has shrunk or begins otherwise is read anew.

        FormatError if it is no progress of a run.
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

    def thinned(self, num_points: int) -> Positions:
        """Return about so many positions, the first and the last among them.

        They are even in the logarithm of the iteration; along a branch, in the number of the row.
        """
        return thinned(self.column("iteration"), num_points, is_branch=self.is_branch)

    def to_columns(self, positions: Positions) -> dict[str, list[Any]]:
        """Return the rows at `positions` by column."""
        chosen = self._columns[:, : self._count][:, positions]
        columns: dict[str, list[Any]] = {
            name: [finite(value) for value in row.tolist()]
            for name, row in zip(COLUMNS, chosen, strict=True)
        }
        columns["iteration"] = [int(value) for value in chosen[0].tolist()]
        columns["seconds"] = [value or 0.0 for value in columns["seconds"]]
        return columns

    def row(self, position: int) -> Json:
        """Return one row; a negative position counts from the end."""
        positions = np.array([position % self._count])
        return {name: values[0] for name, values in self.to_columns(positions).items()}

    def sparkline(self, num_points: int) -> list[float]:
        """Return log10 of exploitability at so many rows at most, where it is positive."""
        values = self.column("exploitability")[self.thinned(num_points)]
        return [round(math.log10(value), 4) for value in values.tolist() if value > 0.0]

    def rows_of_moments(self, numbers: Positions, iterations: Positions) -> Positions:
        """Return the positions of the rows of these moments, −1 where there is none.

        Points of a path may share an iteration, so there the number decides. Elsewhere the
        iteration does: a run that ended between two moments has a row that is no moment.
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
                f"{shown(self._path)} is damaged ({self._num_damaged:,} lines are no rows); "
                "restore it from a copy, or remove it"
            )

    def _take(self, block: bytes) -> None:
        """Add the rows of whole lines."""
        rows = None if b'"event"' in block else _rows_at_once(block)
        if rows is not None:
            self._append(rows)
            return
        parsed = parse_lines(block)
        self._num_damaged += parsed.num_damaged
        for item, _ in parsed.items:
            if isinstance(item, Resumed):
                self._void_beyond(item.iteration)
            else:
                self._append(item.columns)

    def _append(self, rows: Floats) -> None:
        added = rows.shape[1]
        if self._count + added > self._columns.shape[1]:
            larger = np.empty((len(COLUMNS), 3 * (self._count + added) // 2))
            larger[:, : self._count] = self._columns[:, : self._count]
            self._columns = larger
        self._columns[:, self._count : self._count + added] = rows
        self._count += added
        self.total += added
        if self._count > MAX_ROWS:
            halved = self._columns[:, : self._count : 2].copy()
            self._columns, self._count = halved, halved.shape[1]

    def _void_beyond(self, iteration: int) -> None:
        kept = self._columns[:, : self._count][:, self.column("iteration") <= iteration]
        self.total -= self._count - kept.shape[1]
        self._count = kept.shape[1]
        self._columns[:, : self._count] = kept


def thinned(iterations: Floats, num_points: int, *, is_branch: bool) -> Positions:
    """Return about `num_points` positions among rows at these iterations, ascending."""
    count = len(iterations)
    if count <= num_points:
        return np.arange(count)
    places = np.linspace(0, count - 1, num_points)
    if is_branch:
        return np.unique(np.rint(places).astype(np.int64))
    logs = np.log(np.maximum(iterations, 1.0))
    # Searching needs an order, which damaged files need not have.
    marks = np.linspace(logs[0], logs[-1], num_points)
    found = np.searchsorted(np.maximum.accumulate(logs), marks)
    found[0], found[-1] = 0, count - 1
    return np.unique(np.minimum(found, count - 1))


@dataclass(frozen=True)
class Resumed:
    """The run was resumed: rows beyond the iteration that stand before are void."""

    iteration: int


@dataclass(frozen=True)
class Rows:
    """Rows that follow one another, [columns, rows]."""

    columns: Floats


@dataclass(frozen=True)
class ParsedLines:
    """What whole lines of a block say, in order."""

    items: list[tuple[Rows | Resumed, int]]
    """Each with where its lines end in the block."""
    num_damaged: int
    """Lines that say nothing."""


def parse_lines(block: bytes) -> ParsedLines:
    """Return what whole lines say; damaged ones are only counted."""
    found: list[tuple[Rows | Resumed, int]] = []
    rows: list[list[float]] = []
    end = end_of_rows = num_damaged = 0

    def close() -> None:
        if rows:
            found.append((Rows(np.array(rows).T), end_of_rows))
            rows.clear()

    for line in block.splitlines(keepends=True):
        end += len(line)
        parsed = _parsed(line)
        if parsed is None:
            num_damaged += 1
        elif parsed.get("event") == "resumed":
            close()
            found.append((Resumed(parsed["iteration"]), end))
        elif "event" not in parsed:
            rows.append([_number(parsed.get(name)) for name in COLUMNS])
            end_of_rows = end
    close()
    return ParsedLines(found, num_damaged)


def rows_of(given: Rows) -> list[Json]:
    """Return rows as plain `ProgressRow`s."""
    rows = []
    for values in given.columns.T.tolist():
        row: Json = {name: finite(value) for name, value in zip(COLUMNS, values, strict=True)}
        rows.append(row | {"iteration": int(values[0]), "seconds": row["seconds"] or 0.0})
    return rows


def turning_points(betas: Sequence[float]) -> list[float]:
    """Return the values of beta at which a path turns, from its points."""
    return [
        here
        for before, here, after in zip(betas, betas[1:], betas[2:], strict=False)
        if (here - before) * (after - here) < 0.0
    ]


def _rows_at_once(block: bytes) -> Floats | None:
    """Return [columns, rows] of sound lines that hold rows only; None if it is not that simple.

    One call of the parser for many lines takes half the time of a call each.
    """
    lines = [line for line in block.split(b"\n") if line]
    try:
        parsed = json.loads(b"[" + b",".join(lines) + b"]", parse_constant=_refuse_constant)
        if len(parsed) != len(lines) or not all(line.startswith(b"{") for line in lines):
            return None  # the commas between lines made something of them
        columns = [[row.get(name) for row in parsed] for name in COLUMNS]
    except (ValueError, AttributeError, RecursionError):
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


def _parsed(line: bytes) -> Json | None:
    """Return a row or a resumption, both with an int iteration, or another event; else None."""
    if not line.startswith(b"{"):
        return None
    try:
        parsed = parse_json(line)
    except FormatError:
        return None
    assert isinstance(parsed, dict)
    needs_iteration = parsed.get("event", "resumed") == "resumed"
    iteration = parsed.get("iteration")
    is_sound = type(iteration) is int and abs(iteration) < _LARGEST_ITERATION
    return None if needs_iteration and not is_sound else parsed


def _number(value: object) -> float:
    """Return a number of a row; nan for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
