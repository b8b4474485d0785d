"""Push/fold charts as sheets: what stands in the terminal and on a page."""

import io

import numpy as np
import pytest
from rich.console import Console
from tests.games.pushfold.test_chart import chart

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.charts.hand_grid import print_sheet
from untilt.charts.sheet_page import action_page
from untilt.games.pushfold.analysis import sweep_of
from untilt.games.pushfold.chart import PushFoldChart, PushFoldPlay
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.sheets import chart_sheet, sweep_sheet


def printed(content: PushFoldChart) -> str:
    stream = io.StringIO()
    print_sheet(Console(file=stream, width=80), chart_sheet(content))
    return stream.getvalue()


def test_a_chart_says_stack_value_ranges_and_mixed_hands() -> None:
    text = printed(chart())
    assert "Push/fold at 10 bb: the small blind loses 0.0453708 bb/hand" in text
    assert "exploitability 0.0025 mbb/hand" in text
    assert "mixed: AKs 71.00 %" in text
    assert "mixed: AKo 25.00 %" in text
    assert "range: AA,QQ:0.9996,AKs:0.71,KK:0.0004" in text
    assert "small blind: push" in text
    assert "big blind: call" in text
    assert "wins 0.2000000" in printed(chart(value=0.2))


def test_an_ev_that_does_not_exist_is_a_dash() -> None:
    none = np.zeros(NUM_CLASSES)
    play, evs = PushFoldPlay(none, none), (none, np.full(NUM_CLASSES, np.nan))
    lonely = PushFoldChart.of(Stakes(), play, evs, value=-0.5, exploitability=0.0)
    assert '<small class="ev">–</small>' in action_page(chart_sheet(lonely)).decode()


def test_a_sweep_is_as_dark_as_the_share_of_stacks_at_which_a_hand_is_played() -> None:
    sheet = sweep_sheet(sweep_of([chart(5.0), chart(10.0)]))
    assert (sheet.grids[0].depths[0], sheet.grids[0].lines[0]) == (1.0, ["5-10"])
    last = CLASS_NAMES.index("22")
    assert (sheet.grids[1].depths[last], sheet.grids[1].lines[last]) == (0.0, [])
    assert sheet.rows[1][:2] == ("10", "-0.0453708")
    assert float(sheet.rows[0][2]) == pytest.approx(chart().push.percent, abs=0.005)
