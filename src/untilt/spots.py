"""Solved spots of hold'em: streets solved again, exact responses, reports over many boards.

    solution = untilt.solve(spot)
    untilt.spots.respond(solution, "oop")
    untilt.spots.resolve(solution, line="check, bet 50, call", board="7h")
    untilt.spots.report(solution, line="check")

A spot is an `untilt.Spot` with its `untilt.Sizes`; `untilt.solve` makes an `untilt.Solution` of it.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.runs.batches.report import report as report
    from untilt.runs.spots.spot_resolving import resolve as resolve
    from untilt.runs.spots.spot_response import respond as respond

_HOME = {
    "report": "untilt.runs.batches.report",
    "resolve": "untilt.runs.spots.spot_resolving",
    "respond": "untilt.runs.spots.spot_response",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
