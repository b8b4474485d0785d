"""Charts of a table as a sheet of grids, which `charts` draws."""

from typing import TYPE_CHECKING

import numpy as np

from untilt.charts.palette import colour_of
from untilt.charts.sheet import ActionGrid, ActionSheet, Fill, HandNumbers
from untilt.display import gain_text
from untilt.games.pushfold.chart import MIXED

if TYPE_CHECKING:
    from untilt.games.pushfold.tables.table_chart import TableChart, TableDecision

MOST_GRIDS = 8
"""Grids of a sheet: more are too small to read."""

_FILLS = {"push": Fill("push", colour_of("all-in")), "call": Fill("call", colour_of("call"))}


def table_sheet(chart: "TableChart", most: int = MOST_GRIDS) -> ActionSheet:
    """Return the charts of the decisions that come most often, in the order of the seats."""
    often = sorted(chart.decisions, key=lambda each: -each.probability)[:most]
    shown = [each for each in chart.decisions if each in often]
    left_out = len(chart.decisions) - len(shown)
    return ActionSheet(
        title=chart.title,
        subtitle=chart.stakes_text,
        remark=f"best responses gain {chart.nash_conv:.1e} {chart.unit} together",
        grids=tuple(_grid(each, chart.unit) for each in shown),
        prompt=f"show what each hand gains over folding, {chart.unit}",
        footnote="Stacks count before blinds and antes are posted."
        + (f" {left_out} decisions that come less often are left out." if left_out else ""),
    )


def _grid(decision: "TableDecision", unit: str) -> ActionGrid:
    folding = f"{gain_text(decision.fold_ev, '.4g', 'is worth', 'loses')} {unit}"
    return ActionGrid(
        heading=f"{decision.name}: {decision.action} {decision.percent:.2f} % of hands",
        remark=f"folding {folding}",
        fills=(_FILLS[decision.action],),
        rest="fold",
        rest_remark=f"which {folding}",
        shares=decision.frequency[:, np.newaxis],
        margin=MIXED,
        range_text=decision.range_text(),
        numbers=HandNumbers(
            decision.gain,
            f"what being all-in gains over folding, {unit}",
            f"{decision.fold_ev:+.4g} {unit}",
            "{} " + unit + " compared with folding",
        ),
    )
