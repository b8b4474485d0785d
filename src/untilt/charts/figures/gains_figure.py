"""The winnings of exploiters as a figure: a dot and an interval for each variant."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from untilt.charts.figures.plot_file import plot_path, saved
from untilt.charts.palette import run_colour

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture

_ROW_INCHES = 0.32
_LETTER_INCHES = 0.075
_INK, _SOFT, _GRID = "#1c2024", "#566069", "#eceef0"

_Interval = tuple[float, float] | None


def plot_gains(
    gains: Iterable[tuple[str, str, float, _Interval]],
    title: str,
    path: str | os.PathLike[str] | None,
) -> "Picture":
    """Return rows of agent, variant, mbb per hand and interval as a figure; save it with a path.

    Variants are rows, in their order; agents have the colours of runs.
    """
    file = plot_path(path)
    from untilt.charts.figures.picture import Picture, drawing_style

    rows = list(gains)
    variants = list(dict.fromkeys(variant for _, variant, _, _ in rows))
    agents = list(dict.fromkeys(agent for agent, _, _, _ in rows))
    left = 0.3 + _LETTER_INCHES * max(map(len, variants), default=0)
    width, height = left + 5.0, 1.3 + _ROW_INCHES * len(variants) * max(len(agents), 1)
    with drawing_style():
        figure = Picture(figsize=(width, height), facecolor="white")
        axes = figure.add_axes((left / width, 0.6 / height, 4.7 / width, 1.0 - 1.1 / height))
        for place, agent in enumerate(agents):
            shift = (place - (len(agents) - 1) / 2.0) / (len(agents) + 0.5)
            colour = run_colour(place)
            own = [row for row in rows if row[0] == agent]
            heights = [variants.index(variant) + shift for _, variant, _, _ in own]
            axes.plot(
                [mbb for _, _, mbb, _ in own], heights, "o", color=colour, markersize=5, label=agent
            )
            for (_, _, _, interval), at in zip(own, heights, strict=True):
                if interval is not None:
                    axes.plot(interval, (at, at), color=colour, linewidth=1.6)
        axes.axvline(0.0, color=_SOFT, linewidth=0.8)
        axes.set_yticks(range(len(variants)), variants)
        axes.set_ylim(len(variants) - 0.5, -0.5)
        axes.set_xlabel("mbb a hand, 95 % intervals", color=_INK)
        axes.set_title(title, color=_INK, fontsize=12, parse_math=False)
        axes.grid(axis="x", color=_GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(colors=_SOFT)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        if len(agents) > 1:
            axes.legend(fontsize=9, frameon=False)
    return saved(figure, file)
