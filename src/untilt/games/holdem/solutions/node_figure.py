"""Nodes of solved spots as figures, which `charts` draws."""

import os
from typing import TYPE_CHECKING

import numpy as np

from untilt.charts.figures.plot_file import plot_path, saved
from untilt.errors import InvalidOption
from untilt.games.holdem.bets.sizes import SEATS

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture
    from untilt.games.holdem.solutions.solution import SolutionNode


def plot_node(node: "SolutionNode", path: str | os.PathLike[str] | None) -> "Picture":
    """Return the 13 × 13 grid of the player who acts, and write it if there is a path."""
    file = plot_path(path)
    if node.player < 0:
        raise InvalidOption(
            f"nobody acts after {node.line!r}, so there is no strategy to draw; choose a decision"
        )
    from untilt.charts.figures.mix_figure import mix_figure

    own = node.own
    figure = mix_figure(
        f"{node.board}: {SEATS[node.player]} {f'after {node.line}' if node.line else 'to act'}",
        f"pot {node.pot}, stack {min(node.stacks)}, EV {own.mean_ev:.4g}, "
        f"equity {own.mean_equity:.1%}",
        node.actions,
        list(node.frequencies.values()),
        np.array([own.by_class(row) for row in node.strategy]),
        own.class_weights(),
    )
    return saved(figure, file)
