"""The 24 ways to rename the suits, and what they do to combos and ranges.

Renaming suits does not change a result, so it is enough to work on one of many equivalent cases.
"""

from functools import lru_cache
from itertools import permutations

import numpy as np
import numpy.typing as npt

from untilt.cards.card import NUM_RANKS, NUM_SUITS, card_of, rank_of, suit_of
from untilt.cards.combos import COMBO_CARDS, COMBO_OF_CARDS, Combos
from untilt.numeric.arrays import Floats

RENAMINGS: tuple[tuple[int, ...], ...] = tuple(permutations(range(NUM_SUITS)))
"""Suit s becomes RENAMINGS[number][s]; number 0 changes nothing."""

_LANE_BITS = 16
_LANE = (1 << NUM_RANKS) - 1


@lru_cache(maxsize=1)
def renamed_combos() -> Combos:
    """Return [24, 1326] the combo that each combo becomes under each renaming."""
    card_under = np.zeros((len(RENAMINGS), 64), dtype=np.uint8)
    for number, renaming in enumerate(RENAMINGS):
        for card in np.unique(COMBO_CARDS).tolist():
            card_under[number, card] = card_of(rank_of(card), renaming[suit_of(card)])
    combos: Combos = COMBO_OF_CARDS[
        card_under[:, COMBO_CARDS[:, 0]], card_under[:, COMBO_CARDS[:, 1]]
    ]
    combos.setflags(write=False)
    return combos


def renamed_set(card_set: int, renaming: tuple[int, ...]) -> int:
    """Return a set of cards, a mask, after renaming its suits."""
    renamed = 0
    for suit, new_suit in enumerate(renaming):
        renamed |= (card_set >> _LANE_BITS * suit & _LANE) << _LANE_BITS * new_suit
    return renamed


def symmetries(card_sets: list[int], ranges: list[Floats]) -> npt.NDArray[np.int64]:
    """Return the numbers of the renamings that change none of the card sets and ranges.

    A range is an array of weights [1326]. Number 0 is always included, and they form a group.
    """
    combos = renamed_combos()
    return np.array(
        [
            number
            for number, renaming in enumerate(RENAMINGS)
            if all(renamed_set(card_set, renaming) == card_set for card_set in card_sets)
            and all(np.array_equal(weights[combos[number]], weights) for weights in ranges)
        ]
    )
