"""Suit isomorphism by trying all 24 renamings, and the number of classes by Burnside's lemma.

A deal is one tuple of cards per round. Cards are (rank, suit) pairs: nothing is shared with
the numbering under test.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

Card = tuple[int, int]
Deal = tuple[tuple[Card, ...], ...]

RENAMINGS = list(permutations(range(4)))


def deal_of(cards: Sequence[int], rounds: Sequence[int]) -> Deal:
    """Return a row of cards (rank in bits 0–3, suit in bits 4–5) as a deal."""
    pairs = [(card % 16, card // 16) for card in cards]
    begins = [sum(rounds[:number]) for number in range(len(rounds))]
    return tuple(
        tuple(pairs[begin : begin + count]) for begin, count in zip(begins, rounds, strict=True)
    )


def renamed(deal: Deal, renaming: Sequence[int]) -> Deal:
    """Return the deal with suit s called `renaming[s]`, each round in order."""
    return tuple(tuple(sorted((rank, renaming[suit]) for rank, suit in cards)) for cards in deal)


def canonical(deal: Deal) -> Deal:
    """Return the least of all renamed deals."""
    return min(renamed(deal, renaming) for renaming in RENAMINGS)


def num_classes(rounds: Sequence[int]) -> int:
    """Return how many deals differ by more than the names of suits.

    Burnside: the mean over all renamings of the number of deals that they leave alone.
    """
    mean = Fraction(sum(_num_fixed(rounds, renaming) for renaming in RENAMINGS), len(RENAMINGS))
    assert mean.denominator == 1
    return mean.numerator


def _num_fixed(rounds: Sequence[int], renaming: Sequence[int]) -> int:
    # A renaming leaves a deal alone if the cards of each of its cycles, which are of one rank,
    # are all dealt in the same round or all not dealt.
    ways = Counter({tuple(rounds): 1})
    for length in _cycle_lengths(renaming) * 13:
        more = Counter(ways)
        for left, count in ways.items():
            for number, cards in enumerate(left):
                if cards >= length:
                    more[(*left[:number], cards - length, *left[number + 1 :])] += count
        ways = more
    return ways[tuple(0 for _ in rounds)]


def _cycle_lengths(renaming: Sequence[int]) -> list[int]:
    lengths = []
    unseen = set(range(4))
    while unseen:
        suit, length = min(unseen), 0
        while suit in unseen:
            unseen.remove(suit)
            suit, length = renaming[suit], length + 1
        lengths.append(length)
    return lengths
