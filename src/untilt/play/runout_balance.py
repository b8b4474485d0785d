"""How all pairs of hands compare on an incomplete board, over the cards still to come.

It answers the same questions as `river_showdown` on earlier streets, over all cards that can come:
before the flop from the table of match-ups, on the flop over run-outs that are drawn.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from untilt.cards.card import DECK
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_MASKS
from untilt.game.protocol import Uniforms
from untilt.numeric.arrays import Floats
from untilt.play.river_showdown import weights_met

NUM_DRAWN = 64
"""How many run-outs of a flop are drawn."""

_FLOP_CARDS = 3
_Pairs = npt.NDArray[np.float32]


class RunoutBalance:
    """What hands win from one another on average over run-outs, with card removal."""

    def __init__(self, pairs: _Pairs) -> None:
        """`pairs` [1326, 1326] says how much more often the row wins than the column."""
        self._pairs = pairs

    def met(self, weights: Floats) -> Floats:
        """Return [..., 1326] the weights of the hands that each hand does not exclude."""
        return weights_met(weights)

    def balance(self, weights: Floats) -> Floats:
        """Return [..., 1326] the weights that each hand beats minus those that beat it."""
        # What the row wins, the column loses.
        lost: Floats = (weights.astype(np.float32) @ self._pairs).astype(np.float64)
        return -lost


def balance_on(board: Sequence[int], deck: Sequence[int], rng: Uniforms) -> RunoutBalance:
    """Return the balance on a board of no, three or four cards of `deck`.

    On a flop of a large deck some of the run-outs are drawn.
    """
    if not board and len(deck) == len(DECK):
        return RunoutBalance(_preflop_pairs())
    from untilt.cards.pair_balance import pair_balance

    left = [card for card in deck if card not in board]
    dealt = list(combinations(left, 5 - len(board)))
    if len(board) == _FLOP_CARDS and len(dealt) > NUM_DRAWN:
        keys = [rng.random() for _ in dealt]
        dealt = [cards for _, cards in sorted(zip(keys, dealt, strict=True))[:NUM_DRAWN]]
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
