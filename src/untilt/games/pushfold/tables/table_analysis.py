"""The cost of other ranges at a table: hand by hand, decision by decision, seat by seat."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from untilt.cards.combos import CLASS_NAMES
from untilt.games.pushfold.tables.solver import Model
from untilt.games.pushfold.tables.table_chart import TableChart, TableDecision
from untilt.numeric.arrays import Floats


@dataclass(frozen=True)
class HandCost:
    """A hand that is played otherwise; amounts are in the unit of the chart."""

    hand: str
    ours: float
    """How often the chart is all-in with it."""
    theirs: float
    gain: float
    """What being all-in gains over folding, against the chart."""
    cost: float
    """What the difference costs per hand dealt."""


@dataclass(frozen=True)
class DecisionCost:
    """The cost of other ranges in one decision."""

    decision: TableDecision
    theirs: Floats
    """[169] how often the other range is all-in with each hand"""
    cost: float
    hands: tuple[HandCost, ...]
    """The hands that cost something, the dearest first."""


@dataclass(frozen=True)
class TableComparison:
    """Other ranges compared with a chart; amounts are in its unit, per hand dealt."""

    chart: TableChart
    decisions: tuple[DecisionCost, ...]
    """The decisions for which there are other ranges."""
    costs: Floats
    """[n] what each seat loses by its other ranges if all others play the chart"""
    gains: Floats
    """[n] what a best response of each seat gains if all play the other ranges"""

    @property
    def nash_conv(self) -> float:
        """The sum of the gains."""
        return float(self.gains.sum())

    def to_json(self) -> dict[str, object]:
        """Return the comparison as plain data."""
        return {
            "costs": self.costs.tolist(),
            "gains": self.gains.tolist(),
            "nash_conv": self.nash_conv,
            "decisions": [
                {
                    "seat": each.decision.player,
                    "before": list(each.decision.before),
                    "cost": each.cost,
                    "hands": [
                        {
                            "hand": hand.hand,
                            "frequency": hand.ours,
                            "other_frequency": hand.theirs,
                            "gain": hand.gain,
                            "cost": hand.cost,
                        }
                        for hand in each.hands
                    ],
                }
                for each in self.decisions
            ],
        }


def compare_ranges(chart: TableChart, others: Mapping[int, Floats]) -> TableComparison:
    """Return what the ranges `others` [169] by node cost against a chart.

    Decisions without another range are played as in the chart.
    """
    table = chart.table
    nodes = {state: node for node, state in enumerate(table.states)}
    costs = np.zeros(table.num_seats)
    found = []
    for decision in chart.decisions:
        node = nodes[decision.state]
        if node not in others:
            continue
        theirs = others[node]
        gain = np.where(decision.reach > 0.0, decision.gain, 0.0)
        cost = decision.reach * (decision.frequency - theirs) * gain
        hands = [
            HandCost(
                CLASS_NAMES[hand],
                float(decision.frequency[hand]),
                float(theirs[hand]),
                float(gain[hand]),
                float(cost[hand]),
            )
            for hand in np.argsort(-cost, kind="stable").tolist()
            if abs(cost[hand]) > 1e-9
        ]
        costs[decision.state.seat] += float(cost.sum())
        found.append(DecisionCost(decision, theirs, float(cost.sum()), tuple(hands)))
    model = Model(table)
    ranges = chart.ranges.copy()
    for node, shares in others.items():
        ranges[node] = shares
    model.take(ranges)
    return TableComparison(chart, tuple(found), costs, model.measure().gains)
