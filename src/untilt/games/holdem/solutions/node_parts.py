"""Choosing decisions of a solution, and asking for many of them at once."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from untilt.errors import InvalidOption, UnknownName
from untilt.game.line import parse_line
from untilt.game.public.public_tree import CHANCE, DECISION, NO_PARENT
from untilt.games.holdem.solutions.solution import Solution, SolutionNode
from untilt.games.holdem.spots.board_tree import renamed_card
from untilt.numeric.arrays import Offsets


@dataclass(frozen=True)
class NodePart:
    """Decisions of one street, on each of some boards."""

    street: int
    """Counted from the spot's own."""
    nodes: list[int]
    """Of the betting of this street, ascending."""
    dealt: list[tuple[int, ...]]
    """Per board, the cards after the spot's own."""

    @property
    def num_nodes(self) -> int:
        """The number of nodes on all boards."""
        return len(self.nodes) * len(self.dealt)

    def num_rows(self, solution: Solution) -> int:
        """Return the number of rows of a hand and an action."""
        street = solution.view.betting.streets[self.street]
        kept = [solution.view.board_of(dealt).board for dealt in self.dealt]
        rows = 0
        for player, boards in enumerate(solution.snapshot.tree.boards[self.street]):
            is_own = street.player[self.nodes] == player
            num_actions = int(street.num_actions[self.nodes][is_own].sum())
            num_lanes: Offsets = np.diff(boards.first_lane)[kept]
            rows += num_actions * int(num_lanes.sum())
        return rows

    def sample(self, count: int) -> "NodePart":
        """Return these nodes on at most `count` of the boards, evenly spaced."""
        chosen = np.unique(np.linspace(0, len(self.dealt) - 1, count).round().astype(int))
        return NodePart(self.street, self.nodes, [self.dealt[number] for number in chosen])


def choose_nodes(
    solution: Solution,
    *,
    below: str = "",
    board: str | None = None,
    street: str | None = None,
    player: int | None = None,
) -> list[NodePart]:
    """Return the decisions at and after the line `below`, street by street.

    They can be limited to boards that begin with `board`, to a street by its name, and to one
    player. Raises InvalidOption or CardError if there are none.
    """
    streets = solution.view.betting.streets
    names = [each.name for each in streets]
    if street is not None and street not in names:
        raise UnknownName.among("street", street, names)
    prefix = solution.dealt_cards(board)
    parts = []
    for number, nodes in enumerate(_after(solution, below)):
        forest = streets[number]
        if street not in (None, forest.name):
            continue
        found = [
            node
            for node in nodes
            if forest.kind[node] == DECISION and player in (None, int(forest.player[node]))
        ]
        dealt = _boards(solution, number, prefix)
        if found and dealt:
            parts.append(NodePart(number, found, dealt))
    if not parts:
        raise InvalidOption(
            "nobody acts there: choose an earlier line, another board, street or player, or leave "
            "one of them out"
        )
    return parts


def nodes_of(solution: Solution, parts: list[NodePart]) -> Iterator[SolutionNode]:
    """Yield the nodes of `parts`, board by board, with their numbers computed together."""
    for part in parts:
        places = [solution.view.place(part.street, node) for node in part.nodes]
        for dealt in part.dealt:
            concrete = solution.view.board_of(dealt)
            views = solution.snapshot.views(part.street, concrete.board, part.nodes)
            for place, numbers in zip(places, views, strict=True):
                node = SolutionNode(solution, dealt, concrete, place)
                vars(node)["numbers"] = numbers  # where its cached property would put them
                yield node


def _after(solution: Solution, below: str) -> Iterator[list[int]]:
    """Yield, street by street, the nodes that begin with a line."""
    streets = solution.view.betting.streets
    line, shown = parse_line(solution.spot.in_chips(below)), solution.spot.in_unit
    first, top = solution.view.betting.find(line, shown) if below else (0, 0)
    tops = {top}
    for number, forest in enumerate(streets):
        if number < first:
            yield []
            continue
        found = sorted(tops)
        for node in found:  # which grows
            if forest.kind[node] == DECISION:
                begin = int(forest.first_child[node])
                found += range(begin, begin + int(forest.num_actions[node]))
        yield sorted(found)
        # The roots of the next street are the deals of this one, in order.
        inside = set(found)
        leaves = forest.nodes_of(CHANCE).tolist()
        tops = {root for root, leaf in enumerate(leaves) if leaf in inside}
        if number + 1 < len(streets):
            assert all(streets[number + 1].parent[root] == NO_PARENT for root in tops)


def _boards(solution: Solution, street: int, prefix: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the cards of the boards of a street that begin with `prefix`."""
    kept = solution.view.boards.streets
    if not prefix:
        return list(kept[street].cards)
    concrete = solution.view.board_of(prefix)
    if len(prefix) > street:
        return []
    begin = kept[len(prefix)].cards[concrete.board]
    return [
        prefix + tuple(renamed_card(card, concrete.renaming) for card in cards[len(prefix) :])
        for cards in kept[street].cards
        if cards[: len(prefix)] == begin
    ]
