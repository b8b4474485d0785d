"""Probabilities of lines of a spot, against the sum over all pairs of hands."""

from functools import cache

import pytest
from tests.reference.spot_lines import line_chance
from tests.runs.noisy_spots import noisy, solved
from tests.runs.spot_twins import hands_of, slow_spot

import untilt
from untilt.cards.card import DECK, card_name
from untilt.errors import UntiltError
from untilt.games.holdem.solutions.line_chances import LineChances, betting_ends, played_line
from untilt.games.holdem.solutions.solution import Solution

RIVER = untilt.Spot(
    "Td9d6hQc2s",
    ("QQ:0.5,JTs,87s,A5s", "TT,KJs,QJs,65s:0.25"),
    100,
    250,
    untilt.Sizes("60%,a", raises="3x"),
)
TURN = untilt.Spot(
    "Td9d6hQc", ("QQ,JJ,AKs,87s", "TT,AQs,KJs,76s"), 100, 200, untilt.Sizes("75%", raises="")
)
MERGED = TURN.replaced(board="Td9d6dQd", ranges=("JJ,AKs", "TT,KJs"))


@cache
def played(spot: untilt.Spot) -> Solution:
    return noisy(solved(spot), (0.2, 0.1))


@pytest.mark.parametrize("spot", [RIVER, TURN, MERGED], ids=["river", "turn", "merged"])
def test_all_ends_of_the_betting_together_are_certain(spot: untilt.Spot) -> None:
    solution = played(spot)
    ends = betting_ends(solution.view)
    found = LineChances(solution).of_betting(ends)
    assert len(found) == len(ends) > 5
    assert found.sum() == pytest.approx(1.0, abs=1e-6)
    assert found.min() > 0.0


@pytest.mark.parametrize(
    "hands",
    [("", ""), ("JsTs", ""), ("", "KhJh"), ("8h7h", "TsTc")],
    ids="/".join,
)
def test_lines_of_a_river_are_as_likely_as_enumeration_says(hands: tuple[str, str]) -> None:
    solution, slow = played(RIVER), slow_spot(played(RIVER), played(RIVER))
    ranges = hands_of(RIVER)
    first, second = (
        next((hand for hand in ranges[player] if {*hand} == {text[:2], text[2:]}), None)
        for player, text in enumerate(hands)
    )
    for end in betting_ends(solution.view):
        found = LineChances(solution).chance(played_line(solution.view, end.line, "", hands))
        expected = line_chance(slow, end.line.split(", "), ranges, (first, second))
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-12)


@pytest.mark.parametrize("spot", [TURN, MERGED], ids=["every board", "merged boards"])
@pytest.mark.parametrize("river", ["2s", "Ah", "Tc"])
@pytest.mark.parametrize("hands", [("", ""), ("", "KhJh"), ("JsJh", "KcJc"), ("JsJh", "")])
def test_a_line_of_the_turn_includes_its_river(
    spot: untilt.Spot, river: str, hands: tuple[str, str]
) -> None:
    solution, slow = played(spot), slow_spot(played(spot), played(spot))
    ranges = hands_of(spot)
    known = [
        next((hand for hand in ranges[player] if {*hand} == {text[:2], text[2:]}), None)
        for player, text in enumerate(hands)
    ]
    for line, moves in (
        ("check, bet 75, fold", ["check", "bet 75", "fold"]),
        ("check, check / bet 75, fold", ["check", "check", river, "bet 75", "fold"]),
        (
            "check, check / check, bet 75, call",
            ["check", "check", river, "check", "bet 75", "call"],
        ),
    ):
        found = LineChances(solution).chance(played_line(solution.view, line, river, hands))
        expected = line_chance(slow, moves, ranges, (known[0], known[1]))
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-12)
        whole = spot.board_text + river
        assert LineChances(solution).chance(played_line(solution.view, line, whole, hands)) == found


def test_boards_together_are_as_likely_as_the_betting() -> None:
    solution = played(TURN)
    ends = betting_ends(solution.view)
    of_betting = dict(zip(ends, LineChances(solution).of_betting(ends), strict=True))
    for end in [each for each in ends if each.street == 1][:3]:
        total = 0.0
        for card in DECK:
            if card not in TURN.board:
                name = card_name(card)
                total += LineChances(solution).chance(played_line(solution.view, end.line, name))
        assert total == pytest.approx(of_betting[end], rel=1e-6)


@pytest.mark.parametrize(
    ("line", "board", "hands", "reason"),
    [
        ("check", "", ("", ""), "ends before the hand does; next would be check, bet 75"),
        ("check, check", "2s", ("", ""), "ends before the hand does"),
        ("check, bet 80, fold", "", ("", ""), "bet 80"),
        ("check, check / check, check", "", ("", ""), "give its 1 card"),
        ("check, check / check, check", "Td", ("", ""), "does not begin with"),
        ("check, check / check, check", "xx", ("", ""), "the board 'xx'"),
        ("check, bet 75, fold", "", ("AsAh", ""), "not in its range of the spot"),
        ("check, bet 75, fold", "", ("TdJd", ""), "shares a card with the board"),
        ("check, bet 75, fold", "", ("JsJh", "JsKs"), "cannot hold"),
        ("check, bet 75, fold", "", ("JsJhJc", ""), "give two cards"),
    ],
)
def test_what_cannot_have_happened_is_refused(
    line: str, board: str, hands: tuple[str, str], reason: str
) -> None:
    with pytest.raises(UntiltError, match=reason):
        played_line(played(TURN).view, line, board, hands)


def test_a_range_that_never_gets_there_makes_a_line_impossible() -> None:
    quiet = noisy(solved(RIVER), (1e-4, 1e-4))
    ends = betting_ends(quiet.view)
    assert LineChances(quiet).of_betting(ends).min() < 1e-12
