"""All-in equities by plain enumeration: every hand of every range on every board.

Cards are names such as `As`. A range maps hands, pairs of cards, to weights. Weights are
fractions, so that nothing is rounded.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

from tests.reference.hands import DECK, Value, best_value

Hand = tuple[str, str]
HandRange = Mapping[Hand, Fraction]


class Result(NamedTuple):
    wins: list[Fraction]
    ties: list[Fraction]
    losses: list[Fraction]
    equities: list[Fraction]


def all_in(ranges: Sequence[HandRange], board: list[str], dead: Sequence[str] = ()) -> Result:
    """Return weights of won, shared and lost deals, and the share of the pot, of every side."""
    num_sides = len(ranges)
    wins = [Fraction(0)] * num_sides
    ties = [Fraction(0)] * num_sides
    pots = [Fraction(0)] * num_sides
    total = Fraction(0)
    for whole in complete_boards(board, dead):
        for hands in product(*ranges):
            cards = [card for hand in hands for card in hand]
            if len({*cards, *whole, *dead}) < len(cards) + len(whole) + len(dead):
                continue
            weight = Fraction(1)
            for hand_range, hand in zip(ranges, hands, strict=True):
                weight *= hand_range[hand]
            values = [_value_on(hand, tuple(whole)) for hand in hands]
            winners = [side for side in range(num_sides) if values[side] == max(values)]
            for side in winners:
                pots[side] += weight / len(winners)
                (wins if len(winners) == 1 else ties)[side] += weight
            total += weight
    losses = [total - won - tied for won, tied in zip(wins, ties, strict=True)]
    return Result(wins, ties, losses, [pot / total for pot in pots])


@lru_cache(maxsize=100_000)
def _value_on(hand: Hand, board: tuple[str, ...]) -> Value:
    return best_value([*hand, *board])


def complete_boards(board: list[str], dead: Sequence[str] = ()) -> Iterator[list[str]]:
    """Yield every board of five cards that begins with `board` and has no dead card."""
    rest = [card for card in DECK if card not in board and card not in dead]
    for more in combinations(rest, 5 - len(board)):
        yield [*board, *more]
