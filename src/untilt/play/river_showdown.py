"""What every hand wins at a showdown against weights of the opponent's hands, cards removed."""

from collections.abc import Sequence

import numpy as np

from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, NUM_COMBOS
from untilt.games.holdem.subgame import live_on
from untilt.numeric.arrays import Floats, Offsets

_NUM_SLOTS = 64
"""Cards are numbers below this."""


class RiverShowdown:
    """All 1,326 hands on a complete board, in the order of their strength."""

    def __init__(self, board: Sequence[int]) -> None:
        from untilt.cards.card import mask_of
        from untilt.cards.evaluator import evaluate

        combos = np.flatnonzero(live_on(board))
        # Rank 1 is the best hand, so ascending strength is descending rank.
        ranks = -evaluate(COMBO_MASKS[combos] | np.uint64(mask_of(tuple(board)))).astype(np.int64)
        order = np.argsort(ranks, kind="stable")
        self.combos = combos[order]
        self._cards = COMBO_CARDS[self.combos].astype(np.int64)
        ranks = ranks[order]
        self._less: Offsets = np.searchsorted(ranks, ranks, "left").astype(np.int64)
        self._not_more: Offsets = np.searchsorted(ranks, ranks, "right").astype(np.int64)

    def met(self, weights: Floats) -> Floats:
        """Return [1326] the weights of the hands that each hand does not exclude."""
        own = weights[self.combos]
        sums = np.zeros(_NUM_SLOTS)
        for column in (0, 1):
            np.add.at(sums, self._cards[:, column], own)
        found = np.zeros(NUM_COMBOS)
        # The hand itself is counted with both of its cards.
        found[self.combos] = own.sum() - sums[self._cards].sum(axis=1) + own
        return found

    def balance(self, weights: Floats) -> Floats:
        """Return [1326] the weights that each hand beats minus those that beat it."""
        own = weights[self.combos]
        count = len(own)
        running = np.zeros((count + 1, _NUM_SLOTS))
        rows = np.arange(1, count + 1)
        for column in (0, 1):
            running[rows, self._cards[:, column]] += own
        running = running.cumsum(axis=0)
        total = np.concatenate(([0.0], own.cumsum()))

        def beaten(counts: Offsets) -> Floats:
            """Return the weights of the first hands that do not exclude a hand."""
            excluded = running[counts, self._cards[:, 0]] + running[counts, self._cards[:, 1]]
            result: Floats = total[counts] - excluded
            return result

        # Among hands that are not weaker each is counted once itself: with both of its cards.
        weaker = beaten(self._less)
        not_stronger = beaten(self._not_more) + own
        everything = total[-1] - running[-1][self._cards].sum(axis=1) + own
        found = np.zeros(NUM_COMBOS)
        found[self.combos] = weaker + not_stronger - everything
        return found
