"""A chart of a blueprint as JSON: the path to it, all classes and combos, and what follows."""

import numpy as np

from untilt.cards.card import card_name
from untilt.cards.combos import NUM_COMBOS, combo_name
from untilt.dashboard.source import Json, finite
from untilt.numeric.arrays import Floats
from untilt.play.blueprint_chart import LineChart, LinePlace, Station

_DECIMALS = 5


def chart_json(chart: LineChart) -> Json:
    """Return the `ChartNode` of a chart."""
    acts = chart.place.kind == "decision"
    live = np.flatnonzero(chart.is_live) if acts else np.arange(0)
    return {
        **_place(chart.place),
        "words": chart.place.line.words,
        "street": chart.street,
        "player": chart.betting.player if acts else -1,
        "pot": chart.betting.total_pot,
        "stacks": list(chart.betting.stacks),
        "missing": chart.num_cards - len(chart.place.board) if chart.place.kind == "deal" else 0,
        "actions": [action.to_json() for action in chart.actions],
        "children": [_place(place) for place in chart.places],
        "mix": _column(chart.shares) if acts else [],
        "stations": _stations(chart),
        "is_reached": chart.is_reached,
        "num_combos": float(chart.weights.sum()) if acts else None,
        "class_weight": _column(chart.class_weights) if acts else [],
        "class_mix": [_column(row) for row in chart.by_class] if acts else [],
        "hand": [_COMBO_NAMES[combo] for combo in live.tolist()],
        "hand_weight": _column(chart.weights[live]),
        "hand_mix": [_column(column) for column in chart.mixes[live].T] if acts else [],
    }


_COMBO_NAMES = [combo_name(combo) for combo in range(NUM_COMBOS)]


def _place(place: LinePlace) -> Json:
    return {"line": place.line.letters, "board": _cards(place.board), "kind": place.kind}


def _cards(cards: tuple[int, ...]) -> str:
    return "".join(map(card_name, cards))


def _stations(chart: LineChart) -> list[Json]:
    """Return the moves of a line, and the cards of each street between them."""
    stations: list[Json] = []
    street, dealt = 0, 0
    # The last place follows the last move, and may begin a street of its own.
    for station in (*chart.stations, None):
        after = chart.betting.street if station is None else station.street
        while street < after:
            street += 1
            cards = chart.board_of(street)
            if cards:
                stations.append(_cards_station(chart, dealt, cards))
            dealt += len(cards)
        if station is not None:
            stations.append(_move_station(station))
    return stations


def _cards_station(chart: LineChart, dealt: int, cards: tuple[int, ...]) -> Json:
    """Return the cards of a street; to deal others, a page goes to the place without them."""
    place = {
        "line": chart.place.line.letters,
        "board": _cards(chart.place.board[:dealt]),
        "kind": "deal",
    }
    return {"seat": -1, "chosen": _cards(cards), "choices": [], "place": place}


def _move_station(station: Station) -> Json:
    places = [_place(place) for place in station.places]
    return {
        "seat": station.player,
        "chosen": station.actions[station.number].name,
        "choices": [
            {"name": action.name, "action": action.to_json(), "place": place}
            for action, place in zip(station.actions, places, strict=True)
        ],
        "place": places[station.number],
    }


def _column(values: Floats) -> list[float | None]:
    return [finite(value) for value in np.round(values, _DECIMALS).tolist()]
