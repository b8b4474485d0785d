"""Three classes all-in before the flop: on how many deals they finish in each order, exactly.

A *weak order* says who beats whom and who ties: three hands have 13. A deal is a combo of each
class, without common cards, and a board. For each of the 818,805 multisets of three of the 169
classes, the table holds the number of deals of each weak order. Equities do not suffice for side
pots and prizes, which depend on who is second; these counts do.

The row of classes a ≤ b ≤ c, numbered as in the grid, is c (c + 1) (c + 2) / 6 + b (b + 1) / 2 + a;
the columns are in the order of `ORDERS`. `build_three_way` makes the table, `three_way_file` keeps
it.
"""

from collections.abc import Sequence
from itertools import permutations, product
from math import comb
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import CLASS_OF_COMBO, COMBOS_OF_CLASS, NUM_CLASSES
from untilt.numeric.arrays import Floats

Counts = npt.NDArray[np.uint32]

ORDERS: tuple[tuple[int, ...], ...] = tuple(
    places for places in product(range(3), repeat=3) if set(places) == set(range(max(places) + 1))
)
"""The 13 weak orders of three hands: the place of each hand, 0 is the best; equal places tie."""

NUM_ORDERS = len(ORDERS)
NUM_TRIPLES = comb(NUM_CLASSES + 2, 3)
NUM_BOARDS = comb(46, 5)
"""The number of boards for three combos: 1,370,754."""


NUM_DEALS = 1326 * 1225 * 1128
"""The number of sequences of three combos without a common card."""

Number = TypeVar("Number", int, npt.NDArray[np.int64])


def place_of(first: Number, second: Number, third: Number) -> Number:
    """Return the number of the multiset `first` ≤ `second` ≤ `third` of numbers from 0."""
    return third * (third + 1) * (third + 2) // 6 + second * (second + 1) // 2 + first


def _unsorted_orders() -> npt.NDArray[np.int64]:
    number = {places: order for order, places in enumerate(ORDERS)}
    table = np.empty((6, NUM_ORDERS), dtype=np.int64)
    for way, sources in enumerate(permutations(range(3))):
        for order, places in enumerate(ORDERS):
            before = [0, 0, 0]
            for source, place in zip(sources, places, strict=True):
                before[source] = place
            table[way, order] = number[tuple(before)]
    return table


ORDER_BEFORE_SORTING = _unsorted_orders()
"""[6, 13] the order of three hands, for the order that they have after they were sorted.

The first index says how they were sorted, in the order of `itertools.permutations`: 3 is (1, 2, 0),
which puts the second hand first, the third second and the first last.
"""


def has_all_deals(counts: Counts) -> bool:
    """Whether combos of any three classes have every board, and are as many as there are."""
    deals, rest = np.divmod(counts.sum(axis=1, dtype=np.int64), NUM_BOARDS)
    low, high = np.triu_indices(NUM_CLASSES, 1)
    both = np.arange(NUM_CLASSES)
    two_alike = deals[place_of(low, low, high)].sum() + deals[place_of(low, high, high)].sum()
    three_alike = deals[place_of(both, both, both)].sum()
    # Of three different classes there are six sequences, of two alike three, of three alike one.
    in_sequence = 6 * deals.sum() - 3 * two_alike - 5 * three_alike
    return not rest.any() and int(in_sequence) == NUM_DEALS


def class_weights(weights: Floats) -> Floats | None:
    """Return [169] the weights of the classes of a range [1326]; None if some are uneven."""
    firsts = weights[[int(members[0]) for members in COMBOS_OF_CLASS]]
    return firsts if np.array_equal(firsts[CLASS_OF_COMBO], weights) else None


def range_orders(counts: Counts, ranges: Sequence[Floats]) -> Floats:
    """Return [13] the weights of deals by order for three ranges [169] of classes.

    They are integers, below 2⁵³, if all weights are 0 or 1.
    """
    from untilt.cards.equity.three_way_sums import sum_orders

    sums = np.zeros(NUM_ORDERS)
    first, second, third = ranges
    held = np.flatnonzero(first), np.flatnonzero(second), np.flatnonzero(third)
    sum_orders(counts, ORDER_BEFORE_SORTING, *held, first, second, third, sums)
    return sums


def range_outcomes(counts: Counts, ranges: Sequence[Floats]) -> Floats:
    """Return [3, 4] the weights of deals in which each of three ranges is one of k best hands."""
    is_best = np.array(ORDERS) == 0
    num_best = is_best.sum(axis=1)
    shared = np.zeros((3, 4))
    for order, weight in enumerate(range_orders(counts, ranges)):
        shared[is_best[order], num_best[order]] += weight
    return shared
