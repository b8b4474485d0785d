"""The 13 × 13 grid of a decision: how each class of hands mixes its actions.

In colour, each action fills its share of a cell. Without colour, as in a file or with NO_COLOR, a
cell has the letter of the action that is taken most often, and how often in percent:

    A check 45.1%   B bet 50 54.9%
          A     K     Q
    A  B100   B75   A90
    K   b60  A100     .
"""

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.charts.hand_grid import HandGrid
from untilt.charts.palette import LIGHT, ink_on, styles_of

if TYPE_CHECKING:
    from untilt.policy.nodes.node import Node

MARK = "*"
_WIDTH = 5
_DIGITS = 2
_PARTLY = 0.995
"""A class with less weight than this shows its weight in percent."""


def print_mixes(console: Console, node: "Node", names: Sequence[str] | None = None) -> None:
    """Print the actions of a decision with their shares, the grid, and what its cells mean.

    `names` are those of the actions, if not as in the node. Classes with locked hands are marked.
    """
    actions = node.names if names is None else names
    player, shares, mix = node.player, node.whole_mix, node.class_mix()
    weights = node.class_weights(player)
    marked = node.by_class(node.is_locked(player).astype(np.float64), player) > 0.0
    is_coloured = console.color_system is not None and not console.no_color
    partly = [
        number
        for number in np.flatnonzero((weights > 0.0) & (weights < _PARTLY)).tolist()
        if not is_coloured or not marked[number]
    ]
    if is_coloured:
        console.print(mix_legend(actions, shares), soft_wrap=True)
        console.print(mix_grid(actions, mix, weights, marked))
        meaning = [_weight_meaning(partly[0], weights)] if partly else []
    else:
        named = zip(_letters(actions), actions, shares, strict=True)
        legend = "   ".join(f"{letter} {name} {share:.1%}" for letter, name, share in named)
        console.print(Text(legend), soft_wrap=True)
        console.print(letter_grid(actions, mix, weights, marked))
        meaning = [
            f"{_letters(actions)[-1]}75: {actions[-1]} 75% of the time, its most frequent action",
            *(["a small letter: only a part of the hand is here"] if partly else []),
            "suited above the diagonal",
        ]
    if meaning:
        console.print(Text("; ".join(meaning), style="dim"), soft_wrap=True)


def letter_grid(
    actions: Sequence[str],
    mix: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    marked: npt.NDArray[np.bool_] | None = None,
) -> HandGrid:
    """Return the grid of `mix_grid` for reading without colour.

    A cell has the letter of the action that is taken most often, small if only a part of the class
    is here, and its frequency in percent.
    """
    letters = _letters(actions)
    cells = []
    for number in range(NUM_CLASSES):
        weight = weights[number]
        if not weight > 0.0:  # also nan
            cells.append(Text(".".rjust(_WIDTH)))
            continue
        most = int(np.argmax(mix[:, number]))
        letter = letters[most] if weight >= _PARTLY else letters[most].lower()
        is_marked = marked is not None and bool(marked[number])
        text = f"{letter}{100.0 * mix[most, number]:.0f}{MARK * is_marked}"
        cells.append(Text(text.rjust(_WIDTH)))
    return HandGrid(tuple(cells), has_rank_labels=True)


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


def _weight_meaning(number: int, weights: npt.NDArray[np.float64]) -> str:
    """Return the meaning of the digits in a cell, by the example of a class that is partly here."""
    percent = max(round(100.0 * float(weights[number])), 1)
    cell = f"{CLASS_NAMES[number]:<3}{percent:>{_DIGITS}}"
    return f"{cell}: {percent}% of the combos of this hand are here"


def _letters(actions: Sequence[str]) -> list[str]:
    """Return a letter for each action; all after Z have the same sign."""
    return [*string.ascii_uppercase, *("#" * len(actions))][: len(actions)]


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
