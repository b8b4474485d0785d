"""What a view of the page is on the server: when a run offers it, and its JSON.

Each view has a file in `views`, where the list of all stands.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from starlette.requests import Request

from untilt.dashboard.query import whole
from untilt.dashboard.source import Holdings, Json, Source

Handler: TypeAlias = Callable[[Source, Request], Json]
"""Answers a request about a run. What does not exist is a NotAvailable."""


@dataclass(frozen=True)
class View:
    """One view of the page."""

    name: str
    """As the address of the page and `RunSummary.views` have it."""
    offered: Callable[[Holdings], bool]
    """Whether a run with these things can be shown."""
    routes: Mapping[str, Handler] = field(default_factory=dict)
    """By the path below `/api/runs/{run}/`."""
    details: Mapping[str, Callable[[Source], list[Any]]] = field(default_factory=dict)
    """Lists that it adds to `RunDetail`, empty for runs that do not offer it."""


def frame_of(request: Request) -> int:
    """Return the frame that is asked for; −1, the last, if none is."""
    return whole(request, "frame", -1, -(1 << 31), 1 << 31)
