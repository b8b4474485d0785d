"""The balance of all pairs of hands over several complete boards."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from untilt.cards.card import mask_of
from untilt.cards.combos import COMBO_MASKS, NUM_COMBOS
from untilt.cards.evaluator.evaluator import evaluate
from untilt.numeric.kernel import kernel

_WORST = 9_000
"""Greater than all ranks."""

_Ranks = npt.NDArray[np.int16]
_Singles = npt.NDArray[np.float32]


def pair_balance(boards: Sequence[tuple[int, ...]]) -> npt.NDArray[np.float32]:
    """Return [1326, 1326] the share of boards that the row wins minus that of the column.

    For each pair, only boards that block neither hand count. Pairs that share a card are not left
    out.
    """
    balance = np.zeros((NUM_COMBOS, NUM_COMBOS), np.int16)
    lives = np.zeros((len(boards), NUM_COMBOS), np.float32)
    for number, board in enumerate(boards):
        mask = np.uint64(mask_of(board))
        live = COMBO_MASKS & mask == 0
        lives[number] = live
        ranks = evaluate(COMBO_MASKS[live] | mask).astype(np.int16)
        # Rank 1 is the best. Nobody wins or loses against a hand that is not live.
        to_win, to_lose = np.zeros((2, NUM_COMBOS), np.int16)
        to_lose += _WORST
        to_win[live] = to_lose[live] = ranks
        _compare(to_win, to_lose, balance)
    counts = lives.T @ lives
    shares: npt.NDArray[np.float32] = np.zeros_like(counts)
    np.divide(balance, counts, out=shares, where=counts > 0)
    return shares


def add_balanced(paid: _Singles, ranks: _Ranks, total: _Singles) -> None:
    """Add to `total` what pairs pay on one board where the row wins; subtract where it loses.

    Rank 1 is the best, and 0 a hand that cannot be held.
    """
    _add(paid, ranks, np.where(ranks > 0, ranks, _WORST).astype(np.int16), total)


@kernel
def _add(paid: _Singles, to_win: _Ranks, to_lose: _Ranks, total: _Singles) -> None:
    for row in range(len(total)):
        own = to_win[row]
        if own == 0:
            continue
        for column in range(len(to_win)):
            sign = np.float32(own < to_win[column]) - np.float32(own > to_lose[column])
            total[row, column] += sign * paid[row, column]


@kernel
def _compare(to_win: _Ranks, to_lose: _Ranks, balance: npt.NDArray[np.int16]) -> None:
    """Add 1 where the row's hand beats the column's, −1 where it loses."""
    for row in range(len(balance)):
        own = to_win[row]
        if own == 0:
            continue
        line = balance[row]
        for column in range(len(line)):
            line[column] += np.int16(own < to_win[column]) - np.int16(own > to_lose[column])
