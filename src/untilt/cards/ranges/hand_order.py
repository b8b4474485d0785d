"""The 169 classes from the best to the worst, in the orders of `top 15%` and `push 15%`.

    top    by equity against a random hand, exact: AA 85.20 % … 32o 32.30 %
    push   by the deepest stack with which pushing all-in from the small blind gains over folding,
           even if the big blind sees the hand and calls only where that is right: the numbers of
           Sklansky and Chubukov

The two differ: `top 15%` has KJo and QJs, `push 15%` has 33 and A4s instead, which are ahead of
more of the hands that can call. The deepest stack at which an *equilibrium* pushes a hand would not
be an order of strength: beyond 100 bb blockers decide, and A5s is pushed deeper than KK.

Reference: Sklansky & Miller 2006, "No limit hold'em: theory and practice", with the table of
Chubukov, whose numbers are dollars behind the blinds 1 and 2.
"""

from functools import lru_cache

import numpy as np

from untilt.cards.combos import NUM_CLASSES, NUM_COMBOS, NUM_COMBOS_OF_CLASS
from untilt.cards.equity.preflop_table import NUM_BOARDS, preflop_matrix, preflop_table
from untilt.errors import CardError, UnknownName
from untilt.numeric.arrays import Floats, Offsets

TOP, PUSH = "top", "push"
ORDERS = (TOP, PUSH)
"""The orders, by the words of ranges."""

_MOST_STACK = 1e9
"""A stack with which only AA is pushed, in big blinds."""


def order_of_classes(order: str) -> Offsets:
    """Return [169] the classes, by their place in the grid, from the best to the worst."""
    if order not in ORDERS:
        raise UnknownName.among("order of hands", order, ORDERS)
    return _equity_order() if order == TOP else _push_order()


def best_classes(order: str, percent: float) -> Floats:
    """Return [169] the share, 0–1, of each class that is among the best `percent` of all combos.

    Classes are taken whole, except the last one, whose share makes the percentage exact.
    """
    if not 0.0 <= percent <= 100.0:  # also refuses nan
        raise CardError(f"the percentage is {percent}: give a number from 0 to 100")
    left = percent / 100.0 * NUM_COMBOS
    shares = np.zeros(NUM_CLASSES)
    for hand in order_of_classes(order).tolist():
        size = int(NUM_COMBOS_OF_CLASS[hand])
        shares[hand] = min(1.0, max(0.0, left / size))
        left -= size
    return shares


@lru_cache(maxsize=1)
def random_equities() -> Floats:
    """Return [169] the equity of each class against a random hand, 0–1."""
    matrix = preflop_matrix()
    halves = 2 * matrix.wins.sum(axis=1) + matrix.ties.sum(axis=1)
    equities: Floats = halves / (2.0 * NUM_BOARDS * matrix.pairs.sum(axis=1))
    return equities


@lru_cache(maxsize=1)
def _equity_order() -> Offsets:
    return np.argsort(-random_equities(), kind="stable").astype(np.int64)


@lru_cache(maxsize=1)
def _push_order() -> Offsets:
    return np.argsort(-push_limits(), kind="stable").astype(np.int64)


@lru_cache(maxsize=1)
def push_limits() -> Floats:
    """Return [169] the deepest stack with which each class is pushed face up; inf for AA.

    Stacks are in big blinds, before the blinds of 0.5 and 1 are posted. With a stack S, a combo k
    whose equity is 1 − e calls if S (2e − 1) < 1, the big blind that it wins by doing so; then the
    push gains as much, and otherwise 1. The mean over k must be at least −0.5, the price of
    folding.
    """
    table = preflop_table()
    edges = (2.0 * table.wins + table.ties) / NUM_BOARDS - 1.0
    is_dealt = table.boards > 0.0
    low, high = np.ones(NUM_CLASSES), np.full(NUM_CLASSES, _MOST_STACK)
    for _ in range(55):  # halves the logarithm of the interval, down to rounding
        middle = np.sqrt(low * high)
        gains = np.minimum(1.0, middle[:, np.newaxis] * edges).mean(axis=1, where=is_dealt)
        is_pushed = gains >= -0.5
        low, high = np.where(is_pushed, middle, low), np.where(is_pushed, high, middle)
    limits: Floats = np.where(low > 0.5 * _MOST_STACK, np.inf, low)
    return limits
