"""Features of the board by which the buckets of a street can be divided further.

Equity against a random hand ignores what the board allows: a hand with 70 % on a board of four
hearts is played differently from one with 70 % where no flush is possible. Each feature has three
levels:

    suits       how near a flush is, by the most cards of one suit
                flop 1 / 2 / 3, turn 1 / 2 / 3 or more, river at most 2 / 3 / 4 or more
    pairs       all ranks differ / one pair / anything more
    straights   how near a straight is, by the most ranks within five neighbours, ace high or low
                flop 1 / 2 / 3, turn at most 2 / 3 / 4, river at most 2 / 3 / 4 or more

A *texture* is a combination of levels that occurs on some board of the street.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from untilt.abstraction.buckets.board_rows import Words, boards_of
from untilt.cards.card import NUM_RANKS, NUM_SUITS
from untilt.errors import UnknownName
from untilt.numeric.arrays import Offsets

FEATURES = ("suits", "pairs", "straights")
_LEVELS = 3
_LANE = np.uint64(0x1FFF)
_STRAIGHT = 5


class Textures(NamedTuple):
    """The textures of a street."""

    of_row: Offsets
    """[rows] the texture of each board, see `board_rows`"""
    names: list[str]
    """[textures] such as `suits 1, pairs 0`"""


def textures_of(size: int, features: Sequence[str]) -> Textures:
    """Return the textures of boards of `size` cards by these features."""
    masks = boards_of(size).masks
    code = np.zeros(len(masks), dtype=np.int64)
    for feature in features:
        if feature not in _LEVEL_OF:
            raise UnknownName.among("feature of the board", feature, FEATURES)
        code = code * _LEVELS + _LEVEL_OF[feature](masks, size)
    occurring, of_row = np.unique(code, return_inverse=True)
    names = []
    for number in occurring.tolist():
        levels = [number // _LEVELS**place % _LEVELS for place in range(len(features))][::-1]
        names.append(
            ", ".join(f"{name} {level}" for name, level in zip(features, levels, strict=True))
        )
    return Textures(of_row.astype(np.int64), names)


def _lanes(masks: Words) -> Words:
    """Return [4, boards] the ranks of every suit."""
    lanes: Words = np.array([masks >> np.uint64(16 * suit) & _LANE for suit in range(NUM_SUITS)])
    return lanes


def _suits(masks: Words, size: int) -> Offsets:
    most = np.bitwise_count(_lanes(masks)).max(axis=0).astype(np.int64)
    levels: Offsets = np.clip(most - (2 if size == 5 else 1), 0, _LEVELS - 1)
    return levels


def _pairs(masks: Words, size: int) -> Offsets:
    ranks = np.bitwise_count(np.bitwise_or.reduce(_lanes(masks))).astype(np.int64)
    levels: Offsets = np.minimum(size - ranks, _LEVELS - 1)
    return levels


def _straights(masks: Words, size: int) -> Offsets:
    ranks = np.bitwise_or.reduce(_lanes(masks))
    # The ace stands below the deuce as well.
    row = ranks << np.uint64(1) | ranks >> np.uint64(NUM_RANKS - 1)
    window = np.uint64((1 << _STRAIGHT) - 1)
    near = [
        np.bitwise_count(row >> np.uint64(low) & window) for low in range(NUM_RANKS + 2 - _STRAIGHT)
    ]
    most = np.max(near, axis=0).astype(np.int64)
    levels: Offsets = np.clip(most - (1 if size == 3 else 2), 0, _LEVELS - 1)
    return levels


_LEVEL_OF = {"suits": _suits, "pairs": _pairs, "straights": _straights}
