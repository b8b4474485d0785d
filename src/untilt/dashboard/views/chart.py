"""The strategy of a blueprint at any line of betting and on any board.

Opening a blueprint loads Numba, for the look-up of card buckets, so that happens when the first
chart is requested, outside the lock of its run.
"""

from typing import TYPE_CHECKING

from starlette.requests import Request

from untilt.dashboard.server.query import text
from untilt.dashboard.sources.source import Holdings, Json, NotAvailable
from untilt.dashboard.view import View, may_show
from untilt.formats.kinds.blueprint_path import FILE_NAME

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun
    from untilt.play.review.blueprint_chart import BlueprintCharts

_OPEN_BYTES = 5 << 20
"""Most memory of an open blueprint: the buckets of recent boards. Its file is memory-mapped."""


def offered(run: Holdings) -> bool:
    """Whether there is a blueprint."""
    return run.has_blueprint


def _chart(source: "ServedRun", request: Request) -> Json:
    """Return the requested `NodePage`."""
    from untilt.policy.nodes.node_json import node_json

    line, board = text(request, "line") or "", text(request, "board") or ""
    return node_json(charts_of(source).at(line, board))


def _ranges(source: "ServedRun", request: Request) -> Json:
    """Return the `RangeFacts` of a node after the flop; values are not known."""
    from untilt.policy.nodes.range_facts import range_facts

    line, board = text(request, "line") or "", text(request, "board") or ""
    return range_facts(charts_of(source).ranges(line, board), board)


def _spot(source: "ServedRun", request: Request) -> Json:
    """Return the requested `SpotDocument`: the street that begins at a node, to be solved."""
    from untilt.games.holdem.spots.spot import Spot
    from untilt.policy.blueprint import BlueprintPolicy

    charts = charts_of(source)
    charts.verify_tables()
    line, board = text(request, "line") or "", text(request, "board") or ""
    return Spot.from_policy(BlueprintPolicy(charts.blueprint), line, board).to_dict()


def charts_of(source: "ServedRun") -> "BlueprintCharts":
    """Return the charts of a blueprint; raise NotAvailable if it is not finished."""
    from untilt.play.review.blueprint_chart import BlueprintCharts

    if not may_show(source.record(), "chart"):
        raise NotAvailable(f"{source.name} is not a blueprint; see its strategy instead")
    return source.kept(
        [FILE_NAME],
        lambda folder: BlueprintCharts(folder / FILE_NAME, builds=False),
        missing="which is written at the end",
        scale=0.0,
        least=_OPEN_BYTES,
    )


VIEW = View("chart", offered, {"chart": _chart, "chart-ranges": _ranges, "chart-street": _spot})
