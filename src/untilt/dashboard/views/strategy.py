"""Both players' infosets at one frame of the run, and one infoset over all frames."""

from starlette.requests import Request

from untilt.dashboard.line_moves import line_moves
from untilt.dashboard.query import choice, integer, text
from untilt.dashboard.source import Holdings, Json, Source
from untilt.dashboard.strategy_pages import Filters, infoset_history, strategy_page
from untilt.dashboard.view import View, frame_of

MAX_ROWS = 1_000


def offered(run: Holdings) -> bool:
    """Whether there are named infosets with probabilities."""
    return run.has_strategy


def _strategy(source: Source, request: Request) -> Json:
    filters = Filters(
        player=choice(request, "player", (0, 1)),
        card=text(request, "card"),
        board=text(request, "board"),
        line=text(request, "line"),
        search=text(request, "search") or "",
    )
    return strategy_page(
        source.table(),
        source.frames(),
        frame=frame_of(request),
        filters=filters,
        offset=integer(request, "offset", 0, 0, 1 << 40),
        limit=integer(request, "limit", 60, 1, MAX_ROWS),
    )


def _infoset(source: Source, request: Request) -> Json:
    return infoset_history(source.table(), source.frames(), text(request, "label") or "")


VIEW = View(
    "strategy",
    offered,
    {"strategy": _strategy, "infoset": _infoset},
    {
        "cards": lambda source: source.table().cards,
        "boards": lambda source: source.table().boards,
        "lines": lambda source: source.table().lines(),
        "moves": lambda source: line_moves([each["line"] for each in source.table().lines()]),
        "frames": lambda source: [info.to_json() for info in source.frames().infos],
    },
)
