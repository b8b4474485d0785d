"""Classes of hands and sums over ranges, from the rules, slowly.

Cards are names such as `As`. Straights are found by listing five ranks, pairs by counting, and sums
go over every pair of hands that can be dealt.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from tests.reference.hands import (
    DECK,
    FLUSH,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    RANKS,
    STRAIGHT,
    STRAIGHT_FLUSH,
    best_value,
)

Hand = tuple[str, str]

STRONG = {
    STRAIGHT_FLUSH: "straight flush",
    FOUR_OF_A_KIND: "four of a kind",
    FULL_HOUSE: "full house",
    FLUSH: "flush",
    STRAIGHT: "straight",
}


def made_hand(hand: Hand, board: Sequence[str]) -> str:
    """Return the name of what a hand has made."""
    category = best_value([*hand, *board])[0]
    if category in STRONG:
        return STRONG[category]
    ranks = Counter(card[0] for card in board)
    order = sorted(ranks, key=RANKS.index, reverse=True)
    first, second = sorted((card[0] for card in hand), key=RANKS.index, reverse=True)
    if first == second:
        if first in ranks:
            return "set"
        return "overpair" if RANKS.index(first) > RANKS.index(order[0]) else "underpair"
    paired = [rank for rank in (first, second) if rank in ranks]
    if any(ranks[rank] > 1 for rank in paired):
        return "trips"
    if len(paired) == 2:
        return "two pair"
    if paired:
        return {0: "top pair", 1: "second pair"}.get(order.index(paired[0]), "low pair")
    return "ace high" if first == "A" else "air"


def draws_of(hand: Hand, board: Sequence[str]) -> set[str]:
    """Return the names of the draws of a hand."""
    found: set[str] = set()
    category = best_value([*hand, *board])[0]
    if len(board) == 5 or category >= FLUSH:
        return found
    for suit in {card[1] for card in hand}:
        number = sum(card[1] == suit for card in [*hand, *board])
        if number == 4:
            found.add("flush draw")
        if number == 3 and len(board) == 3:
            found.add("backdoor flush")
    if "flush draw" in found:
        found.discard("backdoor flush")
    if category == STRAIGHT:
        return found
    outs = [
        rank
        for rank in RANKS
        if _top(_ranks([*hand, *board]) | {rank}) > _top(_ranks(board) | {rank})
    ]
    if len(outs) >= 2:
        found.add("open-ended")
    elif outs:
        found.add("gutshot")
    return found


def _ranks(cards: Sequence[str]) -> set[str]:
    return {card[0] for card in cards}


def _top(ranks: set[str]) -> int:
    """Return the place of the highest rank of the best straight; −1 without one."""
    wheel_first = "A" + RANKS
    tops = [
        top
        for top in range(4, len(wheel_first))
        if all(rank in ranks for rank in wheel_first[top - 4 : top + 1])
    ]
    return max(tops, default=-1)


def masses(own: Mapping[Hand, Fraction], other: Mapping[Hand, Fraction]) -> dict[Hand, Fraction]:
    """Return how often each hand of a range is dealt against the other range."""
    return {
        hand: weight
        * sum((each for cards, each in other.items() if not {*cards} & {*hand}), Fraction(0))
        for hand, weight in own.items()
    }


def mean(values: Mapping[Hand, Fraction], mass: Mapping[Hand, Fraction]) -> Fraction | None:
    """Return a mean over a range; None if no hand of it is dealt."""
    total = sum(mass.values(), Fraction(0))
    if not total:
        return None
    return sum((mass[hand] * values[hand] for hand in mass), Fraction(0)) / total


def against_card(
    card: str,
    acting: Mapping[Hand, Fraction],
    waiting: Mapping[Hand, Fraction],
    mix: Mapping[Hand, Fraction],
) -> Fraction | None:
    """Return how often an action is taken against the waiting hands that hold a card."""
    with_card = {hand: weight for hand, weight in waiting.items() if card in hand}
    return mean(mix, masses(acting, with_card))


def quantile(
    equity: Mapping[Hand, Fraction], mass: Mapping[Hand, Fraction], share: Fraction
) -> Fraction:
    """Return the equity of the first hand, from the weakest, at which a share is reached."""
    order = sorted((hand for hand in mass if mass[hand]), key=lambda hand: equity[hand])
    wanted, so_far = share * sum(mass.values(), Fraction(0)), Fraction(0)
    for hand in order:
        so_far += mass[hand]
        if so_far >= wanted:
            return equity[hand]
    raise AssertionError("the shares of a range sum to 1")


def all_hands(board: Sequence[str]) -> list[Hand]:
    """Return every hand that the board leaves."""
    return [(one, other) for one, other in combinations(DECK, 2) if not {one, other} & {*board}]
