"""A branch of quantal response equilibria as a figure: probabilities and exploitability by β."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture

_MAX_LINES = 24
"""Only the actions that change most are drawn; more lines would be unreadable."""


def branch_figure(title: str, branch: Sequence[Mapping[str, Any]]) -> "Picture":
    """Return action probabilities and exploitability against β, on a log axis."""
    from untilt.charts.figures.picture import Picture

    points = [point for point in branch if point["beta"] > 0.0]
    betas = [point["beta"] for point in points]
    figure = Picture(figsize=(9.0, 7.0), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    for label, action in _lines(points):
        shares = [point["strategy"][label][action] for point in points]
        upper.plot(betas, shares, label=f"{label} {action}", linewidth=1.4)
    upper.set_xscale("log")
    upper.set_ylim(-0.02, 1.02)
    upper.set_ylabel("probability")
    upper.set_title(f"{title}: quantal response by β")
    upper.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    lower.plot(betas, [point["exploitability"] for point in points], color="black")
    lower.set_yscale("log")
    lower.set_ylabel("exploitability, chips")
    lower.set_xlabel("β, per chip")
    for axes in (upper, lower):
        axes.grid(alpha=0.3)
    return figure


def _lines(points: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the actions to draw: those that change most, without the first of each infoset."""
    moves: list[tuple[float, str, str]] = []
    for label, actions in points[0]["strategy"].items():
        for action in list(actions)[1:]:
            shares = [point["strategy"][label][action] for point in points]
            moves.append((max(shares) - min(shares), label, action))
    kept = sorted(moves, key=lambda move: -move[0])[:_MAX_LINES]
    return [
        (label, action)
        for _, label, action in moves
        if any(label == k[1] and action == k[2] for k in kept)
    ]
