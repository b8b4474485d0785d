"""Board rows: the shape of every table of hands on boards.

    row      the number of a board of 3, 4 or 5 cards up to renaming suits, that of
             `Isomorphism((3,))`, `((4,))` and `((5,))`: 1,755, 16,432 and 134,459 rows
    column   the number of a pair of the live cards: 1,176, 1,128 and 1,081 columns

One canonicalisation of the board serves all hands on it. `canonical` returns the row of a board
and how its suits are renamed; live cards are then counted in the order of their integers, from 0,
and the pair of places a < b is column b (b − 1) / 2 + a. If suits can be exchanged on the board,
several columns hold equivalent hands: the river has 18 % more entries than classes of hands.
"""

from functools import lru_cache
from itertools import groupby
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.abstraction.buckets.recipe import FLOP, RIVER, TURN
from untilt.cards.card import DECK_MASK, NUM_CARDS, NUM_RANKS, NUM_SUITS
from untilt.cards.isomorphism import Isomorphism, multiset_part
from untilt.numeric.arrays import Offsets
from untilt.numeric.bits import popcount
from untilt.numeric.kernel import inlined, kernel

Words = npt.NDArray[np.uint64]

NUM_ROWS = {FLOP: 1_755, TURN: 16_432, RIVER: 134_459}
NUM_COLUMNS = {size: comb(NUM_CARDS - size, 2) for size in NUM_ROWS}

UNCHANGED = 0b11100100
"""The renaming that changes no suit."""

_DIGIT = RIVER + 1
_INDEX_BITS = 11
"""Five ranks of a suit have 1,287 indices."""
_DECK = np.uint64(DECK_MASK)
_LANE = np.uint64(0x1FFF)
_ONE = np.uint64(1)
_SHIFTS = (np.uint64(16), np.uint64(32), np.uint64(48))


class RowTables(NamedTuple):
    """The numbering of boards; L layouts, see `isomorphism`."""

    suit_keys: npt.NDArray[np.int32]
    """[8192] for a set of ranks of one suit: how many, above its index among sets of that size."""
    layouts: npt.NDArray[np.int32]
    """[1296] the layout for the descending numbers of cards per suit, as digits of base 6."""
    parts: Offsets
    """[L, 9] the first row of a layout; for each suit, how many of equal size follow, itself
    included; and the place value of their multiset."""


@lru_cache(maxsize=1)
def row_tables() -> RowTables:
    """Return the tables for boards of 3, 4 and 5 cards."""
    index_of_size = [0] * (NUM_RANKS + 1)
    suit_keys = np.zeros(1 << NUM_RANKS, dtype=np.int32)
    for ranks in range(1 << NUM_RANKS):
        size = ranks.bit_count()
        # No board has more ranks of a suit, so the entries of such sets do not matter.
        suit_keys[ranks] = size << _INDEX_BITS | min(index_of_size[size], (1 << _INDEX_BITS) - 1)
        index_of_size[size] += 1
    layouts = np.zeros(_DIGIT**NUM_SUITS, dtype=np.int32)
    parts: list[list[int]] = []
    for size in NUM_ROWS:
        numbering = Isomorphism((size,))
        for sizes in _partitions(size, NUM_SUITS, size):
            # The lowest ranks of every suit have the index 0, so all that is left is the offset.
            cards = [rank | suit << 4 for suit in range(NUM_SUITS) for rank in range(sizes[suit])]
            first = int(numbering.index_hands(np.array([cards], dtype=np.uint8))[0])
            places, radices, radix = list[int](), list[int](), 1
            for num_cards, equal in groupby(sizes):
                count = len(list(equal))
                places.extend(range(count, 0, -1))
                radices.extend([radix] * count)
                radix *= comb(comb(NUM_RANKS, num_cards) + count - 1, count)
            number = sum(cards * _DIGIT**place for place, cards in enumerate(reversed(sizes)))
            layouts[number] = len(parts)
            parts.append([first, *places, *radices])
    return RowTables(suit_keys, layouts, np.array(parts, dtype=np.int64))


def _partitions(total: int, num_parts: int, most: int) -> list[tuple[int, ...]]:
    """Return the descending lists of `num_parts` numbers up to `most` that sum to `total`."""
    if num_parts == 0:
        return [()] if total == 0 else []
    return [
        (part, *rest)
        for part in range(min(total, most), -1, -1)
        for rest in _partitions(total - part, num_parts - 1, part)
    ]


@lru_cache(maxsize=3)
def places_of_columns(size: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return [columns] the lower and the higher place of every column; not to be changed."""
    num_live = NUM_CARDS - size
    pairs = [(low, high) for high in range(num_live) for low in range(high)]
    low, high = np.array(pairs, dtype=np.uint8).T.copy()
    return low, high


class CanonicalBoards(NamedTuple):
    """The canonical boards of one size, by row."""

    masks: Words
    """[rows] as sets of cards"""
    counts: Offsets
    """[rows] how many boards each stands for: 4, 6, 12 or 24, or 1 for a rank of all suits."""


@lru_cache(maxsize=3)
def boards_of(size: int) -> CanonicalBoards:
    """Return all boards of 3, 4 or 5 cards up to renaming suits."""
    numbering = Isomorphism((size,))
    rows = np.arange(numbering.size)
    cards = numbering.hands_at(rows).astype(np.uint64)
    return CanonicalBoards(
        np.bitwise_or.reduce(_ONE << cards, axis=1), numbering.num_hands_at(rows)
    )


@inlined
def canonical(tables: RowTables, board: np.uint64) -> tuple[int, int]:
    """Return the row of a board of 3 to 5 cards and its renaming: 2 bits for each suit.

    Suits that are equal on the board keep their order.
    """
    keys = tables.suit_keys
    a = int(keys[board & _LANE]) << 2
    b = int(keys[board >> _SHIFTS[0] & _LANE]) << 2 | 1
    c = int(keys[board >> _SHIFTS[1] & _LANE]) << 2 | 2
    d = int(keys[board >> _SHIFTS[2] & _LANE]) << 2 | 3
    # A sorting network, descending.
    a, b = max(a, b), min(a, b)
    c, d = max(c, d), min(c, d)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    renaming = 3 << 2 * (a & 3) | 2 << 2 * (b & 3) | 1 << 2 * (c & 3)
    top = _INDEX_BITS + 2
    sizes = (((a >> top) * _DIGIT + (b >> top)) * _DIGIT + (c >> top)) * _DIGIT + (d >> top)
    part = tables.parts[tables.layouts[sizes]]
    low = (1 << _INDEX_BITS) - 1
    row = int(part[0])
    row += multiset_part(a >> 2 & low, part[1]) * part[5]
    row += multiset_part(b >> 2 & low, part[2]) * part[6]
    row += multiset_part(c >> 2 & low, part[3]) * part[7]
    row += (d >> 2 & low) * part[8]
    return row, renaming


@inlined
def renamed_board(board: np.uint64, renaming: int) -> np.uint64:
    """Return a set of cards after renaming its suits."""
    whole = np.uint64(0)
    for suit in range(4):
        lane = board >> np.uint64(16 * suit) & _LANE
        whole |= lane << np.uint64(16 * (renaming >> 2 * suit & 3))
    return whole


@inlined
def live_place(card: int, renaming: int, renamed: np.uint64) -> int:
    """Return the place of a card among those that are not on the `renamed` board."""
    new_card = (card & 15) | (renaming >> 2 * (card >> 4) & 3) << 4
    below = (_ONE << np.uint64(new_card)) - _ONE
    return int(popcount(_DECK & ~renamed & below))


@inlined
def column_of(place: int, other: int) -> int:
    """Return the column of two different places, in either order."""
    high = max(place, other)
    return high * (high - 1) // 2 + min(place, other)


@kernel
def locate(
    tables: RowTables,
    boards: Words,
    hands: npt.NDArray[np.uint8],
    rows: Offsets,
    columns: Offsets,
) -> None:
    """Write the row and column of every board [N] with its hand [N, 2]."""
    for number in range(len(boards)):
        row, renaming = canonical(tables, boards[number])
        renamed = renamed_board(boards[number], renaming)
        rows[number] = row
        columns[number] = column_of(
            live_place(int(hands[number, 0]), renaming, renamed),
            live_place(int(hands[number, 1]), renaming, renamed),
        )


@inlined
def list_live(board: np.uint64, cards: npt.NDArray[np.uint8]) -> int:
    """Write the cards that are not in `board` in the order of their integers; return how many."""
    count = 0
    for card in range(64):
        if (_DECK & ~board) >> np.uint64(card) & _ONE:
            cards[count] = card
            count += 1
    return count
