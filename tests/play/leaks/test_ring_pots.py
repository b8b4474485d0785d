"""Pots of two players at larger tables, judged from the flop on with preset ranges."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Command, command

import untilt
from untilt.errors import FormatError, InvalidOption, UnknownName
from untilt.games.holdem.bets.bet_amounts import Thresholds
from untilt.hands.hand import RecordedHand
from untilt.hands.store.hand_store import HandStore
from untilt.hands.store.importing import import_hands
from untilt.play.leaks import reviewing, ring_pots
from untilt.play.leaks.preset_ranges import (
    POSITIONS,
    WAYS,
    PresetRanges,
    default_text,
    parsed_range,
    way_to_flop,
)
from untilt.play.leaks.ring_pots import flop_pot, sizes_of

__all__ = ["command"]  # a fixture

HAND = """
[{number}]
variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1500, 1100, 1300]
actions = ['d dh p1 2c2d', 'd dh p2 {big}', 'd dh p3 {button}', {actions}]
players = ['Sam', 'Bea', 'Bud']
hand = {number}
"""
RAISED = "'p3 cbr 250', 'p1 f', 'p2 cc', 'd db Kh7c2s'"
PLAYED = {
    # The button bets a third of the pot, and the big blind folds top pair.
    1: ("KdQd", "AsAd", f"{RAISED}, 'p2 cc', 'p3 cbr 180', 'p2 f'"),
    2: ("KdQd", "AsAd", f"{RAISED}, 'p2 cc', 'p3 cc', 'd db 9d', 'p2 cbr 275', 'p3 cc', 'd db 4h', "
        "'p2 cc', 'p3 cbr 575', 'p2 f'"),
    3: ("3d3h", "AsAd", f"{RAISED}, 'p2 cc', 'p3 cbr 180', 'p2 cc', 'd db 9d', 'p2 cc', 'p3 cc', "
        "'d db 4h', 'p2 cc', 'p3 cc'"),
    4: ("KdQd", "AsAd", "'p3 cc', 'p1 cc', 'p2 cc', 'd db Kh7c2s', 'p1 cc', 'p2 cc', 'p3 cbr 150', "
        "'p1 f', 'p2 f'"),
    5: ("KdQd", "AsAd", "'p3 cbr 1300', 'p1 f', 'p2 f'"),
}  # fmt: skip
RANGES = """
[open]
other = "AA, 77, AKs, QJs, JTs, T9s, 98s, 65s"
[call]
BB = "KQs, 88, 76s, AQs"
other = "22"
[limp]
other = "22+"
[check]
other = "top 12%-100%"
["3-bet"]
other = "AA"
["call 3-bet"]
other = "KK"
["4-bet"]
other = "AA"
["call 4-bet"]
other = "KK"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ring")
    texts = [
        HAND.format(number=number, big=big, button=button, actions=actions)
        for number, (big, button, actions) in PLAYED.items()
    ]
    (folder / "ring.phhs").write_text("".join(texts), "utf-8")
    (folder / "ranges.toml").write_text(RANGES, "utf-8")
    import_hands(folder / "ring.phhs", folder / "hands")
    asked: dict[str, Any] = {"player": "Bea", "ranges": str(folder / "ranges.toml")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ring_pots, "TARGET", "0.05%")
        patch.setattr(ring_pots, "ITERATIONS", 3_000)
        untilt.hands.review(folder / "hands", output=folder / "leaks", **asked)
    return folder


def hands_of(place: Path) -> list[RecordedHand]:
    return [found.hand for found in HandStore(place / "hands").hands()]


def decisions_of(place: Path, number: int) -> list[dict[str, Any]]:
    leaks = untilt.hands.read_leaks(place / "leaks")
    rows = map(leaks.row, range(len(leaks.decisions)))
    return [row for row in rows if row["row"] == number - 1]


def test_the_flop_comes_with_the_chips_and_ways_of_both(place: Path) -> None:
    raised, *_, limped, pushed = hands_of(place)
    pot = flop_pot(raised)
    assert pot is not None
    assert (pot.players, pot.ways) == ((1, 2), ("call", "open"))
    assert (pot.pot, pot.stack) == (550, 850)
    assert flop_pot(limped) is None
    assert flop_pot(pushed) is None


def test_the_spot_has_the_bets_of_the_hand(place: Path) -> None:
    second = hands_of(place)[1]
    pot = flop_pot(second)
    assert pot is not None
    sizes = sizes_of(second, pot).to_dict()
    assert sizes["oop_turn_bets"] == "66%, 275c"
    assert sizes["ip_river_bets"] == "75%, 575c"
    assert sizes["flop_bets"] == "50%"


def test_costs_are_those_of_the_solved_spot(place: Path) -> None:
    spot = untilt.Spot(
        "Kh7c2s",
        ("KQs, 88, 76s, AQs", "AA, 77, AKs, QJs, JTs, T9s, 98s, 65s"),
        "5.5bb",
        "8.5bb",
        untilt.Sizes(
            "50%",
            "3x",
            max_raises=1,
            turn_bets="66%",
            river_bets="75%",
            ip_flop_bets="50%, 180c",
            turn_raises="",
            river_raises="",
        ),
        thresholds=Thresholds(0.0, 0.0, 0.0),
    )
    solution = untilt.solve(spot, target="0.02%", iterations=3_000, save=False)
    node = solution.at("check", "bet 1.8bb")
    values = node.action_ev[:, node.hands.index("KdQd")]
    _, check, fold = decisions_of(place, 1)
    assert fold["judge"] == "ranges"
    expected = dict(zip(node.actions, values / 100, strict=True))
    assert fold["cost_bb"] == pytest.approx(max(expected.values()), abs=0.1)
    assert fold["cost_bb"] > 0.5
    assert list(fold["values_bb"].values()) == pytest.approx(list(expected.values()), abs=0.1)
    assert fold["best"] != "fold"
    assert 0.0 < fold["error_bb"] < 0.0005 * 5.5 + 1e-6
    root = solution.root.action_ev[:, solution.root.hands.index("KdQd")] / 100
    assert check["cost_bb"] == pytest.approx(root.max() - root[0], abs=0.1)


def test_later_streets_are_followed_with_their_cards(place: Path) -> None:
    preflop, *later = decisions_of(place, 2)
    assert preflop["reason"] == "before the flop, with more than two players"
    assert [row["street"] for row in later] == ["flop", "turn", "river", "river"]
    assert all(row["judged"] for row in later)
    assert later[-1]["action"] == "fold"
    assert "call" in later[-1]["values_bb"]


def test_what_cannot_be_judged_has_its_reason(place: Path) -> None:
    reasons = [row["reason"] for row in decisions_of(place, 3)]
    assert reasons[1:] == ["the hand is not in its preset range"] * 4
    assert {row["reason"] for row in decisions_of(place, 4)[1:]} == {"more than two players"}
    assert len(decisions_of(place, 5)) == 1


def test_processes_change_nothing(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {"player": "Bea", "ranges": str(place / "ranges.toml")}
    monkeypatch.setattr(reviewing, "_RING_PART_HANDS", 2)
    one = untilt.hands.review(place / "hands", output=tmp_path / "one", **asked)
    found = untilt.hands.review(place / "hands", output=tmp_path / "leaks", processes=2, **asked)
    assert found.to_json() == one.to_json()
    assert found.num_judged == untilt.hands.read_leaks(place / "leaks").num_judged
    with pytest.raises(untilt.UntiltError, match="has another review"):
        untilt.hands.review(
            place / "hands", player="Bea", ranges="default", output=tmp_path / "leaks"
        )


def test_bands_leave_out_the_best_hands() -> None:
    band, best, most = (parsed_range(text).weights for text in ("top 4%-15%", "top 4%", "top 15%"))
    np.testing.assert_allclose(band + best, most, atol=1e-12)
    assert parsed_range("AA, KQs").weights.sum() == 10
    both = parsed_range("top 4%-15%, 32o").weights
    assert both.sum() == pytest.approx(band.sum() + 12)


def test_the_default_has_a_range_for_everybody() -> None:
    ranges = PresetRanges.load("default")
    assert ranges.document == PresetRanges.load("default").document
    for way in WAYS:
        for position in POSITIONS:
            assert 10 < ranges.range_of(way, position).weights.sum() < 1_326
    assert "22+, A2s+, KJo+" in default_text()


def test_ways_count_raises_before_the_flop(place: Path) -> None:
    history = hands_of(place)[3].streets[0]
    assert [way_to_flop(history, player) for player in range(3)] == ["limp", "check", "limp"]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda text: text.replace("[open]", "[opne]"), UnknownName, "opne"),
        (lambda text: text.replace("BB =", "MP ="), UnknownName, "MP"),
        (lambda text: text.replace('other = "22"', "other = 22"), FormatError, "not text"),
        (lambda text: text.replace('other = "22"\n', ""), FormatError, "has no range 'other'"),
        (lambda text: text.replace('"KQs,', '"KQx,'), FormatError, "range of BB in .call."),
        (lambda text: text.replace("12%-100%", "50%-20%"), FormatError, "begins after its end"),
        (lambda text: text.replace("[limp]", "[limp"), FormatError, "not TOML"),
    ],
)
def test_wrong_files_say_what_is_wrong(
    tmp_path: Path, change: Callable[[str], str], error: type[Exception], words: str
) -> None:
    file = tmp_path / "ranges.toml"
    file.write_text(change(RANGES), "utf-8")
    with pytest.raises((error, FormatError), match=words):
        PresetRanges.load(str(file))


def test_the_command_writes_the_ranges_and_takes_them(
    place: Path, command: Command, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    command("hands", "ranges", "-o", file)
    assert file.read_text("utf-8") == default_text()
    assert "already exists" in command("hands", "ranges", "-o", file).error
    missing = command("hands", "review", place / "hands", "--ranges", tmp_path / "no.toml").error
    assert "untilt hands ranges" in missing
    with pytest.raises(InvalidOption, match="give a blueprint"):
        untilt.hands.review(place / "hands", output=tmp_path / "leaks")
