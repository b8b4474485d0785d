"""The chart of a whole push/fold table as nodes: each seat is all-in or folds."""

from typing import Any

import numpy as np

from untilt.cards.combos import NUM_CLASSES
from untilt.game.actions import ActionData, Kind
from untilt.games.pushfold.tables.table_chart import TableChart, TableDecision
from untilt.numeric.arrays import Floats
from untilt.policy.nodes.node import NO_HANDS, Hands, Node, NodePlace

ALL_IN, FOLD = "a", "f"
"""The letters of a line: one for each seat that has acted."""

_CLASSES = Hands.of_classes()
_ALL = np.ones(NUM_CLASSES)
_FOLD = ActionData("fold", Kind.FOLD)
_PLAYED = {"push": Kind.ALL_IN, "call": Kind.CALL}
_DECIMALS = 7
_DIGITS = 5
"""Of probabilities, which differ by powers of ten."""


def table_nodes(chart: TableChart) -> list[Node]:
    """Return a node for each decision, in the order of the chart.

    Amounts are big blinds, or percent of the pool if it is played for prizes.
    """
    return [_node(chart, each) for each in chart.decisions]


def line_of(decision: TableDecision) -> str:
    """Return what the seats before did, in letters: `fa` is a fold, and then all-in."""
    seat, mask = decision.state
    return "".join(ALL_IN if mask >> each & 1 else FOLD for each in range(seat))


def shown_unit(chart: TableChart) -> tuple[float, str]:
    """Return a factor for amounts of a chart, and the unit in which they are shown then."""
    return (100.0, "% of the pool") if chart.table.prizes else (1.0, "bb")


def _node(chart: TableChart, decision: TableDecision) -> Node:
    player, num_seats = decision.state.seat, chart.table.num_seats
    scale, unit = shown_unit(chart)
    played: Floats = np.round(decision.frequency, _DECIMALS)
    values = scale * np.stack((decision.fold_evs, decision.ev))
    columns: list[dict[str, Floats]] = [{} for _ in range(num_seats)]
    columns[player]["weight"] = _with_digits(decision.reach)
    others: list[Any] = [None] * num_seats
    return Node(
        place=NodePlace(line_of(decision), "", "decision"),
        words=decision.name,
        player=player,
        hands=tuple(_CLASSES if seat == player else NO_HANDS for seat in range(num_seats)),
        reach=(*others[:player], _ALL, *others[player + 1 :]),
        mix=np.stack((1.0 - played, played)),
        values=np.round(values, _DECIMALS),
        actions=(_FOLD, ActionData(decision.action, _PLAYED[decision.action])),
        children=(None, None),
        unit=unit,
        seats=chart.seats,
        frequency=decision.probability,
        columns=tuple(columns),
        panels={"range": decision.range_text()},
    )


def _with_digits(chances: Floats) -> Floats:
    return np.array([float(f"{chance:.{_DIGITS}g}") for chance in chances.tolist()])
