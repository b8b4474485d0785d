"""Parsing the lines of `progress.jsonl`, and dropping rows that a resumption has made void.

Reading a whole file, following one that grows and reading its end share this parser. Damaged
lines and other events are ignored.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.errors import FormatError
from untilt.formats.files import parse_json
from untilt.formats.progress_columns import COLUMN_NAMES
from untilt.numeric.arrays import Floats

_LARGEST_ITERATION = 1 << 63


@dataclass(frozen=True)
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


def valid_rows(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Return the rows of all lines, without those that a resumption has made void."""
    rows: list[dict[str, Any]] = []
    # From the end, in one pass: a row is kept or dropped by the lowest resumption after it.
    lowest: Resumed | None = None
    for line in reversed(lines):
        parsed = parse_line(line)
        if isinstance(parsed, Resumed):
            if lowest is None or parsed.iteration < lowest.iteration:
                lowest = parsed
        elif parsed and (lowest is None or lowest.keeps(parsed["iteration"])):
            rows.append(parsed)
    rows.reverse()
    return rows


def parse_lines(block: bytes) -> ParsedLines:
    """Return the content of complete lines; damaged ones are only counted."""
    if b'"event"' not in block and (at_once := _rows_at_once(block)) is not None:
        items: list[tuple[Rows | Resumed, int]] = []
        if at_once.shape[1]:
            items.append((Rows(at_once), len(block)))
        return ParsedLines(items, 0)
    found: list[tuple[Rows | Resumed, int]] = []
    rows: list[list[float]] = []
    end = end_of_rows = num_damaged = 0

    def close() -> None:
        if rows:
            found.append((Rows(np.array(rows).T), end_of_rows))
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
            rows.append([_number(parsed.get(name)) for name in COLUMN_NAMES])
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
        columns = [[row.get(name) for row in parsed] for name in COLUMN_NAMES]
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


def _number(value: object) -> float:
    """Return a number of a row; nan for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
