"""The 13 × 13 grid of hand classes for the terminal: a range, actions, or a number per class.

A comes first; pairs are on the diagonal, suited hands above it and offsuit hands below. Colours
only repeat what the cells say. The grid of a range shows a class that is fully in the range by its
name, one that is partly in it by its name and percentage, and one that is out as a dot:

    AA    AKs   AQs50 .     .
    AKo25 KK    KQs   .     .

A grid of actions looks the same; each colour fills a part of the cell, the frequency of its action.
A grid of differences marks a class that only one of two ranges plays with + or -. All grids are
plain ASCII and fit 80 columns, unless numbers exceed 1e99.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rich.color import Color
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from untilt.cards.card import NUM_RANKS, RANKS
from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.cards.ranges.range import Range
from untilt.charts.sheet import ActionCell, ActionGrid, ActionSheet, difference_marks, marks_meaning
from untilt.errors import CardError


def print_sheet(console: Console, sheet: ActionSheet, *, with_numbers: bool = False) -> None:
    """Print every grid with its range, mixed hands and, if asked, the number of each hand."""
    console.print(sheet.title, style="bold", soft_wrap=True)
    console.print(f"{sheet.subtitle}; {sheet.remark}", soft_wrap=True)
    for grid in sheet.grids:
        console.print()
        console.print(f"{grid.heading}; {grid.remark}", style="bold", soft_wrap=True)
        console.print(action_grid(grid))
        console.print(action_legend(grid), soft_wrap=True)
        console.print(f"range: {grid.range_text}", soft_wrap=True)
        console.print(f"mixed: {grid.mixed_text}", soft_wrap=True)
        if with_numbers:
            numbers = grid.numbers
            console.print()
            console.print(value_grid(numbers.values, f"{numbers.meaning} ({numbers.base})"))


PALE = (250, 227, 176)
STRONG = (176, 42, 32)
"""Red, green and blue of the palest and the strongest shade."""

_CELL_WIDTH = 5
_NUMBER_WIDTH = 5
_MAX_DECIMALS = 3


@dataclass(frozen=True)
class HandGrid:
    """A grid that `str` prints as plain text and Rich prints in colour."""

    cells: tuple[Text, ...]
    """[169] all of the same length."""
    caption: str = ""
    has_rank_labels: bool = False
    """Whether to label rows and columns with ranks, for cells that do not name their class."""

    def __str__(self) -> str:
        return "\n".join(line.plain.rstrip() for line in self._lines())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._lines()

    def _lines(self) -> Iterator[Text]:
        ranks = RANKS[::-1]
        if self.has_rank_labels:
            width = len(self.cells[0])
            yield _line(" " + "".join(f" {rank:>{width}}" for rank in ranks), "bold")
        for row in range(NUM_RANKS):
            line = _line(ranks[row] if self.has_rank_labels else "", "bold")
            for column in range(NUM_RANKS):
                if column or self.has_rank_labels:
                    line.append(" ")
                line.append_text(self.cells[row * NUM_RANKS + column])
            yield line
        if self.caption:
            yield _line(self.caption)


def range_grid(hand_range: Range) -> HandGrid:
    """Return the grid of a range: the share of each class that is in it."""
    cells = [
        _shaded(_cell_text(name, weight), weight or None)
        for name, weight in zip(CLASS_NAMES, hand_range.class_weights().tolist(), strict=True)
    ]
    caption = f"{hand_range.num_combos:.6g} combos, {hand_range.percent:.3g}%"
    return HandGrid(tuple(cells), caption)


def value_grid(values: npt.ArrayLike, caption: str = "") -> HandGrid:
    """Return the grid of one number per class, [169] in the order of the grid or [13, 13].

    All have as many decimals as the longest leaves room for, at most 3. The smallest number is
    pale and the largest strong; nan is a dash.
    """
    given = np.asarray(values)
    if given.shape not in ((NUM_CLASSES,), (NUM_RANKS, NUM_RANKS)) or given.dtype.kind not in "fiu":
        raise CardError(
            f"values are an array of {given.dtype} with the shape {given.shape}: "
            f"give real numbers with the shape ({NUM_CLASSES},) or ({NUM_RANKS}, {NUM_RANKS})"
        )
    numbers: list[float] = given.astype(np.float64).ravel().tolist()
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    decimals = _decimals(finite)
    texts = [_number(number, decimals) for number in numbers]
    width = max(_NUMBER_WIDTH, *map(len, texts))
    cells = [
        _shaded(text.rjust(width), None if math.isnan(number) else _share(number, low, high))
        for text, number in zip(texts, numbers, strict=True)
    ]
    return HandGrid(tuple(cells), caption, has_rank_labels=True)


def action_grid(grid: ActionGrid) -> HandGrid:
    """Return the grid of actions: how often each hand takes the actions that fill cells."""
    return HandGrid(tuple(_filled(cell, grid) for cell in grid.cells()))


def difference_grid(ours: npt.ArrayLike, theirs: npt.ArrayLike, name: str) -> HandGrid:
    """Return the grid of two ranges, [169] shares each: what the second, `name`, does differently.

    One that both play has its name, one that both fold is a dot; `+AKs` is played by the second
    only, `-AKs` by the first only, see `difference_marks`.
    """
    played = (np.asarray(ours) > 0.5).tolist()
    cells = []
    for hand, mark, is_played in zip(
        CLASS_NAMES, difference_marks(ours, theirs), played, strict=True
    ):
        if mark:
            cells.append(Text((mark + hand).ljust(_CELL_WIDTH), style="bold reverse"))
        else:
            cells.append(Text((f" {hand}" if is_played else " .").ljust(_CELL_WIDTH)))
    return HandGrid(tuple(cells), f"{marks_meaning(name)}; a name: both, a dot: neither")


def action_legend(grid: ActionGrid) -> Text:
    """Return a one-line legend for the cells of `action_grid`."""
    fills, margin = grid.fills, grid.margin
    legend = Text()
    for own in fills:
        shares = tuple(1.0 if fill == own else 0.0 for fill in fills)
        legend.append_text(_filled(ActionCell("AA", shares, margin), grid))
        legend.append(f" always {own.name}   ")
    others = (0.0,) * (len(fills) - 1)
    legend.append_text(_filled(ActionCell("AKo", (0.4, *others), margin), grid))
    legend.append(f" {' or '.join(fill.name for fill in fills)} 40 % of the time   ")
    legend.append_text(_filled(ActionCell("AA", (0.0, *others), margin), grid))
    return legend.append(f" {grid.rest}")


def _cell_text(name: str, share: float) -> str:
    if share == 0.0:
        return ".".ljust(_CELL_WIDTH)
    if share == 1.0:
        return name.ljust(_CELL_WIDTH)
    # A mixed hand never shows as 0 or 100 percent.
    return f"{name:<3}{min(max(round(100.0 * share), 1), 99):>2}"


def _filled(cell: ActionCell, grid: ActionGrid) -> Text:
    """Return a cell with its characters coloured in proportion to each action."""
    ends = cell.ends()
    text = _cell_text(cell.name, ends[-1])
    if cell.is_mixed:
        most = min(max(round(ends[-1] * _CELL_WIDTH), 1), _CELL_WIDTH - 1)
    else:
        most = round(ends[-1]) * _CELL_WIDTH
    filled, begin = Text(), 0
    fills = grid.fills
    for number, (end, fill) in enumerate(zip(ends, fills, strict=True), 1):
        stop = most if number == len(fills) else min(round(end * _CELL_WIDTH), most)
        style = Style(color="white", bgcolor=Color.parse(fill.colour), bold=True)
        filled.append(text[begin:stop], style=style)
        begin = stop
    rest = Style(color="black", bgcolor=Color.parse(grid.rest_colour))
    return filled.append(text[begin:], style=rest)


def _share(number: float, low: float, high: float) -> float:
    """Return the place of `number` between `low` and `high`, 0–1."""
    if low == high:
        return 0.0
    # Halves, because the difference of two large numbers may overflow.
    return min(max((number / 2 - low / 2) / (high / 2 - low / 2), 0.0), 1.0)


def _decimals(numbers: list[float]) -> int:
    for decimals in range(_MAX_DECIMALS, 0, -1):
        if all(len(f"{number:z.{decimals}f}") <= _NUMBER_WIDTH for number in numbers):
            return decimals
    return 0


def _number(number: float, decimals: int) -> str:
    if math.isnan(number):
        return "-"
    text = f"{number:z.{decimals}f}"
    if len(text) > _NUMBER_WIDTH:
        mantissa, exponent = f"{number:.0e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text


def _line(text: str, style: str = "") -> Text:
    return Text(no_wrap=True, overflow="ignore").append(text, style=style)


def _shaded(text: str, shade: float | None) -> Text:
    """Return a cell with the colour of `shade`, 0–1, or without colour for None."""
    return Text(text, style=_style(shade))


def _style(shade: float | None) -> Style:
    if shade is None:
        return Style(dim=True)
    red, green, blue = (
        round(pale + shade * (strong - pale)) for pale, strong in zip(PALE, STRONG, strict=True)
    )
    # Black text on pale shades, white text on strong ones.
    ink = "black" if shade < 0.6 else "white"
    return Style(bgcolor=Color.from_rgb(red, green, blue), color=ink)
