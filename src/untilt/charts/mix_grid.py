"""The 13 × 13 grid of a decision: how each class of hands mixes its actions."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rich.color import Color
from rich.style import Style
from rich.text import Text

from untilt.cards.combos import CLASS_NAMES
from untilt.charts.hand_grid import HandGrid
from untilt.charts.palette import LIGHT, ink_on, styles_of

MARK = "*"
_WIDTH = 5
_DIGITS = 2
_PARTLY = 0.995
"""A class with less weight than this shows its weight in percent."""


def mix_grid(
    actions: Sequence[str],
    mix: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    marked: npt.NDArray[np.bool_] | None = None,
) -> HandGrid:
    """Return the grid of a range: `mix` is [actions, 169], `weights` [169], 0–1 or nan.

    Each action fills its share of a cell, the most aggressive first. A class that is only partly
    here shows its weight in percent, one that is not here is a dot. Classes that are `marked`
    [169] have `MARK` after their name, and a weight only if there is room for it.
    """
    colours = [LIGHT[style.name] for style in styles_of(actions)]
    order = range(len(actions) - 1, -1, -1)
    cells = []
    for number, name in enumerate(CLASS_NAMES):
        weight = weights[number]
        if not weight > 0.0:  # also nan
            cells.append(Text(".".ljust(_WIDTH), style=Style(dim=True)))
            continue
        is_marked = marked is not None and bool(marked[number])
        text = (name + MARK * is_marked).ljust(_WIDTH)
        if weight < _PARTLY and len(text.rstrip()) <= _WIDTH - _DIGITS:
            text = text[:-_DIGITS] + f"{max(round(100.0 * weight), 1):>{_DIGITS}}"
        cells.append(_filled(text, [(colours[each], mix[each, number]) for each in order]))
    return HandGrid(tuple(cells))


def mix_legend(actions: Sequence[str], shares: Sequence[float]) -> Text:
    """Return a line with every action in its colour, and how often it is taken."""
    legend = Text()
    for name, share, style in zip(actions, shares, styles_of(actions), strict=True):
        colour = LIGHT[style.name]
        legend.append(f" {name} ", style=_style(colour))
        legend.append(f" {share:.1%}   ")
    return legend


def _filled(text: str, parts: Sequence[tuple[str, float]]) -> Text:
    """Return a cell whose characters have the colours of the parts, in proportion."""
    ends = np.rint(np.cumsum([share for _, share in parts]) * _WIDTH).astype(int)
    filled, begin = Text(), 0
    for (colour, _), end in zip(parts, [*ends[:-1].tolist(), _WIDTH], strict=True):
        filled.append(text[begin:end], style=_style(colour))
        begin = max(begin, end)
    return filled


def _style(colour: str) -> Style:
    return Style(color=Color.parse(ink_on(colour)), bgcolor=Color.parse(colour))
