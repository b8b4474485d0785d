"""A branch of quantal response equilibria: points in order, and how it ended."""

from dataclasses import dataclass

import numpy as np

from untilt.numeric.arrays import Floats

REACHED, TURNED_BACK, STALLED, TOO_MANY_POINTS = 0, 1, 2, 3
ENDINGS = ("reached", "turned back", "stalled", "too many points")
"""The endings of a trace, by number."""


@dataclass(frozen=True)
class Branch:
    """Points of a path in order; N points, V variables."""

    betas: Floats
    """[N]"""
    log_odds: Floats
    """[N, V]"""
    folds: tuple[float, ...]
    """Values of β at which the path turned."""
    ending: int
    """REACHED, or why it ended early."""
    num_factorisations: int
    num_corrections: int
    last_correction: float
    """The last point's last Newton step, max |dz| / (1 + |z|); above the requested
    tolerance if rounding, which grows like β², prevents it."""


def turns(betas: Floats) -> tuple[float, ...]:
    """Return the values of β at which a path turns back or forth."""
    signs = np.sign(np.diff(betas))
    return tuple(betas[1:-1][signs[1:] != signs[:-1]].tolist())
