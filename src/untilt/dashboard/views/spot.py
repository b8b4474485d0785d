"""A solved spot, node by node; everything is computed from the saved solution, in NumPy.

The rules of hold'em are imported only when needed: few runs are spots.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request

from untilt.dashboard.query import text
from untilt.dashboard.source import Holdings, Json, NotAvailable, Source
from untilt.dashboard.view import View
from untilt.errors import FormatError
from untilt.formats.strategy import FILE_NAME as STRATEGY

if TYPE_CHECKING:
    from untilt.games.holdem.solution import Solution

_KEPT_SHARE = 0.02
"""A solution is memory-mapped: little of it is read, and the system can drop those pages."""


def offered(run: Holdings) -> bool:
    """Whether the run has the solution of a spot."""
    return run.has_solution


def _node(source: Source, request: Request) -> Json:
    """Return the requested `SpotNode`."""
    from untilt.dashboard.spot_node import node_json

    return node_json(solution_of(source), *_asked(request))


def _runouts(source: Source, request: Request) -> Json:
    """Return the requested `Runouts`."""
    from untilt.dashboard.spot_node import runouts_json

    return runouts_json(solution_of(source), *_asked(request))


def _street(source: Source, request: Request) -> Json:
    """Return the requested `SpotDocument`: the street that begins at a node, to be solved again."""
    line, board = _asked(request)
    return solution_of(source).at(line, board=board or None).spot().to_dict()


def _asked(request: Request) -> tuple[str, str]:
    return text(request, "line") or "", text(request, "board") or ""


def solution_of(source: Source) -> "Solution":
    """Return the solution of a spot; raise NotAvailable if it is not finished."""
    run = source.run
    if run is None or run.record().kind != "spot":
        raise NotAvailable(f"{source.name} is not a solved spot; see its strategy instead")
    return run.kept([STRATEGY], _read, missing="which is written at the end", scale=_KEPT_SHARE)


def _read(folder: Path) -> "Solution":
    from untilt.formats.solution_file import read_solution
    from untilt.games.holdem.solution import Solution

    path = folder / STRATEGY
    stored = read_solution(path)
    try:
        return Solution.from_stored(stored.meta, stored.snapshot)
    except FormatError as error:
        raise FormatError(f"{path} is damaged: {error}") from error


VIEW = View("spot", offered, {"spot": _node, "runouts": _runouts, "street": _street})
