"""The 13 × 13 grid of a decision as a figure: how each class of hands mixes its actions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import CLASS_NAMES
from untilt.charts.figures.sheet_figure import begin_figure, begin_grid, fill_cell, write_cell
from untilt.charts.palette import LIGHT, ink_on, styles_of
from untilt.charts.sheet import PALE_GREY

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture

_PARTLY = 0.995
"""A class with less weight than this shows its weight in percent."""
_ABSENT = "#9aa0a6"


def mix_figure(
    title: str,
    subtitle: str,
    actions: Sequence[str],
    shares: Sequence[float],
    mix: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
) -> "Picture":
    """Return the grid of a range: `mix` is [actions, 169], `weights` [169], 0–1 or nan.

    Each action fills its share of a cell, the most aggressive first, and `shares` say how often it
    is taken altogether. A class that is only partly here shows its weight in percent, one that is
    not here is pale.
    """
    from matplotlib.patches import Patch

    from untilt.charts.figures.picture import drawing_style

    colours = [LIGHT[style.name] for style in styles_of(actions)]
    order = range(len(actions) - 1, -1, -1)
    with drawing_style():
        figure, (axes,) = begin_figure(title, subtitle, 1)
        begin_grid(axes, "")
        for hand, name in enumerate(CLASS_NAMES):
            weight = float(weights[hand])
            is_here = weight > 0.0  # not nan
            fill_cell(axes, hand, 0.0, 1.0, PALE_GREY)
            begin, widest, ground = 0.0, 0.0, PALE_GREY
            parts = [(colours[each], float(mix[each, hand])) for each in order]
            for colour, share in parts if is_here else ():
                if share > 1e-4:
                    fill_cell(axes, hand, begin, min(begin + share, 1.0), colour)
                if share > widest:
                    widest, ground = share, colour
                begin += share
            ink = ink_on(ground) if is_here else _ABSENT
            write_cell(axes, hand, 0.42, name, ink, 9, weight="bold" if is_here else "normal")
            if is_here and weight < _PARTLY:
                write_cell(axes, hand, 0.76, f"{max(100.0 * weight, 1.0):.0f} %", ink, 6.5)
        patches = [
            Patch(facecolor=colours[each], label=f"{actions[each]} {shares[each]:.1%}")
            for each in order
        ]
        axes.legend(
            handles=patches,
            fontsize=9,
            ncols=min(len(patches), 5) or 1,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            frameon=False,
        )
    return figure
