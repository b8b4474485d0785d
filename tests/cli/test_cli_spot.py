"""`untilt spot`: every flag once, on a small river or turn."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

from untilt.formats.run_command import command_of
from untilt.formats.run_folder import RunFolder
from untilt.games.holdem.spot import Spot

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


def test_a_target_that_time_does_not_allow_gives_status_1(command: Command) -> None:
    found = command("spot", *RIVER, "--target", "0.0000001%", "--time", "0.05", "-o", "run")
    assert found.status == 1
    assert "untilt spot --resume run" in found.err


def test_a_run_is_resumed_to_another_stop(command: Command) -> None:
    solved(command)
    found = command("spot", "--resume", "run", "-n", "60", "--threads", "1", "--json")
    assert found.json["iterations"] == 60
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
    assert found.json["seconds_estimate"] > 0
    assert list(Path().iterdir()) == []
    assert "of betting on 1 board)" in command("spot", *RIVER, "--dry-run").out


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
        (("--respond", "me"), "give oop or ip"),
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
    assert command_of(RunFolder(Path("answer")).record()).text == (
        "untilt spot run --respond oop --lock 'bet 100: all call' --lock 'bet 50: KK call 100%'"
    )


def test_locked_hands_are_marked(command: Command) -> None:
    found = solved(command, "--lock", ": QQ check; AsAh bet 50", "--per-hand")
    locked = {hand for hand, row in found["per_hand"]["oop"].items() if row["locked"]}
    assert locked == {"AsAh", *(hand for hand in found["per_hand"]["oop"] if hand[0] == "Q")}
    shown = command("show", "run").out
    assert "* locked: 7 of 12 hands" in shown
    grid, _, table = shown.partition("* locked")
    assert {"AA*", "QQ*"} <= set(grid.split())
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
