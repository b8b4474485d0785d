"""The charts of a table in a file, which `TableChart.save` writes.

A container (`formats.base.container`) of the kind `pushfold-table` with what is played for in its
meta data and the ranges, float64 [states, 169], by seat and then by the mask of seats all-in
before. Values and gains are kept as well: the file is read without solving anything.
"""

import math
import os
from typing import Any

import numpy as np

from untilt.cards.combos import NUM_CLASSES
from untilt.errors import InvalidOption, UntiltError
from untilt.formats.base.container import read_container, write_container
from untilt.formats.base.files import path_of
from untilt.games.pushfold.tables.solver import SolvedTable, TableWorth
from untilt.games.pushfold.tables.table import PushFoldTable
from untilt.games.pushfold.tables.table_chart import TableChart, chart_of

KIND = "pushfold-table"
_TUPLES = ("stacks", "prizes", "others", "bounties")
_NUMBERS = ("small_blind", "ante", "bb_ante", "bounty_cash")
_OF_NODES = ("ranges", "ev", "fold_ev", "reach")
_OF_SEATS = ("values", "values_bb", "gains")
_SLACK = 1.001


def write_table(path: str | os.PathLike[str], chart: TableChart) -> None:
    """Write charts to a new file."""
    file = path_of(path)
    if file.exists():
        raise InvalidOption.of("path", str(path), "the file exists already; choose another name")
    table = chart.table
    meta: dict[str, Any] = {
        **{name: list(getattr(table, name)) for name in _TUPLES},
        **{name: float(getattr(table, name)) for name in _NUMBERS},
        "max_all_in": table.max_all_in,
        "returned": chart.returned,
        "iterations": chart.iterations,
    }
    nodes = {state: node for node, state in enumerate(table.states)}
    shape = chart.ranges.shape
    by_node = {name: np.full(shape, np.nan) for name in ("ev", "fold_ev")} | {
        "ranges": chart.ranges,
        "reach": np.zeros(shape),
    }
    for each in chart.decisions:
        node = nodes[each.state]
        by_node["ev"][node], by_node["fold_ev"][node] = each.ev, each.fold_evs
        by_node["reach"][node] = each.reach
    by_seat = {name: getattr(chart, name) for name in _OF_SEATS}
    other = np.array([chart.other_nash_conv])
    write_container(file, KIND, meta, {**by_node, **by_seat, "other_nash_conv": other})


def load_chart(path: str | os.PathLike[str]) -> TableChart:
    """Return the charts of a table that `TableChart.save` wrote.

    >>> import untilt, tempfile, pathlib
    >>> chart = untilt.pushfold.chart(seats=2, stacks=[10, 10], prizes=[2, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     chart.save(pathlib.Path(folder) / "bubble.table")
    ...     untilt.pushfold.load_chart(pathlib.Path(folder) / "bubble.table").seats
    ('small blind', 'big blind')
    """
    container = read_container(path_of(path), KIND, in_memory=True)
    meta = container.meta
    amounts: dict[str, Any] = {}
    for name in _TUPLES:
        given = meta.get(name)
        if not isinstance(given, list) or not all(isinstance(each, float) for each in given):
            raise container.error(f"its {name} are not numbers")
        amounts[name] = tuple(given)
    for name in _NUMBERS:
        if not isinstance(meta.get(name), float):
            raise container.error(f"its {name} is not a number")
        amounts[name] = meta[name]
    most, iterations, returned = (
        meta.get(name) for name in ("max_all_in", "iterations", "returned")
    )
    if type(most) is not int or type(iterations) is not int or iterations < 0:
        raise container.error("its counts are not integers")
    if returned not in ("current", "average"):
        raise container.error("it does not say which strategy it holds")
    try:
        table = PushFoldTable(**amounts, max_all_in=most)
        num_states = len(table.states)
    except UntiltError as error:
        raise container.error(f"nobody can play for what it says ({error})") from error
    shape = (num_states, NUM_CLASSES)
    of_nodes = {name: container.array(name, np.float64, shape) for name in _OF_NODES}
    of_seats = {name: container.array(name, np.float64, (table.num_seats,)) for name in _OF_SEATS}
    other = float(container.array("other_nash_conv", np.float64, (1,))[0])
    ranges, reach = of_nodes["ranges"], of_nodes["reach"]
    is_sound = bool(np.all((ranges >= 0.0) & (ranges <= 1.0))) and bool(
        np.all((reach >= -1e-9) & (reach <= 1.0))
    )
    if not is_sound:
        raise container.error("a frequency is not between 0 and 1")
    chips = math.fsum(table.stacks)
    limits = dict.fromkeys((*_OF_NODES[1:3], *_OF_SEATS), 1.0 if table.prizes else chips)
    limits["values_bb"] = chips
    known = {**of_nodes, **of_seats}
    # A hand that is never all-in has no value; every seat has one.
    is_sound = all(
        not (np.abs(known[name]) > _SLACK * limit).any() for name, limit in limits.items()
    ) and not any(np.isnan(each).any() for each in of_seats.values())
    if not is_sound or abs(other) > table.num_seats * _SLACK * limits["gains"]:
        raise container.error("a value is not a number, or more than there is to win")
    measured = TableWorth(
        of_seats["values"],
        of_seats["gains"],
        np.zeros(num_states),
        of_nodes["fold_ev"],
        of_nodes["ev"],
        reach,
    )
    solved = SolvedTable(ranges, measured, returned, other, iterations)
    return chart_of(table, solved, of_seats["values_bb"])
