"""The 1,326 combos (two exact cards) and the 169 hand classes (AKs, QQ, 72o).

Combos are numbered in the order of `DECK`, by the lower card, then the higher:

    2c2d 0, 2c2h 1, 2c2s 2, 2c3c 3 … AhAs 1325

Classes have two orders. A class number is its place in the grid unless stated otherwise.

    grid          13 × 13, row by row, A first; pairs on the diagonal, suited above it and
                  offsuit below: AA 0, AKs 1 … A2s 12, AKo 13, KK 14 … 22 168
    pairs first   13 pairs 22 … AA, then 78 offsuit, then 78 suited, both by the lower and
                  then the higher rank, ascending: 22 0 … AA 12, 32o 13, 42o 14 … A2o 24, 43o 25
                  … AKo 90, 32s 91 … AKs 168; used in `regret.dat` of the push/fold learner
"""

from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.cards.card import (
    DECK,
    DECK_MASK,
    NUM_RANKS,
    RANKS,
    card_name,
    is_card,
    rank_of,
    suit_of,
)
from untilt.errors import CardError, UnknownName
from untilt.numeric.arrays import AnyArray, Bools, Floats

NUM_COMBOS = 1326
NUM_CLASSES = 169

CardArray: TypeAlias = npt.NDArray[np.uint8]
"""Cards as integers, see `card`; class numbers too."""

Combos: TypeAlias = npt.NDArray[np.int16]
"""Numbers of combos; −1 for none."""


COMBO_CARDS: CardArray = np.array(list(combinations(DECK, 2)), dtype=np.uint8)
"""[1326, 2] the cards of each combo, the lower in the order of `DECK` first."""

COMBO_MASKS: npt.NDArray[np.uint64] = np.bitwise_or.reduce(
    np.uint64(1) << COMBO_CARDS.astype(np.uint64), axis=1
)
"""[1326] each combo as a set of cards."""

COMBO_OF_CARDS: Combos = np.full((64, 64), -1, dtype=np.int16)
"""[card, card] the combo of two cards in either order; −1 if they are not a combo."""
COMBO_OF_CARDS[COMBO_CARDS[:, 0], COMBO_CARDS[:, 1]] = np.arange(NUM_COMBOS)
COMBO_OF_CARDS[COMBO_CARDS[:, 1], COMBO_CARDS[:, 0]] = np.arange(NUM_COMBOS)

COMBOS_WITH_CARD: Combos = np.array(
    [[COMBO_OF_CARDS[card, other] for other in DECK if other != card] for card in DECK],
    dtype=np.int16,
)
"""[52, 51] the combos that hold each card of `DECK`, ascending."""


def _grid_class(card: int, other: int) -> int:
    # Rows count from the ace. The row of a suited hand is its higher rank.
    low, high = sorted((NUM_RANKS - 1 - rank_of(card), NUM_RANKS - 1 - rank_of(other)))
    is_suited = suit_of(card) == suit_of(other)
    return low * NUM_RANKS + high if is_suited else high * NUM_RANKS + low


CLASS_OF_COMBO: CardArray = np.array(
    [_grid_class(card, other) for card, other in combinations(DECK, 2)], dtype=np.uint8
)
"""[1326] the class of each combo, numbered as in the grid."""

NUM_COMBOS_OF_CLASS: npt.NDArray[np.int64] = np.bincount(CLASS_OF_COMBO, minlength=NUM_CLASSES)
"""[169] 6 for pairs, 12 for offsuit, 4 for suited classes; numbered as in the grid."""

COMBOS_OF_CLASS: tuple[Combos, ...] = tuple(
    np.flatnonzero(hand_class == CLASS_OF_COMBO).astype(np.int16)
    for hand_class in range(NUM_CLASSES)
)
"""The combos of each class of the grid, ascending."""


def _class_name(hand_class: int) -> str:
    row, column = divmod(hand_class, NUM_RANKS)
    high, low = RANKS[-1 - min(row, column)], RANKS[-1 - max(row, column)]
    return high + low + ("" if row == column else "s" if row < column else "o")


CLASS_NAMES: tuple[str, ...] = tuple(_class_name(hand_class) for hand_class in range(NUM_CLASSES))
"""AA, AKs … 22, as in the grid."""

_CLASS_OF_NAME = {name: hand_class for hand_class, name in enumerate(CLASS_NAMES)}

_PAIRS_FIRST_NAMES = (
    *(rank * 2 for rank in RANKS),
    *(
        RANKS[high] + RANKS[low] + kind
        for kind in "os"
        for low in range(NUM_RANKS)
        for high in range(low + 1, NUM_RANKS)
    ),
)

GRID_OF_PAIRS_FIRST: npt.NDArray[np.int64] = np.array(
    [_CLASS_OF_NAME[name] for name in _PAIRS_FIRST_NAMES]
)
"""[169] the grid's number of each class in the order "pairs first".

`values[GRID_OF_PAIRS_FIRST]` reorders values from the grid to "pairs first".
"""

PAIRS_FIRST_OF_GRID: npt.NDArray[np.int64] = np.argsort(GRID_OF_PAIRS_FIRST)
"""[169] the inverse: the "pairs first" number of each class of the grid."""


def _freeze(*arrays: AnyArray) -> None:
    for array in arrays:
        array.setflags(write=False)


_freeze(COMBO_CARDS, COMBO_MASKS, COMBO_OF_CARDS, COMBOS_WITH_CARD)
_freeze(CLASS_OF_COMBO, NUM_COMBOS_OF_CLASS, GRID_OF_PAIRS_FIRST, PAIRS_FIRST_OF_GRID)
_freeze(*COMBOS_OF_CLASS)


def combo_index(card: int, other: int) -> int:
    """Return the number 0–1325 of the combo of two cards, in either order."""
    if not (is_card(card) and is_card(other)) or card == other:
        raise CardError(f"{card} and {other} are not a combo: give two different cards")
    return int(COMBO_OF_CARDS[card, other])


@lru_cache(maxsize=None, typed=True)
def combo_name(combo: int) -> str:
    """Return the name of a combo, the higher card first: `AsKh`, `2d2c`."""
    if not 0 <= combo < NUM_COMBOS:
        raise CardError(f"no combo has number {combo}: use 0 (2d2c) to {NUM_COMBOS - 1} (AsAh)")
    low, high = COMBO_CARDS[combo]
    return card_name(int(high)) + card_name(int(low))


def class_index(name: str) -> int:
    """Return the number in the grid of the class called `name`: `QQ`, `AKs`, `72o`."""
    if name not in _CLASS_OF_NAME:
        raise UnknownName.among("hand class", name, CLASS_NAMES)
    return _CLASS_OF_NAME[name]


def blocked_combos(card_set: int) -> Bools:
    """Return [1326] whether each combo holds a card of `card_set`, a mask."""
    if int(card_set) & ~DECK_MASK:
        raise CardError(f"mask {card_set:#x} has bits that are not cards: use 1 << card")
    is_blocked: Bools = (COMBO_MASKS & np.uint64(card_set)) != 0
    return is_blocked


def class_sums(values: Floats) -> Floats:
    """Return [169] the sums over the combos of each class."""
    sums: Floats = np.zeros(NUM_CLASSES)
    np.add.at(sums, CLASS_OF_COMBO, values)
    return sums


def class_means(combos: Combos, values: Floats, mass: Floats) -> Floats:
    """Return [169] means of numbers by combo, weighted by `mass`; nan for classes without any."""
    classes = CLASS_OF_COMBO[combos]
    total = np.bincount(classes, mass, minlength=NUM_CLASSES)
    sums = np.bincount(classes, mass * np.where(mass > 0.0, values, 0.0), minlength=NUM_CLASSES)
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Floats = sums / np.where(total > 0.0, total, np.nan)
    return means
