"""Poker hands from the rules, slowly: every five cards of a hand, and the best of them.

Cards are names such as `As`. A value is a tuple; the greater tuple is the better hand.
"""

from itertools import combinations

Value = tuple[int, list[int]]

RANKS = "23456789TJQKA"
DECK = [rank + suit for rank in RANKS for suit in "cdhs"]

(
    HIGH_CARD,
    PAIR,
    TWO_PAIR,
    THREE_OF_A_KIND,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR_OF_A_KIND,
    STRAIGHT_FLUSH,
) = range(9)

NAMES = [
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
]


def best_value(hand: list[str]) -> Value:
    """Return the value of the best five cards of a hand."""
    assert len(set(hand)) == len(hand)
    return max(value_of_five(list(five)) for five in combinations(hand, 5))


def value_of_five(five: list[str]) -> Value:
    """Return category and tie-breaking ranks of five cards."""
    ranks = sorted((RANKS.index(card[0]) for card in five), reverse=True)
    is_flush = len({card[1] for card in five}) == 1
    is_straight = all(ranks[i] == ranks[0] - i for i in range(5))
    if ranks == [12, 3, 2, 1, 0]:  # the ace plays low
        is_straight = True
        ranks = [3, 2, 1, 0, -1]
    if is_straight:
        return (STRAIGHT_FLUSH if is_flush else STRAIGHT), ranks

    quads = [rank for rank in range(13) if ranks.count(rank) == 4]
    trips = [rank for rank in range(13) if ranks.count(rank) == 3]
    pairs = [rank for rank in range(12, -1, -1) if ranks.count(rank) == 2]
    kickers = [rank for rank in ranks if ranks.count(rank) == 1]
    if quads:
        return FOUR_OF_A_KIND, quads + kickers
    if trips and pairs:
        return FULL_HOUSE, trips + pairs
    if is_flush:
        return FLUSH, ranks
    if trips:
        return THREE_OF_A_KIND, trips + kickers
    if len(pairs) == 2:
        return TWO_PAIR, pairs + kickers
    if pairs:
        return PAIR, pairs + kickers
    return HIGH_CARD, ranks
