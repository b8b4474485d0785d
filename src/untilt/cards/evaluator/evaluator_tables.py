"""The tables of the hand evaluator: a displaced perfect hash over sums of rank keys.

**Without a flush** a hand is a multiset of ranks. Each rank has a key such that all sums of up
to seven keys with the same number of cards differ (at most four cards of a rank), so the sum
identifies the multiset: 49,205 of them for seven cards. The low 13 bits of a sum choose a row,
the others a column, and `ranks[offsets[row] + column]` is the answer. Rows are shifted until they
do not collide; they may overlap where they agree.

**With a flush** (five or more cards of a suit, which in seven cards exclude quads and full
houses) the ranks of that suit, 13 bits, are the index into `flush_ranks`.

The tables for seven cards use 112 KB, and 16 KB for flushes; those for six and five are smaller.
`python -m untilt.cards.evaluator.build_evaluator` makes `data/evaluator.bin`:

    8 bytes   `untiltev`
    16 bytes  BLAKE2b of everything that follows
    7 × 4     length of every array as uint32
    arrays    flush ranks, then offsets and ranks for 5, 6 and 7 cards, all uint16

Numbers are little-endian.
"""

import struct
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import DECK, NUM_RANKS, rank_of, suit_of
from untilt.cards.data_file import read_data, sealed, unsealed
from untilt.errors import CardError

RANK_KEYS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)
"""Key of every rank, deuce to ace: each the smallest that keeps sums of seven distinct."""

ROW_BITS = np.uint32(13)
ROW_MASK = np.uint32((1 << 13) - 1)

START_KEY = np.uint64(0x3333 << 48)
"""Key of no cards. Suits are counted in four bits each, starting at three, so the fifth card of a
suit sets the highest of the four bits."""

FLUSH_BITS = np.uint64(0x8888 << 48)
"""Bits of a key that are set if a suit has five or more cards."""

NO_CARD_BITS = np.uint64(0xFFFF << 32)
"""Bits of a key that are set if something in the sum was not a card."""

SUIT_FLUSH_BIT = np.uint32(1 << 31)
"""Bit of the sum of four suit keys that is set if a suit has five or more cards."""

SUIT_COUNT_SHIFT = np.uint32(24)
SUIT_SUM_MASK = np.uint32((1 << 24) - 1)

HAND_SIZES = (5, 6, 7)

MAGIC = b"untiltev"
_LENGTHS = struct.Struct("<7I")


class EvaluatorTables(NamedTuple):
    """The tables with which kernels rank hands of one size.

    The key of a set of cards is `START_KEY` + Σ `card_keys[card]`. Its bits 0–31 hold the sum
    of rank keys, bits 32–47 are 0 unless something was not a card, and bits 48–63 hold the number
    of cards of every suit.
    """

    card_keys: npt.NDArray[np.uint64]
    """[256] what a card adds to a key; cards are below 64."""
    suit_keys: npt.NDArray[np.uint32]
    """[8192] for a set of ranks of one suit: the sum of rank keys in bits 0–23, the number of
    ranks in bits 24–29, and bit 31 for five or more ranks. The sum of four is a set of cards."""
    flush_ranks: npt.NDArray[np.uint16]
    """[8192] rank of the best flush in a set of ranks of one suit; 0 for fewer than five ranks."""
    offsets: npt.NDArray[np.uint16]
    """[8192] where each row of the hash begins in `ranks`."""
    ranks: npt.NDArray[np.uint16]
    """Ranks of hands without a flush, padded so that no sum of seven keys reads beyond them."""


@lru_cache(maxsize=3)
def load_tables(num_cards: int = 7) -> EvaluatorTables:
    """Return the tables for hands of 5, 6 or 7 cards.

    Raises FormatError if the data file of the package is damaged.
    """
    if num_cards not in HAND_SIZES:
        raise CardError(f"a hand of {num_cards} cards cannot be ranked: use 5, 6 or 7 cards")
    arrays = _read_arrays()
    position = 1 + 2 * HAND_SIZES.index(num_cards)
    return EvaluatorTables(
        card_keys=_card_keys(),
        suit_keys=_suit_keys(),
        flush_ranks=arrays[0],
        offsets=arrays[position],
        ranks=arrays[position + 1],
    )


def pack_arrays(arrays: list[npt.NDArray[np.uint16]]) -> bytes:
    """Return the content of the data file for its seven arrays."""
    lengths = _LENGTHS.pack(*(len(array) for array in arrays))
    content = lengths + b"".join(array.astype("<u2").tobytes() for array in arrays)
    return sealed(MAGIC, content)


def unpack_arrays(data: bytes) -> list[npt.NDArray[np.uint16]]:
    """Return the seven arrays of the data file.

    Raises FormatError if a byte was changed or is missing.
    """
    content = unsealed(MAGIC, data, "the hand evaluator's data file")
    numbers = np.frombuffer(content, dtype="<u2", offset=_LENGTHS.size).astype(np.uint16)
    ends = np.cumsum(_LENGTHS.unpack_from(content))
    return np.split(numbers, ends[:-1])


@lru_cache(maxsize=1)
def _read_arrays() -> list[npt.NDArray[np.uint16]]:
    return unpack_arrays(read_data("evaluator.bin"))


@lru_cache(maxsize=1)
def _card_keys() -> npt.NDArray[np.uint64]:
    keys = np.full(256, 1 << 32, dtype=np.uint64)
    for card in DECK:
        keys[card] = RANK_KEYS[rank_of(card)] + (1 << (48 + 4 * suit_of(card)))
    return keys


@lru_cache(maxsize=1)
def _suit_keys() -> npt.NDArray[np.uint32]:
    sets = np.arange(1 << NUM_RANKS, dtype=np.uint32)
    keys = np.zeros(len(sets), dtype=np.uint32)
    for rank, rank_key in enumerate(RANK_KEYS):
        keys += (sets >> rank & 1) * np.uint32(rank_key + (1 << int(SUIT_COUNT_SHIFT)))
    keys[keys >> SUIT_COUNT_SHIFT >= 5] |= SUIT_FLUSH_BIT
    return keys
