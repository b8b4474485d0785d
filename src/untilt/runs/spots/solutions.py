"""Solved spots from their folders, continued, loaded and measured again."""

from pathlib import Path
from typing import TYPE_CHECKING

from untilt.evaluation.best_response import Evaluation
from untilt.formats.base.files import path_of
from untilt.games.holdem.solutions.solution import Solution
from untilt.runs.kinds import SPOT, read_task
from untilt.runs.kinds.kind import Changes, Means
from untilt.runs.solve import continued
from untilt.runs.spots.spot_material import prepare_spot
from untilt.runs.spots.spot_request import request_of
from untilt.runs.stop import Stop
from untilt.runs.watching import Watcher, report_nothing
from untilt.solvers.public_tree.methods import DEFAULT_METHOD

if TYPE_CHECKING:
    from untilt.runs.spots.spot_material import CrewMaker


def resume_spot(
    path: str | Path,
    *,
    iterations: int | None = None,
    target: str | float | None = None,
    time: float | None = None,
    threads: int | None = None,
    target_max: float | None = None,
    cluster: "CrewMaker | None" = None,
    watcher: Watcher | None = None,
) -> Solution:
    """Continue the spot in the folder `path`, perhaps on a cluster; see `untilt.resume`."""
    changes = Changes(iterations, target, time, threads, target_max)
    means = Means(watcher or report_nothing, cluster=cluster)
    found = continued(SPOT, path_of(path), changes, means)
    assert isinstance(found, Solution)
    return found


def load_spot(path: str | Path, watcher: Watcher | None = None) -> Solution:
    """Return the solution in the folder `path`; see `untilt.load`."""
    _, record = read_task(path_of(path), SPOT)
    found = SPOT.load(record, watcher or report_nothing)
    assert isinstance(found, Solution)
    return found


def evaluate_solution(solution: Solution) -> Evaluation:
    """Return the recomputed values and best-response gains of stored strategies.

    A best response follows what is locked.
    """
    request = request_of(solution.spot, DEFAULT_METHOD, {}, Stop())
    material = prepare_spot(request, can_merge=solution.is_merged)
    return material.sweeps.evaluate_tables(solution.snapshot.tables)
