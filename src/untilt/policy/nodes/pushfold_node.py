"""A push/fold chart as nodes: the small blind pushes or folds, the big blind calls or folds."""

from dataclasses import replace
from typing import Any

import numpy as np

from untilt.cards.combos import NUM_CLASSES
from untilt.game.actions import ActionData, Kind
from untilt.games.pushfold.chart import ChartSide, PushFoldChart
from untilt.games.pushfold.published import published_chart
from untilt.numeric.arrays import Floats
from untilt.policy.nodes.node import Hands, Node, NodePlace

PUBLISHED = "hune"
"""The chart that is shown next to ours."""

_CLASSES = Hands.of_classes()
_ALL = np.ones(NUM_CLASSES)
_FOLD = ActionData("fold", Kind.FOLD)
_PLAYED = {"push": Kind.ALL_IN, "call": Kind.CALL}


def pushfold_node(chart: PushFoldChart) -> Node:
    """Return the first decision of a chart; its panel `reply` is the node after a push."""
    reply = _node(chart, chart.call, 1, (chart.push.frequency, _ALL))
    first = _node(chart, chart.push, 0, (_ALL, _ALL))
    stack = {
        "stack": chart.stack,
        "stakes": chart.stakes_text,
        "value": chart.value,
        "exploitability": chart.exploitability,
    }
    panels = {**first.panels, "stack": stack, "reply": reply}
    return replace(first, children=(None, reply.place), panels=panels)


def _node(chart: PushFoldChart, seat: ChartSide, player: int, reach: tuple[Floats, Floats]) -> Node:
    with np.errstate(all="ignore"):  # frames from others may hold any number
        best = np.maximum(seat.ev, seat.fold_ev)
        gained = seat.frequency * seat.ev + (1.0 - seat.frequency) * seat.fold_ev
        regret = np.maximum(best - gained, 0.0)
    columns: list[dict[str, Floats]] = [{}, {}]
    columns[player]["regret"] = regret
    return Node(
        place=NodePlace("a" if player else "", "", "decision"),
        words=f"{seat.player}: {seat.action}",
        player=player,
        hands=(_CLASSES, _CLASSES),
        reach=reach,
        mix=np.stack((1.0 - seat.frequency, seat.frequency)),
        values=np.stack((np.full(NUM_CLASSES, seat.fold_ev), seat.ev)),
        actions=(_FOLD, ActionData(seat.action, _PLAYED[seat.action])),
        children=(None, None),
        unit="bb",
        seats=tuple(each.player for each in chart.seats),
        columns=tuple(columns),
        panels={"range": seat.range_text(), "published": _published(chart, player)},
    )


def _published(chart: PushFoldChart, player: int) -> dict[str, Any] | None:
    """Return the hands that a player plays in a published chart of the same game."""
    published = published_chart(PUBLISHED)
    is_same_game = chart.small_blind == 0.5 and chart.ante == 0.0 and chart.bb_ante == 0.0
    if not is_same_game or chart.stack > published.largest_stack:
        return None
    played = (published.push, published.call)[player](chart.stack)
    return {"name": published.name, "source": published.source, "hands": played.tolist()}
