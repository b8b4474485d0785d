"""The view of push/fold charts: of a frame of a run, or of a stack of a sweep."""

import math

import numpy as np

from untilt.dashboard.source import Json, Row
from untilt.formats.sweep import Sweep
from untilt.games.pushfold.chart import Play, PushFoldChart
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.page import chart_json, chart_of_row


def frame_chart(
    stakes: Stakes, row: tuple[Row, Row], measured: tuple[float | None, float | None]
) -> Json:
    """Return the `PushFoldChart` of a frame; `measured` are value and exploitability, if known."""
    value, exploitability = (math.nan if one is None else one for one in measured)
    return chart_json(chart_of_row(stakes, *row, value, exploitability))


def sweep_chart(sweep: Sweep, stack: float | None) -> Json:
    """Return the `PushFoldChart` of the stack nearest to `stack`, the first if none is given."""
    place = 0 if stack is None else int(np.argmin(np.abs(sweep.stack - stack)))
    fold_evs = sweep.fold_ev[place].tolist()
    chart = PushFoldChart.of(
        Stakes(float(sweep.stack[place]), sweep.small_blind, sweep.ante, sweep.bb_ante),
        Play(sweep.push[place], sweep.call[place]),
        (sweep.push_ev[place], sweep.call_ev[place]),
        float(sweep.value[place]),
        float(sweep.exploitability[place]),
        (fold_evs[0], fold_evs[1]),
    )
    return chart_json(chart)
