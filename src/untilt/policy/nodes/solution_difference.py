"""Two solutions of one board side by side: where they differ, hand by hand and line by line.

The second may have been solved with other sizes, locks or noise. A bet that the first does not have
counts as the nearest one that it has. A cost is what the player who acts would lose in the first
solution by taking the second's mix at this one decision, and keeping to the first everywhere else:
none of it is lost if the first is indifferent.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.cards.combos import NUM_COMBOS
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData, Kind
from untilt.game.public.public_tree import DECISION
from untilt.games.holdem.solutions.solution import Solution, SolutionNode
from untilt.number import finite
from untilt.numeric.arrays import Floats

Json = dict[str, Any]

_BETS = (Kind.BET, Kind.RAISE, Kind.ALL_IN)


def verify_same_board(first: Solution, second: Solution) -> None:
    """Raise InvalidOption unless two solutions begin with the same board."""
    one, other = (set(each.spot.board) for each in (first, second))
    if one != other:
        raise InvalidOption(
            f"the boards are {first.spot.board_text} and {second.spot.board_text}; choose a "
            "solution of the same board"
        )


def counterpart(second: Solution, node: SolutionNode) -> SolutionNode | None:
    """Return the second solution's node of a node of the first; None if it has no such place."""
    path: list[tuple[SolutionNode, SolutionNode]] = []
    after, before = node, node.parent()
    while before is not None:
        path.append((before, after))
        after, before = before, before.parent()
    found = second.root
    for before, after in reversed(path):
        if before.kind == "deal":
            if found.kind != "deal":
                return None
            found = found.deal(_dealt(after))
            continue
        taken = after.place.node - _first_child(before)
        place = nearest(before.action_data[taken], found.action_data)
        if found.player != before.player or place is None:
            return None
        found = found.child(found.actions[place])
    return found if found.player == node.player else None


def nearest(action: ActionData, offered: tuple[ActionData, ...]) -> int | None:
    """Return the place of an action among others: itself, or the bet of the nearest size."""
    same = [place for place, each in enumerate(offered) if each.kind is action.kind]
    if action.kind in _BETS:
        bets = [place for place, each in enumerate(offered) if each.kind in _BETS]
        wanted = action.amount or 0.0
        return min(
            bets, key=lambda place: abs((offered[place].amount or 0.0) - wanted), default=None
        )
    return same[0] if same else None


@dataclass(frozen=True, eq=False)
class Difference:
    """A decision in both solutions; arrays are by hand of the first."""

    first: SolutionNode
    second: SolutionNode
    mix: Floats
    """[actions, hands] of the first."""
    other_mix: Floats
    """[actions, hands] of the second, in the first's actions; nan for hands it does not have."""
    other_weights: Floats
    other_ev: Floats
    cost: Floats
    """What each hand loses, in chips, when it is here."""

    @property
    def loss(self) -> float:
        """The cost of the range when it is here, in chips."""
        return float(np.nan_to_num(self.first.own.mean(np.nan_to_num(self.cost))))

    @property
    def mean_cost(self) -> float:
        """The cost of the range, in chips per deal of the spot."""
        return self.loss * self.first.reach

    @property
    def distance(self) -> float:
        """The part of the range that does something else."""
        gap = np.abs(self.mix - self.other_mix).sum(axis=0) / 2.0
        return float(np.nan_to_num(self.first.own.mean(np.nan_to_num(gap))))

    @property
    def means(self) -> tuple[list[float | None], list[float | None]]:
        """How often each of the two takes the first's actions, each with its own range."""
        own = self.first.own
        mass = self.other_weights * own.met
        total = float(mass.sum())
        rows = [float(mass @ np.nan_to_num(row)) for row in self.other_mix]
        return (
            [finite(own.mean(row)) for row in self.mix],
            [finite(row / total) if total > 0.0 else None for row in rows],
        )


def difference(node: SolutionNode, second: Solution) -> Difference | None:
    """Return a decision of the first solution beside the second's; None if that lacks the place."""
    found = counterpart(second, node)
    if found is None:
        return None
    own = node.own
    columns = np.full(NUM_COMBOS, -1)
    columns[found.own.combos] = np.arange(len(found.own.combos))
    column = columns[own.combos]
    is_known = column >= 0
    other = np.zeros((len(node.actions), len(own.combos)))
    for place, action in enumerate(found.action_data):
        into = nearest(action, node.action_data)
        if into is not None:
            other[into] += np.where(is_known, found.strategy[place][column], 0.0)
    total = other.sum(axis=0)
    other = np.where(is_known & (total > 0.0), other / np.where(total > 0.0, total, 1.0), np.nan)
    values = node.action_ev
    return Difference(
        node,
        found,
        node.strategy,
        other,
        np.where(is_known, found.own.weights[column], 0.0),
        np.where(is_known, found.own.ev[column], np.nan),
        ((node.strategy - other) * values).sum(axis=0),
    )


def difference_json(
    node: SolutionNode, second: Solution, verify_wanted: Callable[[], None]
) -> Json:
    """Return the `SolutionDifference` at a node: its hands, and all decisions of its street.

    `verify_wanted` is called before each decision, and may raise to give up.
    """
    here = difference(node, second) if node.player >= 0 else None
    lines = [
        {
            "line": each.first.place.line.letters,
            "words": each.first.line or "start",
            "player": each.first.player,
            "actions": [action.to_json() for action in each.first.action_data],
            "mix": each.means[0],
            "other_mix": each.means[1],
            "distance": finite(each.distance),
            "loss": finite(each.loss),
            "cost": finite(each.mean_cost),
            "reach": finite(each.first.reach),
            "other_reach": finite(each.second.reach),
        }
        for each in _on_street(node, second, verify_wanted)
    ]
    return {
        "here": None if here is None else _here(here),
        "lines": sorted(lines, key=lambda line: -(line["cost"] or 0.0)),
    }


def _here(found: Difference) -> Json:
    own = found.first.own
    return {
        "line": found.second.place.line.letters,
        "other_actions": [action.to_json() for action in found.second.action_data],
        "mix": found.means[0],
        "other_mix": found.means[1],
        "ev": finite(own.mean_ev),
        "other_ev": finite(found.second.own.mean_ev),
        "loss": finite(found.loss),
        "cost": finite(found.mean_cost),
        "distance": finite(found.distance),
        "reach": finite(found.first.reach),
        "other_reach": finite(found.second.reach),
        "hands": {
            "label": own.hands,
            "weight": _rounded(own.weights),
            "other_weight": _rounded(found.other_weights),
            "mix": [_rounded(row) for row in found.mix],
            "other_mix": [_rounded(row) for row in found.other_mix],
            "ev": _rounded(own.ev),
            "other_ev": _rounded(found.other_ev),
            "cost": _rounded(found.cost),
        },
    }


def _on_street(
    node: SolutionNode, second: Solution, verify_wanted: Callable[[], None]
) -> Iterator[Difference]:
    """Yield the decisions of a node's street, on its board and after the same earlier betting."""
    top, above = node, node.parent()
    while above is not None and above.place.street == node.place.street:
        top, above = above, above.parent()
    forest = node.solution.view.betting.streets[node.place.street]
    for number in forest.nodes_of(DECISION).tolist():
        verify_wanted()
        if forest.moves_to(number)[0] == top.place.node:
            found = difference(node.solution.node(node.dealt, node.place.street, number), second)
            if found is not None:
                yield found


def _first_child(node: SolutionNode) -> int:
    forest = node.solution.view.betting.streets[node.place.street]
    return int(forest.first_child[node.place.node])


def _dealt(node: SolutionNode) -> str:
    return node.board[-2:]


def _rounded(values: Floats) -> list[float | None]:
    return [finite(value) for value in np.round(values, 5).tolist()]
