"""Push/fold charts built from what is saved: a row of a run's frames, a stack of a sweep."""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import CLASS_NAMES
from untilt.errors import FormatError
from untilt.formats.kinds.sweep_file import Sweep
from untilt.game.names.names import Names
from untilt.games.pushfold.chart import PushFoldChart, PushFoldPlay
from untilt.games.pushfold.game import Stakes

Row = npt.NDArray[np.floating[Any]]
"""[678] a number per sequence of both players: the empty one, then fold and play for each hand."""


def is_push_fold(infosets: tuple[Names, ...]) -> bool:
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
    play = PushFoldPlay(*(np.clip(np.nan_to_num(half), 0.0, 1.0) for half in frequencies))
    return PushFoldChart.of(stakes, play, (evs[0], evs[1]), value, exploitability)


def chart_of_sweep(sweep: Sweep, place: int) -> PushFoldChart:
    """Return the chart of one of the stacks, which are counted from 0."""
    fold_evs = sweep.fold_ev[place].tolist()
    return PushFoldChart.of(
        Stakes(float(sweep.stack[place]), sweep.small_blind, sweep.ante, sweep.bb_ante),
        PushFoldPlay(sweep.push[place], sweep.call[place]),
        (sweep.push_ev[place], sweep.call_ev[place]),
        float(sweep.value[place]),
        float(sweep.exploitability[place]),
        (fold_evs[0], fold_evs[1]),
    )
