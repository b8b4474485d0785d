"""Solved spots of hold'em: streets solved again, exact responses, reports, players who err.

    solution = untilt.solve(spot)
    untilt.spots.respond(solution, "oop")
    untilt.spots.resolve(solution, line="check, bet 50, call", board="7h")
    untilt.spots.report(solution, line="check")
    untilt.spots.gains(solution, "oop")
    untilt.spots.ladder(solution, "20%..1%")
    untilt.spots.fit("hands.csv", spot)

A spot is an `untilt.Spot` with its `untilt.Sizes`; `untilt.solve` makes an `untilt.Solution` of it.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.runs.batches.report import report as report
    from untilt.runs.results.line_sampling import sample_lines as sample_lines
    from untilt.runs.results.noise_fitting import fit as fit
    from untilt.runs.spots.observed_locks import observed_locks as observed_locks
    from untilt.runs.spots.spot_gains import gains as gains
    from untilt.runs.spots.spot_ladder import ladder as ladder
    from untilt.runs.spots.spot_ladder import load_ladder as load_ladder
    from untilt.runs.spots.spot_resolving import resolve as resolve
    from untilt.runs.spots.spot_response import respond as respond

_HOME = {
    "fit": "untilt.runs.results.noise_fitting",
    "gains": "untilt.runs.spots.spot_gains",
    "ladder": "untilt.runs.spots.spot_ladder",
    "load_ladder": "untilt.runs.spots.spot_ladder",
    "observed_locks": "untilt.runs.spots.observed_locks",
    "report": "untilt.runs.batches.report",
    "resolve": "untilt.runs.spots.spot_resolving",
    "respond": "untilt.runs.spots.spot_response",
    "sample_lines": "untilt.runs.results.line_sampling",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
