"""Both players' infosets at one frame of the run, and one infoset over all frames."""

from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.requests import Request

from untilt.dashboard.nodes.line_moves import line_moves
from untilt.dashboard.nodes.strategy_pages import Filters, infoset_history, strategy_page
from untilt.dashboard.server.query import choice, integer, text
from untilt.dashboard.sources.source import Holdings, Json
from untilt.dashboard.view import View, frame_of
from untilt.errors import UntiltError
from untilt.formats.run.compiled_game import FILE_NAME as GAME
from untilt.game.terms import terms_of

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun
    from untilt.game.protocol import Game

MAX_ROWS = 1_000
_FORM_SIZE = 1.0
"""Memory of the sequence form per byte of its `game.bin`."""


def offered(run: Holdings) -> bool:
    """Whether there are named infosets with probabilities."""
    return run.has_strategy


def _strategy(source: "ServedRun", request: Request) -> Json:
    table = source.table()
    filters = Filters(
        player=choice(request, "player", range(len(table.infosets))),
        card=text(request, "card"),
        board=text(request, "board"),
        line=text(request, "line"),
        search=text(request, "search") or "",
    )
    return strategy_page(
        table,
        source.frames(),
        frame=frame_of(request),
        filters=filters,
        offset=integer(request, "offset", 0, 0, 1 << 40),
        limit=integer(request, "limit", 60, 1, MAX_ROWS),
    )


def _node(source: "ServedRun", request: Request) -> Json:
    from untilt.dashboard.nodes.infoset_node import Asked, canonical, chips_on, infoset_node
    from untilt.dashboard.nodes.reaches import read_meetings
    from untilt.policy.nodes.node_json import node_json

    table = source.table()
    seat = request.query_params.get("seat")
    asked = Asked(
        canonical(text(request, "line") or "", table),
        text(request, "board"),
        None if seat is None else choice(request, "seat", range(len(table.infosets))),
    )
    meetings = source.kept(
        [GAME], read_meetings, missing="so there is no strategy to show", scale=_FORM_SIZE
    )
    with_hands = choice(request, "hands", (1, 0)) == 1
    node = infoset_node(
        table, source.frames(), frame_of(request), asked, meetings, with_hands=with_hands
    )
    root = _rules(source)
    if root is not None:
        node = replace(node, chips=chips_on(root, node.line), unit=terms_of(root).unit)
    return node_json(node, with_hands=with_hands)


def _rules(run: "ServedRun") -> "Game | None":
    """Return the root of a game that comes with Untilt and has chips; other code never runs."""
    from untilt.games.recipe import Recipe

    record = run.record()
    recipe = Recipe(record.reference, record.parameters)
    if not recipe.is_ours:
        return None
    try:
        root = recipe.make()
    except UntiltError:  # parameters that do not fit the game
        return None
    return root if terms_of(root).has_chips else None


def _infoset(source: "ServedRun", request: Request) -> Json:
    return infoset_history(source.table(), source.frames(), text(request, "label") or "")


VIEW = View(
    "strategy",
    offered,
    {"strategy": _strategy, "infoset": _infoset, "node": _node},
    {
        "cards": lambda source: source.table().cards,
        "boards": lambda source: source.table().boards,
        "lines": lambda source: source.table().lines(),
        "moves": lambda source: line_moves([each["line"] for each in source.table().lines()]),
        "frames": lambda source: [info.to_json() for info in source.frames().infos],
    },
)
