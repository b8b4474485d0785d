"""Push/fold charts for the page: built from a row of a run's frames, and as JSON."""

import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import CLASS_NAMES
from untilt.errors import FormatError
from untilt.game.names import Names
from untilt.games.pushfold.chart import Play, PushFoldChart, Seat
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.published import published_chart
from untilt.numeric.arrays import Floats

PUBLISHED = "hune"
"""The chart that is shown next to ours."""

Row = npt.NDArray[np.floating[Any]]
"""[678] a number per sequence of both players: the empty one, then fold and play for each hand."""


def is_push_fold(infosets: tuple[Names, Names]) -> bool:
    """Whether the infosets are those of push/fold: 169 hands each, in the order of the grid."""
    return all(
        tuple(table.column("private")) == CLASS_NAMES
        and all(len(actions) == 2 for _, actions in table.items())
        for table in infosets
    )


def stakes_of(parameters: Mapping[str, Any]) -> Stakes:
    """Return the stakes of a run; raise FormatError if its parameters have no stack."""
    names = ("stack", "small_blind", "ante", "bb_ante")
    amounts = {
        name: float(amount)
        for name in names
        if isinstance(amount := parameters.get(name), int | float)
        and not isinstance(amount, bool)
        and abs(amount) <= sys.float_info.max  # an int may be larger; nan is not
    }
    if "stack" not in amounts:
        raise FormatError("run.json is damaged (its stack is not a number)")
    return Stakes(**amounts)


def chart_of_row(
    stakes: Stakes, probabilities: Row, values: Row, value: float, exploitability: float
) -> PushFoldChart:
    """Return the chart at one moment of a run; nan means unknown."""
    frequencies, evs = (
        [half[2::2].astype(np.float64) for half in np.split(row, 2)]
        for row in (probabilities, values)
    )
    # Frames are float32: rounding may leave [0, 1].
    play = Play(*(np.clip(np.nan_to_num(half), 0.0, 1.0) for half in frequencies))
    return PushFoldChart.of(stakes, play, (evs[0], evs[1]), value, exploitability)


def chart_json(chart: PushFoldChart) -> dict[str, Any]:
    """Return the `PushFoldChart` of the page."""
    return {
        "stack": chart.stack,
        "stakes": chart.stakes_text,
        "value": _finite(chart.value),
        "exploitability": _finite(chart.exploitability),
        "seats": [_seat_json(seat) for seat in chart.seats],
        "published": _published(chart),
    }


def _seat_json(seat: Seat) -> dict[str, Any]:
    with np.errstate(all="ignore"):  # frames from others may hold any number
        best = np.maximum(seat.ev, seat.fold_ev)
        gained = seat.frequency * seat.ev + (1.0 - seat.frequency) * seat.fold_ev
        regret = np.maximum(best - gained, 0.0)
    return {
        "player": seat.player,
        "action": seat.action,
        "frequency": _finite_list(seat.frequency),
        "ev": _finite_list(seat.ev),
        "fold_ev": _finite(seat.fold_ev),
        "regret": _finite_list(regret),
        "percent": seat.percent,
        "range": seat.range_text(),
    }


def _published(chart: PushFoldChart) -> dict[str, Any] | None:
    published = published_chart(PUBLISHED)
    is_same_game = chart.small_blind == 0.5 and chart.ante == 0.0 and chart.bb_ante == 0.0
    if not is_same_game or chart.stack > published.largest_stack:
        return None
    return {
        "name": published.name,
        "source": published.source,
        "push": published.push(chart.stack).tolist(),
        "call": published.call(chart.stack).tolist(),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _finite_list(values: Floats) -> list[float | None]:
    return [_finite(value) for value in values.tolist()]
