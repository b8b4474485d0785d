"""What the flags of `untilt spot` do to the betting tree, street by street and player by player."""

from typing import Any

import pytest

from untilt.cli.options.spot_options import spot_from
from untilt.game.line import parse_line
from untilt.games.holdem.spots.spot import Spot
from untilt.options.spot import SIZES, size_flags

BASE = {"board": "Td9d6h", "oop": "AA", "ip": "KK", "pot": 100, "stack": 1000, "bets": "50%"}


def asked(**flags: Any) -> Spot:
    return spot_from(None, {**BASE, **flags})


def actions(spot: Spot, line: str) -> list[str]:
    betting = spot.betting_tree()
    street, node = betting.find(parse_line(line))
    return [action.name for action in betting.streets[street].actions[node]]


@pytest.mark.parametrize(
    ("flags", "line", "offered"),
    [
        ({}, "", "check, bet 50"),
        ({}, "bet 50", "fold, call, raise 125"),
        ({"flop_bets": "30%"}, "", "check, bet 30"),
        ({"flop_bets": "30%"}, "check, check /", "check, bet 50"),
        ({"turn_bets": "30%, 80%"}, "check, check / check", "check, bet 30, bet 80"),
        ({"river_bets": "a"}, "check, check / check, check /", "check, all-in 1000"),
        ({"ip_bets": "80%"}, "", "check, bet 50"),
        ({"ip_bets": "80%"}, "check", "check, bet 80"),
        ({"oop_turn_bets": "25%", "turn_bets": "75%"}, "check, check /", "check, bet 25"),
        ({"oop_turn_bets": "25%", "turn_bets": "75%"}, "check, check / check", "check, bet 75"),
        ({"oop_bets": "40%", "turn_bets": "75%"}, "check, check /", "check, bet 75"),
        ({"raises": "3x"}, "check, bet 50", "fold, call, raise 150"),
        ({"raises": "50%; a"}, "bet 50", "fold, call, raise 150"),
        ({"raises": "50%; a"}, "bet 50, raise 150", "fold, call, all-in 1000"),
        ({"oop_raises": "4x"}, "check, bet 50", "fold, call, raise 200"),
        ({"oop_raises": "4x"}, "bet 50", "fold, call, raise 125"),
        ({"turn_raises": "3x"}, "check, check / bet 50", "fold, call, raise 150"),
        (
            {"ip_turn_raises": "4x", "turn_raises": "3x"},
            "check, check / bet 50",
            "fold, call, raise 200",
        ),
        ({"raises": ""}, "bet 50", "fold, call"),
        ({"max_raises": 0}, "bet 50", "fold, call"),
        ({"max_raises": 1}, "bet 50, raise 125", "fold, call"),
        ({"donk": "10%"}, "check, bet 50, call /", "check, bet 20"),
        ({"donk": "10%"}, "check, check /", "check, bet 50"),
        ({"river_donk": "10%"}, "check, bet 50, call /", "check, bet 100"),
        ({"river_donk": "10%"}, "check, check / check, bet 50, call /", "check, bet 20"),
        ({"oop_turn_donk": "20%"}, "check, bet 50, call /", "check, bet 40"),
        ({"bets": "200c, e"}, "", "check, bet 88, bet 200"),
        ({"add_all_in": 10.0}, "", "check, bet 50, all-in 1000"),
        ({"stack": 140, "add_all_in": 0.0}, "", "check, bet 50"),
        ({"stack": 60, "force_all_in": 0.1}, "", "check, all-in 60"),
        ({"stack": 60, "force_all_in": 0.0, "add_all_in": 0.0}, "", "check, bet 50"),
        ({"bets": "50%, 55%"}, "", "check, bet 55"),
        ({"bets": "50%, 55%", "merge": 0.0}, "", "check, bet 50, bet 55"),
    ],
    ids=str,
)
def test_flags_decide_what_may_be_done_after_a_line(
    flags: dict[str, Any], line: str, offered: str
) -> None:
    assert ", ".join(actions(asked(**flags), line)) == offered


def test_every_list_of_sizes_has_a_flag_that_reaches_the_spot() -> None:
    flags = {option.name for option in SIZES} | {"bets", "raises"}
    assert set(size_flags()) == flags
    assert len(flags) == 4 * (2 + 2 * 2 + 2)
    for name in size_flags():
        assert asked(**{name: "37%"}).sizes.to_dict()[name] == "37%"


def test_money_and_thresholds_reach_the_spot() -> None:
    spot = asked(rake="5%", rake_cap=30.0, add_all_in=2.0, force_all_in=0.3, merge=0.2)
    assert (spot.rake, spot.rake_cap) == (0.05, 30.0)
    assert vars(spot.thresholds) == {"add_all_in": 2.0, "force_all_in": 0.3, "merge": 0.2}
    assert asked(rake="0.05").rake == 0.05
