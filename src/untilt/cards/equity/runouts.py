"""The run-outs of a board: all ways to complete it to five cards, equivalent ones only once.

Renamings of suits that change neither the ranges nor the cards already seen turn a run-out into
another one with the same results. Of such run-outs only the smallest, as a number, is kept, with
the number of run-outs that it stands for. To get the result of a hand, sum over the kept run-outs
with their counts, and take the mean over all these renamings of the hand (`Runouts.spread`).
"""

from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import BOARD_SIZE, DECK
from untilt.cards.suits import RENAMINGS, renamed_combos, symmetries
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import allocates, inlined, kernel

Words = npt.NDArray[np.uint64]

_LANE = np.uint64(0x1FFF)


class Runouts(NamedTuple):
    """Complete boards, and what they stand for."""

    boards: Words
    """[N] sets of five cards"""
    counts: Offsets
    """[N] how many boards each stands for"""
    renamings: Offsets
    """Numbers of the renamings that change only the run-out."""

    def spread(self, sums: Floats) -> Floats:
        """Return sums per combo [1326, …] over all boards, from weighted sums over kept ones."""
        if len(self.renamings) == 1:
            return sums
        images = sums[renamed_combos()[self.renamings]]
        mean: Floats = images.sum(axis=0) / len(self.renamings)
        return mean


def runouts_of(board: int, dead: int, ranges: list[Floats]) -> Runouts:
    """Return the run-outs of `board`, a set of cards, that have no card of the set `dead`."""
    renamings = symmetries([board, dead], ranges)
    live = np.array([card for card in DECK if not (board | dead) >> card & 1], dtype=np.uint64)
    num_missing = BOARD_SIZE - board.bit_count()
    boards = np.empty(comb(len(live), num_missing), dtype=np.uint64)
    counts = np.empty(len(boards), dtype=np.int64)
    num_kept = _list_boards(
        np.uint64(board),
        np.uint64(1) << live,
        num_missing,
        np.array(RENAMINGS, dtype=np.uint64)[renamings] * np.uint64(16),
        boards,
        counts,
    )
    return Runouts(boards[:num_kept].copy(), counts[:num_kept].copy(), renamings)


@kernel
@allocates
def _list_boards(
    board: np.uint64,
    cards: Words,
    num_missing: int,
    new_shifts: Words,
    boards: Words,
    counts: Offsets,
) -> int:
    """Write each `board` with `num_missing` of `cards` that is the smallest of its images.

    `new_shifts` [renamings, 4] is where each suit's bits move. Returns how many were written.
    """
    num_kept = 0
    places = np.arange(num_missing)
    while True:
        whole = board
        for place in places:
            whole |= cards[place]
        num_same = 0
        is_least = True
        for renaming in range(len(new_shifts)):
            image = _renamed(whole, new_shifts, renaming)
            if image < whole:
                is_least = False
                break
            num_same += image == whole
        if is_least:
            boards[num_kept] = whole
            counts[num_kept] = len(new_shifts) // num_same
            num_kept += 1
        # The next combination, like an odometer with ascending digits.
        wheel = num_missing - 1
        while wheel >= 0 and places[wheel] == len(cards) - num_missing + wheel:
            wheel -= 1
        if wheel < 0:
            return num_kept
        places[wheel] += 1
        for later in range(wheel + 1, num_missing):
            places[later] = places[later - 1] + 1


@inlined
def _renamed(card_set: np.uint64, new_shifts: Words, renaming: int) -> np.uint64:
    image = np.uint64(0)
    for suit in range(4):
        lane = card_set >> np.uint64(16 * suit) & _LANE
        image |= lane << new_shifts[renaming, suit]
    return image
