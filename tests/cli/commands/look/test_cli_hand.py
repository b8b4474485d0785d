"""`untilt hand`: replaying a hand that was written down, beside a strategy."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command
from tests.hands.simulated import pokerstars_text, simulate
from tests.hands.test_text_readers import TABLE
from tests.runs import game_runs

import untilt
from untilt.abstraction import abstract, capped_bets, pot_fractions, street
from untilt.abstraction.translation import Translation
from untilt.formats.exchange.phh import parse_phh
from untilt.game.protocol import Game
from untilt.games import holdem
from untilt.play.review.hand_review import consult_spot, consult_strategy, review_hand

HANDS = Path(__file__).parents[3] / "data" / "hands"
SMALL = {"stack": 3, "board": "3", "ranks": 7, "suits": 1}
TINY_HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [3, 3]
actions = ["d dh p1 AcKc", "d dh p2 QcTc", "p2 cc", "p1 cc", "d db Jc9c8c", "p1 cbr 1", "p2 cc"]
"""
RIVER_HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [25, 50]
min_bet = 50
starting_stacks = [150, 150]
actions = ["d dh p1 AsAh", "d dh p2 KsKh", "p2 cc", "p1 cc", "d db 2c2d2h", "p1 cc", "p2 cc",
  "d db 3c", "p1 cc", "p2 cc", "d db 3d", "p1 cbr 100", "p2 cc"]
"""


def test_a_hand_is_told_street_by_street(command: Command) -> None:
    found = command("hand", HANDS / "wsop-2023-last-hand.phh")
    assert found.status == 0
    assert "  Steven Jones (small blind): Jc8d\n" in found.out
    assert "turn Js5s2d4c, pot 51,000,000\n" in found.out
    assert found.out.endswith("board Js5s2d4cAh\nDaniel Weinman (big blind) wins 171,500,000\n")


@pytest.mark.parametrize(
    ("begins", "program"),
    [
        ("#Game No : 620\n***** 888poker Hand History for Game 620 *****", "888poker"),
        ("***** Hand History for Game 8621 *****", "partypoker"),
        ("Winamax Poker - CashGame - HandId: #1234 - Holdem no limit", "Winamax"),
        ("Ignition Hand #4300: Zone Poker ID#123 HOLDEM No Limit", "Ignition or Bovada"),
        ("Hand #23 - Holdem (No Limit) - $0.02/$0.04", "the Winning Poker Network"),
        ("Full Tilt Poker Game #2643: Table Deep", "Full Tilt Poker"),
        ('<?xml version="1.0"?>\n<session sessioncode="1">', "iPoker"),
        ('{"ohh": {"spec_version": "1.4.6"}}', "Open Hand History"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_history_of_another_program_is_named_with_what_can_be_read(
    command: Command, tmp_path: Path, begins: str, program: str, encoding: str
) -> None:
    file = tmp_path / "hh.txt"
    file.write_bytes(f"{begins}\nSeat 1: Zoë ($100 in chips)\n".encode(encoding, "ignore"))
    found = command("hand", file)
    assert found.status == 2
    assert found.err == (
        f"error: {file} is a hand history of {program}, which cannot be imported yet; what "
        "can be read are .phh and .phhs files, histories of PokerStars and GGPoker, and ACPC logs: "
        "see `untilt docs hands`\n"
    )


@pytest.mark.parametrize(
    ("begins", "line"),
    [
        ("PokerStars Hand #208958099944:  Hold'em No Limit ($0.50/$1.00 USD)", 1),
        ("\ufeffPokerStars Zoom Hand #2089:  Hold'em No Limit (€0.50/€1.00)", 1),
        ("PokerStars Home Game Hand #1: {Club}  Hold'em No Limit (1/2)", 1),
        ("Poker Hand #HD1023942: Hold'em No Limit ($0.05/$0.1)", 1),
        ("# name/game/hands\nSTATE:0:cc/cc:AsKh|QdQc:1|-1:a|b", 2),
    ],
)
def test_a_hand_of_a_site_that_cannot_be_read_is_named_with_its_line(
    command: Command, tmp_path: Path, begins: str, line: int
) -> None:
    file = tmp_path / "hh.txt"
    file.write_bytes(f"{begins}\nSeat 1: Zoë ($100 in chips)\n".encode("utf-8", "ignore"))
    found = command("hand", file)
    assert found.status == 2
    assert found.err.startswith(f"error: {file}, line {line}: ")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("dear diary,", "it is not TOML (Expected '=' after a key in a key/value pair"),
        ('board = "AhKsQd"', "the field variant is missing"),
        ("", "the field variant is missing"),
        (f"board = {'[' * 5_000}{']' * 5_000}", "it is nested too deeply"),
        (f"{'a.' * 200_000}a = 1", "it is nested too deeply"),
        (r'"\"".' * 200_000 + "a = 1", "it is nested too deeply"),
        (f"blinds = {'9' * 5_000}", "it has a number with too many digits"),
    ],
)
def test_any_other_file_is_refused_by_the_name_of_the_format(
    command: Command, tmp_path: Path, content: str, reason: str
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(content)
    found = command("hand", file)
    assert found.status == 2
    assert f"{file} is not a hand history in the PHH format: {reason}" in found.err
    assert "see `untilt docs hands`" in found.err


def test_a_hand_of_a_site_is_shown(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "hh.txt"
    file.write_text(TABLE, "utf-8")
    found = command("hand", file)
    assert found.out.splitlines() == [
        "PokerStars #5: no limit, big blind 1 USD, 2025-03-04 17:05",
        "  Bob (SB): 50.50 USD",
        "  Eve (BB): 1,000 USD",
        "  Ann (BTN): 100 USD, AsAh",
        "preflop, pot 1.50 USD",
        "  Ann (BTN) raises to 3 USD",
        "  Bob (SB) calls 3 USD",
        "  Eve (BB) folds",
        "flop Kd7h2c, pot 7 USD",
        "  Bob (SB) checks",
        "  Ann (BTN) bets 4 USD",
        "  Bob (SB) raises to 10 USD",
        "  Ann (BTN) folds",
        "Bob (SB) collects 14.25 USD",
        "rake 0.75 USD",
    ]
    assert command("hand", file, "--json").json["line"] == "2r0c1f/0x2b0r2f"


def test_a_hand_of_two_players_of_a_site_is_replayed(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "hh.txt"
    hands = [simulate(seed, num_players=2, ante=0) for seed in range(8)]
    file.write_text("".join(map(pokerstars_text, hands)), "utf-8")
    for number, played in enumerate(hands, start=1):
        document = command("hand", file, "--number", number, "--json").json
        assert document["result"]["gains"] == list(map(float, played.gains[::-1]))
        assert len(document["decisions"]) == sum(each[0] != "board" for each in played.events)
    assert "there is 8 hands, counted from 1" in command("hand", file, "--number", 9).error


def test_a_byte_order_mark_before_a_history_is_ignored(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "hand.phh"
    file.write_text(TINY_HAND, "utf-8-sig")
    assert command("hand", file).status == 0


def test_the_json_has_every_decision_and_the_result(command: Command) -> None:
    document = command("hand", HANDS / "openspiel-raises.phh", "--json").json
    assert [each["chosen"] for each in document["decisions"]][-4:] == [
        *("raise 700", "call", "all-in 4100", "fold"),
    ]
    first = document["decisions"][0]
    assert {name: first[name] for name in ("seat", "line", "board", "mix", "values", "cost")} == {
        "seat": 0,
        "line": "",
        "board": "",
        "mix": None,
        "values": None,
        "cost": None,
    }
    assert document["result"] == {
        "is_over": True,
        "gains": [-5900.0, 5900.0],
        "stacks": [4100, 15900],
        "hands": ["2s2h", "2d2c"],
        "board": "3h3d3c3s4c",
        "line": "r5100c/b100c/b200r400r700c/a4100f",
    }


@pytest.fixture(scope="module")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    untilt.solve("holdem", "cfr+", parameters=SMALL, iterations=200, output=folder)
    return folder


def test_decisions_are_compared_with_a_run_of_the_same_game(
    command: Command, tiny_run: Path
) -> None:
    Path("hand.phh").write_text(TINY_HAND)
    document = command("hand", "hand.phh", "--strategy", tiny_run, "--json").json
    strategy = game_runs.load(tiny_run).strategy
    decisions = document["decisions"]
    labels = ["P0:QcTc::", "P1:AcKc::c", "P1:AcKc:Jc9c8c:cc/", "P0:QcTc:Jc9c8c:cc/a1"]
    assert [each["mix"] for each in decisions] == [dict(strategy[label]) for label in labels]
    for each in decisions:
        assert set(each["values"]) == set(each["mix"])
        assert each["cost"] == pytest.approx(
            max(each["values"].values()) - each["values"][each["chosen"]], abs=1e-9
        )
    # A straight flush against ace high: calling one chip is right, folding loses the pot.
    assert decisions[3]["cost"] == 0.0
    assert decisions[3]["values"]["call"] - decisions[3]["values"]["fold"] == pytest.approx(5.0)
    shown = command("hand", "hand.phh", "--strategy", tiny_run).out
    assert "strategy: call 100.0 %; cost 0\n" in shown


def test_a_solved_spot_is_asked_from_its_street_on() -> None:
    spot = untilt.Spot(
        board="2c2d2h3c3d", ranges=("AA,QQ", "KK"), pot=100, stack=100, sizes=untilt.Sizes("100%")
    )
    solution: Any = untilt.solve(spot, target="0.1%", save=False)
    (history,) = parse_phh(RIVER_HAND)
    review = review_hand(history, consult_spot(solution))
    *before, bet, call = review.decisions
    assert [each.advice for each in before] == [None] * 6
    assert bet.advice is not None
    assert bet.advice.mix["all-in 100"] > 0.9
    assert call.advice is not None
    # Kings are indifferent between folding and calling.
    assert call.advice.mix["call"] == pytest.approx(0.5, abs=0.05)
    assert call.cost == pytest.approx(0.0, abs=1.0)
    (other,) = parse_phh(RIVER_HAND.replace("[150, 150]", "[250, 250]"))
    assert all(each.advice is None for each in review_hand(other, consult_spot(solution)).decisions)


def test_an_abstract_strategy_plays_the_real_hand() -> None:
    menu = capped_bets(pot_fractions(1.0, all_in=True), 2)
    game: Game = abstract(holdem(stack=150, small_blind=25, big_blind=50), street * menu, menu)
    translation = Translation(game, {})
    adviser = consult_strategy(holdem(stack=150, small_blind=25, big_blind=50), translation)
    (history,) = parse_phh(RIVER_HAND)
    advice = [each.advice for each in review_hand(history, adviser).decisions]
    # A strategy that has met nothing checks and calls.
    assert [each.mix for each in advice if each is not None] == [
        *({"call": 1.0}, {"check": 1.0}, {"check": 1.0}, {"check": 1.0}),
        *({"check": 1.0}, {"check": 1.0}, {"check": 1.0}, {"call": 1.0}),
    ]


def test_a_strategy_of_another_game_is_refused(
    command: Command, tiny_run: Path, runs: Path
) -> None:
    hand = HANDS / "openspiel-raises.phh"
    assert "is a hand of no-limit 50/100, stacks 10000, not of no-limit 1/2, stacks 3" in (
        command("hand", hand, "--strategy", tiny_run).error
    )
    assert "is a run of kuhn, which is not hold'em" in (
        command("hand", hand, "--strategy", runs / "kuhn").error
    )


def test_impossible_actions_and_wrong_files_are_refused_in_one_line(command: Command) -> None:
    Path("bad.phh").write_text(TINY_HAND.replace("p2 cc", "p2 cbr 7"))
    assert command("hand", "bad.phh").error == (
        "bad.phh, action 3 ('p2 cbr 7') is not possible: a bet to 7 is not legal: give whole chips "
        "from 3 to 3"
    )
    assert "does not exist" in command("hand", "none.phh").error
    assert "counted from 1" in command("hand", HANDS / "openspiel-raises.phh", "--number", 2).error
    assert "leave it out" in command("hand", HANDS / "openspiel-raises.phh", "--trust").error
