"""A range: how likely a player is to hold each of the 1,326 combos.

`range_notation` describes the text that `Range.parse` reads and `str` writes.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from untilt.cards.card import NUM_RANKS, cards_name, cards_of
from untilt.cards.combos import (
    CLASS_OF_COMBO,
    COMBOS_OF_CLASS,
    NUM_CLASSES,
    NUM_COMBOS,
    NUM_COMBOS_OF_CLASS,
    blocked_combos,
    class_index,
    combo_name,
)
from untilt.cards.ranges.hand_order import TOP, best_classes
from untilt.cards.ranges.range_notation import format_weights, parse_weights
from untilt.errors import CardError
from untilt.numeric.arrays import Floats


class Range:
    """A weight from 0 to 1 for every combo; immutable."""

    def __init__(self, weights: npt.ArrayLike) -> None:
        """Copy `weights` [1326], real numbers from 0 to 1 in the order of `combos`."""
        given = np.asarray(weights)
        if given.shape != (NUM_COMBOS,) or given.dtype.kind not in "fiub":
            raise CardError(
                f"weights are an array of {given.dtype} with the shape {given.shape}: "
                f"give real numbers with the shape ({NUM_COMBOS},)"
            )
        # Adding 0.0 turns -0.0 into 0.0: the two are equal but would hash differently.
        own = given.astype(np.float64) + 0.0
        is_wrong = ~((own >= 0.0) & (own <= 1.0))
        if is_wrong.any():
            combo = int(is_wrong.argmax())
            raise CardError(
                f"the weight of {combo_name(combo)} is {own[combo]}: give weights from 0 to 1"
            )
        own.setflags(write=False)
        self._weights: Floats = own

    @classmethod
    def parse(cls, text: str) -> "Range":
        """Return the range written as `text`; see `range_notation`.

        Raises CardError, with the position of the character, if it is not a range.
        """
        return cls(parse_weights(text))

    @classmethod
    def from_classes(cls, weights: Mapping[str, float]) -> "Range":
        """Return the range that holds all combos of each named class with its weight."""
        by_combo = np.zeros(NUM_COMBOS)
        for name, weight in weights.items():
            by_combo[COMBOS_OF_CLASS[class_index(name)]] = weight
        return cls(by_combo)

    @classmethod
    def best(cls, percent: float, order: str = TOP) -> "Range":
        """Return the best `percent` of all combos, by equity (`top`) or by pushing (`push`).

        The last class has only part of its weight; see `hand_order`.
        """
        return cls(best_classes(order, percent)[CLASS_OF_COMBO])

    @property
    def weights(self) -> Floats:
        """[1326] the weight of each combo; read-only."""
        return self._weights

    @property
    def num_combos(self) -> float:
        """The sum of all weights."""
        return float(self._weights.sum())

    @property
    def percent(self) -> float:
        """The sum of all weights as a percentage of all combos."""
        return 100.0 * self.num_combos / NUM_COMBOS

    def class_weights(self) -> Floats:
        """Return [169] the mean weight of the combos of each class, in the order of the grid."""
        sums = np.bincount(CLASS_OF_COMBO, weights=self._weights, minlength=NUM_CLASSES)
        means: Floats = sums / NUM_COMBOS_OF_CLASS
        return means

    def to_grid(self) -> Floats:
        """Return [13, 13] the class weights; A first, suited above the diagonal."""
        return self.class_weights().reshape(NUM_RANKS, NUM_RANKS)

    def without(self, card_set: int) -> "Range":
        """Return the range without the combos that hold a card of `card_set`, a mask.

        Raises CardError if no combo remains.
        """
        left = Range(np.where(blocked_combos(card_set), 0.0, self._weights))
        if not left:
            text = str(self)
            raise CardError(
                f"no combo of the range {text if len(text) <= 40 else text[:39] + '…'} remains "
                f"without the cards {cards_name(cards_of(card_set)) or '(none)'}: give other hands"
            )
        return left

    def __or__(self, other: "Range") -> "Range":
        """Return the greater weight of every combo."""
        if not isinstance(other, Range):
            return NotImplemented
        return Range(np.maximum(self._weights, other._weights))

    def __and__(self, other: "Range") -> "Range":
        """Return the smaller weight of every combo."""
        if not isinstance(other, Range):
            return NotImplemented
        return Range(np.minimum(self._weights, other._weights))

    def __iter__(self) -> Iterator[tuple[int, float]]:
        """Yield every combo whose weight is not 0, ascending, with its weight."""
        for combo in np.flatnonzero(self._weights).tolist():
            yield combo, float(self._weights[combo])

    def __len__(self) -> int:
        """Return the number of combos with a weight above 0."""
        return int(np.count_nonzero(self._weights))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Range):
            return NotImplemented
        return np.array_equal(self._weights, other._weights)

    def __hash__(self) -> int:
        return hash(self._weights.tobytes())

    def __str__(self) -> str:
        return format_weights(self._weights)

    def __repr__(self) -> str:
        return f"Range.parse({str(self)!r})"
