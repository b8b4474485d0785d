"""`untilt.review`: what it takes, and how a review shows itself."""

import math
from pathlib import Path

import pytest

import untilt
from untilt.errors import InvalidOption

HANDS = Path(__file__).parents[1] / "data" / "hands"
RIVER_HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [25, 50]
min_bet = 50
starting_stacks = [150, 150]
players = ["Ann", "Bob"]
actions = ["d dh p1 AsAh", "d dh p2 KsKh", "p2 cc", "p1 cc", "d db 2c2d2h", "p1 cc", "p2 cc",
  "d db 3c", "p1 cc", "p2 cc", "d db 3d", "p1 cbr 100", "p2 cc"]
"""
SPOT = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))


def test_a_solved_spot_judges_the_street_that_it_knows() -> None:
    (history,) = untilt.play.parse_phh(RIVER_HAND)
    found = untilt.review(history, untilt.solve(SPOT, iterations=200, save=False))
    known = [each for each in found.decisions if each.cost is not None]
    assert [str(each.step.action) for each in known] == ["all-in 100", "call"]
    assert sum(found.costs) == pytest.approx(sum(each.cost or 0.0 for each in known))
    assert repr(found) == (
        f"<HandReview of KsKh v AsAh on 2h2d2c3c3d: 8 decisions, cost {found.costs[0]:.4g} and "
        f"{found.costs[1]:.4g}, Ann (big blind) wins 150>"
    )
    html = found._repr_html_()
    assert html.count("<tr>") == 9
    assert "Bob (small blind)" in html


def test_a_file_has_one_hand_or_several() -> None:
    found = untilt.review(HANDS / "openspiel-raises.phh")
    assert found.costs == (0.0, 0.0)
    assert len(repr(found)) < 200
    with pytest.raises(InvalidOption, match="number is 2; there is one hand"):
        untilt.review(HANDS / "openspiel-raises.phh", number=2)


def test_only_one_adviser_and_one_that_is_saved() -> None:
    (history,) = untilt.play.parse_phh(RIVER_HAND)
    with pytest.raises(InvalidOption, match="strategy and agent are given"):
        untilt.review(history, "run", agent="bp")
    with pytest.raises(InvalidOption, match="it is not saved"):
        untilt.review(history, untilt.solve("kuhn", iterations=2, save=False))


def test_the_frame_has_a_row_per_decision() -> None:
    pytest.importorskip("pandas")
    (history,) = untilt.play.parse_phh(RIVER_HAND)
    solution = untilt.solve(SPOT, iterations=200, save=False)
    frame = untilt.review(history, solution).to_frame()
    assert frame["street"].tolist() == [
        *("preflop", "preflop", "flop", "flop", "turn", "turn", "river", "river")
    ]
    assert math.isnan(frame["cost"][0])
    assert frame["action"].tolist()[-2:] == ["all-in 100", "call"]
    assert 0.0 <= frame["probability"].iloc[-1] <= 1.0
