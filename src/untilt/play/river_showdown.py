"""What every hand wins at a showdown against weighted hands of the opponent, with card removal."""

from collections.abc import Sequence

import numpy as np

from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, NUM_COMBOS
from untilt.games.holdem.subgame import live_on
from untilt.numeric.arrays import Floats, Offsets

_NUM_SLOTS = 64
"""Cards are numbers below this."""
_HAS_CARD = (COMBO_MASKS[:, np.newaxis] >> np.arange(_NUM_SLOTS, dtype=np.uint64) & 1).astype(
    np.float64
)
"""[1326, 64] whether a hand has a card."""


class RiverShowdown:
    """All 1,326 hands on a complete board, in the order of their strength."""

    def __init__(self, board: Sequence[int]) -> None:
        from untilt.cards.card import mask_of
        from untilt.cards.evaluator import evaluate

        self._is_live = live_on(board)
        combos = np.flatnonzero(self._is_live)
        # Rank 1 is the best hand, so ascending strength is descending rank.
        ranks = -evaluate(COMBO_MASKS[combos] | np.uint64(mask_of(tuple(board)))).astype(np.int64)
        order = np.argsort(ranks, kind="stable")
        self.combos = combos[order]
        self._cards = COMBO_CARDS[self.combos].astype(np.int64)
        ranks = ranks[order]
        self._less: Offsets = np.searchsorted(ranks, ranks, "left").astype(np.int64)
        self._not_more: Offsets = np.searchsorted(ranks, ranks, "right").astype(np.int64)

    def met(self, weights: Floats) -> Floats:
        """Return [..., 1326] the weights of the hands that each hand does not exclude."""
        return weights_met(weights * self._is_live) * self._is_live

    def balance(self, weights: Floats) -> Floats:
        """Return [1326] the weights that each hand beats minus those that beat it."""
        from untilt.cards.ordered_balance import ordered_balance

        found = np.zeros(NUM_COMBOS)
        own = weights[self.combos]
        found[self.combos] = ordered_balance(own, self._cards, self._less, self._not_more)
        return found


def weights_met(weights: Floats) -> Floats:
    """Return [..., 1326] the weights of the hands that share no card with each hand."""
    sums = weights @ _HAS_CARD
    first, second = (sums[..., COMBO_CARDS[:, column]] for column in (0, 1))
    # The hand itself is counted with both of its cards.
    met: Floats = weights.sum(axis=-1, keepdims=True) - first - second + weights
    return met
