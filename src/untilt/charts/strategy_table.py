"""A strategy as a table with bars, one row per infoset, for the terminal.

The table adapts to the available width: bars shrink first, then the values of the actions move
below their probabilities, then the bars disappear. On an ASCII-only terminal the table is ASCII
too.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from untilt.charts.palette import TERMINAL, styles_of
from untilt.game.strategy.rows import Row
from untilt.game.terms import Terms

SHADES = "░▓█▒▚"
"""Fill of the first, second, … action."""

ASCII_SHADES = ".=#+*"

BAR_WIDTH = 24
_MIN_BAR_WIDTH = 5
_MAX_ALIGNED_ACTIONS = 4
"""Rows with more actions list only those that are played."""
_GAP = 2


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table in addition to card, line and bars."""

    values: bool = False
    reach: bool = False


LabelOf = Callable[[Row], str]


@dataclass(frozen=True)
class StrategyTable:
    """One table per player, as Rich prints it."""

    rows: Sequence[Row]
    columns: TableColumns = TableColumns()
    label_of: LabelOf | None = None
    """If given, rows have this label instead of card, board and line."""
    titles: tuple[str, ...] = Terms().headings
    """The names of the players."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for player in range(len(self.titles)):
            own = [row for row in self.rows if row.player == player]
            if own:
                if any(row.player < player for row in self.rows):
                    yield Text()
                layout = _Layout(own, self.columns, self.label_of, options)
                yield layout.table(self.titles[player])
        if not self.rows:
            yield Text("no infoset matches")


class _Layout:
    """The column widths of one player's rows."""

    def __init__(
        self,
        rows: list[Row],
        columns: TableColumns,
        label_of: LabelOf | None,
        options: ConsoleOptions,
    ) -> None:
        self.rows = rows
        self.columns = columns
        self.shades = ASCII_SHADES if options.ascii_only else SHADES
        self.dash = "-" if options.ascii_only else "–"
        self.names = self._names(label_of)
        most = max(len(row.actions) for row in rows)
        self.is_aligned = most <= _MAX_ALIGNED_ACTIONS
        if self.is_aligned:
            self.name_widths = [
                max(len(row.actions[action]) for row in rows if len(row.actions) > action)
                for action in range(most)
            ]
        else:
            self.name_widths = [max(len(name) for row in rows for name in row.actions)] * most
        self.reaches = [
            f"{row.reach:.4f}" if row.reach >= 5e-5 else f"{row.reach:.0e}" for row in rows
        ]
        self._share_width(options.max_width)

    def _names(self, label_of: LabelOf | None) -> dict[str, list[str]]:
        """Return the columns that identify a row, by header."""
        if label_of is None:
            named = {
                "card": [row.private for row in self.rows],
                "board": [row.public for row in self.rows],
                "line": [row.line for row in self.rows],
            }
            shown = {header: cells for header, cells in named.items() if any(cells)}
            if shown:
                return shown
        label_of = label_of or (lambda row: row.label)
        return {"infoset": [label_of(row) for row in self.rows]}

    def _share_width(self, width: int) -> None:
        fixed = sum(
            max(len(header), *map(len, cells)) + _GAP for header, cells in self.names.items()
        )
        if self.columns.reach:
            fixed += max(len("reach"), *map(len, self.reaches)) + _GAP
        chunks = self.name_widths if self.is_aligned else self.name_widths[:_MAX_ALIGNED_ACTIONS]
        probabilities = sum(name + len(" 100.0%") + _GAP for name in chunks)
        values = sum(name + len(" +0.0000") + _GAP for name in chunks)
        left = width - fixed - probabilities
        self.has_value_column = (
            self.columns.values and self.is_aligned and left - values >= _MIN_BAR_WIDTH + _GAP
        )
        if self.has_value_column:
            left -= values
        # A narrower bar would be unreadable.
        bar_width = min(BAR_WIDTH, left - _GAP)
        self.bar_width = bar_width if bar_width >= _MIN_BAR_WIDTH else 0

    def table(self, title: str) -> Table:
        table = Table(
            title=title,
            title_justify="left",
            title_style="bold",
            box=None,
            pad_edge=False,
            padding=(0, _GAP, 0, 0),
            header_style="dim",
        )
        for header in self.names:
            table.add_column(header, no_wrap=True)
        if self.bar_width:
            table.add_column("strategy", no_wrap=True)
        table.add_column("" if self.bar_width else "strategy", no_wrap=True)
        if self.has_value_column:
            table.add_column("value of each action", no_wrap=True)
        if self.columns.reach:
            table.add_column("reach", justify="right", no_wrap=True)
        for number, row in enumerate(self.rows):
            table.add_row(*self._cells(number, row), style="dim" if row.reach < 1e-9 else None)
        return table

    def _cells(self, number: int, row: Row) -> list[RenderableType]:
        cells: list[RenderableType] = []
        for header, names in self.names.items():
            if header == "line" and not names[number]:
                cells.append(Text(self.dash, style="dim"))
            else:
                cells.append(Text(names[number], style="bold" if header == "card" else ""))
        if self.bar_width:
            cells.append(bar(row.actions, row.probabilities, self.bar_width, self.shades))
        cells.append(self._played(row))
        if self.has_value_column:
            values = [self._value(row, action) for action in range(len(row.actions))]
            cells.append(Text((" " * _GAP).join(values)))
        if self.columns.reach:
            cells.append(Text(self.reaches[number]))
        return cells

    def _played(self, row: Row) -> Text:
        """Return each action with its probability and, if requested, its value below."""
        shown = list(range(len(row.actions)))
        has_values_below = self.columns.values and not self.has_value_column
        if not self.is_aligned:
            shown = [action for action in shown if row.probabilities[action] >= 5e-4]
        lines: list[Text] = []
        for begin in range(0, len(shown), _MAX_ALIGNED_ACTIONS):
            part = shown[begin : begin + _MAX_ALIGNED_ACTIONS]
            lines.append(Text(" " * _GAP).join(self._probability(row, action) for action in part))
            if has_values_below:
                below = [self._value_below(row, action) for action in part]
                lines.append(Text((" " * _GAP).join(below), style="dim"))
        return Text("\n").join(lines)

    def _name(self, row: Row, action: int) -> str:
        return row.actions[action].ljust(self.name_widths[action])

    def _probability(self, row: Row, action: int) -> Text:
        probability = row.probabilities[action]
        style = _colours(row.actions)[action] if probability >= 5e-4 else "dim"
        return Text(f"{self._name(row, action)} {100.0 * probability:5.1f}%", style=style)

    def _value(self, row: Row, action: int) -> str:
        return f"{self._name(row, action)} {self._amount(row.values[action]):>7}"

    def _value_below(self, row: Row, action: int) -> str:
        width = self.name_widths[action] + len(" 100.0%")
        return self._amount(row.values[action]).rjust(width)

    def _amount(self, value: float) -> str:
        return self.dash if math.isnan(value) else f"{value:+.4f}"


def bar(
    actions: tuple[str, ...], probabilities: Sequence[float], width: int, shades: str = SHADES
) -> Text:
    """Return a stacked bar of `width` cells; each action has a colour and a shade.

    The shades keep it readable without colour.
    """
    text, colours = Text(), _colours(actions)
    total, begin = 0.0, 0
    for action, probability in enumerate(probabilities):
        total += probability
        end = width if action == len(probabilities) - 1 else min(width, round(total * width))
        text.append(shades[action % len(shades)] * (end - begin), style=colours[action])
        begin = end
    return text


@lru_cache(maxsize=1024)
def _colours(actions: tuple[str, ...]) -> list[str]:
    return [TERMINAL[style.name] for style in styles_of(actions)]
