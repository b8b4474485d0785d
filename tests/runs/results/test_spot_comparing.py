"""Two solutions of a spot side by side, against enumeration of all pairs of hands."""

from functools import cache
from typing import Any

import pytest
from tests.reference.spot_lines import best_value, line_chance, mean_value
from tests.runs.spot_twins import hands_of, slow_spot

import untilt
from untilt.errors import InvalidOption
from untilt.games.holdem.solutions.solution import Solution
from untilt.runs.results.spot_comparing import SpotComparison, compare_spots
from untilt.runs.spots.spot_pairs import SpotPairs

RIVER = untilt.Spot(
    "Td9d6hQc2s",
    ("QQ:0.5,JTs,87s,A5s", "TT,KJs,QJs,65s"),
    100,
    250,
    untilt.Sizes("60%,a", raises="3x"),
)
TURN = untilt.Spot(
    "Td9d6hQc",
    ("QQ,JJ,AKs,87s", "TT,AQs,KJs,76s"),
    100,
    200,
    untilt.Sizes("75%", raises=""),
)


@cache
def solved(spot: untilt.Spot, iterations: int) -> Solution:
    return untilt.solve(spot, iterations=iterations, save=False)


@cache
def compared(spot: untilt.Spot) -> SpotComparison:
    return compare_spots(solved(spot, 200), solved(spot, 3))


def test_every_pair_is_worth_what_enumeration_gives() -> None:
    both = solved(RIVER, 200), solved(RIVER, 3)
    pairs = SpotPairs(both)
    for first, second in ((0, 0), (0, 1), (1, 0), (1, 1)):
        values = slow_spot(both[first], both[second]).values(hands_of(RIVER))
        found = pairs.evaluation(first, second).values
        assert found == pytest.approx([value + 50.0 for value in values], abs=1e-4)


def test_a_pair_on_the_turn_is_worth_what_enumeration_gives() -> None:
    spot = TURN.replaced(ranges=("JJ,87s:0.25", "TT:0.5,76s"))
    both = solved(spot, 20), solved(spot, 2)
    values = slow_spot(*both).values(hands_of(spot))
    found = SpotPairs(both).evaluation(0, 1).values
    assert found == pytest.approx([value + 50.0 for value in values], abs=1e-3)


def test_reaches_and_losses_are_those_of_enumeration() -> None:
    both = solved(RIVER, 200), solved(RIVER, 3)
    hands = hands_of(RIVER)
    found = compared(RIVER)
    assert len(found.lines) > 8
    for row in found.lines:
        line = row.line.split(", ") if row.line else []
        chances = [line_chance(slow_spot(each, each), line, hands) for each in both]
        assert row.reaches == pytest.approx(chances, rel=1e-5, abs=1e-9)
        pair = slow_spot(*(both if row.player == 0 else both[::-1]))
        chance = line_chance(pair, line, hands)
        assert row.reach_against == pytest.approx(chance, rel=1e-5, abs=1e-9)
        if chance > 1e-3:
            lost = best_value(pair, line, hands, row.player)
            lost -= mean_value(pair, line, hands, row.player)
            assert row.loss == pytest.approx(lost, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
def test_costs_sum_to_what_a_best_reply_gains(spot: untilt.Spot) -> None:
    found = compared(spot)
    pairs = SpotPairs((found.first, found.second))
    for player, pair in enumerate(((0, 1), (1, 0))):
        costs = sum(row.cost for row in found.lines if row.player == player)
        assert costs == pytest.approx(pairs.evaluation(*pair).gains[player], abs=1e-3)
        assert costs > 1.0


def test_a_solution_does_not_differ_from_itself() -> None:
    found = compare_spots(solved(RIVER, 200), solved(RIVER, 200))
    assert found.differences == ()
    assert found.head_to_head.gains == (0.0, 0.0)


def test_the_line_that_nobody_takes_is_a_ghost() -> None:
    """Betting everything with a range that is far behind is no part of an equilibrium."""
    spot = untilt.Spot("2c2d2h3c3d", ("QQ", "KK,AA"), 100, 500, untilt.Sizes("a"))
    found = compare_spots(solved(spot, 2000), solved(spot, 2))
    assert [row.line for row in found.ghosts] == ["all-in 500"]
    assert found.ghosts[0].reaches[0] < 1e-4 < found.ghosts[0].reaches[1]


def test_merged_boards_and_all_boards_compare_alike() -> None:
    """A lock that names a suit keeps boards apart that are otherwise interchangeable."""
    merged = TURN.replaced(board="Td9d6dQd")
    apart = merged.replaced(locks=[{"line": "check", "lock": "7h6h check"}])
    first, other, second = solved(merged, 60), solved(merged, 5), solved(apart, 5)
    assert first.is_merged
    assert not second.is_merged
    mine = {row.line: row for row in compare_spots(first, second).lines}
    for row in compare_spots(first, other).lines:
        assert mine[row.line].reaches[0] == pytest.approx(row.reaches[0], rel=1e-4, abs=1e-7)
    alike = compare_spots(first, solved(merged.replaced(locks=[]), 60))
    assert alike.differences == ()


def test_the_object_for_programs_has_all_of_it() -> None:
    found = compared(RIVER)
    document = found.to_json(3)
    assert len(document["lines"]) == 3
    assert document["lines"][0]["cost"] >= document["lines"][1]["cost"]
    assert document["head_to_head"]["gains"] == list(found.head_to_head.gains)
    assert "decisions differ" in repr(found)
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize(
    "change",
    [{"pot": 110}, {"ranges": ("QQ", "TT")}, {"board": "Td9d6hQc3s"}, {"bb": 10}],
    ids=lambda change: next(iter(change)),
)
def test_another_spot_is_refused(change: dict[str, Any]) -> None:
    other = untilt.solve(RIVER.replaced(**change), iterations=1, save=False)
    with pytest.raises(InvalidOption, match=f"their {next(iter(change))} differ"):
        compare_spots(solved(RIVER, 3), other)
