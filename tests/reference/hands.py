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

CATEGORY = {
    (4, 1): FOUR_OF_A_KIND,
    (3, 2): FULL_HOUSE,
    (3, 1, 1): THREE_OF_A_KIND,
    (2, 2, 1): TWO_PAIR,
    (2, 1, 1, 1): PAIR,
}
"""By how many cards there are of each rank, the largest number first."""

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
    cards = sorted(((RANKS.index(card[0]), card[1]) for card in hand), reverse=True)
    return max(value_of_five(five) for five in combinations(cards, 5))


def value_of_five(cards: tuple[tuple[int, str], ...]) -> Value:
    """Return category and tie-breaking ranks of five cards (rank, suit), the highest rank first."""
    ranks = tuple([rank for rank, _ in cards])
    kinds = set(ranks)
    is_flush = len({suit for _, suit in cards}) == 1
    if len(kinds) == 5:
        if ranks[0] - ranks[4] == 4:
            return (STRAIGHT_FLUSH if is_flush else STRAIGHT), list(ranks)
        if ranks == (12, 3, 2, 1, 0):  # the ace plays low
            return (STRAIGHT_FLUSH if is_flush else STRAIGHT), [3, 2, 1, 0, -1]
        return (FLUSH if is_flush else HIGH_CARD), list(ranks)
    # No flush: two cards of one suit differ in rank.
    often_first = sorted(((ranks.count(rank), rank) for rank in kinds), reverse=True)
    return CATEGORY[tuple(count for count, _ in often_first)], [rank for _, rank in often_first]
