"""Spots: closed forms, a published example, saving, resuming, locks and damage."""

import json
import math
import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.runs import game_runs

import untilt
from untilt.errors import CardError, FormatError, InvalidOption, RunError, UntiltError
from untilt.formats.base.files import write_json
from untilt.game.public.public_tree import DECISION
from untilt.games.holdem.solutions.solution import Solution, SolutionNode
from untilt.games.holdem.spots.locks import is_merged_for, locks_of, parse_lock
from untilt.runs.spots.solutions import evaluate_solution, load_spot, resume_spot

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


def river() -> untilt.Spot:
    return untilt.Spot(
        "Td9d6hQc2s", (OOP, IP), pot=200, stack=900, sizes=untilt.Sizes("60%,a", raises="2.5x")
    )


def clairvoyance(size: str = "100%", stack: int = 100) -> untilt.Spot:
    return untilt.Spot(
        "2c2d2h3c3d", ("AA,QQ", "KK"), pot=100, stack=stack, sizes=untilt.Sizes(size)
    )


def turn() -> untilt.Spot:
    return untilt.Spot(
        "Td9d6hQc",
        ("QQ,JJ,AKs,87s", "TT,AQs,KJs,76s"),
        pot=100,
        stack=200,
        sizes=untilt.Sizes("75%", raises=""),
    )


def solved(spot: untilt.Spot, **stop: Any) -> Solution:
    return untilt.solve(spot, save=False, **(stop or {"target": "0.05%", "time": 60.0}))


def test_nuts_and_air_against_a_bluff_catcher_have_their_closed_form() -> None:
    solution = solved(clairvoyance())
    assert solution.ev == pytest.approx((75.0, 25.0), abs=0.1)
    mix = {row.hand[0]: row.mix for row in solution.root.table()}
    assert mix["A"]["all-in 100"] == pytest.approx(1.0, abs=0.01)
    assert mix["Q"]["all-in 100"] == pytest.approx(0.5, abs=0.02)
    assert solution.at("all-in").frequencies["call"] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("chips", [33, 50, 75, 150])
def test_bluffs_by_size_of_the_bet_have_their_closed_form(chips: int) -> None:
    # Of a bet of s pots, bluffs are s / (1 + s) as many as value bets, and the caller, who must
    # make them indifferent, calls 1 / (1 + s). With as much air as value, the bettor wins
    # 1/2 + s / (2 (1 + s)) of the pot.
    share = chips / 100.0
    solution = solved(clairvoyance(f"{chips}c", stack=chips))
    mix = {row.hand[0]: row.mix[f"all-in {chips}"] for row in solution.root.table()}
    assert mix["Q"] == pytest.approx(share / (1.0 + share), abs=0.03)
    called = solution.at("all-in").frequencies["call"]
    assert called == pytest.approx(1.0 / (1.0 + share), abs=0.03)
    assert solution.ev[0] == pytest.approx(50.0 + 50.0 * share / (1.0 + share), abs=0.15)


def test_the_river_example_is_worth_92_77_of_200() -> None:
    solution = solved(river(), target="0.02%")
    assert solution.ev[0] == pytest.approx(92.77, abs=0.05)
    assert sum(solution.ev) == pytest.approx(200.0, abs=1e-3)
    assert solution.root.frequencies["check"] == pytest.approx(0.69, abs=0.01)
    assert solution.facts.nodes == 27


def test_values_of_both_players_sum_to_the_pot_of_every_node() -> None:
    solution = solved(river(), iterations=60)
    for node in solution.nodes():
        first, second = (side.mean_ev for side in node.sides)
        if not math.isnan(first):
            assert first + second == pytest.approx(node.pot, abs=1e-2), node.line
        for name, child in node.children.items():
            assert child.line.endswith(name)


def test_a_node_knows_what_folding_and_equity_are_worth() -> None:
    solution = solved(clairvoyance())
    node = solution.at("all-in")
    assert node.pot == 200
    assert node.stacks == (0, 100)
    fold = node.actions.index("fold")
    assert node.action_ev[fold] == pytest.approx(np.zeros(6), abs=1e-3)
    root = solution.root
    assert root.sides[0].mean_equity == pytest.approx(0.5)
    assert dict(zip(root.hands, root.equity.tolist(), strict=True))["AhAd"] == 1.0
    assert root.range_advantage == pytest.approx(0.0)


def test_equities_before_the_river_are_those_of_the_cards() -> None:
    from untilt.cards.equity.all_in import equity

    solution = solved(turn(), iterations=5)
    expected = equity("QQ,JJ,AKs,87s", "TT,AQs,KJs,76s", board="Td9d6hQc")
    found = [side.mean_equity for side in solution.root.sides]
    assert found == pytest.approx([float(each) for each in expected.equities], abs=1e-6)


def test_boards_that_differ_by_suits_only_have_the_same_node() -> None:
    spot = untilt.Spot(
        "AhAs7h7s", ("QQ,KQs", "JJ,KJs"), pot=100, stack=100, sizes=untilt.Sizes("100%")
    )
    solution = solved(spot, iterations=50)
    known, twin = (solution.at("check, check", board=f"AhAs7h7s3{suit}") for suit in "sh")
    swap = str.maketrans("hs", "sh")
    expected = {
        frozenset((hand[:2], hand[2:])): ev for hand, ev in zip(known.hands, known.ev, strict=True)
    }
    assert known.concrete.board == twin.concrete.board
    for hand, ev in zip(twin.hands, twin.ev.tolist(), strict=True):
        other = hand.translate(swap)
        assert ev == pytest.approx(expected[frozenset((other[:2], other[2:]))], nan_ok=True)
    assert solution.at("check, check").deal("3s").frequencies == known.frequencies
    with pytest.raises(InvalidOption, match="give a board of 5 cards"):
        solution.at("check, check, check")
    with pytest.raises(CardError):
        solution.at("check, check", board="Ah")
    with pytest.raises(InvalidOption, match="moves is 5"):
        solution.at(5)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="player is 2"):
        solution.root.table(2)


def test_what_is_saved_is_what_was_found(tmp_path: Path) -> None:
    solution = untilt.solve(turn(), iterations=40, output=tmp_path / "run")
    loaded = game_runs.load_spot(tmp_path / "run")
    assert loaded.spot == solution.spot
    assert loaded.ev == solution.ev
    for line, board in (
        ("", None),
        ("check", None),
        ("check, check", "2c"),
        ("check, check", "As"),
    ):
        known, found = (each.at(line, board=board) for each in (solution, loaded))
        assert np.array_equal(known.strategy, found.strategy)
        assert np.array_equal(known.ev, found.ev, equal_nan=True)
        assert np.array_equal(known.equity, found.equity, equal_nan=True)
    assert evaluate_solution(loaded).values == pytest.approx(solution.ev)


@pytest.mark.parametrize("precision", ["float32", pytest.param("int16", marks=pytest.mark.long)])
def test_a_resumed_run_has_the_bits_of_one_that_never_stopped(
    tmp_path: Path, precision: str
) -> None:
    whole = untilt.solve(turn(), iterations=60, output=tmp_path / "whole", precision=precision)
    untilt.solve(turn(), iterations=25, output=tmp_path / "parts", precision=precision, threads=1)
    parts = resume_spot(tmp_path / "parts", iterations=60, threads=2)
    assert whole.ev == parts.ev
    for name in ("whole", "parts"):
        assert (tmp_path / name / "result.json").exists()
    first, second = ((tmp_path / name / "strategy.bin").read_bytes() for name in ("whole", "parts"))
    assert first == second


@pytest.mark.long
def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "spot.toml").write_text(turn().to_toml())
    command = [sys.executable, "-m", "untilt", "spot", "spot.toml", "-o", "run", "-n", "4000"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60.0
    while not (tmp_path / "run/checkpoint.bin").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    resumed = resume_spot(tmp_path / "run")
    assert resumed.iterations == 4000
    assert resumed.ev == untilt.solve(turn(), iterations=4000, save=False).ev


def test_locked_hands_play_as_they_are_told_and_others_answer() -> None:
    locked = clairvoyance().replaced(locks=[{"line": "", "lock": "QQ check"}])
    solution = solved(locked)
    mix = {row.hand[0]: row.mix for row in solution.root.table()}
    assert mix["Q"]["check"] == 1.0
    # Without bluffs, a bluff-catcher never calls.
    assert solution.at("all-in").frequencies["call"] == pytest.approx(0.0, abs=0.01)
    assert solution.ev[0] == pytest.approx(50.0, abs=0.2)


@pytest.mark.parametrize(
    "lock",
    [
        {"lock": "AA:0.4,QsQh:0.25 all-in, rest check"},
        {"lock": "AA all-in 40%, check 60%; QsQh all-in 25% check 75%"},
        {"actions": {"all-in": "AA:0.4,QsQh:0.25", "check": "rest"}},
        {"actions": {"check": "AA:0.6,QsQh:0.75", "all-in 100": "AA:0.4,QsQh:0.25"}},
    ],
    ids=str,
)
def test_a_lock_gives_every_hand_its_weight(lock: dict[str, Any]) -> None:
    spot = clairvoyance().replaced(locks=[{"line": "", **lock}])
    solution = solved(untilt.Spot.from_toml(spot.to_toml()))
    bets = {row.hand: row.mix["all-in 100"] for row in solution.root.table()}
    assert len(bets) == 12
    for hand, share in bets.items():
        if hand[0] == "A":
            assert share == pytest.approx(0.4, abs=1e-6)
        elif set(hand) >= {"s", "h"}:
            assert share == pytest.approx(0.25, abs=1e-6)
        else:
            assert abs(share - 0.25) > 1e-3  # solved


@pytest.mark.parametrize(
    "lock",
    [
        {"lock": "all check"},
        {"lock": "rest check"},
        {"actions": {"check": "rest"}},
        {"lock": "22+ check; rest check"},
        {"lock": "AA check; rest check 100%"},
        {"lock": "AA:0.4 all-in, rest check; rest check; AA check"},
    ],
    ids=str,
)
def test_the_rest_of_all_hands_can_be_locked(lock: dict[str, Any]) -> None:
    solution = solved(clairvoyance().replaced(locks=[{"line": "", **lock}]), iterations=5)
    assert {row.mix["check"] for row in solution.root.table()} == {1.0}


@pytest.mark.parametrize("amounts", [{"pot": 10.5, "stack": 50.5}, {"pot": 105, "stack": 505}])
def test_a_street_of_a_spot_with_decimals_keeps_its_chips_and_rake(amounts: dict[str, Any]) -> None:
    spot = turn().replaced(**amounts, rake=0.05, rake_cap=3)
    solution = solved(spot, iterations=2)
    street = solution.at("check, check", board="Td9d6hQc2c").spot()
    assert (street.pot, street.stack) == (spot.pot, spot.stack)
    assert street.rake_cap == spot.rake_cap == 3 * spot.chips_per_unit


def test_the_rest_is_what_earlier_groups_leave() -> None:
    lock = {"line": "", "lock": "AA all-in; rest check 75% all-in 25%"}
    solution = solved(clairvoyance().replaced(locks=[lock]), iterations=5)
    bets = {(row.hand[0], round(row.mix["all-in 100"], 6)) for row in solution.root.table()}
    assert bets == {("A", 1.0), ("Q", 0.25)}


@pytest.mark.parametrize(
    "text",
    ["check @ Qc: AA bet 100%", ": bet 50 = AA:0.4,QsQh; check = rest", "bet 50: all call"],
)
def test_a_lock_is_written_as_it_is_read(text: str) -> None:
    (lock,) = locks_of(clairvoyance().replaced(locks=[parse_lock(text)]))
    assert str(lock) == text
    assert parse_lock(str(lock)) == parse_lock(text)


@pytest.mark.parametrize("text", ["check = rest", "22+ check; rest check", "check:"])
def test_a_lock_without_a_line_is_answered_with_that_of_the_first_decision(text: str) -> None:
    with pytest.raises(InvalidOption, match="or ': all check' where the betting begins"):
        parse_lock(text)


@pytest.mark.parametrize(
    ("player", "options"),
    [("oop", {}), pytest.param(1, {"precision": "int16"}, marks=pytest.mark.long)],
)
def test_a_best_response_is_worth_its_value_and_cannot_be_bettered(
    player: str | int, options: dict[str, Any]
) -> None:
    solution = untilt.solve(turn(), iterations=20, save=False, **options)
    measured = evaluate_solution(solution)
    found = untilt.spots.respond(solution, player, save=False, threads=2)
    seat = 0 if player == "oop" else 1
    # The value of following what was kept, against that of the best actions.
    gain = found.ev[seat] - measured.values[seat]
    assert measured.gains[seat] > 0.5
    assert gain == pytest.approx(measured.gains[seat], rel=1e-4)
    assert found.facts.gains[seat] == pytest.approx(0.0, abs=1e-4)
    for line in ("", "check"):
        mine, other = found.at(line), solution.at(line)
        if mine.player == seat:
            assert set(np.unique(mine.strategy)) == {0.0, 1.0}
        else:
            assert mine.strategy == pytest.approx(other.strategy, abs=1e-6)


def test_a_best_response_takes_only_what_it_can_answer() -> None:
    solution = untilt.solve(turn(), iterations=2, save=False)
    with pytest.raises(InvalidOption, match="none of its hands"):
        untilt.spots.respond(solution, 0, locks=[{"line": "", "lock": "2h2s check"}], save=False)
    with pytest.raises(InvalidOption, match="player is 2"):
        untilt.spots.respond(solution, 2, save=False)
    with pytest.raises(InvalidOption, match="not a solved spot"):
        untilt.spots.respond("run", 0)  # type: ignore[arg-type]


def test_a_lock_by_suits_is_answered_also_where_suits_were_merged() -> None:
    spot = untilt.Spot(
        "AhAs7h7s", ("QQ,KQs,98s", "JJ,KJs,T9s"), pot=100, stack=100, sizes=untilt.Sizes("50%")
    )
    solution = solved(spot, iterations=20)
    # Hearts and spades are interchangeable, and so are clubs and diamonds; a third heart matters.
    assert solution.view.boards.streets[1].num_boards == 24
    # The same lock by class, and by naming every one of its suits.
    pairs = ",".join(f"J{one}J{other}" for one, other in combinations("cdhs", 2))
    suited = ",".join(f"T{suit}9{suit}" for suit in "cdhs")
    later = "check, check, check"
    known, found = (
        untilt.spots.respond(
            solution,
            "oop",
            locks=[
                {"line": "check", "lock": f"{first} check 25% bet 75%"},
                {"line": later, "lock": f"{second} bet 100%"},
            ],
            save=False,
        )
        for first, second in (("JJ", "T9s"), (pairs, suited))
    )
    assert (known.is_merged, found.is_merged) == (True, False)
    assert found.ev == pytest.approx(known.ev, abs=1e-3)
    assert found.facts.gains == pytest.approx(known.facts.gains, abs=1e-3)
    # Every board, also one that stands for no other, has the strategies that it had.
    for river in ("3s", "3h", "3d", "3c", "Qs", "Qh"):
        old, new = (_strategy(each.at(later, board=river)) for each in (solution, found))
        assert old.keys() == new.keys()
        for hand in old:
            expected = [0.0, 1.0, 0.0] if hand[0] + hand[2] == "T9" else old[hand]
            assert new[hand] == pytest.approx(expected, abs=1e-6), (river, hand)
    # What only one suit does makes a difference to the hands that it blocks.
    alone = untilt.spots.respond(
        solution, "oop", locks=[{"line": later, "board": "3s", "lock": "Ts9s bet"}], save=False
    )
    assert alone.facts.gains[0] == pytest.approx(0.0, abs=1e-3)
    assert _strategy(alone.at(later, board="3s"))["Ts9s"] == [0.0, 1.0, 0.0]
    assert _strategy(alone.at(later, board="3h"))["Ts9s"][1] < 1.0


def _strategy(node: SolutionNode) -> dict[str, list[float]]:
    return dict(zip(node.hands, node.strategy.T.tolist(), strict=True))


def test_a_lock_by_suits_is_solved_without_merging_boards() -> None:
    spot = untilt.Spot(
        "AcKc7d2h",
        ("QQ,AQs", "JJ,KQs"),
        pot=100,
        stack=100,
        sizes=untilt.Sizes("100%"),
        locks=[{"line": "", "lock": "QsQh all-in 100%"}],
    )
    solution = solved(spot, iterations=10)
    assert not solution.is_merged
    mix = {row.hand: row.mix for row in solution.root.table()}
    assert mix["QsQh"]["all-in 100"] == 1.0
    assert 0.0 < mix["QdQc"]["all-in 100"] < 1.0


@pytest.mark.parametrize(
    ("lock", "problem"),
    [
        ({"line": "bet 50", "lock": "AA call"}, "not in the tree"),
        ({"line": "", "lock": "JJ check"}, "none of its hands"),
        ({"line": "", "lock": "AA raise 100%"}, "unknown action"),
        ({"line": "", "lock": "AA check 50%"}, "100 %"),
        ({"line": "", "lock": "AA"}, "names no action"),
        ({"line": "", "lock": "check"}, "names no hands"),
        ({"lines": "", "lock": "AA check"}, "entry of a lock"),
        ({"line": ""}, "needs a line and a lock"),
        ({"line": "", "lock": "AA:0.4 all-in 40%, rest check"}, "without shares"),
        ({"line": "", "lock": "AA all-in 40% check 10%, rest check"}, "without shares"),
        ({"line": "", "lock": "AA:0.4 all-in, rest dance"}, "names no action"),
        ({"line": "", "lock": "AA check", "actions": {"check": "AA"}}, "either a lock"),
        ({"line": "", "actions": {}}, "either a lock"),
        ({"line": "", "actions": {"check": 1}}, "either a lock"),
        ({"line": "", "actions": {"check": "AA:0.4"}}, "sum to 40 %"),
        ({"line": "", "actions": {"check": "AA", "all-in": "AA:0.4"}}, "sum to 140 %"),
        ({"line": "", "actions": {"check": "rest", "all-in": "rest"}}, "only one action"),
        ({"line": "", "lock": "JJ check; rest check"}, "none of its hands"),
        ({"line": "", "lock": "rest"}, "names no action"),
        ({"line": "", "actions": {"dance": "AA"}}, "dance"),
        ({"line": "", "actions": {"all-in": "AA", "all-in 100": "QQ"}}, "named twice"),
    ],
)
def test_a_lock_that_names_nothing_is_refused(lock: dict[str, Any], problem: str) -> None:
    with pytest.raises(UntiltError, match=problem):
        solved(clairvoyance().replaced(locks=[lock]), iterations=1)


def test_a_street_can_be_solved_again_with_other_sizes() -> None:
    solution = solved(turn(), iterations=50)
    node = solution.at("check, check", board="2c")
    again = untilt.spots.resolve(node, sizes=untilt.Sizes("33%, 75%"), budget=0.2)
    assert again.spot.board_text == "Td9d6hQc2c"
    assert [action.split(" ")[0] for action in again.root.actions] == ["check", "bet", "bet"]
    assert sum(again.ev) == pytest.approx(100.0, abs=1e-2)
    with pytest.raises(InvalidOption, match="inside a street"):
        solution.at("check").spot()


def test_resolving_ends_at_its_target() -> None:
    found = untilt.spots.resolve(river(), budget=30.0, target="0.5%")
    assert found.exploitability_percent <= 0.5
    assert found.seconds < 30.0


def test_rake_makes_both_values_sum_to_less_than_the_pot() -> None:
    raked = clairvoyance().replaced(rake=0.05, rake_cap=4.0)
    solution = solved(raked, iterations=300)
    assert not solution.spot.is_zero_sum
    assert 95.9 < sum(solution.ev) < 100.0


def test_a_single_combo_is_a_range() -> None:
    spot = untilt.Spot("2c2d2h3c3d", ("AsAh", "KsKh"), pot=100, stack=100)
    assert solved(spot, iterations=20).ev[0] == pytest.approx(100.0, abs=1.0)


def test_a_damaged_table_is_noticed_when_it_is_used(tmp_path: Path) -> None:
    untilt.solve(turn(), iterations=5, output=tmp_path / "run")
    path = tmp_path / "run/strategy.bin"
    data = bytearray(path.read_bytes())
    data[-100_000] ^= 1
    path.write_bytes(bytes(data))
    nodes = load_spot(tmp_path / "run").nodes()
    with pytest.raises(FormatError, match=r"strategy\.bin is damaged"):
        _ = [node.sides for node in nodes]


@pytest.mark.parametrize("name", ["run.json", "strategy.bin", "result.json"])
def test_a_truncated_file_is_refused(tmp_path: Path, name: str) -> None:
    untilt.solve(clairvoyance(), iterations=5, output=tmp_path / "run")
    path = tmp_path / "run" / name
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UntiltError, match=name):
        load_spot(tmp_path / "run")


def test_a_run_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    untilt.solve(clairvoyance(), iterations=5, output=tmp_path / "run")
    path = tmp_path / "run/run.json"
    write_json(path, {**json.loads(path.read_text()), "format": 99})
    with pytest.raises(FormatError, match="newer Untilt"):
        load_spot(tmp_path / "run")
    with pytest.raises(RunError):
        load_spot(tmp_path)


def test_a_node_knows_which_hands_are_locked() -> None:
    spot = untilt.Spot(
        "AcKc7c2d",
        ("QQ,AQs", "JJ,KQs"),
        pot=100,
        stack=100,
        sizes=untilt.Sizes("50%"),
        locks=[
            {"line": "", "lock": "AQs check"},
            {"line": "check, check, check", "lock": "JJ:0.4,KQs:0.4 bet, rest check"},
        ],
    )
    solution = solved(spot, iterations=2)
    assert solution.view.boards.streets[1].num_boards < 40  # hearts and spades are merged
    assert _locked(solution.root) == {hand for hand in solution.root.hands if hand[0] == "A"}
    assert not solution.root.table(1).is_locked.any()
    assert _locked(solution.at("check")) == set()
    for river in ("3s", "3h", "3d", "3c"):
        node = solution.at("check, check, check", board=river)
        assert _locked(node) == set(node.hands)
        assert _locked(node.child("check")) == set()
    rows = solution.root.table().sorted("ev").present().rows()
    assert {row.hand for row in rows if row.is_locked} == _locked(solution.root)
    here = {"line": "check, check", "board": "3s", "lock": "QsQh check"}
    alone = solved(spot.replaced(locks=[here]), iterations=2)
    assert _locked(alone.at("check, check", board="3s")) == {"QsQh"}
    assert _locked(alone.at("check, check", board="3h")) == set()


def _locked(node: SolutionNode) -> set[str]:
    return {hand for hand, is_it in zip(node.hands, node.is_locked.tolist(), strict=True) if is_it}


@pytest.mark.parametrize(
    ("lock", "is_merged"),
    [
        ({"line": "", "lock": "AQs check"}, True),
        ({"line": "", "lock": "A5s-A2s,T9s+ check; QQ check 50% bet 50%"}, True),
        ({"line": "", "actions": {"check": "KQs:0.4", "bet": "rest"}}, True),
        ({"line": "", "lock": "AsQs check"}, False),
        ({"line": "", "lock": "qSqH:0.5 check, rest bet"}, False),
        ({"line": "", "actions": {"check": "QQ,!QsQh:0.4", "bet": "rest"}}, False),
        ({"line": "check, check", "board": "3s", "lock": "QQ check"}, False),
    ],
    ids=str,
)
def test_only_a_lock_that_names_a_card_keeps_boards_apart(
    lock: dict[str, Any], is_merged: bool
) -> None:
    assert is_merged_for(turn().replaced(locks=[lock])) is is_merged


def test_nodes_that_are_computed_together_have_the_numbers_of_each_alone() -> None:
    snapshot = (solution := solved(turn(), iterations=3)).snapshot
    for street, forest in enumerate(solution.view.betting.streets):
        nodes = forest.nodes_of(DECISION).tolist()
        for board in range(solution.view.boards.streets[street].num_boards)[::7]:
            dealt = solution.view.boards.streets[street].cards[board]
            found = list(snapshot.views(street, board, nodes[1:]))
            assert [view.node for view in found] == nodes[1:]
            for view in found:
                alone = solution.node(dealt, street, view.node).numbers
                for name in ("reach", "met", "values", "strategy", "action_values"):
                    for mine, other in zip(getattr(view, name), getattr(alone, name), strict=True):
                        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)


def test_a_node_that_nobody_gets_to_is_still_json() -> None:
    never = clairvoyance().replaced(locks=[{"line": "", "lock": "all check"}])
    document = solved(never, iterations=2).at("all-in").to_json()
    assert document["reach"] == 0.0
    assert document["ranges"]["oop"]["ev"] is None
    locked = clairvoyance().replaced(locks=[{"line": "check", "lock": "all check"}])
    nodes = [solved(locked, iterations=2).at(line) for line in ("check, all-in", "check")]
    assert json.dumps([node.to_json() for node in nodes], allow_nan=False)


def test_a_spot_that_is_solved_is_the_object_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = turn()
    monkeypatch.setattr(untilt.Spot, "from_dict", None)
    assert untilt.solve(asked, iterations=2, save=False).spot is asked
