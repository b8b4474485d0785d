"""Hands of spots as they were observed, in CSV files: a row per hand, or per kind of hand.

    line,public,p0,p1,count
    "check, check",,,,41
    "check, bet 120, call",,AsKs,QdJd,3

Only `line` is needed: the moves up to the end of the hand. `public` is the board, or the cards
dealt after the spot's own; `p0` and `p1` are the hands out of position and in position, empty if
they were not seen. `count` says how often the row was observed, `spot` in which of several spots.
"""

from collections.abc import Sequence
from typing import NamedTuple

from untilt.errors import FormatError
from untilt.formats.exchange.observations import Row, count_of

LINE_COLUMNS = ("line", "public", "p0", "p1", "count", "spot")


class ObservedLine(NamedTuple):
    """A row: a line of a spot, and what was seen of the cards."""

    line: str
    public: str = ""
    hands: tuple[str, str] = ("", "")
    """Of player 0 and 1; empty if not seen."""
    times: int = 1
    """How often it was observed."""
    spot: str = ""
    """The name of the spot, if there are several."""
    row: int = 0
    """The number of the row in the file."""


class ObservedLines(NamedTuple):
    """All rows of a table."""

    lines: list[ObservedLine]
    unused: tuple[str, ...]
    """Columns that mean nothing here."""


def observed_lines(rows: Sequence[Row]) -> ObservedLines:
    """Return the rows of a table whose first row is the header; FormatError if it is not one."""
    if not rows:
        raise FormatError(f"the file is empty; {_expected()}")
    number, header = rows[0]
    names = [name.strip().lower() for name in header]
    if "line" not in names:
        raise FormatError(f"row {number}: the header is {','.join(header)[:80]!r}; {_expected()}")
    if len({*names}) < len(names):
        raise FormatError(f"row {number}: a column appears twice; give each column its own name")
    if len(rows) == 1:
        raise FormatError("the file has a header but no observations")
    found = []
    for at, row in rows[1:]:
        if len(row) != len(names):
            raise FormatError(
                f"row {at} has {len(row)} fields; {','.join(names)} needs {len(names)}; a line "
                'with commas is quoted, "check, bet 120"'
            )
        fields = {name: field.strip() for name, field in zip(names, row, strict=True)}
        count = fields.get("count", "")
        found.append(
            ObservedLine(
                line=fields["line"],
                public=fields.get("public", ""),
                hands=(fields.get("p0", ""), fields.get("p1", "")),
                times=count_of(at, count) if count else 1,
                spot=fields.get("spot", ""),
                row=at,
            )
        )
    return ObservedLines(found, tuple(name for name in names if name not in LINE_COLUMNS))


def _expected() -> str:
    return f"give a header with line, and perhaps {', '.join(LINE_COLUMNS[1:])}"
