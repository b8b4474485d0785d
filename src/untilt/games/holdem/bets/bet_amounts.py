"""Sizes in chips: the bets that a list of sizes offers at one moment of a hand.

The rules are those of the leading solvers for spots, so that trees can be compared node for node.
With `previous` the highest bet of the street and `pot` the pot after calling:

- a bet or raise of p % is to previous + round(p × pot), a raise of m x to round(m × previous);
- all-in is added if it is at most previous + round(1.5 × pot)                   (`add_all_in`);
- a bet becomes all-in if that is at most bet + round(0.15 × pot), with the pot after this bet is
  called: little would be left behind                                           (`force_all_in`);
- close sizes are merged: from the largest down, the next is kept only if its share of the pot is
  below (share − 0.1) / 1.1 of the last one kept                                       (`merge`).

A size below the smallest legal bet becomes that bet.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from untilt.games.holdem.bets.sizes import MAX_SIZE, STREETS, Size, Unit
from untilt.games.holdem.betting import Betting
from untilt.number import Number

_MULTIPLE = Number(least=0, most=MAX_SIZE)
ALMOST = 1.0 - 1e-12
"""Shares of the pot that differ by rounding only count as equal when sizes are merged."""


@dataclass(frozen=True)
class Thresholds:
    """The bounds at which all-in is added or forced and sizes are merged; 0 switches each off."""

    add_all_in: float = 1.5
    """Multiple of the pot up to which all-in is always offered."""
    force_all_in: float = 0.15
    """A bet becomes all-in if, once called, at most this multiple of the pot is left behind."""
    merge: float = 0.1
    """The least difference between sizes."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            _MULTIPLE.read(name, value)


def bet_amounts(
    sizes: Iterable[Size], state: Betting, street: int, thresholds: Thresholds
) -> dict[int, Size]:
    """Return the bets that `sizes` offer the player to act, ascending, each with its size.

    A bet is a total on the street. Of several sizes that come to the same bet, the first is named;
    a bet that is all-in is named so. `street` counts from 0, before the flop.
    """
    found: dict[int, Size] = {}
    for amount, size in _legal(sizes, state, street, thresholds):
        found.setdefault(amount, size)
    return {amount: found[amount] for amount in _merged(state, found, thresholds.merge)}


def bet_amount(size: Size, state: Betting, street: int) -> int | None:
    """Return a size in chips, as a total on the street, before any limit.

    `street` counts from 0, before the flop. None if the size's number of raises is used up.
    """
    previous, pot = max(state.bets), state.pot_after_call
    match size.unit:
        case Unit.POT:
            return previous + _rounded(pot * size.value)
        case Unit.MULTIPLE:
            return _rounded(previous * size.value)
        case Unit.CHIPS:
            return previous + int(size.value) if state.num_bets <= size.cap else None
        case Unit.GEOMETRIC:
            num_streets = int(size.value) or len(STREETS) - street
            num_raises = max(state.num_bets - 1, 0)
            behind = state.all_in_to - previous
            growth = (2.0 * (behind / pot) + 1.0) ** (1.0 / max(num_streets - num_raises, 1))
            return previous + _rounded(pot * min((growth - 1.0) / 2.0, size.cap))
        case _:
            return state.all_in_to


def _legal(
    sizes: Iterable[Size], state: Betting, street: int, thresholds: Thresholds
) -> Iterator[tuple[int, Size]]:
    previous, pot, all_in = max(state.bets), state.pot_after_call, state.all_in_to
    most = min(state.most_to, all_in)  # less than all-in only under a betting limit
    for size in sizes:
        amount = bet_amount(size, state, street)
        if amount is None:
            continue
        amount = min(max(amount, state.least_to), most)
        pot_called = pot + 2 * (amount - previous)
        if all_in <= amount + _rounded(pot_called * thresholds.force_all_in):
            amount = most
        yield amount, _ALL_IN if amount >= all_in else size
    if most <= previous + _rounded(pot * thresholds.add_all_in):
        yield most, _ALL_IN


def _merged(state: Betting, amounts: Iterable[int], threshold: float) -> list[int]:
    """Return the amounts that are kept, ascending."""
    previous, pot = max(state.bets), state.pot_after_call
    kept: list[int] = []
    limit = math.inf
    for amount in sorted(amounts, reverse=True):
        share = (amount - previous) / pot
        if share < limit:
            kept.append(amount)
            limit = (share - threshold) / (1.0 + threshold) * ALMOST
    return kept[::-1]


def _rounded(number: float) -> int:
    """Return the nearest integer, halves upward, as other solvers round."""
    whole = math.floor(number)
    return whole + (number - whole >= 0.5)


_ALL_IN = Size(Unit.ALL_IN)
