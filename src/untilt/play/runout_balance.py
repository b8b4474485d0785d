"""How all pairs of hands stand on a board that is not complete, if the rest is dealt.

It answers the same questions as `river_showdown` on earlier streets: before the flop exactly, from
the table of match-ups; on the turn exactly, over all rivers; on the flop over run-outs that are
drawn.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import CLASS_OF_COMBO, COMBO_MASKS
from untilt.numeric.arrays import Floats

NUM_DRAWN = 100
"""Run-outs of a flop that are drawn."""

_Pairs = npt.NDArray[np.float32]


class RunoutBalance:
    """What hands win from one another on average over run-outs, cards removed."""

    def __init__(self, pairs: _Pairs) -> None:
        """`pairs` [1326, 1326] are how much more often the row wins than the column."""
        self._pairs = pairs

    def met(self, weights: Floats) -> Floats:
        """Return [1326] the weights of the hands that each hand does not exclude."""
        return (_disjoint() @ weights.astype(np.float32)).astype(np.float64)

    def balance(self, weights: Floats) -> Floats:
        """Return [1326] the weights that each hand beats minus those that beat it."""
        return (self._pairs @ weights.astype(np.float32)).astype(np.float64)


def balance_on(
    board: Sequence[int], deck: Sequence[int], rng: np.random.Generator
) -> RunoutBalance:
    """Return the balance on a board of no, three or four cards of `deck`."""
    if not board:
        return RunoutBalance(_preflop_pairs())
    left = [card for card in deck if card not in board]
    missing = 5 - len(board)
    dealt: Iterable[Sequence[int]] = [(card,) for card in left]
    if missing > 1:
        dealt = [rng.choice(left, missing, replace=False).tolist() for _ in range(NUM_DRAWN)]
    from untilt.cards.pair_balance import pair_balance

    pairs = pair_balance([(*board, *cards) for cards in dealt])
    return RunoutBalance(pairs * _disjoint())


@lru_cache(maxsize=1)
def _disjoint() -> _Pairs:
    """Return [1326, 1326] 1 where two hands do not share a card."""
    disjoint: _Pairs = (COMBO_MASKS[:, np.newaxis] & COMBO_MASKS == 0).astype(np.float32)
    return disjoint


@lru_cache(maxsize=1)
def _preflop_pairs() -> _Pairs:
    from untilt.cards.preflop_table import preflop_table, renaming_to_representative
    from untilt.cards.suits import renamed_combos

    table = preflop_table()
    # A class's representative meets the renamed combos.
    other = renamed_combos()[renaming_to_representative()].astype(np.int64)
    rows = CLASS_OF_COMBO.astype(np.int64)[:, np.newaxis]
    boards = table.boards[rows, other]
    won = 2.0 * table.wins[rows, other] + table.ties[rows, other] - boards
    pairs = np.divide(won, boards, out=np.zeros(boards.shape), where=boards > 0)
    return pairs.astype(np.float32)
