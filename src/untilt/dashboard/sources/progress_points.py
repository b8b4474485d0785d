"""Choosing the points of a run's progress that the page shows."""

import math
from collections.abc import Sequence

import numpy as np

from untilt.formats.run.progress_reader import Positions, ProgressFeed
from untilt.numeric.arrays import Floats


def thinned_rows(feed: ProgressFeed, num_points: int) -> Positions:
    """Return about `num_points` positions of rows, the first and the last among them.

    They are spaced evenly in the logarithm of the iteration; along a branch, in the row number.
    """
    return thinned(feed.column("iteration"), num_points, is_branch=feed.is_branch)


def sparkline(feed: ProgressFeed, num_points: int) -> list[float]:
    """Return log10 of exploitability at up to `num_points` rows, where it is positive."""
    values = feed.column("exploitability")[thinned_rows(feed, num_points)]
    return [round(math.log10(value), 4) for value in values.tolist() if value > 0.0]


def thinned(iterations: Floats, num_points: int, *, is_branch: bool) -> Positions:
    """Return about `num_points` positions among rows at these iterations, ascending."""
    count = len(iterations)
    if count <= num_points:
        return np.arange(count)
    places = np.linspace(0, count - 1, num_points)
    if is_branch:
        return np.unique(np.rint(places).astype(np.int64))
    logs = np.log(np.maximum(iterations, 1.0))
    # The search needs sorted values, and a damaged file may not be sorted.
    marks = np.linspace(logs[0], logs[-1], num_points)
    found = np.searchsorted(np.maximum.accumulate(logs), marks)
    found[0], found[-1] = 0, count - 1
    return np.unique(np.minimum(found, count - 1))


def turning_points(betas: Sequence[float]) -> list[float]:
    """Return the values of beta at which a path turns, from its points."""
    return [
        here
        for before, here, after in zip(betas, betas[1:], betas[2:], strict=False)
        if (here - before) * (after - here) < 0.0
    ]
