"""A solved spot, node by node; everything is computed from the saved solution, in NumPy.

The rules of hold'em are imported only when needed: few runs are spots.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from starlette.requests import Request

from untilt.dashboard.server.query import text
from untilt.dashboard.server.workers import verify_wanted
from untilt.dashboard.sources.source import Holdings, Json, NotAvailable
from untilt.dashboard.view import View, may_show
from untilt.errors import FormatError
from untilt.formats.kinds.strategy_file import FILE_NAME as STRATEGY
from untilt.number import finite

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun
    from untilt.games.holdem.solutions.solution import Solution, SolutionNode

_KEPT_SHARE = 0.02
"""A solution is memory-mapped: little of it is read, and the system can drop those pages."""


def offered(run: Holdings) -> bool:
    """Whether the run has the solution of a spot."""
    return run.has_solution


def _node(source: "ServedRun", request: Request) -> Json:
    """Return the requested `NodePage`."""
    from untilt.policy.nodes.node_json import node_json
    from untilt.policy.nodes.spot_node import spot_node

    return node_json(spot_node(_asked(source, request)))


def _runouts(source: "ServedRun", request: Request) -> Json:
    """Return the `Runouts` of a deal: what the next street looks like after every card."""
    from untilt.policy.nodes.spot_node import next_cards

    node = _asked(source, request)
    cards = next_cards(node)
    if not cards:
        raise NotAvailable("nothing is dealt here; choose a line that ends a street")
    dealt = [node.deal(card) for card in cards]
    weights = [float(after.sides[0].mass.sum()) for after in dealt]
    total = sum(weights) or 1.0
    return {
        "player": dealt[0].player,
        "actions": [action.to_json() for action in dealt[0].action_data],
        "rows": [
            {
                "card": card,
                "weight": weight / total,
                "mix": [finite(share) for share in after.frequencies.values()],
                "ev": [finite(side.mean_ev) for side in after.sides],
                "equity": [finite(side.mean_equity) for side in after.sides],
                "eqr": [finite(side.mean_eqr) for side in after.sides],
            }
            for card, after, weight in zip(cards, dealt, weights, strict=True)
        ],
    }


def _ranges(source: "ServedRun", request: Request) -> Json:
    """Return the `RangeFacts` of a node: range against range, classes of hands, blockers."""
    from untilt.policy.nodes.range_facts import SideRange, range_facts

    node = _asked(source, request)
    nothing = np.zeros((0, 0))
    sides = [
        SideRange(
            side.combos,
            side.weights,
            side.mass,
            side.equity,
            side.ev,
            node.strategy if player == node.player else nothing,
        )
        for player, side in enumerate(node.sides)
    ]
    return range_facts(sides, node.board)


def _street(source: "ServedRun", request: Request) -> Json:
    """Return the requested `SpotDocument`: the street that begins at a node, to be solved again."""
    return _asked(source, request).spot().to_dict()


def against(source: "ServedRun", other: "ServedRun", request: Request) -> Json:
    """Return the `SolutionDifference` of a node and another solution of its board."""
    from untilt.policy.nodes.solution_difference import difference_json, verify_same_board

    second = solution_of(other)
    node = _asked(source, request)
    verify_same_board(node.solution, second)
    return difference_json(node, second, verify_wanted)


def _asked(source: "ServedRun", request: Request) -> "SolutionNode":
    line, board = text(request, "line") or "", text(request, "board") or ""
    return solution_of(source).at(line, board=board or None)


def solution_of(source: "ServedRun") -> "Solution":
    """Return the solution of a spot; raise NotAvailable if it is not finished."""
    if not may_show(source.record(), "spot"):
        raise NotAvailable(f"{source.name} is not a solved spot; see its strategy instead")
    return source.kept([STRATEGY], _read, missing="which is written at the end", scale=_KEPT_SHARE)


def _read(folder: Path) -> "Solution":
    from untilt.formats.kinds.solution_file import read_solution
    from untilt.games.holdem.solutions.solution import Solution

    path = folder / STRATEGY
    stored = read_solution(path)
    try:
        return Solution.from_stored(stored.meta, stored.snapshot)
    except FormatError as error:
        raise FormatError(f"{path} is damaged: {error}") from error


VIEW = View(
    "spot", offered, {"spot": _node, "runouts": _runouts, "ranges": _ranges, "street": _street}
)
