"""Analysis of push/fold charts: best responses, comparisons, and the stacks of each hand.

`runs.pushfold` solves and evaluates; this module says what the results mean for hands. Amounts
are big blinds per hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from untilt.cards.combos import CLASS_NAMES
from untilt.games.pushfold.chart import (
    ChartSide,
    Intervals,
    PushFoldChart,
    PushFoldPlay,
    PushFoldSweep,
)
from untilt.games.pushfold.game import deals
from untilt.numeric.arrays import Bools

INDIFFERENT = 1e-6
"""If playing and folding differ by less, the frequency decides whether a hand is played."""


@dataclass(frozen=True)
class Answer:
    """The best response to a range; amounts are for the player who responds."""

    chart: PushFoldChart
    """The given range and the response to it."""
    seat: ChartSide
    """The half that responds."""
    value: float
    """The gain of the response."""
    equilibrium_value: float
    """The gain of the equilibrium range against the given one."""
    game_value: float
    """The gain of the equilibrium range against the equilibrium."""

    @property
    def gain(self) -> float:
        """The gain of the response over that of the equilibrium range."""
        return self.value - self.equilibrium_value


@dataclass(frozen=True)
class Match:
    """Two strategies head to head; amounts are exact, and for the first."""

    as_small_blind: float
    as_big_blind: float
    losses: tuple[float, float]
    """The loss of each strategy to a best response, the mean of both seats."""

    @property
    def mean(self) -> float:
        """The gain of the first per hand if the players swap seats after every hand."""
        return (self.as_small_blind + self.as_big_blind) / 2.0


@dataclass(frozen=True)
class HandDifference:
    """A hand that two charts play differently."""

    action: str
    """`push` or `call`."""
    hand: str
    ours: float
    """The frequency with which the first chart plays it."""
    theirs: float
    ev_difference: float
    """The gain of playing it over folding, against the first chart."""
    cost: float
    """The loss of the second chart to the first by this hand, per hand dealt."""


@dataclass(frozen=True)
class Comparison:
    """A chart compared with another strategy for the same game."""

    chart: PushFoldChart
    other: PushFoldPlay
    differences: tuple[HandDifference, ...]
    """Hands that only one of the two plays more often than not."""
    costs: tuple[float, float]
    """What the other loses to the chart per hand by its pushes and by its calls, all hands of the
    grid counted: against an equilibrium, the sum over hands of `Difference.cost`."""
    match: Match
    """The chart is the first strategy, the other is the second."""


def comparison_of(chart: PushFoldChart, other: PushFoldPlay, match: Match) -> Comparison:
    """Return the differences of the two, and their cost for the other against the chart."""
    dealt = deals().probability
    weights = dealt.sum(axis=1), chart.push.frequency @ dealt
    found: list[HandDifference] = []
    costs = []
    for seat, shares, weight in zip(chart.seats, (other.push, other.call), weights, strict=True):
        # A hand that never has to decide has no value, and costs nothing.
        gain = np.where(weight > 0.0, seat.ev - seat.fold_ev, 0.0)
        cost = weight * (seat.frequency - shares) * gain
        costs.append(float(cost.sum()))
        found += [
            HandDifference(
                seat.action,
                CLASS_NAMES[hand],
                float(seat.frequency[hand]),
                float(shares[hand]),
                float(gain[hand]),
                float(cost[hand]),
            )
            for hand in np.flatnonzero((seat.frequency > 0.5) != (shares > 0.5)).tolist()
        ]
    return Comparison(chart, other, tuple(found), (costs[0], costs[1]), match)


def sweep_of(charts: Sequence[PushFoldChart]) -> PushFoldSweep:
    """Return the charts, by ascending stack, with the stacks at which each hand is played."""
    stacks = [chart.stack for chart in charts]
    return PushFoldSweep(
        tuple(charts),
        push=_intervals([chart.push for chart in charts], stacks),
        call=_intervals([chart.call for chart in charts], stacks),
    )


def _intervals(seats: Sequence[ChartSide], stacks: Sequence[float]) -> Intervals:
    """Return for each hand the maximal runs of neighbouring stacks at which it is played."""
    is_played = np.array([_played(seat) for seat in seats])
    found: dict[str, list[tuple[float, float]]] = {}
    for hand, name in enumerate(CLASS_NAMES):
        steps = np.diff(is_played[:, hand].astype(np.int8), prepend=0, append=0)
        begins, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
        found[name] = [
            (stacks[begin], stacks[end - 1])
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ]
    return found


def _played(seat: ChartSide) -> Bools:
    """Return [169] which hands are played: by the sign of the gain, if that is clear.

    That sign is the same in every equilibrium. The frequency of a hand that gains nothing either
    way may differ.
    """
    gain = seat.ev - seat.fold_ev
    return np.where(np.abs(gain) > INDIFFERENT, gain > 0.0, seat.frequency > 0.5)
