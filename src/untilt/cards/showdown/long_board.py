"""Showdowns on complete boards of more than five cards, as in River of Blood."""

import numpy as np

from untilt.cards.card import cards_of
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, NUM_COMBOS
from untilt.cards.equity.outcomes import HandOutcomes
from untilt.cards.hand import rank_dealt_hand
from untilt.numeric.arrays import Floats, Offsets


def long_board_outcomes(board: int, ranges: tuple[Floats, Floats]) -> list[HandOutcomes]:
    """Return the outcomes of each range's hands against the other range, on a set of cards.

    `ranges` are weights [1326] without hands that the board blocks.
    """
    shown = cards_of(board)
    ranks = np.zeros(NUM_COMBOS, np.int64)
    for combo in np.flatnonzero((ranges[0] > 0) | (ranges[1] > 0)).tolist():
        ranks[combo] = rank_dealt_hand((*COMBO_CARDS[combo].tolist(), *shown))
    return [_against(ranks, own, other) for own, other in (ranges, ranges[::-1])]


def _against(ranks: Offsets, own: Floats, other: Floats) -> HandOutcomes:
    held, met = np.flatnonzero(own), np.flatnonzero(other)
    can_meet = COMBO_MASKS[held, np.newaxis] & COMBO_MASKS[met] == 0
    mine, theirs = ranks[held, np.newaxis], ranks[met]  # 1 is the best
    found = [np.zeros(NUM_COMBOS) for _ in range(3)]
    for values, counts in zip(found, (mine < theirs, mine == theirs, True), strict=True):
        values[held] = (can_meet & counts) @ other[met]
    return HandOutcomes(*found)
