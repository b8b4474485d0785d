"""The best five of any number of cards, for hands too large to have tables.

Eight cards or more may hold a flush and a full house or quads at the same time, or two flushes.
The ranks that occur at least once, twice, three and four times are sets of 13 bits. The best five
cards follow from the highest members of these sets, and the tables of five cards rank them. Ranks
without a pair are looked up as if they were a flush: straights and high cards rank in the same
order as straight flushes and flushes.

`rank_of_suits` is plain Python, for single hands. Kernels compile the same function.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.cards.card import NUM_HAND_RANKS, NUM_RANKS
from untilt.cards.evaluator.evaluator_tables import RANK_KEYS, ROW_BITS, ROW_MASK, load_tables

SUIT_BITS = (1 << NUM_RANKS) - 1
"""The ranks of one suit, the lowest 13 bits."""

_ROW_BITS, _ROW_MASK = int(ROW_BITS), int(ROW_MASK)
_LAST_STRAIGHT_FLUSH = 10
_STRAIGHT_AFTER_STRAIGHT_FLUSH = 1600 - 1
_HIGH_CARD_AFTER_FLUSH = 6186 - 323

Numbers: TypeAlias = Sequence[int] | npt.NDArray[np.uint16] | npt.NDArray[np.int64]


class BestFiveTables(NamedTuple):
    """The tables that `rank_of_suits` reads: lists for Python, arrays for kernels."""

    flush_ranks: Numbers
    """[8192] rank of the best flush in a set of ranks of one suit; 0 for fewer than five."""
    highest: Numbers
    """[8192] the highest rank of a set; 0 for the empty set."""
    keys: Numbers
    """[13] what a card of each rank adds to the key of five cards."""
    offsets: Numbers
    """[8192] of five cards, see `EvaluatorTables`."""
    ranks: Numbers
    """Of five cards, see `EvaluatorTables`."""


@lru_cache(maxsize=1)
def best_five_arrays() -> BestFiveTables:
    """Return the tables for kernels."""
    five = load_tables(5)
    sets = np.arange(SUIT_BITS + 1)
    highest = np.maximum(np.frexp(sets)[1] - 1, 0).astype(np.int64)
    keys = np.array(RANK_KEYS, dtype=np.int64)
    return BestFiveTables(five.flush_ranks, highest, keys, five.offsets, five.ranks)


@lru_cache(maxsize=1)
def best_five_lists() -> BestFiveTables:
    """Return the tables for Python, which reads lists faster than arrays."""
    return BestFiveTables(*(np.asarray(table).tolist() for table in best_five_arrays()))


def rank_of_suits(
    tables: BestFiveTables, clubs: int, diamonds: int, hearts: int, spades: int
) -> int:
    """Return the rank, 1 to 7462, of the best five of at least five cards.

    Each suit is a set of ranks, 13 bits.
    """
    either, both = clubs | diamonds, clubs & diamonds
    once = either | hearts
    twice = both | (either & hearts) | (once & spades)
    thrice = (both & hearts) | ((both | (either & hearts)) & spades)
    once |= spades
    quads = both & hearts & spades
    key = -1
    if quads:
        first = tables.highest[quads]
        key = 4 * tables.keys[first] + tables.keys[tables.highest[once ^ (1 << first)]]
    elif thrice:
        first = tables.highest[thrice]
        pairs = twice ^ (1 << first)
        if pairs:
            key = 3 * tables.keys[first] + 2 * tables.keys[tables.highest[pairs]]
    flush = NUM_HAND_RANKS + 1
    for suit in (clubs, diamonds, hearts, spades):
        rank = int(tables.flush_ranks[suit])
        if 0 < rank < flush:
            flush = rank
    if key < 0:
        if flush <= NUM_HAND_RANKS:
            return flush
        same = int(tables.flush_ranks[once])
        if 0 < same <= _LAST_STRAIGHT_FLUSH:
            return same + _STRAIGHT_AFTER_STRAIGHT_FLUSH
        if not twice:
            return same + _HIGH_CARD_AFTER_FLUSH
        first = tables.highest[twice]
        left = once ^ (1 << first)
        pairs = twice ^ (1 << first)
        if thrice:
            second = tables.highest[left]
            third = tables.highest[left ^ (1 << second)]
            key = 3 * tables.keys[first] + tables.keys[second] + tables.keys[third]
        elif pairs:
            second = tables.highest[pairs]
            third = tables.highest[left ^ (1 << second)]
            key = 2 * (tables.keys[first] + tables.keys[second]) + tables.keys[third]
        else:
            key = 2 * tables.keys[first]
            for _ in range(3):
                second = tables.highest[left]
                left ^= 1 << second
                key += tables.keys[second]
    begin = int(tables.offsets[key & _ROW_MASK])
    return min(int(tables.ranks[begin + (key >> _ROW_BITS)]), flush)
