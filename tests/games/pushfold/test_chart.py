"""Push/fold charts: percentages, documents, CSV, and sweeps over stacks."""

import csv

import numpy as np
import pytest

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES, class_index
from untilt.cards.ranges.range import Range
from untilt.games.pushfold.analysis import sweep_of
from untilt.games.pushfold.chart import ChartSide, PushFoldChart, PushFoldSweep
from untilt.games.pushfold.text import chart_csv, intervals_text, sweep_csv, sweep_lines


def half(action: str = "push", /, **shares: float) -> ChartSide:
    """Return a half in which the named hands are played, each worth its place in the grid."""
    frequency = np.zeros(NUM_CLASSES)
    for name, share in shares.items():
        frequency[class_index(name)] = share
    player = "small blind" if action == "push" else "big blind"
    fold = -0.5 if action == "push" else -1.0
    return ChartSide(player, action, frequency, np.linspace(2.0, -2.0, NUM_CLASSES), fold)


def chart(stack: float = 10.0, value: float = -0.0453708, **changes: float) -> PushFoldChart:
    return PushFoldChart(
        stack=stack,
        small_blind=0.5,
        ante=changes.get("ante", 0.0),
        bb_ante=changes.get("bb_ante", 0.0),
        value=value,
        exploitability=2.5e-6,
        push=half("push", AA=1.0, AKs=0.71, KK=0.0004, QQ=0.9996),
        call=half("call", AA=1.0, AKo=0.25),
    )


@pytest.fixture
def sweep() -> PushFoldSweep:
    nothing: dict[str, list[tuple[float, float]]] = {name: [] for name in CLASS_NAMES}
    return PushFoldSweep(
        (chart(5.0), chart(10.0), chart(15.0)),
        push={**nothing, "AA": [(5.0, 15.0)], "43s": [(5.0, 5.0), (15.0, 15.0)]},
        call={**nothing, "AA": [(5.0, 10.0)]},
    )


def test_antes_are_named() -> None:
    assert chart().stakes_text == "blinds 0.5/1"
    assert chart(ante=0.1).stakes_text == "blinds 0.5/1, ante 0.1 each"
    assert chart(bb_ante=1.0).stakes_text == "blinds 0.5/1, big-blind ante 1"


def test_a_percentage_counts_combos() -> None:
    assert half(AA=1.0, AKs=0.5).percent == pytest.approx(100.0 * 8 / 1326)
    everything = half(**dict.fromkeys(CLASS_NAMES, 1.0))
    assert everything.percent == pytest.approx(100.0)
    assert everything.range_text() == "random"
    assert Range.parse(half(AA=1.0, AKs=0.5).range_text()).num_combos == pytest.approx(8.0)


def test_the_document_has_the_fields_of_a_chart() -> None:
    document = chart().to_json()
    assert list(document) == [
        *("stack_bb", "value_bb", "exploitability_mbb", "push", "call", "push_ev", "call_ev"),
        *("push_percent", "call_percent"),
    ]
    assert document["exploitability_mbb"] == pytest.approx(0.0025)
    assert document["push_percent"] == pytest.approx(chart().push.percent)


def test_the_csv_has_a_line_per_hand() -> None:
    rows = list(csv.DictReader(chart_csv(chart()).decode().splitlines()))
    assert [row["hand"] for row in rows] == list(CLASS_NAMES)
    assert (rows[1]["push"], rows[1]["call"]) == ("0.71", "0.0")
    assert float(rows[0]["push_ev"]) == 2.0
    assert (rows[0]["small_blind_fold_ev"], rows[0]["big_blind_fold_ev"]) == ("-0.5", "-1.0")


def test_intervals_are_written_with_both_ends() -> None:
    assert intervals_text([(2.0, 7.5), (9.0, 9.0)]) == "2-7.5;9"
    assert intervals_text([]) == ""


def test_the_csv_of_a_sweep_has_intervals(sweep: PushFoldSweep) -> None:
    rows = list(csv.DictReader(sweep_csv(sweep).decode().splitlines()))
    by_hand = {row["hand"]: (row["push"], row["call"]) for row in rows}
    assert len(rows) == NUM_CLASSES
    assert by_hand["AA"] == ("5-15", "5-10")
    assert by_hand["43s"] == ("5;15", "")


def test_a_sweep_is_printed_by_stack_and_by_hand(sweep: PushFoldSweep) -> None:
    lines = [text for text, _ in sweep_lines(sweep)]
    assert lines[0] == "Push/fold from 5 to 15 bb, 3 stacks"
    assert any(line.split() == ["43s", "5", "15", "-"] for line in lines)
    assert any(line.split()[:2] == ["10", "-0.0453708"] for line in lines)


def test_the_document_of_a_sweep_has_scalars_by_stack(sweep: PushFoldSweep) -> None:
    document = sweep.to_json()
    stacks = document["stacks"]
    assert isinstance(stacks, list)
    assert list(stacks[0]) == [
        *("stack_bb", "value_bb", "exploitability_mbb", "push_percent", "call_percent")
    ]
    push = document["push"]
    assert isinstance(push, dict)
    assert push["43s"] == [[5.0, 5.0], [15.0, 15.0]]


def test_a_hand_that_clearly_gains_is_played_whatever_its_frequency() -> None:
    """Averages of iterative methods come slowly to 0 or 1; the sign of the EV is there before."""
    gains = np.full(NUM_CLASSES, -1.0)
    gains[:4] = [-0.4, -0.5, -0.5, -0.6]
    shares = np.zeros(NUM_CLASSES)
    shares[:4] = [0.4, 0.6, 0.4, 0.6]
    seat = ChartSide("small blind", "push", shares, gains, -0.5)
    both = PushFoldChart(10.0, 0.5, 0.0, 0.0, 0.0, 0.0, seat, half("call"))
    played = {name for name, stacks in sweep_of([both]).push.items() if stacks}
    assert [name in played for name in CLASS_NAMES[:4]] == [True, True, False, False]


def test_an_ev_that_does_not_exist_is_none() -> None:
    values = np.full(NUM_CLASSES, np.nan)
    lonely = ChartSide("big blind", "call", np.zeros(NUM_CLASSES), values, -1.0)
    assert set(lonely.ev_of_hand().values()) == {None}


def test_the_former_name_of_to_json_warns() -> None:
    with pytest.warns(DeprecationWarning, match="document is now to_json"):
        assert chart().document() == chart().to_json()
