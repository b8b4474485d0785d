"""Charts of push/fold: known values, a slow twin, the published chart, strategies from files."""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from tests.reference import pushfold as counted

import untilt
from untilt.cards.combos import (
    CLASS_NAMES,
    GRID_OF_PAIRS_FIRST,
    NUM_CLASSES,
    class_index,
)
from untilt.errors import FormatError, InvalidOption, StrategyError, UnknownName, UntiltError
from untilt.games.pushfold.chart import PushFoldChart, PushFoldPlay
from untilt.games.pushfold.chart_text import range_shares
from untilt.games.pushfold.game import Stakes, deals
from untilt.games.pushfold.published import published_chart
from untilt.games.pushfold.text import chart_csv
from untilt.runs.pushfold import charts as pushfold
from untilt.runs.pushfold.charts import (
    best_call,
    best_push,
    chart_of,
    compare,
    play_match,
    solve_chart,
    sweep_charts,
)
from untilt.runs.pushfold.pushfold_strategies import caveat, read_play

TEN = Stakes(10.0)


@lru_cache(maxsize=1)
def equities() -> counted.Equities:
    win, tie = deals().win, deals().tie
    return {
        (one, other): (float(win[row, column]), float(tie[row, column]))
        for row, one in enumerate(CLASS_NAMES)
        for column, other in enumerate(CLASS_NAMES)
    }


@pytest.fixture(scope="module")
def ten() -> PushFoldChart:
    return solve_chart(TEN)


@pytest.mark.parametrize(("stack", "value"), [(10.0, -0.0453708), (20.0, -0.1831897)])
def test_values_are_the_known_ones(stack: float, value: float) -> None:
    chart = solve_chart(Stakes(stack))
    assert chart.value == pytest.approx(value, abs=5e-8)
    assert chart.exploitability < 1e-10


def test_ranges_at_ten_big_blinds_are_the_known_ones(ten: PushFoldChart) -> None:
    assert round(ten.push.percent, 2) == 58.28
    assert round(ten.call.percent, 2) == 37.38
    assert list(ten.push.mixed) == ["43s"]
    assert list(ten.call.mixed) == ["Q6s"]


@pytest.mark.parametrize(
    "stakes",
    [TEN, Stakes(3.3), Stakes(12.0, ante=0.1), Stakes(9.0, small_blind=0.4, bb_ante=1.0)],
    ids=str,
)
def test_no_range_does_better_against_the_chart_by_counting(stakes: Stakes) -> None:
    """Best responses found hand by hand, sharing no code, bracket the value from both sides."""
    chart = solve_chart(stakes)
    blinds = counted.Blinds(stakes.stack, stakes.small_blind, stakes.ante, stakes.bb_ante)
    push, call = chart.push.frequency_of_hand(), chart.call.frequency_of_hand()
    assert counted.value(blinds, equities(), push, call) == pytest.approx(chart.value, abs=1e-11)
    best_push_value = counted.best_push_value(blinds, equities(), call)
    best_call_value = counted.best_call_value(blinds, equities(), push)
    assert best_push_value == pytest.approx(chart.value, abs=1e-9)
    assert best_call_value == pytest.approx(chart.value, abs=1e-9)


def test_evs_are_those_of_counting(ten: PushFoldChart) -> None:
    blinds = counted.Blinds(10.0)
    pushing = counted.gain_of_pushing(blinds, equities(), ten.call.frequency_of_hand())
    calling = counted.gain_of_calling(blinds, equities(), ten.push.frequency_of_hand())
    assert ten.push.ev_of_hand() == pytest.approx(pushing, abs=1e-11)
    assert ten.call.ev_of_hand() == pytest.approx(calling, abs=1e-11)
    assert (ten.push.fold_ev, ten.call.fold_ev) == (-0.5, -1.0)


@pytest.mark.parametrize("method", ["dcfr", "cfr+", "sapcfr+"])
def test_iterative_methods_come_to_the_same_chart(ten: PushFoldChart, method: str) -> None:
    found = solve_chart(TEN, method)
    assert found.exploitability <= 1e-6
    assert found.value == pytest.approx(ten.value, abs=2e-6)
    for seat, exact in zip(found.seats, ten.seats, strict=True):
        np.testing.assert_array_equal(seat.frequency > 0.5, exact.frequency > 0.5)


@pytest.mark.parametrize("method", ["es", "qre"])
def test_methods_that_give_no_exact_chart_are_refused(method: str) -> None:
    with pytest.raises(InvalidOption, match="does not make charts; use cfr"):
        solve_chart(TEN, method)
    with pytest.raises(UnknownName):
        solve_chart(TEN, "simplex")


def test_all_cells_agree_with_the_published_chart_at_ten_big_blinds(ten: PushFoldChart) -> None:
    found = compare(ten, TEN, read_play("hune", TEN))
    assert found.differences == ()
    # It does not mix 43s and Q6s, which costs half a thousandth of a big blind in 100 hands.
    assert 100.0 * found.match.losses[1] == pytest.approx(0.000511, abs=1e-6)


def test_seven_cells_differ_from_the_published_chart_over_whole_stacks() -> None:
    """The origin of the data counts them: 7 of 6,422, each inside a gap that it does not show."""
    differing = [
        (stack, cell.action, cell.hand)
        for stack in range(2, 21)
        for cell in compare(
            solve_chart(Stakes(stack)), Stakes(stack), read_play("hune", Stakes(stack))
        ).differences
    ]
    assert differing == [
        (4, "push", "53s"),
        (5, "push", "96o"),
        (6, "push", "94s"),
        (6, "push", "63s"),
        (8, "push", "84s"),
        (8, "push", "43s"),
        (9, "push", "84s"),
    ]


def test_a_published_cell_is_on_up_to_its_limit_and_off_in_its_gaps() -> None:
    chart = published_chart("hune")
    hand = class_index("43s")
    stacks = [2.2, 2.3, 4.8, 4.9, 10.0, 10.1]
    assert [bool(chart.push(stack)[hand]) for stack in stacks] == [1, 0, 0, 1, 1, 0]
    call = [bool(chart.call(stack)[class_index("Q6s")]) for stack in (9.9, 9.95)]
    assert call == [True, False]
    assert chart.push(1000.0)[class_index("AA")]
    with pytest.raises(UnknownName, match="known: hune"):
        published_chart("hunne")


def test_pushing_any_two_costs_nine_big_blinds_in_a_hundred(ten: PushFoldChart) -> None:
    any_two = PushFoldPlay(np.ones(NUM_CLASSES), ten.call.frequency)
    match = play_match(TEN, any_two, ten.play)
    assert 100.0 * (ten.value - match.as_small_blind) == pytest.approx(9.07, abs=0.005)
    assert match.as_big_blind == pytest.approx(-ten.value, abs=1e-12)


def test_a_match_is_what_counting_says() -> None:
    stakes = Stakes(7.0, ante=0.2)
    first = read_play("push=22+,A2+,K9o+;call=77+,AT+,KQs:0.5", stakes)
    second = read_play("push=random;call=22+,A2+", stakes)
    match = play_match(stakes, first, second)
    blinds = counted.Blinds(7.0, ante=0.2)

    def value(small_blind: PushFoldPlay, big_blind: PushFoldPlay) -> float:
        push = dict(zip(CLASS_NAMES, small_blind.push.tolist(), strict=True))
        call = dict(zip(CLASS_NAMES, big_blind.call.tolist(), strict=True))
        return counted.value(blinds, equities(), push, call)

    assert match.as_small_blind == pytest.approx(value(first, second), abs=1e-11)
    assert match.as_big_blind == pytest.approx(-value(second, first), abs=1e-11)
    assert match.mean == (match.as_small_blind + match.as_big_blind) / 2.0
    swapped = play_match(stakes, second, first)
    assert swapped.mean == pytest.approx(-match.mean, abs=1e-12)
    assert swapped.losses == match.losses[::-1]


def test_the_best_answer_to_a_tight_caller_pushes_everything(ten: PushFoldChart) -> None:
    call = range_shares("22+,A2s+,KTs+,A8o+,KJo+")
    answer = best_push(TEN, call)
    assert answer.seat.percent == 100.0
    shares = dict(zip(CLASS_NAMES, call.tolist(), strict=True))
    best = counted.best_push_value(counted.Blinds(10.0), equities(), shares)
    assert answer.value == pytest.approx(best, abs=1e-11)
    assert answer.value > answer.equilibrium_value > answer.game_value
    assert answer.game_value == pytest.approx(ten.value, abs=1e-12)


def test_the_best_answer_to_any_two_calls_two_thirds() -> None:
    answer = best_call(TEN, np.ones(NUM_CLASSES))
    assert round(answer.seat.percent) == 66
    everything = dict.fromkeys(CLASS_NAMES, 1.0)
    best = counted.best_call_value(counted.Blinds(10.0), equities(), everything)
    assert answer.value == pytest.approx(-best, abs=1e-11)
    assert answer.gain > 0.0


def test_the_best_answer_to_the_equilibrium_gains_nothing(ten: PushFoldChart) -> None:
    assert abs(best_push(TEN, ten.call.frequency).gain) < 1e-11
    assert abs(best_call(TEN, ten.push.frequency).gain) < 1e-11


def test_nobody_calls_when_nobody_pushes() -> None:
    with pytest.raises(InvalidOption, match="the pushing range is empty"):
        best_call(TEN, np.zeros(NUM_CLASSES))
    chart = chart_of(TEN, PushFoldPlay(np.zeros(NUM_CLASSES), np.zeros(NUM_CLASSES)))
    assert chart.value == pytest.approx(-0.5, abs=1e-12)
    assert set(chart.call.ev_of_hand().values()) == {None}


def test_a_sweep_gives_intervals_and_not_one_number() -> None:
    sweep = sweep_charts([Stakes(stack / 2.0) for stack in range(4, 23)])
    assert sweep.push["AA"] == [(2.0, 11.0)]
    assert sweep.push["43s"] == [(2.0, 2.0), (5.0, 7.5), (9.0, 9.0), (10.0, 10.0)]
    assert sweep.push["32o"] == []
    assert sweep.call["Q6s"] == [(2.0, 9.5)]
    for chart in sweep.charts:
        for seat, intervals in zip(chart.seats, (sweep.push, sweep.call), strict=True):
            for name, share in seat.frequency_of_hand().items():
                is_inside = any(low <= chart.stack <= high for low, high in intervals[name])
                assert is_inside == (share > 0.5), (chart.stack, name)


def test_processes_do_not_change_a_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    stakes = [Stakes(stack) for stack in (3.0, 6.0, 9.0, 12.0)]
    alone = sweep_charts(stakes)
    monkeypatch.setattr(pushfold, "_STACKS_PER_PROCESS", 1)
    shares: list[float] = []
    together = sweep_charts(stakes, processes=2, watcher=shares.append)
    assert shares == [0.25, 0.5, 0.75, 1.0]
    assert (together.push, together.call) == (alone.push, alone.call)
    for one, other in zip(alone.charts, together.charts, strict=True):
        assert one.to_json() == other.to_json()


def same(play: PushFoldPlay, other: PushFoldPlay) -> bool:
    return np.array_equal(play.push, other.push) and np.array_equal(play.call, other.call)


def test_charts_are_read_from_what_the_program_writes(ten: PushFoldChart, tmp_path: Path) -> None:
    csv_file, json_file, plain = (tmp_path / name for name in ("c.csv", "c.json", "s.json"))
    csv_file.write_bytes(chart_csv(ten))
    json_file.write_text(json.dumps(ten.to_json()), encoding="utf-8")
    run = untilt.solve("pushfold", "lp", output=tmp_path / "run")
    plain.write_text(json.dumps({"strategy": run.profile.to_dict()}), encoding="utf-8")
    for source in (csv_file, json_file, plain, tmp_path / "run"):
        assert same(read_play(str(source), TEN), ten.play), source
    assert same(read_play("nash", TEN), ten.play)


def test_a_regret_file_acts_on_positive_regret_in_its_own_order(tmp_path: Path) -> None:
    regrets = np.full(338, -5, dtype="<i4")
    regrets[[12, 13, 168]] = 7  # AA, 32o and AKs of the small blind
    regrets[297] = 1  # T5s of the big blind
    regrets[0] = 0  # 22: exactly zero is a coin
    path = tmp_path / "regret.dat"
    path.write_bytes(regrets.tobytes())
    play = read_play(str(path), TEN)
    pushes = {CLASS_NAMES[hand]: play.push[hand] for hand in np.flatnonzero(play.push)}
    assert pushes == {"AA": 1.0, "32o": 1.0, "AKs": 1.0, "22": 0.5}
    assert {CLASS_NAMES[hand] for hand in np.flatnonzero(play.call)} == {"T5s"}
    assert CLASS_NAMES[GRID_OF_PAIRS_FIRST[13]] == "32o"


def test_a_regret_file_of_another_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "regret.dat"
    path.write_bytes(bytes(1351))
    with pytest.raises(UntiltError, match=r"1,?351 bytes.*1,?352"):
        read_play(str(path), TEN)


def chart_lines() -> list[str]:
    return ["hand,push,call", *(f"{name},1,0.5" for name in CLASS_NAMES)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "lacks push for 1 of 169 hands, the first of them 22"),
        (lambda lines: [*lines, "AKs,1,1"], "line 171: AKs appears twice"),
        (lambda lines: [*lines, "AKx,1,1"], "'AKx' is not a hand"),
        (lambda lines: [*lines[:-1], "22,1.5,0"], "push of 22 is '1.5'; give a frequency"),
        (lambda lines: [*lines[:-1], "22,,0"], "push of 22 is ''; give a frequency"),
        (lambda lines: [*lines[:-1], "22,1"], "call of 22 is 'None'; give a frequency"),
        (lambda lines: ["hand,push", *lines[1:]], "has the columns hand, push; a chart needs"),
        (lambda lines: [], "has the columns none; a chart needs hand, push and call"),
        (
            lambda lines: [*lines[:-1], "x" * 140_000],
            "not valid CSV .field larger than field limit",
        ),
        (lambda lines: ["h" * 140_000, *lines[1:]], "not valid CSV .field larger than field limit"),
    ],
)
def test_a_faulty_chart_file_is_refused(tmp_path: Path, change: object, message: str) -> None:
    assert callable(change)
    path = tmp_path / "chart.csv"
    path.write_text("\n".join(change(chart_lines())), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_play(str(path), TEN)


def test_a_spreadsheets_csv_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chart.csv"
    lines = [" Hand, Push ,CALL,remark", *(f"{name} , 1,0.25,x" for name in CLASS_NAMES)]
    path.write_bytes("\r\n".join(lines).encode("utf-8-sig"))
    play = read_play(str(path), TEN)
    assert play.push.tolist() == [1.0] * NUM_CLASSES
    assert play.call.tolist() == [0.25] * NUM_CLASSES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("push=AA", "lacks call="),
        ("push=AA;push=KK", "is not a strategy: give 'push=RANGE;call=RANGE'"),
        ("push=AA;fold=KK", "is not a strategy: give 'push=RANGE;call=RANGE'"),
        ("nowhere.csv", "is not a strategy: give a file"),
        ("push=AA;call=XX", "a rank, one of"),
    ],
)
def test_what_is_no_strategy_is_refused(text: str, message: str) -> None:
    with pytest.raises(UntiltError, match=message):
        read_play(text, TEN)


def test_a_range_may_be_longer_than_a_file_name() -> None:
    text = "push=" + ",".join(CLASS_NAMES) + ";call=" + ",".join(CLASS_NAMES[:100])
    play = read_play(text, TEN)
    assert play.push.tolist() == [1.0] * NUM_CLASSES
    assert play.call.sum() == 100.0
    assert caveat(text, TEN) is None


def test_strategies_of_other_games_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.json"
    path.write_text('{"P0:J:": {"check": 1.0}}', encoding="utf-8")
    with pytest.raises(StrategyError, match=r"kuhn.json: the strategy has the infoset 'P0:J:'"):
        read_play(str(path), TEN)
    untilt.solve("kuhn", "lp", output=tmp_path / "kuhn")
    with pytest.raises(InvalidOption, match="is a run of kuhn"):
        read_play(str(tmp_path / "kuhn"), TEN)


def test_the_published_chart_is_not_for_all_stakes() -> None:
    assert caveat("hune", TEN) is None
    assert caveat("nash", Stakes(10.0, ante=0.1)) is None
    assert "without antes" in str(caveat("hune", Stakes(10.0, ante=0.1)))
    assert "ends at 20 bb" in str(caveat("hune", Stakes(25.0)))
