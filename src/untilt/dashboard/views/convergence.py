"""The convergence of a run: the rows of its progress."""

from starlette.requests import Request

from untilt.dashboard.server.query import integer
from untilt.dashboard.sources.source import Holdings, Json, Source
from untilt.dashboard.view import View

MAX_POINTS = 20_000


def offered(run: Holdings) -> bool:
    """Whether the progress has any rows."""
    return run.has_rows


def _progress(source: Source, request: Request) -> Json:
    return source.progress(integer(request, "points", 2_000, 2, MAX_POINTS))


VIEW = View("convergence", offered, {"progress": _progress})
