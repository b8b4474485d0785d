"""The endpoints about hands: their paths and parameters."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from starlette.requests import Request

from untilt.dashboard.hands.hand_pages import MOST_MISTAKES, MOST_ROWS, HandPages, page_filter
from untilt.dashboard.server.query import integer, text
from untilt.dashboard.sources.source import Json

Endpoint: TypeAlias = Callable[[Request], Json]

_MOST = 1 << 31
_FILTERS = {"player": "player", "pot": "pot", "street": "street", "moves": "line"}
"""Parameters, and what the filter of the command line calls them."""
_WINDOW = 200


def hand_routes(pages: HandPages) -> Mapping[str, Endpoint]:
    """Return the endpoints by path."""

    def folder(request: Request) -> str:
        return str(request.path_params["folder"])

    def review(request: Request) -> str:
        return str(request.path_params["review"])

    def listed(request: Request) -> Json:
        wanted = page_filter({name: text(request, each) for each, name in _FILTERS.items()})
        first = integer(request, "first", 0, 0, _MOST)
        count = integer(request, "count", 100, 0, MOST_ROWS)
        return pages.listed(folder(request), wanted, text(request, "viewer") or "", first, count)

    def hand(request: Request) -> Json:
        file, row = (integer(request, name, 0, 0, _MOST) for name in ("file", "row"))
        return pages.hand(folder(request), file, row, text(request, "review") or None)

    def mistakes(request: Request) -> Json:
        count = integer(request, "count", 20, 1, MOST_MISTAKES)
        by, name = text(request, "by") or None, text(request, "name")
        return pages.mistakes(review(request), by, name, count)

    def tilt(request: Request) -> Json:
        return pages.tilt(review(request), integer(request, "window", _WINDOW, 1, 10**9))

    return {
        "/api/hands": lambda _: pages.places(),
        "/api/hands/{folder}/names": lambda request: pages.names(folder(request)),
        "/api/hands/{folder}/list": listed,
        "/api/hands/{folder}/hand": hand,
        "/api/reviews/{review}/report": lambda request: pages.report(review(request)),
        "/api/reviews/{review}/mistakes": mistakes,
        "/api/reviews/{review}/tilt": tilt,
    }
