"""Push/fold charts for the page: 13 × 13 grids of frequencies, what hands gain and lose."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.charts.push_fold import PushFoldChart, Seat
from untilt.dashboard.infoset_table import InfosetTable
from untilt.dashboard.source import Json, Row, finite, finite_list
from untilt.formats.sweep import Sweep
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.published import published_chart
from untilt.numeric.arrays import Floats

PUBLISHED = "hune"
"""The chart that is shown beside ours."""


@dataclass(frozen=True)
class Grid:
    """One player's half of a chart, [169] each, in the order of the grid."""

    frequency: Floats
    ev: Floats
    """What playing the hand gains in bb; nan if nobody knows."""


def is_push_fold(table: InfosetTable) -> bool:
    """Whether the infosets are those of push/fold: 169 hands each, in the order of the grid."""
    return all(
        infosets.private == CLASS_NAMES and set(map(len, infosets.actions)) == {2}
        for infosets in table.infosets
    )


def grids_of(table: InfosetTable, probabilities: Row, values: Row) -> tuple[Grid, Grid]:
    """Return both halves from a frame; after the empty sequence a hand has folding and playing."""
    first, second = (
        Grid(
            _frequencies(probabilities[begin + 2 : begin + 2 + 2 * NUM_CLASSES : 2]),
            values[begin + 2 : begin + 2 + 2 * NUM_CLASSES : 2].astype(np.float64),
        )
        for begin in table.first
    )
    return first, second


def chart_json(
    stakes: Stakes,
    grids: tuple[Grid, Grid],
    value: float | None,
    exploitability: float | None,
    fold_evs: tuple[float, float] | None = None,
) -> Json:
    """Return the `PushFoldChart` of both halves; folding costs what `stakes` say, if not given."""
    fold_evs = fold_evs or (stakes.folded, -stakes.uncalled)
    seats = (
        Seat("small blind", "push", grids[0].frequency, grids[0].ev, fold_evs[0]),
        Seat("big blind", "call", grids[1].frequency, grids[1].ev, fold_evs[1]),
    )
    nan = float("nan")
    chart = PushFoldChart(
        stakes.stack, stakes.small_blind, stakes.ante, stakes.bb_ante, nan, nan, *seats
    )
    return {
        "stack": stakes.stack,
        "stakes": chart.stakes_text,
        "value": value,
        "exploitability": exploitability,
        "seats": [_seat_json(seat) for seat in seats],
        "published": _published(stakes),
    }


def sweep_chart(sweep: Sweep, stack: float | None) -> Json:
    """Return the `PushFoldChart` of the stack nearest to `stack`, the first if none is given."""
    place = 0 if stack is None else int(np.argmin(np.abs(sweep.stack - stack)))
    stakes = Stakes(float(sweep.stack[place]), sweep.small_blind, sweep.ante, sweep.bb_ante)
    grids = (
        Grid(sweep.push[place], sweep.push_ev[place]),
        Grid(sweep.call[place], sweep.call_ev[place]),
    )
    fold_evs = sweep.fold_ev[place].tolist()
    value, exploitability = float(sweep.value[place]), float(sweep.exploitability[place])
    return chart_json(
        stakes, grids, finite(value), finite(exploitability), (fold_evs[0], fold_evs[1])
    )


def _seat_json(seat: Seat) -> Json:
    with np.errstate(all="ignore"):  # a stranger's frames may hold any number
        best = np.maximum(seat.ev, seat.fold_ev)
        gained = seat.frequency * seat.ev + (1.0 - seat.frequency) * seat.fold_ev
        regret = np.maximum(best - gained, 0.0)
    return {
        "player": seat.player,
        "action": seat.action,
        "frequency": finite_list(seat.frequency),
        "ev": finite_list(seat.ev),
        "fold_ev": finite(seat.fold_ev),
        "regret": finite_list(regret),
        "percent": seat.percent,
        "range": seat.range_text(),
    }


def _published(stakes: Stakes) -> Json | None:
    chart = published_chart(PUBLISHED)
    is_same_game = stakes.small_blind == 0.5 and stakes.ante == 0.0 and stakes.bb_ante == 0.0
    if not is_same_game or stakes.stack > chart.largest_stack:
        return None
    return {
        "name": chart.name,
        "source": chart.source,
        "push": chart.push(stakes.stack).tolist(),
        "call": chart.call(stakes.stack).tolist(),
    }


def _frequencies(row: npt.NDArray[Any]) -> Floats:
    # Frames are float32: rounding may lead out of [0, 1].
    frequencies: Floats = np.clip(np.nan_to_num(row.astype(np.float64)), 0.0, 1.0)
    return frequencies
