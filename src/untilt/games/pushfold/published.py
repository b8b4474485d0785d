"""Push/fold charts published by others, as data with their source.

`hune` is the heads-up Nash chart of HoldemResources for blinds 0.5/1 without antes. For every
hand it gives the largest stack, counted before posting, with which the hand is pushed or called:
a hand is played if its limit is at least the stack. Three suited hands have gaps below their
limit, which are stored as intervals. A limit of "20+" is open: the chart ends at 20 bb.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from untilt.cards.combos import NUM_CLASSES, class_index
from untilt.errors import FormatError, UnknownName
from untilt.numeric.arrays import Bools, Floats

PUBLISHED = ("hune",)
"""Names of the charts."""

Intervals = dict[int, list[tuple[float, float]]]
"""Stacks by class number, both ends included."""


@dataclass(frozen=True)
class PublishedChart:
    """The stack up to which each hand is played, in big blinds."""

    name: str
    source: str
    largest_stack: float
    """The end of the chart; hands without a limit are assumed to be played beyond it too."""
    push_limit: Floats
    """[169] in the order of the grid; infinite if the chart has no limit."""
    call_limit: Floats
    """[169]"""
    push_intervals: Intervals
    """The hands that are not pushed at every stack below their limit."""

    def push(self, stack: float) -> Bools:
        """Return [169] which hands the small blind pushes."""
        pushes: Bools = self.push_limit >= stack
        for hand, intervals in self.push_intervals.items():
            pushes[hand] = any(low <= stack <= high for low, high in intervals)
        return pushes

    def call(self, stack: float) -> Bools:
        """Return [169] which hands the big blind calls."""
        calls: Bools = self.call_limit >= stack
        return calls


@lru_cache
def published_chart(name: str) -> PublishedChart:
    """Return the chart with this name."""
    if name not in PUBLISHED:
        raise UnknownName.among("published chart", name, PUBLISHED)
    try:
        text = (files("untilt.games.pushfold") / "data" / f"{name}.json").read_text("utf-8")
        data = json.loads(text)
        return PublishedChart(
            name=name,
            source=data["source"],
            largest_stack=20.0,
            push_limit=_limits(data["push"]),
            call_limit=_limits(data["call"]),
            push_intervals={
                class_index(hand): [(float(low), float(high)) for low, high in intervals]
                for hand, intervals in data["push_intervals"].items()
            },
        )
    except (OSError, ValueError, KeyError) as error:
        raise FormatError(f"the chart {name} is missing or damaged: reinstall Untilt") from error


_OPEN = 99.0
"""The number for "20+" in the data file."""


def _limits(rows: list[list[float]]) -> Floats:
    # Rows and columns run from A to 2, suited above the diagonal, as in our grid.
    limits = np.array(rows, dtype=np.float64).reshape(NUM_CLASSES)
    limits[limits == _OPEN] = np.inf
    limits.setflags(write=False)
    return limits
