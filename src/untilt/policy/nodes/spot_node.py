"""A node of a solved spot: both ranges hand by hand, the path to it, and what follows."""

import numpy as np

from untilt.cards.card import DECK, card_name, cards_name
from untilt.game.terms import Chips
from untilt.games.holdem.solutions import solution
from untilt.policy.nodes.node import Alternative, Hands, Node, NodePlace, Station


def spot_node(found: solution.SolutionNode) -> Node:
    """Return the node at a place of a solution."""
    acts = found.player >= 0
    first, second = found.bets
    columns = [{"equity": side.equity, "ev": side.ev, "eqr": side.eqr} for side in found.sides]
    if acts:
        columns[found.player]["locked"] = found.is_locked.astype(np.float64)
    spot = found.solution.spot
    return Node(
        place=_place(found),
        words=found.line,
        player=found.player,
        hands=tuple(Hands.of_combos(side.combos) for side in found.sides),
        reach=tuple(side.weights for side in found.sides),
        mix=found.strategy if acts else np.zeros((0, 0)),
        values=found.action_ev if acts else None,
        actions=found.action_data,
        children=tuple(map(_place, found.children.values())),
        path=_path(found),
        street=found.street,
        chips=Chips(found.pot - first - second, (first, second), found.stacks),
        seats=("OOP", "IP"),
        met=tuple(side.met for side in found.sides),
        frequency=found.reach,
        columns=tuple(columns),
        means=tuple(
            {"ev": side.mean_ev, "equity": side.mean_equity, "eqr": side.mean_eqr}
            for side in found.sides
        ),
        panels={
            "cards": next_cards(found),
            "bb": spot.bb,
            "ghost": found.ghost and found.ghost.to_json(),
            "spot": {
                "board": spot.board_text,
                "pot": spot.pot,
                "stack": spot.stack,
                "rake": spot.rake,
                "spot": spot.to_dict(),
            },
        },
    )


def next_cards(node: solution.SolutionNode) -> list[str]:
    """Return the cards that can be dealt at a node, the highest first; none if it is not a deal."""
    if node.kind != "deal":
        return []
    board = {*node.solution.spot.board, *node.dealt}
    return [card_name(card) for card in reversed(DECK) if card not in board]


def _place(node: solution.SolutionNode) -> NodePlace:
    return NodePlace(node.place.line.letters, node.board, node.kind)


def _path(node: solution.SolutionNode) -> tuple[Station, ...]:
    """Return the moves and cards from the start to a node, each with its alternatives."""
    stations: list[Station] = []
    after, before = node, node.parent()
    while before is not None:
        place = _place(after)
        if before.kind == "deal":
            chosen = cards_name(after.dealt[-1:])
            choices = [
                Alternative(card, None, _place(before.deal(card))) for card in next_cards(before)
            ]
        else:
            choices = [
                Alternative(name, action, _place(child))
                for action, (name, child) in zip(
                    before.action_data, before.children.items(), strict=True
                )
            ]
            chosen = next(each.name for each in choices if each.place.line == place.line)
        stations.append(Station(before.player, chosen, tuple(choices), place))
        after, before = before, before.parent()
    return tuple(stations[::-1])
