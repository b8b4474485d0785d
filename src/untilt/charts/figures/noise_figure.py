"""The noise of a player over time as a figure, with a band for each period."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from untilt.charts.palette import run_colour

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture

_INK, _SOFT, _GRID = "#1c2024", "#566069", "#eceef0"
_LEAST = 1e-3
"""A noise of 0 is drawn here."""
_ROOM = 2.0


class NoiseBand(NamedTuple):
    """The noise in the hands [first, end), as a share of the pot, with an interval."""

    first: int
    end: int
    noise: float
    low: float
    high: float


def noise_figure(title: str, bands: Sequence[NoiseBand], changes: Sequence[int]) -> "Picture":
    """Return a figure of noise by hands, on a logarithmic scale, with a line at each change."""
    from untilt.charts.figures.picture import Picture, drawing_style

    known = [
        number
        for band in bands
        for number in (band.noise, band.low, band.high)
        if math.isfinite(number) and number > _LEAST
    ]
    top = _ROOM * max(known, default=1.0)
    with drawing_style():
        figure = Picture(figsize=(7.5, 3.6), facecolor="white")
        axes = figure.add_axes((0.12, 0.15, 0.84, 0.73))
        colour = run_colour(0)
        for band in bands:
            low, middle, high = (
                min(max(each, _LEAST), top) for each in (band.low, band.noise, band.high)
            )
            across = (band.first, band.end)
            axes.fill_between(across, low, high, color=colour, alpha=0.18, linewidth=0)
            axes.plot(across, (middle, middle), color=colour, linewidth=2.0)
        for hand in changes:
            axes.axvline(hand, color=_INK, linewidth=1.0, linestyle="--")
        axes.set_yscale("log")
        axes.set_ylim(max(min(known, default=_LEAST) / _ROOM, _LEAST), top)
        axes.yaxis.set_major_formatter(_percent)
        axes.yaxis.set_minor_formatter(_percent)
        axes.set_xlabel("hands of the player", color=_INK)
        axes.set_ylabel("noise, share of the pot", color=_INK)
        axes.set_title(title, color=_INK, fontsize=12, parse_math=False)
        axes.grid(axis="y", color=_GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(which="both", colors=_SOFT)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return figure


def _percent(value: float, _: float) -> str:
    return f"{100.0 * value:.3g} %"
