"""The 13 × 13 grid of hand classes for the terminal: a range, or a number per class.

A first, pairs on the diagonal, suited hands above it and offsuit ones below. Colour only
repeats what the cells say. In the grid of a range a class that is wholly in stands with
its name, a mixed one with its name and its percent, one that is out as a dot:

    AA    AKs   AQs50 .     .
    AKo25 KK    KQs   .     .

Both grids are plain ASCII and fit 80 columns, unless numbers are beyond 1e99.
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
from untilt.cards.range import Range
from untilt.errors import CardError

PALE = (250, 227, 176)
STRONG = (176, 42, 32)
"""Red, green and blue of the least and the greatest shade."""

_NUMBER_WIDTH = 5
_MOST_DECIMALS = 3


@dataclass(frozen=True)
class Cell:
    """One class of the grid."""

    text: str
    shade: float | None
    """How strong the colour is, 0–1; None for a cell without colour."""


@dataclass(frozen=True)
class HandGrid:
    """Cells as `str` prints them, or Rich in colour."""

    cells: tuple[Cell, ...]
    """[169] all texts have the same length."""
    caption: str = ""
    has_rank_labels: bool = False
    """Whether ranks stand above and before the cells, for cells that do not name their class."""

    def __str__(self) -> str:
        return "\n".join(line.plain.rstrip() for line in self._lines())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._lines()

    def _lines(self) -> Iterator[Text]:
        ranks = RANKS[::-1]
        if self.has_rank_labels:
            width = len(self.cells[0].text)
            yield _line(" " + "".join(f" {rank:>{width}}" for rank in ranks), "bold")
        for row in range(NUM_RANKS):
            line = _line(ranks[row] if self.has_rank_labels else "", "bold")
            for column in range(NUM_RANKS):
                cell = self.cells[row * NUM_RANKS + column]
                if column or self.has_rank_labels:
                    line.append(" ")
                line.append(cell.text, style=_style(cell.shade))
            yield line
        if self.caption:
            yield _line(self.caption)


def range_grid(hand_range: Range) -> HandGrid:
    """Return the grid of a range: how much of each class is in it, from 0 to 100 percent."""
    cells = [
        _range_cell(name, weight)
        for name, weight in zip(CLASS_NAMES, hand_range.class_weights().tolist(), strict=True)
    ]
    caption = f"{hand_range.num_combos:.6g} combos, {hand_range.percent:.3g}%"
    return HandGrid(tuple(cells), caption)


def value_grid(values: npt.ArrayLike, caption: str = "") -> HandGrid:
    """Return the grid of one number per class, [169] in the order of the grid or [13, 13].

    All have as many decimals as the longest leaves room for, at most 3. The least number is
    pale, the greatest strong; nan is a dash.
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
        Cell(text.rjust(width), None if math.isnan(number) else _share(number, low, high))
        for text, number in zip(texts, numbers, strict=True)
    ]
    return HandGrid(tuple(cells), caption, has_rank_labels=True)


def _range_cell(name: str, weight: float) -> Cell:
    if weight == 0.0:
        return Cell(".".ljust(5), None)
    # What is mixed never shows as out or as wholly in.
    percent = min(max(round(100.0 * weight), 1), 99)
    return Cell(name.ljust(5) if weight == 1.0 else f"{name:<3}{percent:>2}", weight)


def _share(number: float, low: float, high: float) -> float:
    """Return where `number` lies between `low` and `high`, 0–1."""
    if low == high:
        return 0.0
    # Halves, because the difference of two great numbers may be infinite.
    return min(max((number / 2 - low / 2) / (high / 2 - low / 2), 0.0), 1.0)


def _decimals(numbers: list[float]) -> int:
    for decimals in range(_MOST_DECIMALS, 0, -1):
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


def _style(shade: float | None) -> Style:
    if shade is None:
        return Style(dim=True)
    red, green, blue = (
        round(pale + shade * (strong - pale)) for pale, strong in zip(PALE, STRONG, strict=True)
    )
    # Black on the paler, white on the stronger half of the shades.
    ink = "black" if shade < 0.6 else "white"
    return Style(bgcolor=Color.from_rgb(red, green, blue), color=ink)
