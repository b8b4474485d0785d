"""Push/fold charts: of one frame of a run, or of one stack of a sweep.

The push/fold rules are imported only when needed: few runs have such charts.
"""

import math
from typing import TYPE_CHECKING

import numpy as np
from starlette.requests import Request

from untilt.cards.combos import NUM_CLASSES
from untilt.dashboard.server.query import number
from untilt.dashboard.sources.source import Holdings, Json, NotAvailable, position_of
from untilt.dashboard.view import View, frame_of, may_show
from untilt.formats.kinds.sweep_file import FILE_NAME as SWEEP
from untilt.formats.run.run_file import RunRecord, kinds_of_runs

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun
    from untilt.formats.kinds.sweep_file import Sweep
    from untilt.games.pushfold.chart import PushFoldChart

_PLAYED = 0.5
"""In a chart of limits, a hand counts as played if it is played more often than this."""


def offered(run: Holdings) -> bool:
    """Whether it is a sweep, or has one decision per hand class and seat."""
    if is_sweep(run.record):
        return run.has_sweep
    is_grid = run.game is not None and run.game.num_infosets == 2 * NUM_CLASSES
    return run.has_strategy and is_grid and run.terms.private == "hand class"


def _chart(source: "ServedRun", request: Request) -> Json:
    """Return the `NodePage` of the small blind, with that of the big blind as its `reply`."""
    from untilt.policy.nodes.node_json import node_json
    from untilt.policy.nodes.pushfold_node import pushfold_node
    from untilt.policy.saved.pushfold_charts import chart_of_sweep

    frame, stack = frame_of(request), number(request, "stack")
    record = source.record()
    if not may_show(record, "pushfold"):
        raise NotAvailable(f"{source.name} has no push/fold chart; see its strategy")
    if is_sweep(record):
        # The nearest stack, or the first one if none is given.
        sweep = sweep_of(source)
        place = 0 if stack is None else int(np.argmin(np.abs(sweep.stack - stack)))
        chart = chart_of_sweep(sweep, place)
    else:
        chart = _chart_of_frame(source, frame)
    return node_json(pushfold_node(chart))


def _chart_of_frame(run: "ServedRun", frame: int) -> "PushFoldChart":
    from untilt.policy.saved.pushfold_charts import chart_of_row, is_push_fold, stakes_of

    if not is_push_fold(run.table().infosets):
        raise NotAvailable(f"{run.name} is not a run of push/fold; see its strategy instead")
    stakes, frames = stakes_of(run.record().parameters), run.frames()
    position = position_of(frames, frame)
    value, exploitability = (
        math.nan if one is None else one for one in run.measured(frames.infos[position])
    )
    return chart_of_row(stakes, *frames.row(position), value, exploitability)


def _limits(source: "ServedRun", request: Request) -> Json:
    """Return the `PushFoldLimits` of a sweep."""
    from untilt.policy.saved.pushfold_charts import chart_of_sweep

    del request
    if not is_sweep(source.record()):
        raise NotAvailable("only a sweep over stacks says up to which stack a hand is played")
    sweep = sweep_of(source)
    order = np.argsort(sweep.stack)
    stacks = sweep.stack[order]
    chart = chart_of_sweep(sweep, 0)
    seats = []
    for seat, played in zip(chart.seats, (sweep.push, sweep.call), strict=True):
        is_played = played[order] > _PLAYED
        num_first = np.where(is_played.all(0), len(stacks), (~is_played).argmax(0))  # [169]
        seats.append(
            {
                "player": seat.player,
                "action": seat.action,
                "up_to": [float(stacks[one - 1]) if one else None for one in num_first.tolist()],
                "is_gapped": (is_played.sum(0) > num_first).tolist(),
            }
        )
    return {"stacks": stacks.tolist(), "stakes": chart.stakes_text, "seats": seats}


def _stacks(source: "ServedRun") -> list[float]:
    """Return the stacks of a sweep in big blinds."""
    if not is_sweep(source.record()):
        return []
    stacks: list[float] = sweep_of(source).stack.tolist()
    return stacks


def sweep_of(run: "ServedRun") -> "Sweep":
    """Return the charts of a sweep; raise NotAvailable if they are not finished."""
    from untilt.formats.kinds.sweep_file import read_sweep

    return run.kept(
        [SWEEP], lambda folder: read_sweep(folder / SWEEP), missing="which is written at the end"
    )


def is_sweep(record: RunRecord | None) -> bool:
    """Whether its result is charts of many stacks."""
    return record is not None and kinds_of_runs()[record.kind].result_file == SWEEP


VIEW = View("pushfold", offered, {"pushfold": _chart, "limits": _limits}, {"stacks": _stacks})
