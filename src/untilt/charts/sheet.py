"""Sheets of 13 × 13 grids of hands, as plain data that the terminal, figures and pages draw.

An `ActionGrid` says how often each hand takes each action, a `ListGrid` lists texts for each hand.
Arrays have 169 rows in the order of the grid: A first, pairs on the diagonal, suited above it.

Actions have the colours of `palette`; the text in a cell repeats what its colours say.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import CLASS_NAMES
from untilt.charts.palette import INKS, blend, colour_of, ink_on

PALE_GREY = "#eceff1"
"""The background of lists."""
MARK = "#ffc400"
"""The frame of a cell with a mark: bright on the colours of all actions."""


class Fill(NamedTuple):
    """An action that fills cells."""

    name: str
    """A word, such as `push`."""
    colour: str
    """`#rrggbb`, dark enough for white text."""


@dataclass(frozen=True)
class HandNumbers:
    """A number for each hand, shown on demand."""

    values: npt.NDArray[np.float64]
    """[169], nan if a hand has none."""
    meaning: str
    """Their meaning, such as `bb that pushing gains over folding`."""
    base: str
    """The meaning of 0, such as `-0.5 bb`."""
    hint: str
    """A clause with `{}` for the number, such as `{} bb compared with folding`."""


@dataclass(frozen=True)
class ActionGrid:
    """The frequencies of each hand's actions."""

    heading: str
    remark: str
    """Follows the heading in the terminal."""
    fills: tuple[Fill, ...]
    """The actions that fill cells, from the left; at least one."""
    rest: str
    """The name of the remaining action, which fills nothing."""
    rest_remark: str
    shares: npt.NDArray[np.float64]
    """[169, len(fills)] how often each hand takes each action, 0–1, at most 1 in total."""
    margin: float
    """A share closer than this to 0 or 1 is drawn as 0 or 1."""
    range_text: str
    """The hands that take one of the actions, as a range."""
    numbers: HandNumbers
    marks: tuple[str, ...] = ("",) * len(CLASS_NAMES)
    """[169] what stands before the name of a hand, see `difference_marks`."""
    marks_meaning: str = ""
    """The meaning of the marks; empty if there are none."""

    def cells(self) -> "list[ActionCell]":
        """Return the 169 cells."""
        return [
            ActionCell(name, tuple(shares), self.margin, mark)
            for name, shares, mark in zip(
                CLASS_NAMES, self.shares.tolist(), self.marks, strict=True
            )
        ]

    @property
    def rest_colour(self) -> str:
        """The background of cells, visible in proportion to the remaining action."""
        return colour_of(self.rest)

    @property
    def mixed_text(self) -> str:
        """The mixed hands with their percentages."""
        mixed = [
            f"{cell.name} {100.0 * cell.share:.2f} %" for cell in self.cells() if cell.is_mixed
        ]
        return ", ".join(mixed) or "none"


class ActionCell(NamedTuple):
    """A hand, and how often it takes each action of its grid."""

    name: str
    shares: tuple[float, ...]
    margin: float
    mark: str = ""
    """`+` or `-` if another strategy plays the hand differently."""

    @property
    def share(self) -> float:
        """The frequency of the actions that fill cells."""
        return sum(self.shares)

    @property
    def is_full(self) -> bool:
        """Whether the whole cell is filled."""
        return self.share >= 1.0 - self.margin

    @property
    def is_mixed(self) -> bool:
        """Whether only part of the cell is filled."""
        return self.margin < self.share < 1.0 - self.margin

    def ends(self) -> tuple[float, ...]:
        """Return the end of each action's part, 0–1; it begins where the previous one ends."""
        if not (self.is_full or self.is_mixed):
            return (0.0,) * len(self.shares)
        *inner, last = accumulate(self.shares)
        return (*inner, 1.0 if self.is_full else last)


@dataclass(frozen=True)
class ListGrid:
    """A list of short texts and a depth of colour for each hand."""

    heading: str
    fill: Fill
    depths: Sequence[float]
    """[169] how strong the colour of each cell is, 0–1."""
    lines: Sequence[Sequence[str]]
    """[169]"""

    def is_white_on(self, hand: int) -> bool:
        """Whether text in the cell is white."""
        return ink_on(blend(PALE_GREY, self.fill.colour, self.depths[hand])) == INKS[0]


@dataclass(frozen=True)
class ActionSheet:
    """Grids of actions under one title."""

    title: str
    subtitle: str
    remark: str
    """Follows the subtitle if there is room for it."""
    grids: tuple[ActionGrid, ...]
    prompt: str
    """The label of the check box that shows all numbers of a page."""
    footnote: str


@dataclass(frozen=True)
class ListSheet:
    """Grids of lists under one title, and a table."""

    title: str
    subtitle: str
    remark: str
    grids: tuple[ListGrid, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def difference_marks(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> tuple[str, ...]:
    """Return a mark for each of the 169 hands that only one of two strategies plays.

    A hand counts as played if it is played more often than not: `+` stands for a hand that the
    second plays alone, `-` for one that the first plays alone.
    """
    played = [(np.asarray(shares) > 0.5).tolist() for shares in (ours, theirs)]
    return tuple(
        "" if first == second else "+" if second else "-"
        for first, second in zip(*played, strict=True)
    )


def marks_meaning(name: str) -> str:
    """Return the meaning of `difference_marks`, for the other strategy `name`."""
    return f"+ only {name} plays it, - only this chart does"


def number_text(number: float) -> str:
    """Return the number of a cell as text; a dash for nan."""
    return "–" if math.isnan(number) else f"{number:+z.3f}"
