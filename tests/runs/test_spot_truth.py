"""Solved spots against closed forms, a linear program, and what symmetry says."""

from typing import Any

import numpy as np
import pytest
from tests.reference.river_program import RiverProgram

import untilt
from untilt.cards.card import card_name
from untilt.cards.combos import COMBO_CARDS
from untilt.games.holdem.solutions.solution import Solution


def solved(spot: untilt.Spot, **stop: Any) -> Solution:
    return untilt.solve(spot, save=False, **(stop or {"target": "0.02%", "time": 60.0}))


@pytest.mark.parametrize(
    ("rake", "cap"),
    [(0.05, None), (0.05, 4.0), (0.1, 12.0)],
    ids=["5 %", "a cap that always binds", "a cap that binds after a call"],
)
def test_rake_moves_bluffs_and_calls_as_the_closed_form_says(
    rake: float, cap: float | None
) -> None:
    # A bet of the pot, 100. The house takes `after` of a called pot of 300, `before` of one of 100.
    after, before = (min(rake * pot, cap or pot) for pot in (300.0, 100.0))
    # Bluffs win 100 - before as often as calls leave them, and lose 100.
    called = (100.0 - before) / (200.0 - before)
    # A call wins 200 - after from bluffs, and loses 100 to value; there is one AA for each QQ.
    bluffs = 100.0 / (200.0 - after)
    spot = untilt.Spot(
        *("2c2d2h3c3d", ("AA,QQ", "KK"), 100, 100, untilt.Sizes("100%")),
        rake=rake,
        rake_cap=cap,
    )
    solution = solved(spot, iterations=3000)
    mix = {row.hand[0]: row.mix["all-in 100"] for row in solution.root.table()}
    assert mix["A"] == pytest.approx(1.0, abs=0.01)
    assert mix["Q"] == pytest.approx(bluffs, abs=0.02)
    assert solution.at("all-in").frequencies["call"] == pytest.approx(called, abs=0.02)
    first = 0.5 * ((1.0 - called) * (100.0 - before) + called * (200.0 - after))
    second = 0.5 * (1.0 - bluffs) * (100.0 - before)
    assert solution.ev == pytest.approx((first, second), abs=0.3)


@pytest.mark.parametrize(
    ("board", "ranges", "sizes"),
    [
        (
            "Ts9s8s2s2d",
            ("AsKd,QsJs,TT,77,6s5c:0.5,AhKh", "KsQd,99,JdJh,7s6s,AdQh:0.3"),
            untilt.Sizes("33%, 75%, a", raises="50%, a"),
        ),
        (
            "KdKh7c7s2h",
            ("AA,KsQs:0.7,76s,54s", "QQ,A7s,KcJc,T9s:0.4"),
            untilt.Sizes("25%, 60%, 150%", raises="2.5x"),
        ),
    ],
    ids=["four of a suit", "two pairs"],
)
def test_a_river_of_three_sizes_has_the_value_of_its_linear_program(
    board: str, ranges: tuple[str, str], sizes: untilt.Sizes
) -> None:
    spot = untilt.Spot(board, ranges, 100, 400, sizes)
    solution = solved(spot)
    cards = [card_name(card) for card in spot.board]
    first, second = (
        {
            tuple(map(card_name, COMBO_CARDS[combo].tolist())): float(side.weights[combo])
            for combo in spot.combos(player).tolist()
        }
        for player, side in enumerate(spot.ranges)
    )
    exact = RiverProgram(
        cards, spot.pot, (first, second), lambda line: solution.at(line).actions
    ).value()
    # A strategy loses at most what the best response to it gains.
    assert solution.ev[0] == pytest.approx(exact, abs=max(solution.facts.gains) + 1e-3)
    assert max(solution.facts.gains) < 0.05


_SUITS = str.maketrans("cdhs", "hscd")


@pytest.mark.parametrize(
    ("board", "ranges"),
    [
        ("Kd9d4d2d", ("AA,QdJd,KQs:0.5,T9o", "JJ,AdTc,98s")),
        ("Kd9d4s2s", ("AA,QsJs,KQs:0.5", "JJ,AdTd,98s")),
        ("9d9h4s4c", ("AA,KQs", "JJ,A4s,98s:0.3")),
    ],
    ids=["one suit", "two suits", "two pairs"],
)
def test_names_of_suits_change_nothing(board: str, ranges: tuple[str, str]) -> None:
    known, renamed = (
        solved(
            untilt.Spot(
                board.translate(table),
                (_renamed(ranges[0], table), _renamed(ranges[1], table)),
                pot=100,
                stack=250,
                sizes=untilt.Sizes("60%", raises="a", river_donk="50%"),
            ),
            # Later on, rounding decides about hands that are nearly indifferent.
            iterations=3,
        )
        for table in ({}, _SUITS)
    )
    assert renamed.ev == pytest.approx(known.ev, abs=2e-3)
    assert renamed.facts.gains == pytest.approx(known.facts.gains, abs=2e-3)
    for line, card in (("", None), ("check", None), ("check, check", "Qc"), ("check, check", "2h")):
        if card is not None and card in board:
            continue
        first = known.at(line, board=card)
        second = renamed.at(line, board=card and card.translate(_SUITS))
        expected = dict(zip(first.hands, first.ev.tolist(), strict=True))
        found = dict(zip(second.hands, second.ev.tolist(), strict=True))
        assert len(found) == len(expected)
        for hand, ev in expected.items():
            twin = hand.translate(_SUITS)
            value = found.get(twin, found.get(twin[2:] + twin[:2]))
            assert value == pytest.approx(ev, abs=1e-2, nan_ok=True), (line, card, hand)


def _renamed(text: str, table: dict[int, int]) -> str:
    """Return a range with other suits; the s of AKs is not one."""
    return ",".join(
        item.translate(table) if len(item) == 4 and item[1] in "cdhs" else item
        for item in text.split(",")
    )


@pytest.mark.parametrize(
    ("board", "rake"),
    [("9d9h4s", 0.0), ("Kd9d4d2d", 0.05), ("7c7d7h7s2d", 0.0)],
    ids=["a flop", "a turn with rake", "a river of ties"],
)
def test_without_bets_hands_are_worth_their_equity(board: str, rake: float) -> None:
    ranges = "AA,QJs:0.5", "KK,T9s"
    lines = ["check, check / " * street for street in range(6 - len(board) // 2)]
    locks = [
        {"line": (line + more).rstrip(" /"), "lock": "all check"}
        for line in lines
        for more in ("", "check")
    ]
    spot = untilt.Spot(
        board, ranges, 100, 100, untilt.Sizes("100%"), rake=rake, rake_cap=4.0, locks=locks
    )
    solution = solved(spot, iterations=1)
    equity = untilt.cards.equity(*ranges, board=board)
    left = 100.0 - min(rake * 100.0, 4.0)
    assert solution.ev == pytest.approx([left * float(each) for each in equity.equities], abs=1e-3)
    assert solution.facts.gains == pytest.approx((0.0, 0.0), abs=1e-3)
    for side in solution.root.sides:
        assert side.ev == pytest.approx(left * side.equity, abs=1e-2, nan_ok=True)


def test_a_single_combo_that_is_ahead_takes_the_whole_pot() -> None:
    spot = untilt.Spot("2c2d2h3c", ("AsAh", "KsKh"), 100, 300, untilt.Sizes("50%, a", raises="a"))
    solution = solved(spot)
    # Two of the 44 rivers are kings.
    np.testing.assert_allclose(solution.root.sides[0].equity, [42 / 44], atol=1e-6)
    # Aces know where they stand: they bet, and kings can only give up.
    assert solution.ev == pytest.approx((100.0, 0.0), abs=0.1)
