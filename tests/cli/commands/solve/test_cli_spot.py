"""`untilt spot`: every flag once, on a small river or turn."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

from untilt.cli.app import activity
from untilt.formats.run.run_folder import RunFolder
from untilt.games.holdem.cost.spot_size import shown_bytes
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.spots.spot_request import stop_for

RIVER = (
    *("--board", "2c2d2h3c3d", "--oop", "AA,QQ", "--ip", "KK"),
    *("--pot", "100", "--stack", "300", "--bets", "50%,100%"),
)
QUICK = ("-n", "40", "--threads", "1")


def solved(command: Command, *flags: str) -> dict[str, Any]:
    found = command("spot", *RIVER, *QUICK, "-o", "run", "--json", *flags)
    assert found.status == 0, found.err
    return found.json


def options() -> dict[str, Any]:
    record = json.loads(Path("run/run.json").read_text())
    assert isinstance(record["options"], dict)
    return record["options"]


def test_the_json_says_what_was_solved(command: Command) -> None:
    document = solved(command)
    assert document["board"] == "2c2d2h3c3d"
    assert (document["pot"], document["stack"]) == (100, 300)
    assert sum(document["ev"]) == pytest.approx(100.0, abs=1e-3)
    assert document["exploitability_percent"] == pytest.approx(document["exploitability"])
    assert document["iterations"] == 40
    assert document["hands"] == [12, 6]
    assert set(document["frequencies"]) >= {"check", "bet 50", "bet 100"}
    assert sum(document["frequencies"].values()) == pytest.approx(1.0)
    assert document["nodes"] > 10
    assert document["memory_bytes"] > 0
    assert document["seconds"] >= 0
    assert Path(document["run"]).name == "run"
    assert "per_hand" not in document


def test_a_file_moves_to_another_board_with_all_hands_that_this_allows(command: Command) -> None:
    ranges = ("AA,QQ,3cKs,2c4c", "KK,3d4d")
    Path("spot.toml").write_text(Spot("2c2d2h3c3d", ranges, 100, 300).to_toml())
    text = Path("spot.toml").read_text().replace('"AA,QQ"', '"AA, QQ, 3cKs, 2c4c"')
    assert "3cKs" in text
    Path("spot.toml").write_text(text)
    own = command("spot", "spot.toml", "--dry-run", "--json")
    assert own.json["hands"] == [12, 6]
    assert own.err == (
        "note: 2 combos of the range of player 0 (oop) need cards of the board and are left out\n"
    )
    moved = command("spot", "spot.toml", "--board", "5c5d5h6c3d", "--dry-run", "--json")
    assert moved.json["hands"] == [14, 6]
    assert moved.err == ""
    only = command("spot", "spot.toml", "--oop", "3cKs,2c4c", "--dry-run")
    assert "the oop range: no combo of the range" in only.error


def test_where_a_card_is_dealt_the_way_on_is_shown(command: Command) -> None:
    turn = ("--board", "2c2d2h3c", "--oop", "AA,QQ", "--ip", "KK", "--pot", "100", "--stack", "100")
    assert command("spot", *turn, "-n", "2", "-o", "run").status == 0
    shown = command("show", "run", "--line", "check, check").out
    (hint,) = (line for line in shown.splitlines() if "--board" in line)
    *_, flags = hint.partition("leads on: ")
    further = command("show", "run", *shlex.split(flags)).out
    assert "check, check /   2c2d2h3cAs · oop" in further
    assert "is dealt here" not in further


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (("--pot", "10bb", "--stack", "30bb", "--bb", "10"), "pot 10bb, stack 30bb"),
        (("--pot", "100", "--stack", "300", "--bb", "10"), "pot 10bb, stack 30bb"),
        (("--pot", "100", "--stack", "300"), "pot 100, stack 300"),
    ],
)
def test_amounts_are_shown_in_the_unit_in_which_they_were_given(
    flags: tuple[str, ...], shown: str, command: Command
) -> None:
    board = ("--board", "2c2d2h3c3d", "--oop", "AA,QQ", "--ip", "KK", "--bets", "50%,100%")
    found = command("spot", *board, *flags, *QUICK, "-o", "run")
    assert shown in found.out
    is_in_bb = "--bb" in flags
    assert ("B bet 5bb" in found.out) == is_in_bb
    assert ("pot 10bb · left 30bb v 30bb" in found.out) == is_in_bb
    (worth,) = (line for line in found.out.splitlines() if line.startswith("EV "))
    first, second = (word for word in worth.split()[1:4] if word != "v")
    total = float(first.removesuffix("bb")) + float(second.removesuffix("bb"))
    assert total == pytest.approx(10.0 if is_in_bb else 100.0, abs=0.011)
    evaluated = command("evaluate", "run").out
    assert ("pot 10bb\n" in evaluated) == is_in_bb
    assert (
        "bb, " in next(line for line in evaluated.splitlines() if "exploitab" in line)
    ) == is_in_bb
    # The bits are the same, and a line may name either unit.
    same = solved(command, "-o", "same")
    document = command("show", "run", "--json").json
    assert document["frequencies"] == command("show", "same", "--json").json["frequencies"]
    assert same["pot"] == 100
    node = command("show", "run", "--line", "bet 50", "--json").json
    if is_in_bb:
        assert command("show", "run", "--line", "bet 5bb", "--json").json == node
        again = command("spot", "run", "--lock", "bet 5bb: KK call", *QUICK, "-o", "locked")
        assert again.status == 0, again.err
        other = command("show", "run", "--line", "bet 6bb").error
        assert "'bet 6bb' of the line 'bet 6bb' is not in the tree" in other
        assert other.strip().endswith("possible: check, bet 5bb, bet 10bb")


def test_reports_and_exports_of_a_spot_take_big_blinds_in_lines(command: Command) -> None:
    board = ("--board", "2c2d2h3c", "--oop", "AA,QQ", "--ip", "KK", "--bets", "50%")
    command("spot", *board, "--pot", "10bb", "--stack", "30bb", *QUICK, "-o", "run")
    first, same = (
        command("report", "run", "--line", line, "--json").json for line in ("bet 5bb", "bet 500")
    )
    assert first == same
    for line, file in (("bet 5bb", "first.csv"), ("bet 500", "same.csv")):
        assert command("export", "run", "--to", "csv", "--below", line, "-o", file).status == 0
    assert Path("first.csv").read_bytes() == Path("same.csv").read_bytes()


def test_an_amount_with_decimals_is_counted_in_hundredths(command: Command) -> None:
    flags = ("--pot", "10.5", "--stack", "92.5")
    found = command("spot", *RIVER, *flags, *QUICK, "-o", "run")
    assert "pot 10.5, stack 92.5" in found.out
    assert "bets are named in hundredths: bet 100 is 1 of the amounts given" in found.out
    assert command("show", "run", "--json").json["pot"] == 1050


def test_per_hand_adds_both_ranges(command: Command) -> None:
    hands = solved(command, "--per-hand")["per_hand"]
    assert len(hands["oop"]) == 12
    assert len(hands["ip"]) == 6
    row = hands["oop"]["AsAh"]
    assert row["weight"] == 1.0
    assert row["equity"] == 1.0
    assert sum(row["mix"].values()) == pytest.approx(1.0)
    assert row["ev"] > 90


@pytest.mark.parametrize(
    ("flags", "actions"),
    [
        (("--bets", "100c"), {"check", "bet 100"}),
        (("--bets", "50%, a"), {"check", "bet 50", "all-in 300"}),
        (("--river-bets", "25%"), {"check", "bet 25"}),
        (("--oop-bets", "75%"), {"check", "bet 75"}),
        (("--oop-river-bets", "30%"), {"check", "bet 30"}),
        (("--bets", "50%", "--add-all-in", "4"), {"check", "bet 50", "all-in 300"}),
        (("--bets", "150%", "--force-all-in", "2"), {"check", "all-in 300"}),
        (("--bets", "50%,60%", "--merge", "0.5"), {"check", "bet 60"}),
        (("--ip-bets", "10%"), {"check", "bet 50", "bet 100"}),
        (("--turn-bets", "10%", "--flop-raises", "3x"), {"check", "bet 50", "bet 100"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_sizes_and_thresholds_decide_what_may_be_bet(
    command: Command, flags: tuple[str, ...], actions: set[str]
) -> None:
    assert set(solved(command, *flags)["frequencies"]) == actions


def test_raises_donk_bets_and_their_number(command: Command) -> None:
    plain, deep, short = (
        solved(command, "--raises", raises, *flags, "-o", name)["nodes"]
        for name, raises, flags in (
            ("plain", "2x", ()),
            ("deep", "2x, 3x", ()),
            ("short", "2x", ("--max-raises", "1")),
        )
    )
    assert short < plain < deep
    turn = ("--board", "2c2d2h3c", "--bets", "50%", "--raises", "a", "-n", "2")
    without, donked = (
        solved(command, *turn, *flags, "-o", name)["nodes"]
        for name, flags in (("without", ()), ("donk", ("--river-donk", "25%,75%")))
    )
    assert donked > without


def test_rake_is_taken_up_to_its_cap(command: Command) -> None:
    sums = [
        sum(solved(command, *flags, "-o", name)["ev"])
        for name, flags in (
            ("none", ()),
            ("small", ("--rake", "5%", "--rake-cap", "1")),
            ("large", ("--rake", "5%", "--rake-cap", "30")),
        )
    ]
    assert sums[0] == pytest.approx(100.0, abs=1e-3)
    assert 98.9 <= sums[1] < 100.0
    assert 80.0 < sums[2] < sums[1]


def test_a_lock_is_followed(command: Command) -> None:
    document = solved(command, "--lock", ": QQ check; AA bet 100 100%", "--per-hand")
    hands = document["per_hand"]["oop"]
    assert hands["QsQh"]["mix"]["check"] == pytest.approx(1.0)
    assert hands["AsAh"]["mix"]["bet 100"] == pytest.approx(1.0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("flags", "chosen"),
    [
        (("--precision", "int16"), {"precision": "int16"}),
        (
            ("--alpha", "2", "--beta", "0", "--gamma", "3"),
            {"alpha": 2.0, "beta": 0.0, "gamma": 3.0},
        ),
        (("-m", "cfr+", "--average", "linear"), {"average": "linear"}),
        (("-m", "pcfr+", "--prediction", "0.5"), {"prediction": 0.5}),
        (("--threads", "2"), {"threads": 2}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_of_the_method_are_kept(
    command: Command, flags: tuple[str, ...], chosen: dict[str, Any]
) -> None:
    solved(command, *flags)
    assert options().items() >= chosen.items()


@pytest.mark.parametrize("target", ["1%", "1"])
def test_a_target_is_a_share_of_the_pot_or_chips(command: Command, target: str) -> None:
    found = command("spot", *RIVER, "--target", target, "-o", "run", "--json")
    assert found.status == 0, found.err
    assert found.json["exploitability"] <= 1.0


def test_a_target_below_rounding_is_refused_unless_something_else_ends_the_run(
    command: Command,
) -> None:
    tiny = ("--target", "1e-300")
    said = "'1e-300' alone may never be reached: rounding in float32 leaves about 6e-06 chips"
    assert said in command("spot", *RIVER, *tiny, "-o", "run").error
    solved(command)
    refused = command("spot", "--resume", "run", *tiny)
    assert said in refused.error
    assert "give more, or add --iterations or --time" in refused.error
    assert command("spot", "--resume", "run", *tiny, "-n", "50", "--json").json["iterations"] <= 50
    # The bound that is shown is allowed.
    assert stop_for("dcfr", pot=100, target=6e-6).target == 6e-6


def test_a_target_that_time_does_not_allow_gives_status_1(command: Command) -> None:
    found = command("spot", *RIVER, "--target", "0.0000001%", "--time", "0.05", "-o", "run")
    assert found.status == 1
    assert "untilt spot --resume run" in found.err


def test_a_run_is_resumed_to_another_stop(command: Command) -> None:
    solved(command)
    found = command("spot", "--resume", "run", "-n", "60", "--threads", "1", "--json")
    assert found.json["iterations"] == 60
    assert re.search(
        r"continuing after \d+ iterations in \S+ s, up to 60 iterations in all", found.err
    )
    again = command("spot", "--resume", "run", "-n", "50", "--json")
    assert again.json["iterations"] == 60
    assert re.search(r"nothing to do after 60 .*: the end is 50 iterations in all", again.err)
    refused = command("spot", "--resume", "run", "--pot", "50")
    assert "leave --pot out" in refused.error


def test_flags_replace_the_entries_of_a_file(command: Command) -> None:
    spot = Spot("2c2d2h3c3d", ("AA,QQ", "KK"), pot=100, stack=100)
    Path("spot.toml").write_text(spot.to_toml())
    found = command("spot", "spot.toml", "--stack", "200", *QUICK, "-o", "run", "--json")
    assert (found.json["pot"], found.json["stack"]) == (100, 200)


def test_a_dry_run_only_measures(command: Command) -> None:
    found = command("spot", *RIVER, "--dry-run", "--json")
    assert found.json["nodes"] > 10
    assert found.json["memory_bytes"] > 0
    assert 0 < found.json["seconds_low"] < found.json["seconds_high"]
    assert list(Path().iterdir()) == []
    assert "of betting on 1 board)" in command("spot", *RIVER, "--dry-run").out


@pytest.mark.parametrize(
    ("amounts", "shown"),
    [
        (("--pot", "105", "--stack", "925"), "pot 105, stack 925"),
        (("--pot", "10.5", "--stack", "92.5"), "pot 10.5, stack 92.5"),
        (("--pot", "105", "--stack", "925", "--bb", "10"), "pot 10.5bb, stack 92.5bb"),
        (("--pot", "10.5bb", "--stack", "92.5bb"), "pot 10.5bb, stack 92.5bb"),
    ],
)
def test_a_dry_run_shows_amounts_in_the_unit_given(
    amounts: tuple[str, ...], shown: str, command: Command
) -> None:
    first = command("spot", *RIVER, *amounts, "--dry-run").out.splitlines()[0]
    assert first == f"2c2d2h3c3d  {shown}, 12 v 6 hands"


def test_a_dry_run_and_a_solve_announce_the_same_peak(command: Command) -> None:
    turn = (*RIVER, "--board", "2c2d2h3c", "--threads", "1")
    document = command("spot", *turn, "--dry-run", "--json").json
    peak = document["peak_bytes"]
    assert peak > document["memory_bytes"] > document["table_bytes"] > 0
    shown = f"{shown_bytes(peak)} at the peak, {shown_bytes(document['table_bytes'])} of it tables"
    assert shown in command("spot", *turn, "--dry-run").out
    began = command("spot", *turn, "-n", "2", "-o", "run").err
    assert f"{shown_bytes(peak)} of memory at the peak" in began
    resumed = command("spot", "--resume", "run", "-n", "3").err
    assert f"{shown_bytes(peak)} of memory at the peak" in resumed


def test_predictions_are_a_third_table(command: Command) -> None:
    turn = (*RIVER, "--board", "2c2d2h3c")
    two, three = (
        command("spot", *turn, "--method", method, "--dry-run", "--json").json
        for method in ("cfr+", "pcfr+")
    )
    assert three["table_bytes"] == 1.5 * two["table_bytes"]
    assert three["peak_bytes"] > two["peak_bytes"]


def test_a_value_that_rounds_to_zero_has_no_sign(command: Command) -> None:
    sides = ("--oop", "AsAh", "--ip", "KsKh")  # a hand that never wins
    shown = command("spot", *RIVER, *sides, *QUICK, "-o", "run").out
    assert "0.00" in shown
    assert "-0.0" not in shown


def test_verbose_prints_a_line_per_measurement(command: Command) -> None:
    found = command("spot", *RIVER, *QUICK, "-o", "run", "--verbose")
    assert found.err.count("exploitability") >= 5


def test_a_street_of_a_run_is_solved_again_with_other_sizes(command: Command) -> None:
    turn = ("--board", "2c2d2h3c", "--bets", "50%", "--raises", "a", "-n", "30")
    solved(command, *turn)
    whole = ("--line", "check, check", "--board", "2c2d2h3c4s")
    found = command("spot", "run", *whole, "--bets", "25%", *QUICK, "-o", "street", "--json").json
    assert (found["board"], found["pot"], found["stack"]) == ("2c2d2h3c4s", 100, 300)
    assert set(found["frequencies"]) == {"check", "bet 25"}
    assert found["hands"] == [12, 6]
    assert "--board" in command("spot", "run", "--line", "check, check").error
    assert "inside a street" in command("spot", "run", "--line", "check").error
    assert "RUN" in command("spot", *RIVER, "--line", "check").error
    again = command("spot", "run", "--stack", "250", *QUICK, "-o", "other", "--json").json
    assert (again["board"], again["stack"]) == ("2c2d2h3c", 250)


def test_a_best_response_gains_what_the_evaluation_says(command: Command) -> None:
    before = solved(command)
    found = command("spot", "run", "--respond", "ip", "-o", "answer", "--json").json
    assert found["ev"][1] == pytest.approx(before["ev"][1] + before["gains"][1], abs=1e-4)
    assert found["gains"][1] == pytest.approx(0.0, abs=1e-4)
    assert found["method"] == "best-response"
    shown = command("show", "answer", "--line", "bet 100", "--json").json
    mixes = [hand["mix"] for hand in shown["ranges"]["ip"]["hands"].values()]
    assert all(set(mix.values()) == {0.0, 1.0} for mix in mixes)
    for flags, words in (
        (("--respond", "me"), "it must be oop or ip"),
        (("--respond", "ip", "--pot", "7"), "leave --pot out"),
        (("--respond", "ip", "-n", "7"), "leave --iterations out"),
    ):
        assert words in command("spot", "run", *flags).error
    assert "nothing to continue" in command("spot", "--resume", "answer").error
    assert "give its run" in command("spot", *RIVER, "--respond", "ip").error


def test_a_best_response_to_a_locked_opponent(command: Command) -> None:
    solved(command)
    calls = ("--lock", "bet 100: all call", "--lock", "bet 50: KK call 100%")
    found = command("spot", "run", "--respond", "oop", *calls, "-o", "answer", "--json").json
    # Aces are half of the hands, bet the pot and are called; queens win nothing, so they check.
    assert found["ev"][0] == pytest.approx(0.5 * 200, abs=1e-3)
    assert found["frequencies"]["bet 100"] == pytest.approx(0.5)
    made_by = RunFolder(Path("answer")).record().command.text
    assert made_by == (
        "untilt spot run --respond oop --lock 'bet 100: all call' --lock 'bet 50: KK call 100%' "
        "-o answer --json"
    )


def test_locked_hands_are_marked(command: Command) -> None:
    found = solved(command, "--lock", ": QQ check; AsAh bet 50", "--per-hand")
    locked = {hand for hand, row in found["per_hand"]["oop"].items() if row["locked"]}
    assert locked == {"AsAh", *(hand for hand in found["per_hand"]["oop"] if hand[0] == "Q")}
    shown = command("show", "run").out
    assert "* locked: 7 of 12 hands" in shown
    grid, _, table = shown.partition("* locked")
    cells = {words[0]: words for words in map(str.split, grid.splitlines()) if words}
    assert cells["A"][1].endswith("*")
    assert cells["Q"][3] == "A100*"
    rows = {line.split()[0] for line in table.splitlines() if "%" in line}
    assert {"AsAh*", "QsQh*", "AsAd"} <= rows
    assert "locked" not in command("show", "run", "--line", "check").out
    document = command("show", "run", "--json").json
    assert document["locked_hands"] == 7
    assert document["ranges"]["oop"]["hands"]["QsQh"]["locked"] is True
    assert "locked" not in document["ranges"]["ip"]["hands"]["KsKh"]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--pot", "0"), "pot"),
        (("--stack", "0"), "stack"),
        (("--board", "2c2d2h3c3c"), "3c"),
        (("--oop", "2c2d"), "board"),
        (("--bets", ""), "bet"),
        (("--oop", "AA:nan"), "AA:nan"),
        (("--precision", "int8"), "int16"),
        (("--target", "x"), "target"),
        (("--rake", "150%"), "rake"),
        (("--lock", "bet 7: KK fold"), "bet 7"),
        (("--lock", ": 72o check"), "72o"),
        (("--lock", ": bet 50 = AA; bet 50 = QQ"), "once"),
        (("--lock", ": bet 50 ="), "a range for each action"),
        (("--oop", "AsAh", "--ip", "AsAh"), "card in common"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_answered_in_one_line(
    command: Command, flags: tuple[str, ...], words: str
) -> None:
    assert words in command("spot", *RIVER, *QUICK, "-o", "run", *flags).error


@pytest.mark.parametrize("words", ["show", "evaluate", "report"])
def test_an_unfinished_run_says_that_its_tree_is_built(
    command: Command, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved(command)
    said: list[str] = []
    monkeypatch.setattr(activity, "doing", said.append)
    assert command(words, "run").status == 0
    count = len(said)
    Path("run/result.json").unlink()
    Path("run/strategy.bin").unlink()
    assert command(words, "run").status == 0
    assert said[count:] == [activity.BUILDING] * (count + 1)
