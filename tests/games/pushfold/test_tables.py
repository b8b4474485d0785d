"""Tables of several seats: known values, the exact model of three, and random deals for more."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.reference.pushfold_table import exact_values

import untilt
from untilt.errors import FormatError, InvalidOption
from untilt.games.pushfold.tables.audit import audit_chart
from untilt.games.pushfold.tables.positions import COMBINATIONS, finishes
from untilt.games.pushfold.tables.solver import Model, SolvedTable
from untilt.games.pushfold.tables.table import PushFoldTable, seat_names, weak_orders
from untilt.games.pushfold.tables.table_analysis import compare_ranges
from untilt.games.pushfold.tables.table_chart import TableChart, chart_of
from untilt.games.pushfold.tables.table_text import ranges_of_text
from untilt.runs.pushfold.table_file import load_chart
from untilt.runs.pushfold.tables import make_table, solve_chart_of_table


@pytest.fixture(scope="module")
def ten() -> TableChart:
    return untilt.pushfold.chart(seats=3, stack=10)


PRIZES = (0.5, 0.3, 0.2)


@pytest.mark.parametrize(
    ("stack", "values"),
    [
        (5, (0.28895, -0.03502, -0.25393)),
        (10, (0.24137, -0.08347, -0.1579)),
        (15, (0.18881, -0.12462, -0.06419)),
    ],
)
def test_three_seats_have_the_known_values(stack: float, values: tuple[float, ...]) -> None:
    chart = untilt.pushfold.chart(seats=3, stack=stack)
    np.testing.assert_allclose(chart.values, values, atol=2e-5)
    assert chart.nash_conv <= 2.5e-5
    assert chart.values.sum() == pytest.approx(0.0, abs=1e-9)


def test_a_bubble_has_the_known_values() -> None:
    chart = untilt.pushfold.chart(stacks=[10, 6, 4], prizes=PRIZES, others=[5])
    np.testing.assert_allclose(chart.values, (0.34102, 0.25263, 0.16638), atol=2e-5)
    assert chart.nash_conv <= 1e-6


def test_two_seats_are_the_exact_chart() -> None:
    table = untilt.pushfold.chart(seats=2, stack=10, target=1e-7)
    exact = untilt.pushfold.chart(10)
    assert table.values[0] == pytest.approx(exact.value, abs=1e-6)
    push, call = table.decisions
    np.testing.assert_allclose(push.ev, exact.push.ev, atol=1e-3)
    assert push.fold_ev == pytest.approx(-0.5)
    assert (push.percent, call.percent) == pytest.approx(
        (exact.push.percent, exact.call.percent), abs=0.1
    )


def test_the_model_of_three_seats_is_exact() -> None:
    """Against every triple of classes in the table of three-way all-ins, one by one."""
    for table in (
        PushFoldTable((10.0, 6.0, 4.0), prizes=PRIZES, others=(5.0,)),
        PushFoldTable((3.0, 9.0, 7.0), ante=0.1, bb_ante=0.5),
    ):
        model = Model(table)
        rng = np.random.default_rng(3)
        model.take(rng.random(model.ranges.shape) * (rng.random(model.ranges.shape) < 0.7))
        measured = model.measure()
        values, gains = exact_values(table, model.ranges)
        np.testing.assert_allclose(measured.values, values, atol=1e-10)
        np.testing.assert_allclose(measured.gains, gains, atol=1e-10)


def test_chips_and_shares_are_conserved_with_more_seats() -> None:
    for table, total in (
        (PushFoldTable((10.0,) * 4, ante=0.1), 0.0),
        (PushFoldTable((10.0, 6.0, 4.0, 7.0), prizes=(3.0, 1.0)), 1.0),
    ):
        model = Model(table)
        rng = np.random.default_rng(4)
        model.take(np.minimum(1.0, 0.5 * rng.random(model.ranges.shape)))
        assert model.measure().values.sum() == pytest.approx(total, abs=2e-3)


def test_four_seats_agree_with_random_deals() -> None:
    chart = untilt.pushfold.chart(seats=4, stack=6, iterations=50, target=0.0)
    audit = audit_chart(chart, 400_000, seed=5)
    for each in audit.frequencies:
        assert each.dealt == pytest.approx(each.model, abs=0.002 + 1.7 * each.margin)
    margins = 0.001 + 1.7 * audit.value_margins
    assert np.all(np.abs(audit.values - chart.values) < margins)
    assert np.all(audit.gains <= 0.002 + 1.7 * audit.gain_margins)


def test_random_deals_notice_a_wrong_chart(ten: TableChart) -> None:
    model = Model(ten.table)
    ranges = ten.ranges.copy()
    ranges[0] = 0.0
    model.take(ranges)
    measured = model.measure()
    wrong = chart_of(
        ten.table, SolvedTable(ranges, measured, "current", math.nan, 1), measured.values
    )
    audit = audit_chart(wrong, 200_000)
    assert audit.gains[0] - audit.gain_margins[0] > 0.15
    assert measured.gains[0] == pytest.approx(audit.gains[0], abs=3 * audit.gain_margins[0])


def test_threads_do_not_change_a_bit() -> None:
    table = make_table(4, 5, None)
    found = [
        solve_chart_of_table(table, target=0.0, max_iterations=6, threads=threads)
        for threads in (1, 3)
    ]
    assert found[0].ranges.tobytes() == found[1].ranges.tobytes()
    assert found[0].values.tobytes() == found[1].values.tobytes()
    audits = [audit_chart(found[0], 5_000, threads=threads) for threads in (1, 3)]
    assert audits[0].gains.tobytes() == audits[1].gains.tobytes()


def test_the_better_strategy_is_returned(ten: TableChart) -> None:
    assert ten.returned in ("current", "average")
    assert ten.nash_conv <= ten.other_nash_conv


def test_gains_are_what_a_best_response_wins(ten: TableChart) -> None:
    model = Model(ten.table)
    model.take(ranges := np.clip(ten.ranges + 0.2, 0.0, 1.0))
    before = model.measure()
    nodes = {state: node for node, state in enumerate(ten.table.states)}
    for seat in range(3):
        better = ranges.copy()
        for state, node in nodes.items():
            if state.seat == seat:
                better[node] = before.all_in[node] > before.folding[node]
        model.take(better)
        assert model.measure().values[seat] - before.values[seat] == pytest.approx(
            before.gains[seat], abs=1e-10
        )


def test_locked_ranges_are_kept_and_the_rest_answers() -> None:
    chart = untilt.pushfold.chart(seats=3, stack=10, locked="BTN: none", iterations=60, target=0.0)
    assert chart.decision("button").percent == 0.0
    assert chart.gains[0] > 0.2
    assert chart.gains[1:].max() < 1e-3
    # After a fold that says little, the blinds play nearly their chart of two.
    pair = untilt.pushfold.chart(10)
    assert chart.decision("SB").percent == pytest.approx(pair.push.percent, abs=1.0)


def test_costs_of_other_ranges_are_differences_of_values(ten: TableChart) -> None:
    others = ranges_of_text(ten.table, "the text", "button: 45%; BB vs BTN: QQ+")
    found = compare_ranges(ten, others)
    model = Model(ten.table)
    for node, shares in others.items():
        ranges = ten.ranges.copy()
        ranges[node] = shares
        model.take(ranges)
        seat = ten.table.states[node].seat
        lost = ten.values[seat] - model.measure().values[seat]
        assert found.costs[seat] == pytest.approx(lost, abs=1e-9)
    assert found.nash_conv > 10 * ten.nash_conv


def test_what_is_saved_is_loaded(ten: TableChart, tmp_path: Path) -> None:
    path = tmp_path / "ten.table"
    ten.save(path)
    assert json.dumps(load_chart(path).to_json()) == json.dumps(ten.to_json())
    with pytest.raises(InvalidOption, match="exists already"):
        ten.save(path)
    damaged = bytearray(path.read_bytes())
    damaged[-9] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(FormatError):
        load_chart(path)


def test_results_are_tables_of_hands(ten: TableChart) -> None:
    pytest.importorskip("pandas")
    frame = ten.to_frame()
    assert len(frame) == 6 * 169
    assert "3 seats" in repr(ten)
    document = ten.to_json()
    assert {"seats", "stacks_bb", "values_bb", "gains_bb", "nash_conv_bb", "returned"} <= {
        *document
    }
    with pytest.raises(InvalidOption, match="has no decision"):
        ten.decision("button", ("big blind",))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seats": 1}, "2 to 9"),
        ({"seats": 10}, "2 to 9"),
        ({"stacks": [10, 0, 5]}, "above 0"),
        ({"stacks": [10, math.nan, 5]}, "finite"),
        ({"stacks": [10, 5], "seats": 3}, "2 stacks are given for 3 seats"),
        ({"seats": 3, "prizes": [1, 2]}, "give the first prize first"),
        ({"seats": 3, "prizes": [4, 3, 2, 1]}, "4 prizes are given for 3 players"),
        ({"seats": 3, "others": [5]}, "for prizes only"),
        ({"seats": 3, "bounty": 5}, "give prizes, too"),
        ({"seats": 3, "max_all_in": 5}, "from 2 to 4"),
        ({"seats": 3, "locked": "dealer: 22+"}, "is not a seat"),
        ({"seats": 3, "locked": "button: 22+; button: 33+"}, "twice"),
        ({"seats": 3, "locked": "button vs big blind: 22+"}, "has no decision"),
        ({"seats": 3, "method": "lp"}, "for two players"),
        ({"prizes": [1]}, "is for a table"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        untilt.pushfold.chart(**arguments)  # type: ignore[call-overload]


def test_a_stack_below_the_blind_works() -> None:
    chart = untilt.pushfold.chart(stacks=[8, 8, 0.6], iterations=50, target=0.0)
    assert {each.player for each in chart.decisions} == {"button", "small blind"}
    assert chart.values.sum() == pytest.approx(0.0, abs=1e-9)


def test_chances_of_orders_sum_to_one_and_respect_what_is_known() -> None:
    for others in range(4):
        chances = finishes(others, is_own_in=others < 3)
        np.testing.assert_allclose(chances.sum(axis=-1), 1.0)
    assert len(COMBINATIONS) == 59
    assert [len(weak_orders(hands)) for hands in (1, 2, 3, 4)] == [1, 3, 13, 75]


def test_seats_have_the_usual_names() -> None:
    assert seat_names(3) == ("button", "small blind", "big blind")
    assert seat_names(6) == (
        "under the gun",
        "hijack",
        "cutoff",
        "button",
        "small blind",
        "big blind",
    )
    assert all(len({*seat_names(count)}) == count for count in range(2, 10))
