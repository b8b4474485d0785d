"""Hands of eight and more cards, against all choices of five of them."""

import random
from itertools import combinations

import numpy as np
import pytest

from untilt.cards.card import DECK, mask_of, parse_cards, rank_of, suit_of
from untilt.cards.evaluator.evaluator import evaluate
from untilt.cards.hand import describe_hand, rank_hand
from untilt.errors import CardError


def best_of_fives(cards: list[int]) -> int:
    return min(map(rank_hand, combinations(cards, 5)))


@pytest.mark.parametrize("count", [8, 9, 10, 12])
@pytest.mark.parametrize(("ranks", "suits"), [(13, 4), (13, 2), (5, 4), (7, 3), (13, 1)], ids=str)
def test_the_best_of_all_fives_counts(count: int, ranks: int, suits: int) -> None:
    rng = random.Random(count * 100 + ranks)
    deck = [card for card in DECK if rank_of(card) >= 13 - ranks and suit_of(card) < suits]
    for _ in range(60 if count < 10 else 12):
        cards = rng.sample(deck, count)
        assert rank_hand(cards) == best_of_fives(cards)


@pytest.mark.parametrize(
    ("cards", "text"),
    [
        ("AsKsQsJs9s AhAdAc", "four of a kind, aces, king kicker"),
        ("2s4s6s8sTs TcTh8h", "full house, tens full of eights"),
        ("2s4s6s8sTs 3h5h7h9hJh", "flush, jack-nine-seven-five-three"),
        ("2s3s4s5sAs KhQhJhTh9h", "straight flush, king high"),
        ("2c2d2h3c3d3h4c4d4h", "full house, fours full of threes"),
        ("2c2d3c3d4c4d5h7s", "two pair, fours and threes, seven kicker"),
        ("2c3d4h5sAc KdQhTs8c", "straight, five high"),
        ("2s3s4s5s6s7s8s9sTsJsQsKsAs", "royal flush"),
        ("2s3s4s5s7s8s9sJsQs", "flush, queen-jack-nine-eight-seven"),
        ("2c2d2h2s3c3d3h3s", "four of a kind, threes, two kicker"),
    ],
)
def test_long_hands_in_words(cards: str, text: str) -> None:
    assert describe_hand(parse_cards(cards)).text == text


def test_the_whole_deck_is_a_royal_flush() -> None:
    assert rank_hand(DECK) == 1


def test_many_long_hands_are_ranked_as_single_ones() -> None:
    rng = np.random.default_rng(4)
    deck = np.array(DECK, dtype=np.uint8)
    for count in (8, 11, 20):
        cards = np.array([rng.choice(deck, count, replace=False) for _ in range(300)])
        ranks = evaluate(cards, threads=2, check=True)
        assert ranks.tolist() == [rank_hand(hand) for hand in cards.tolist()]
        masks = np.array([mask_of(hand) for hand in cards.tolist()], dtype=np.uint64)
        assert evaluate(masks).tolist() == ranks.tolist()


def test_long_hands_with_bad_cards_are_named() -> None:
    cards = np.array([parse_cards("2c3c4c5c6c7c8c9c")] * 3, dtype=np.uint8)
    cards[2, 0] = 200
    with pytest.raises(CardError, match="hand 2 contains 200, which is not a card"):
        evaluate(cards)
    cards[2, 0] = cards[2, 1]
    assert len(evaluate(cards)) == 3
    with pytest.raises(CardError, match="hand 2 contains 3c twice"):
        evaluate(cards, check=True)
    sets = np.array([(1 << 8) - 1, (1 << 9) - 1], dtype=np.uint64)
    with pytest.raises(CardError, match="set 1 has 9 cards, set 0 has 8"):
        evaluate(sets)
