"""A node as JSON: what the page gets as `NodePage`.

Numbers of exact cards are rounded to what a page can show: there are a thousand hands, and they
are drawn at once.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from untilt.number import finite
from untilt.numeric.arrays import Floats
from untilt.policy.nodes.node import Node, NodePlace, Station

Json = dict[str, Any]

_DECIMALS = 5


def node_json(node: Node, *, with_hands: bool = True) -> Json:
    """Return the `NodePage` of a node; without the hands, only whole ranges."""
    mix = [finite(share) for share in node.whole_mix]
    return {
        **_place(node.place),
        "words": node.words,
        "street": node.street,
        "player": node.player,
        "unit": node.unit,
        "seats": node.seats,
        "actions": [action.to_json() for action in node.actions],
        "children": [None if place is None else _place(place) for place in node.children],
        "pot": node.pot,
        "chips": None if node.chips is None else node.chips._asdict(),
        "reach": None if node.frequency is None else finite(node.frequency),
        "is_reached": node.is_reached,
        "mix": None if node.player >= 0 and None in mix else mix,
        "stations": [_station(station) for station in node.path],
        "sides": [_side(node, player, with_hands) for player in range(len(node.hands))],
        "panels": {name: _panel(panel) for name, panel in node.panels.items()},
    }


def _side(node: Node, player: int, with_hands: bool) -> Json:
    """Return the `NodeSide` of a player."""
    hands, reach = node.hands[player], node.reach[player]
    acts = player == node.player
    is_rounded = hands.axis == "combos"
    columns: dict[str, Any] = {}
    if with_hands:
        columns = {
            name: np.flatnonzero(values).tolist()
            if name == "locked"
            else _column(values, is_rounded)
            for name, values in node.columns[player].items()
        }
    return {
        "num_hands": len(hands),
        "total": node.total(player),
        "means": {name: finite(mean) for name, mean in node.means[player].items()},
        "hand": () if hands.axis == "classes" else hands.names,
        "label": hands.labels,
        "board": hands.boards,
        "reach": None if reach is None or not with_hands else _column(reach, is_rounded),
        "mix": _columns(node.mix if acts and with_hands else (), is_rounded),
        "values": None
        if node.values is None or not (acts and with_hands)
        else _columns(node.values, is_rounded),
        "columns": columns,
    }


def _panel(panel: Any) -> Any:
    """Return a panel; in its numbers, as in nodes, null is what is not finite."""
    if isinstance(panel, Node):
        return node_json(panel)
    if isinstance(panel, Mapping):
        return {name: _panel(each) for name, each in panel.items()}
    return finite(panel) if isinstance(panel, float) else panel


def _place(place: NodePlace) -> Json:
    return place._asdict()


def _station(station: Station) -> Json:
    return {
        "seat": station.player,
        "chosen": station.chosen,
        "choices": [
            {
                "name": choice.name,
                "action": None if choice.action is None else choice.action.to_json(),
                "place": _place(choice.place),
            }
            for choice in station.choices
        ],
        "place": _place(station.place),
    }


def _columns(rows: Iterable[Floats], is_rounded: bool) -> list[list[float | None]]:
    return [_column(row, is_rounded) for row in rows]


def _column(values: Floats, is_rounded: bool) -> list[float | None]:
    shown: list[float | None] = (np.round(values, _DECIMALS) if is_rounded else values).tolist()
    if np.isfinite(values).all():
        return shown
    return [None if value is None else finite(value) for value in shown]
