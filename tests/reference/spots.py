"""Spots hand by hand and card by card, with the names of cards and chips counted from the line.

Nothing is shared with the code under test: which actions are offered is asked for by line, what
they cost is read from their names, and hands are compared by trying all five cards.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations

from tests.reference.hands import DECK, best_value

Offers = Callable[[str], Sequence[str]]
"""A line in words → the actions that are offered."""
Mix = Callable[[str, tuple[str, ...], tuple[str, ...], str], float]
"""line, hand, board, action → probability"""


class SlowSpot:
    """A spot, played by two strategies."""

    def __init__(
        self,
        board: Sequence[str],
        pot: int,
        offers: Offers,
        mix: Mix,
        rake: Callable[[float], float] = lambda pot: 0.0,
    ) -> None:
        self.board = tuple(board)
        self.pot = pot
        self.offers = offers
        self.mix = mix
        self.rake = rake

    def values(
        self, hands: tuple[dict[tuple[str, ...], float], dict[tuple[str, ...], float]]
    ) -> tuple[float, float]:
        """Return what each player wins on average, counted from an even split of the pot."""
        total, sums = 0.0, [0.0, 0.0]
        for first, first_weight in hands[0].items():
            for second, second_weight in hands[1].items():
                if set(first) & set(second):
                    continue
                weight = first_weight * second_weight
                total += weight
                found = self._play((first, second), self.board, [[]], [0, 0], 0)
                for player in (0, 1):
                    sums[player] += weight * found[player]
        return sums[0] / total, sums[1] / total

    def _play(
        self,
        hands: tuple[tuple[str, ...], tuple[str, ...]],
        board: tuple[str, ...],
        line: list[list[str]],
        put_in: list[int],
        earlier: int,
    ) -> tuple[float, float]:
        """`put_in` is of all streets, `earlier` what each had put in before this one."""
        moves = line[-1]
        player = len(moves) % 2
        if moves and moves[-1] == "fold":
            winner = player
            pot = self.pot + 2 * min(put_in)
            paid = [-pot / 2, -pot / 2]
            paid[winner] = pot / 2 - self.rake(pot)
            return paid[0], paid[1]
        is_called = bool(moves) and moves[-1] == "call"
        if is_called or moves[-2:] == ["check", "check"]:
            is_all_in = is_called and any("all-in" in move for move in moves)
            if len(board) == 5:
                return self._showdown(hands, board, put_in)
            left = [card for card in DECK if card not in board + hands[0] + hands[1]]
            if is_all_in:
                missing = 5 - len(board)
                outcomes = [
                    self._showdown(hands, board + more, put_in)
                    for more in combinations(left, missing)
                ]
            else:
                outcomes = [
                    self._play(hands, (*board, card), [*line, []], put_in, put_in[0])
                    for card in left
                ]
            return (
                sum(each[0] for each in outcomes) / len(outcomes),
                sum(each[1] for each in outcomes) / len(outcomes),
            )
        words = " / ".join(", ".join(street) for street in line)
        sums = [0.0, 0.0]
        for action in self.offers(words):
            after = put_in.copy()
            if action == "call":
                after[player] = put_in[1 - player]
            elif " " in action:
                after[player] = earlier + int(action.split()[1])
            chance = self.mix(words, hands[player], board, action)
            found = self._play(hands, board, [*line[:-1], [*moves, action]], after, earlier)
            for each in (0, 1):
                sums[each] += chance * found[each]
        return sums[0], sums[1]

    def _showdown(
        self,
        hands: tuple[tuple[str, ...], tuple[str, ...]],
        board: tuple[str, ...],
        put_in: list[int],
    ) -> tuple[float, float]:
        pot = self.pot + 2 * min(put_in)
        rake = self.rake(pot)
        first, second = (_value(frozenset(hand + board)) for hand in hands)
        if first == second:
            return -rake / 2, -rake / 2
        won, lost = pot / 2 - rake, -pot / 2
        return (won, lost) if first > second else (lost, won)


@lru_cache(maxsize=100_000)
def _value(cards: frozenset[str]) -> tuple[int, list[int]]:
    return best_value(sorted(cards))


def balance(first: tuple[str, ...], second: tuple[str, ...], board: Sequence[str]) -> int:
    """Return on how many more run-outs the first hand wins than loses; 0 if they share a card."""
    if set(first) & set(second):
        return 0
    left = [card for card in DECK if card not in {*board, *first, *second}]
    total = 0
    for more in combinations(left, 5 - len(board)):
        own = _value(frozenset((*first, *board, *more)))
        other = _value(frozenset((*second, *board, *more)))
        total += (own > other) - (own < other)
    return total
