"""Deals of hold'em as a trainer sees them; the tables are made up, which makes no difference."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.abstraction.buckets.tables import stored

import untilt
from untilt.abstraction.dealer import CardDealer
from untilt.cards import DECK, evaluate
from untilt.cards.combos import COMBO_OF_CARDS
from untilt.errors import InvalidOption
from untilt.game.deals.deal_tree import LANES, make_deals

__all__ = ["stored"]  # a fixture


@pytest.fixture
def cards(stored: Path) -> untilt.abstraction.CardAbstraction:
    return untilt.abstraction.CardAbstraction(flop=200, turn=100, river=50, threads=1)


def test_deals_hold_the_buckets_and_strengths_of_their_cards(
    cards: untilt.abstraction.CardAbstraction,
) -> None:
    dealer = CardDealer(cards, seed=3, keep_rivers=False)
    assert dealer.num_buckets == (169, 200, 100, 50)
    deals = make_deals(20, 4)
    dealer.fill(deals, 5, 15, first=100)
    boards, hands = dealer.cards_of(100, 10)
    for number in range(10):
        board = boards[number].tolist()
        whole = np.array([[*hand, *board] for hand in hands[number].tolist()], dtype=np.uint8)
        assert (7463 - evaluate(whole, check=True).astype(int)).tolist() == deals.strength[
            5 + number
        ].tolist()
        for lane in range(LANES + 1):
            for street, size in enumerate((0, 3, 4, 5)):
                expected = cards.bucket(hands[number, lane].tolist(), board[:size])
                assert deals.buckets[5 + number, street, lane] == expected
    assert not deals.buckets[:5].any()
    assert not deals.buckets[15:].any()


def test_a_deal_is_a_function_of_its_number(cards: untilt.abstraction.CardAbstraction) -> None:
    dealer = CardDealer(cards, seed=4, keep_rivers=False)
    whole, parts = make_deals(50, 4), make_deals(50, 4)
    dealer.fill(whole, 0, 50, first=1000)
    for begin, end in ((30, 50), (0, 7), (7, 30)):
        dealer.fill(parts, begin, end, first=1000 + begin)
    assert np.array_equal(whole.buckets, parts.buckets)
    assert np.array_equal(whole.strength, parts.strength)
    other = make_deals(50, 4)
    CardDealer(cards, seed=5, keep_rivers=False).fill(other, 0, 50, first=1000)
    assert not np.array_equal(whole.strength, other.strength)


def test_cards_are_dealt_uniformly_and_each_once(cards: untilt.abstraction.CardAbstraction) -> None:
    boards, hands = CardDealer(cards, seed=6, keep_rivers=False).cards_of(0, 40_000)
    dealt = np.concatenate([boards, hands.reshape(len(hands), -1)], axis=1)
    ordered = np.sort(dealt, axis=1)
    assert (np.diff(ordered, axis=1) > 0).all()
    for column in (0, 4, 5, 20, 38):
        counts = np.bincount(dealt[:, column], minlength=64)[list(DECK)]
        assert chisquare(counts).pvalue > 1e-4
    for lane in (0, LANES - 1, LANES):
        combos = COMBO_OF_CARDS[hands[:, lane, 0], hands[:, lane, 1]]
        assert chisquare(np.bincount(combos, minlength=1326)).pvalue > 1e-4


@pytest.mark.parametrize("seed", [-1, 1 << 64, 0.5])
def test_wrong_seeds_are_refused(cards: untilt.abstraction.CardAbstraction, seed: int) -> None:
    with pytest.raises(InvalidOption, match="use an integer from 0"):
        CardDealer(cards, seed=seed)


@pytest.mark.long
def test_a_table_of_rivers_changes_nothing(cards: untilt.abstraction.CardAbstraction) -> None:
    slow = CardDealer(cards, seed=7, keep_rivers=False)
    live, kept = make_deals(300, 4), make_deals(300, 4)
    slow.fill(live, 0, 300, first=0)
    CardDealer(cards, seed=7).fill(kept, 0, 300, first=0)
    assert np.array_equal(live.buckets, kept.buckets)
