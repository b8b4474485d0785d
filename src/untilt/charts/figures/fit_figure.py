"""Observed play against fitted play as a figure: a point per action."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from untilt.charts.palette import run_colour

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture

_LARGEST = 120.0
"""Area of the largest point, in square points."""


def fit_figure(title: str, points: Sequence[tuple[int, float, float, int]]) -> "Picture":
    """Return a figure of `points`: player, observed and fitted share, 0–1, and the count.

    The area of a point is its count; on the diagonal, what was seen is what the model says.
    """
    from untilt.charts.figures.picture import Picture, drawing_style

    most = max((count for *_, count in points), default=1) or 1
    with drawing_style():
        figure = Picture(figsize=(5.4, 5.4), facecolor="white", layout="constrained")
        axes = figure.subplots()
        axes.plot([0.0, 1.0], [0.0, 1.0], color="#8b949e", linewidth=1.0)
        for player in (0, 1):
            own = [point for point in points if point[0] == player]
            axes.scatter(
                [fitted for _, _, fitted, _ in own],
                [observed for _, observed, _, _ in own],
                s=[4.0 + _LARGEST * count / most for *_, count in own],
                color=run_colour(player),
                alpha=0.7,
                linewidths=0,
                label=f"player {player}",
            )
        axes.set_xlabel("fitted share of the action")
        axes.set_ylabel("observed share")
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.03, 1.03)
        axes.set_title(title, fontsize=11)
        axes.legend(loc="upper left", fontsize="small", frameon=False)
        axes.grid(alpha=0.3)
    return figure
