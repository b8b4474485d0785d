"""Equities on boards of more than five cards, as in River of Blood.

A hand is the best five of all its cards. There are too many such boards for a table, so each hand
is compared with all its opponents when it is needed.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from untilt.abstraction.buckets.board_rows import list_live
from untilt.cards.evaluator.best_five import BestFiveTables, best_five_arrays
from untilt.cards.evaluator.evaluator import rank_of_long_mask
from untilt.numeric.kernel import kernel

_ONE = np.uint64(1)


def equity_on(hand: Sequence[int], board: Sequence[int]) -> float:
    """Return the equity, 0–1, of a hand against a random one on a board of at least three cards.

    No further cards are dealt: it is the share of the pot if the hand ended here.
    """
    shown, held = (np.uint64(sum(1 << card for card in cards)) for cards in (board, hand))
    return _equity(best_five_arrays(), shown, held, np.empty(64, dtype=np.uint8))


@kernel
def _equity(
    tables: BestFiveTables, board: np.uint64, hand: np.uint64, cards: npt.NDArray[np.uint8]
) -> float:
    own_rank = rank_of_long_mask(tables, board | hand)
    num_live = list_live(board | hand, cards)
    won = 0
    for high in range(num_live):
        mask = board | _ONE << np.uint64(cards[high])
        for low in range(high):
            rank = rank_of_long_mask(tables, mask | _ONE << np.uint64(cards[low]))
            won += int(rank > own_rank) + int(rank >= own_rank)
    return won / (num_live * (num_live - 1))
