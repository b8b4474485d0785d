"""Spots: what they accept, files, and fingerprints."""

import copy
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.cards.ranges.range import Range
from untilt.errors import (
    CardError,
    FormatError,
    InvalidOption,
    StorageError,
    UnknownName,
    UntiltError,
)
from untilt.games.holdem.bets.bet_amounts import Thresholds
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.spots.spot import Spot

GOOD: dict[str, Any] = {
    "board": "Td9d6h",
    "ranges": ("66+, A8s+, AJo+", "QQ-22, AQs-A2s"),
    "pot": 200,
    "stack": 900,
}


def spot(**changes: Any) -> Spot:
    return Spot(**{**GOOD, **changes})


FULL = spot(
    sizes=Sizes("60%, a", "2.5x; a", river_donk="50%", ip_flop_bets="", max_raises=3),
    rake=0.05,
    rake_cap=30,
    thresholds=Thresholds(merge=0.2),
    locks=[{"line": "check", "lock": "AA bet 100%"}, {"mix": {"AsKh": [0.5, 0.5]}, "n": 3}],
)


def test_a_spot_holds_what_was_given() -> None:
    given = spot()
    assert (given.board_text, given.street, given.pot, given.stack) == ("Td9d6h", "flop", 200, 900)
    assert given.ranges[0] == Range.parse("66+, A8s+, AJo+")
    assert len(given.combos(0)) == (54 - 9) + (24 - 2) + 36
    assert given.is_zero_sum
    assert given == untilt.Spot(**GOOD)
    assert spot(board=given.board, ranges=list(given.ranges)) == given
    assert repr(given).startswith("<Spot Td9d6h, pot 200, stack 900, 103 v 98 hands>")


@pytest.mark.parametrize(
    ("amounts", "chips", "shown"),
    [
        ({"pot": 105, "stack": 925}, (105, 925), "pot 105, stack 925"),
        ({"pot": 105.0, "stack": "925"}, (105, 925), "pot 105, stack 925"),
        ({"pot": 105, "stack": 925, "bb": 10}, (105, 925), "pot 10.5bb, stack 92.5bb"),
        ({"pot": "10.5bb", "stack": "92.5bb", "bb": 10}, (105, 925), "pot 10.5bb, stack 92.5bb"),
        ({"pot": 105, "stack": "92.5 BB", "bb": 10}, (105, 925), "pot 10.5bb, stack 92.5bb"),
        ({"pot": "10.5bb", "stack": "92.5bb"}, (1050, 9250), "pot 10.5bb, stack 92.5bb"),
        ({"pot": 10.5, "stack": 92.5}, (1050, 9250), "pot 10.5, stack 92.5"),
        ({"pot": 10, "stack": "92.25"}, (1000, 9225), "pot 10, stack 92.25"),
    ],
    ids=str,
)
def test_amounts_are_chips_or_big_blinds_and_shown_as_given(
    amounts: dict[str, Any], chips: tuple[int, int], shown: str
) -> None:
    given = spot(**amounts, rake=0.05, rake_cap=3)
    assert (given.pot, given.stack) == chips
    assert shown in repr(given)
    assert given.rake_cap == 3 * (given.chips_per_unit if given.bb is None else 1)
    for same in (Spot.from_toml(given.to_toml()), given.replaced(board=given.board)):
        assert same == given
        assert repr(same) == repr(given)
        assert (same.pot, same.stack, same.rake_cap) == (*chips, given.rake_cap)


def test_named_combos_that_the_board_blocks_are_left_out_and_counted() -> None:
    given = spot(ranges=("66+, TdKd, KdTd:0.5, 9d8d:0.5, AsKs, AdKh", "QQ-22, 6h5h, AQs-A2s"))
    assert given.notes == (
        "2 combos of the range of player 0 (oop) need cards of the board and are left out",
        "1 combo of the range of player 1 (ip) needs cards of the board and is left out",
    )
    without = spot(ranges=("66+, AsKs, AdKh", "QQ-22, AQs-A2s"))
    assert without.notes == ()
    assert [given.combos(player).tolist() for player in (0, 1)] == [
        without.combos(player).tolist() for player in (0, 1)
    ]
    # On another board the same ranges have all of their hands.
    moved = given.replaced(board="2c2d2h")
    assert moved.notes == ()
    assert len(moved.combos(0)) == 54 + 4


def test_rake_has_a_cap_and_ends_the_zero_sum() -> None:
    assert FULL.rake_of(200) == 10.0
    assert FULL.rake_of(10_000) == 30.0
    assert spot(rake=0.05).rake_of(10_000) == 500.0
    assert not FULL.is_zero_sum
    assert spot(rake=0.05, rake_cap=0).is_zero_sum


def test_files_and_json_give_the_same_spot(tmp_path: Path) -> None:
    for given in (spot(), FULL):
        again = Spot.from_toml(given.to_toml())
        assert again == given
        assert again.fingerprint() == given.fingerprint()
        assert Spot.from_dict(json.loads(json.dumps(given.to_dict()))) == given
    path = tmp_path / "spot.toml"
    path.write_text(FULL.to_toml(), encoding="utf-8")
    assert Spot.load(path) == FULL
    assert Spot.load(path).locks == FULL.locks


def test_ranges_with_weights_by_combo_survive_a_file() -> None:
    weights = np.random.default_rng(3).random(1326)
    given = spot(ranges=(Range(weights), "AA"))
    again = Spot.from_toml(given.to_toml())
    assert np.array_equal(again.combos(0), given.combos(0))
    assert again == given


def test_a_fingerprint_tells_spots_apart() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"board": "Td9d6c"},
        {"pot": 201},
        {"stack": 901},
        {"rake": 0.01},
        {"rake": 0.01, "rake_cap": 3},
        {"sizes": Sizes("61%")},
        {"sizes": Sizes(donk="")},
        {"thresholds": Thresholds(add_all_in=0)},
        {"ranges": GOOD["ranges"][::-1]},
        {"locks": [{"line": "check"}]},
    ]
    assert len({spot(**change).fingerprint() for change in changes}) == len(changes)
    same = spot(ranges=("AJo+, 66+, A8s+", "A2s-AQs, 22-QQ"))
    assert same.fingerprint() == spot().fingerprint()


def test_spots_travel_between_processes() -> None:
    assert pickle.loads(pickle.dumps(FULL)) == FULL
    assert copy.deepcopy(FULL) == FULL


def test_a_spot_cannot_be_changed_but_replaced() -> None:
    with pytest.raises(AttributeError, match="use replaced"):
        spot().pot = 3
    assert spot().replaced(board="2c2d2h3c").street == "turn"
    assert FULL.replaced() == FULL


@pytest.mark.parametrize(
    ("changes", "error", "why"),
    [
        ({"board": "Td9d"}, CardError, "has 2 cards: give 3, 4 or 5"),
        ({"board": "Td9dTd"}, CardError, "Td appears twice"),
        ({"board": [0, 1, 99]}, CardError, "give cards such as"),
        ({"pot": 0}, InvalidOption, "pot is 0; give chips such as 925"),
        ({"pot": 2.555}, InvalidOption, "pot is 2.555; give chips such as 925"),
        ({"pot": "2.5x"}, InvalidOption, "pot is '2.5x'; give chips .* or big blinds such as"),
        ({"pot": "20bb"}, InvalidOption, "give both in big blinds, or the chips of a big"),
        (
            {"pot": "9.55bb", "bb": 10},
            InvalidOption,
            r"'9\.55bb'; that is 95\.5 chips of a big blind",
        ),
        (
            {"pot": 10.5, "bb": 10},
            InvalidOption,
            "that is 10.5 chips, but chips are whole: write big blinds as 10.5bb",
        ),
        ({"bb": 0}, InvalidOption, "bb is 0; it must be an integer from 1"),
        ({"rake_cap": "3bb"}, InvalidOption, "rake_cap is '3bb'; give pot and stack in big"),
        ({"pot": 10.5, "sizes": Sizes("20c")}, InvalidOption, "a pot and a stack of whole chips"),
        ({"pot": True}, InvalidOption, "pot is True; give chips"),
        ({"stack": -1}, InvalidOption, "stack is -1; give chips"),
        ({"stack": 10**10}, InvalidOption, "at most 1e9"),
        ({"rake": 1.5}, InvalidOption, "rake is 1.5; give a share of the pot"),
        ({"rake": float("nan")}, InvalidOption, "rake is nan"),
        ({"rake_cap": -1}, InvalidOption, "rake_cap is -1"),
        ({"sizes": "60%"}, InvalidOption, "sizes is '60%'; give untilt.Sizes"),
        ({"thresholds": 1.5}, InvalidOption, "thresholds is 1.5"),
        ({"ranges": ("AA",)}, InvalidOption, "give two: out of position, in position"),
        ({"ranges": ("", "AA")}, CardError, "the oop range: .* the range is empty"),
        ({"ranges": ("none", "AA")}, CardError, "the oop range: give a hand"),
        ({"ranges": ("AA", 3)}, InvalidOption, "give the ip range as text"),
        (
            {"ranges": ("AA", "AA:nan")},
            CardError,
            "the ip range: .* a weight is a number from 0 to 1",
        ),
        (
            {"ranges": ("TdKd", "KK")},
            CardError,
            "the oop range: no combo of the range KdTd remains",
        ),
        ({"ranges": ("AsAh", "AsAh,AsKh")}, CardError, "every pair has a card in common"),
        (
            {"board": "TdThTs", "ranges": ("TT", "AA")},
            CardError,
            "the oop range: no combo of the range TT remains",
        ),
        ({"locks": [3]}, InvalidOption, "locks is 3; give tables"),
        ({"locks": [{"a": float("inf")}]}, InvalidOption, "give text, numbers, lists and tables"),
        ({"locks": [{"a": [None]}]}, InvalidOption, "give text, numbers, lists and tables"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    changes: dict[str, Any], error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why) as caught:
        spot(**changes)
    assert "\n" not in str(caught.value)


def test_a_single_combo_is_enough() -> None:
    given = spot(ranges=("AsAh", "KsKh"))
    assert (len(given.combos(0)), len(given.combos(1))) == (1, 1)


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        ("board = ", FormatError, "the spot is not TOML"),
        ("board = 'Td9d6h'", FormatError, "the spot has no 'ranges'"),
        ("potato = 3", UnknownName, "unknown entry of a spot 'potato'.*did you mean 'pot'"),
        ("{good}\nsize = 3", UnknownName, "did you mean 'sizes'"),
        ("{good}\nranges = 3", FormatError, r"write a table below \[ranges\]"),
        ("{good}\n[ranges]\noop = 'AA'", FormatError, "has no range 'ip'"),
        ("{good}\n[ranges]\noop='AA'\nip='KK'\nbb='QQ'", UnknownName, "entry of ranges 'bb'"),
        ("{good}\n{ranges}\n[sizes]\nbet='3%'", UnknownName, "did you mean 'bets'"),
        ("{good}\n{ranges}\n[sizes]\nbets=3", InvalidOption, "bets: bet sizes are 3"),
        ("{good}\n{ranges}\n[thresholds]\nmerge='x'", InvalidOption, "merge is 'x'"),
        ("{good}\nlocks = 3\n{ranges}", FormatError, r"write a table below \[\[locks\]\]"),
        ("{good}\nrake = 'x'\n{ranges}", InvalidOption, "rake is 'x'"),
        (f"board = {'[' * 5_000}{']' * 5_000}", FormatError, "the spot is nested too deeply"),
        (f"{'a.' * 200_000}a = 1", FormatError, "the spot is nested too deeply"),
        (f"[{'a . ' * 200_000}a]", FormatError, "the spot is nested too deeply"),
        (f"""x = {{{'"a".' * 200_000}a = 1}}""", FormatError, "the spot is nested too deeply"),
        (f"pot = {'9' * 5_000}", FormatError, "the spot has a number with too many digits"),
        (f"{{good}}\nrake = 0x{'F' * 5_000}\n{{ranges}}", InvalidOption, "cannot be printed"),
    ],
)
def test_bad_files_are_refused_in_one_line(text: str, error: type[Exception], why: str) -> None:
    good = "board = 'Td9d6h'\npot = 200\nstack = 900"
    ranges = "[ranges]\noop = 'AA'\nip = 'KK'"
    with pytest.raises(error, match=why) as caught:
        Spot.from_toml(text.replace("{good}", good).replace("{ranges}", ranges))
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"spot\.toml cannot be read"):
        Spot.load(tmp_path / "spot.toml")
    (tmp_path / "spot.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match=r"spot\.toml is not text"):
        Spot.load(tmp_path / "spot.toml")
    (tmp_path / "spot.toml").write_text("board = 'Td9d6h'")
    with pytest.raises(FormatError, match=r"spot\.toml: the spot has no 'ranges'"):
        Spot.load(tmp_path / "spot.toml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_nothing_is_read_of_what_is_no_regular_file_or_too_large(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(FormatError, match="is not a regular file"):
            Spot.load(path)
    large = tmp_path / "large.toml"
    with large.open("wb") as file:
        file.truncate(5 << 30)  # sparse: it takes no space, but reading it would take memory
    with pytest.raises(FormatError, match="is larger than 4 MB"):
        Spot.load(large)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"board": None}, "the board is None"),
        ({"board": 7}, "the board is 7"),
        ({"locks": 5}, "locks is 5"),
    ],
    ids=str,
)
def test_what_is_no_list_is_refused_in_one_line(change: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"board": "Td9d6h", "ranges": ("AA", "KK"), "pot": 10, "stack": 10}
    with pytest.raises(UntiltError, match=words):
        Spot(**(given | change))
