"""Charts of push/fold as sheets of grids, which `charts` draws."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from untilt.cards.combos import CLASS_NAMES
from untilt.charts.figures.plot_file import plot_path, saved
from untilt.charts.palette import colour_of
from untilt.charts.sheet import (
    ActionGrid,
    ActionSheet,
    Fill,
    HandNumbers,
    ListGrid,
    ListSheet,
    difference_marks,
    marks_meaning,
)
from untilt.display import gain_text, shortened_text
from untilt.games.pushfold.analysis import Comparison
from untilt.games.pushfold.chart import MIXED, ChartSide, Intervals, PushFoldChart, PushFoldSweep
from untilt.games.pushfold.text import (
    STACKS_SHOWN,
    comparison_heading,
    gains_meaning,
    interval_texts,
    seat_heading,
    stack_row,
)

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture

_FILLS = {"push": Fill("push", colour_of("all-in")), "call": Fill("call", colour_of("call"))}


def chart_sheet(chart: PushFoldChart) -> ActionSheet:
    """Return both halves of a chart as grids."""
    return ActionSheet(
        title=chart.title,
        subtitle=chart.stakes_text,
        remark=f"exploitability {1000.0 * chart.exploitability:.4f} mbb/hand",
        grids=tuple(_seat_grid(seat) for seat in chart.seats),
        prompt="show what each hand gains over folding, in bb",
        footnote="Stacks count before the blinds are posted. A mixed cell is filled as often as "
        "the hand is played. Rake and tournament equity (ICM) are not modelled.",
    )


def comparison_sheet(comparison: Comparison, name: str) -> ActionSheet:
    """Return the chart of a comparison, with marks where the strategy `name` plays differently."""
    chart, other = comparison.chart, comparison.other
    sheet = chart_sheet(chart)
    grids = tuple(
        replace(
            grid,
            marks=difference_marks(seat.frequency, shares),
            marks_meaning=marks_meaning(shortened_text(name)),
        )
        for grid, seat, shares in zip(
            sheet.grids, chart.seats, (other.push, other.call), strict=True
        )
    )
    remark = f"{sheet.remark}; {comparison_heading(name, comparison)}"
    return replace(sheet, grids=grids, remark=remark)


def plot_sheet(sheet: ActionSheet | ListSheet, path: str | os.PathLike[str] | None) -> "Picture":
    """Return a sheet as a figure, and write it if there is a path; see `charts.plot_file`."""
    from untilt.charts.figures.sheet_figure import sheet_figure

    file = plot_path(path)
    return saved(sheet_figure(sheet), file)


def sweep_sheet(sweep: PushFoldSweep) -> ListSheet:
    """Return grids with the stacks at which each hand is played, and a table by stack."""
    return ListSheet(
        title=sweep.title,
        subtitle=sweep.charts[0].stakes_text,
        remark=f"{STACKS_SHOWN}; the darker, the more of them",
        grids=tuple(
            _stacks_grid(seat, intervals, sweep.stacks)
            for seat, intervals in zip(sweep.charts[0].seats, sweep.halves, strict=True)
        ),
        header=("stack, bb", "value, bb/hand", "push, %", "call, %"),
        rows=tuple(stack_row(chart) for chart in sweep.charts),
    )


def _seat_grid(seat: ChartSide) -> ActionGrid:
    base = f"{seat.fold_ev:+g} bb"
    folding = f"{gain_text(seat.fold_ev, 'g', 'gains')} bb"
    return ActionGrid(
        heading=seat_heading(seat),
        remark=f"folding {folding}",
        fills=(_FILLS[seat.action],),
        rest="fold",
        rest_remark=f"which {folding}",
        shares=seat.frequency[:, np.newaxis],
        margin=MIXED,
        range_text=seat.range_text(),
        numbers=HandNumbers(
            seat.ev - seat.fold_ev, gains_meaning(seat), base, "{} bb compared with folding"
        ),
    )


def _stacks_grid(seat: ChartSide, intervals: Intervals, stacks: list[float]) -> ListGrid:
    def depth(own: list[tuple[float, float]]) -> float:
        inside = sum(any(low <= stack <= high for low, high in own) for stack in stacks)
        return inside / len(stacks)

    return ListGrid(
        heading=f"{seat.player}: stacks at which each hand is {seat.action}ed",
        fill=_FILLS[seat.action],
        depths=[depth(intervals[name]) for name in CLASS_NAMES],
        lines=[interval_texts(intervals[name]) for name in CLASS_NAMES],
    )
