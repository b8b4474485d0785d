"""A node of a solved spot as JSON: the path to it, both ranges hand by hand, and what follows.

Numbers are rounded to what a page can show: a node has a thousand hands, and is drawn at once.
"""

from collections.abc import Iterable

import numpy as np

from untilt.cards.card import DECK, card_name, cards_name
from untilt.dashboard.source import Json, NotAvailable, finite
from untilt.game.actions import ActionData
from untilt.games.holdem.solution import Node, NodeSide, Solution
from untilt.numeric.arrays import Floats

_DECIMALS = 5


def spot_json(solution: Solution) -> Json:
    """Return the `SpotFacts` of a solution."""
    spot = solution.spot
    return {
        "board": spot.board_text,
        "pot": spot.pot,
        "stack": spot.stack,
        "rake": spot.rake,
        "spot": spot.to_dict(),
    }


def node_json(solution: Solution, line: str, board: str) -> Json:
    """Return the `SpotNode` after a line of betting; `board` is the whole board, or empty."""
    node = solution.at(line, board=board or None)
    return {
        **_place(node),
        "words": node.line,
        "street": node.street,
        "player": node.player,
        "pot": node.pot,
        "bets": list(node.bets),
        "stacks": list(node.stacks),
        "reach": finite(node.reach),
        "actions": [_action(action) for action in node.action_data],
        "children": [_place(child) for child in node.children.values()],
        "mix": _mix(node),
        "stations": _stations(node),
        "cards": _next_cards(node),
        "sides": [_side(node, player) for player in (0, 1)],
        "spot": spot_json(solution),
    }


def runouts_json(solution: Solution, line: str, board: str) -> Json:
    """Return the `Runouts` of a deal: what the next street looks like after every card."""
    node = solution.at(line, board=board or None)
    cards = _next_cards(node)
    if not cards:
        raise NotAvailable("nothing is dealt here; choose a line that ends a street")
    dealt = [node.deal(card) for card in cards]
    weights = [float(after.sides[0].mass.sum()) for after in dealt]
    total = sum(weights) or 1.0
    first = dealt[0]
    return {
        "player": first.player,
        "actions": [_action(action) for action in first.action_data],
        "rows": [
            {
                "card": card,
                "weight": weight / total,
                "mix": _mix(after),
                "ev": [finite(side.mean_ev) for side in after.sides],
                "equity": [finite(side.mean_equity) for side in after.sides],
                "eqr": [finite(side.mean_eqr) for side in after.sides],
            }
            for card, after, weight in zip(cards, dealt, weights, strict=True)
        ],
    }


def _place(node: Node) -> Json:
    return {"line": node.place.line.letters, "board": node.board, "kind": node.kind}


def _action(action: ActionData) -> Json:
    return {"kind": action.kind, "amount": action.amount, "name": action.name}


def _mix(node: Node) -> list[float | None]:
    return [finite(share) for share in node.frequencies.values()]


def _stations(node: Node) -> list[Json]:
    """Return the moves and cards from the start to a node, each with its alternatives."""
    stations: list[Json] = []
    after, before = node, node.parent()
    while before is not None:
        if before.kind == "deal":
            station: Json = {
                "seat": -1,
                "chosen": cards_name(after.dealt[-1:]),
                "choices": [
                    {"name": card, "action": None, "place": _place(before.deal(card))}
                    for card in _next_cards(before)
                ],
            }
        else:
            line = after.place.line.letters
            choices: list[Json] = [
                {"name": name, "action": _action(action), "place": _place(child)}
                for action, (name, child) in zip(
                    before.action_data, before.children.items(), strict=True
                )
            ]
            chosen = next(each["name"] for each in choices if each["place"]["line"] == line)
            station = {"seat": before.player, "chosen": chosen, "choices": choices}
        stations.append({**station, "place": _place(after)})
        after, before = before, before.parent()
    return stations[::-1]


def _next_cards(node: Node) -> list[str]:
    """Return the cards that can be dealt at a node, the highest first; none if it is not a deal."""
    if node.kind != "deal":
        return []
    board = {*node.solution.spot.board, *node.dealt}
    return [card_name(card) for card in reversed(DECK) if card not in board]


def _side(node: Node, player: int) -> Json:
    side: NodeSide = node.sides[player]
    is_acting = player == node.player
    return {
        "num_combos": float(side.num_combos),
        "mean_ev": finite(side.mean_ev),
        "mean_equity": finite(side.mean_equity),
        "mean_eqr": finite(side.mean_eqr),
        "hand": side.hands,
        "weight": _column(side.weights),
        "equity": _column(side.equity),
        "ev": _column(side.ev),
        "eqr": _column(side.eqr),
        "mix": _columns(node.strategy if is_acting else ()),
        "action_ev": _columns(node.action_ev if is_acting else ()),
        "locked": np.flatnonzero(node.is_locked).tolist() if is_acting else [],
    }


def _columns(rows: Iterable[Floats]) -> list[list[float | None]]:
    return [_column(row) for row in rows]


def _column(values: Floats) -> list[float | None]:
    return [finite(value) for value in np.round(values, _DECIMALS).tolist()]
