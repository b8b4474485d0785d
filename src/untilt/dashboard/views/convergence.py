"""The convergence of a run: the rows of its progress."""

from typing import TYPE_CHECKING

from starlette.requests import Request

from untilt.dashboard.server.query import integer
from untilt.dashboard.sources.source import Holdings, Json
from untilt.dashboard.view import View

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun

MAX_POINTS = 20_000


def offered(run: Holdings) -> bool:
    """Whether the progress has any rows."""
    return run.has_rows


def _progress(source: "ServedRun", request: Request) -> Json:
    return source.progress(integer(request, "points", 2_000, 2, MAX_POINTS))


VIEW = View("convergence", offered, {"progress": _progress})
