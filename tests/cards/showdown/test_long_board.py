"""Equity on boards of more than five cards, against all subsets of five."""

from itertools import combinations

import numpy as np
import pytest

from untilt import cards
from untilt.cards.card import parse_cards
from untilt.cards.combos import COMBO_CARDS
from untilt.cards.equity.all_in import equity_histograms, hand_equities
from untilt.cards.hand import rank_hand
from untilt.cards.ranges.range import Range
from untilt.errors import CardError

BOARDS = ("Td9d6h 2c 5h 8s", "AhKhQh 2c 5h 5d 5s", "2h3h4h 5h 6h 7h 8h 9h Ts", "AhAd 7c7d 2h 2d 3h")


def best(cards: list[int]) -> int:
    """Return the rank of the best five, by trying all of them."""
    return min(rank_hand(five) for five in combinations(cards, 5))


@pytest.mark.parametrize("board", BOARDS)
def test_equity_is_that_of_all_pairs_of_hands(board: str) -> None:
    shown = parse_cards(board)
    first, second = "JsTs,9c8c,QQ,A4s", "KK,76s:0.5,ATo,5c4c"
    totals = np.zeros(3)
    for own, weight in Range.parse(first):
        for other, share in Range.parse(second):
            hand, held = COMBO_CARDS[own].tolist(), COMBO_CARDS[other].tolist()
            if len({*hand, *held, *shown}) < 4 + len(shown):
                continue
            ranks = best([*hand, *shown]), best([*held, *shown])
            place = 0 if ranks[0] < ranks[1] else 1 if ranks[0] == ranks[1] else 2
            totals[place] += weight * share
    found = cards.equity(first, second, board=board)
    assert found.equities[0] == pytest.approx((totals[0] + totals[1] / 2) / totals.sum())
    assert found.wins[0] == pytest.approx(totals[0])
    assert found.losses[0] == pytest.approx(totals[2])
    assert (found.boards, found.method) == (1, "exact")
    ours, theirs = hand_equities(first, second, board=board)
    weights = [each.weight * (each.wins + each.ties + each.losses) for each in ours]
    mean = sum(w * each.equity for w, each in zip(weights, ours, strict=True) if w) / sum(weights)
    assert mean == pytest.approx(found.equities[0])
    assert sum(each.weight * each.wins for each in theirs) == pytest.approx(totals[2])


def test_what_is_not_computed_on_long_boards_is_refused() -> None:
    with pytest.raises(CardError, match="give two hands or ranges"):
        cards.equity("AA", "KK", "QQ", board=BOARDS[0])
    with pytest.raises(CardError, match="give two hands or ranges"):
        cards.equity("AA", "KK", board=BOARDS[0], samples=100)
    with pytest.raises(CardError, match="longer than 5"):
        equity_histograms("AA", BOARDS[0])
    with pytest.raises(CardError, match="has 2 cards"):
        cards.equity("AA", "KK", board="Td9d")
