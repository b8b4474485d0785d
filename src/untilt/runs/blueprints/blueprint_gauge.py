"""How much local best response wins from a strategy that is still being learnt.

The variants are those of `untilt blueprint lbr`, on the same deals each time: what changes from one
measurement to the next is the strategy, not the luck of the cards.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.exploitation.tree_response import TreeResponse
from untilt.formats.kinds.blueprint_file import joined, quantised
from untilt.numeric.chosen_variant import Half, chosen_variant
from untilt.numeric.chunks import in_chunks
from untilt.solvers.blueprint.trainer import Reading

_CHUNK = 64
"""How many deals a thread plays at a time."""


class ResponseGauge:
    """Measures average strategies by `num_deals` deals, each played in both seats."""

    def __init__(
        self, form: BettingForm, cards: CardAbstraction, num_deals: int, threads: int = 1
    ) -> None:
        self._form = form
        self._cards = cards
        self._num_deals = num_deals
        self._threads = threads

    def __call__(self, averages: Iterable[npt.NDArray[np.float32]]) -> Reading:
        """Return what the best variant wins, chosen and measured on different halves of the deals.

        It is in thousandths of a big blind per hand.
        """
        tree = self._form.tree
        response = TreeResponse(tree, self._cards, joined(quantised(tree, averages)))
        allowed = response.usual()

        def play(chunk: int) -> npt.NDArray[np.float64]:
            begin = chunk * _CHUNK
            return response.gains(begin, min(_CHUNK, self._num_deals - begin), allowed)

        gains = in_chunks(play, -(-self._num_deals // _CHUNK), self._threads, None)
        won = np.concatenate(gains).mean(axis=2)
        best = chosen_variant(Half.of_gains(won[::2]), Half.of_gains(won[1::2]))
        scale = 1_000.0 / self._form.rules.blinds[1]
        return Reading(scale * best.mean, best.interval and scale * best.margin)
