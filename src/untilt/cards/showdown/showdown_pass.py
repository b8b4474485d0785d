"""The balance of hands on one complete board, in one pass over them by strength."""

import numpy as np
import numpy.typing as npt

from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import allocates, kernel

_NUM_SLOTS = 64
"""Cards are numbers below this."""

_Places = npt.NDArray[np.int64]


@kernel
@allocates
def ordered_balance(weights: Floats, cards: _Places, less: _Places, not_more: _Places) -> Floats:
    """Return [hands] the weights that each hand beats minus those that beat it, cards removed.

    Hands are in ascending order; `less` and `not_more` are where the ties of each begin and end.
    """
    count = len(weights)
    found = np.zeros(count)
    total, sums = 0.0, np.zeros(_NUM_SLOTS)
    begin = 0
    while begin < count:
        end = not_more[begin]
        for hand in range(begin, end):
            found[hand] = total - sums[cards[hand, 0]] - sums[cards[hand, 1]]
        for hand in range(begin, end):
            total += weights[hand]
            sums[cards[hand, 0]] += weights[hand]
            sums[cards[hand, 1]] += weights[hand]
        begin = end
    total, sums = 0.0, np.zeros(_NUM_SLOTS)
    end = count
    while end > 0:
        begin = less[end - 1]
        for hand in range(begin, end):
            found[hand] -= total - sums[cards[hand, 0]] - sums[cards[hand, 1]]
        for hand in range(begin, end):
            total += weights[hand]
            sums[cards[hand, 0]] += weights[hand]
            sums[cards[hand, 1]] += weights[hand]
        end = begin
    return found
