"""The server's side of a view of the page: when a run offers it, and its JSON.

Each view has a file in `views`, which also has the list of all views.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.requests import Request

from untilt.dashboard.server.query import integer
from untilt.dashboard.server.workers import RUNS
from untilt.dashboard.sources.source import Holdings, Json
from untilt.formats.run.run_file import RunRecord, kinds_of_runs

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun

Handler: TypeAlias = Callable[["ServedRun", Request], Json]
"""Answers a request about a run. Raises NotAvailable for what does not exist."""


@dataclass(frozen=True)
class View:
    """One view of the page."""

    name: str
    """Its name in the address of the page and in `RunSummary.views`."""
    offered: Callable[[Holdings], bool]
    """Whether the view can show a run with these contents."""
    routes: Mapping[str, Handler] = field(default_factory=dict)
    """Handlers by path below `/api/runs/{run}/`."""
    details: Mapping[str, Callable[["ServedRun"], list[Any]]] = field(default_factory=dict)
    """Lists that it adds to `RunDetail`, empty for runs that do not offer it."""
    workers: str = RUNS
    """The kind of threads that answer its requests."""


def may_show(record: RunRecord | None, view: str) -> bool:
    """Whether runs of its kind may offer a view; False without a run."""
    return record is not None and view in kinds_of_runs()[record.kind].views


def frame_of(request: Request) -> int:
    """Return the requested frame; −1, the last one, if none is given."""
    return integer(request, "frame", -1, -(1 << 31), 1 << 31)
