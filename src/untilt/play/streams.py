"""Random numbers of a hand: one stream each for the cards, for either player and for suits.

A stream is counter-based (Philox) and keyed by seed, number of the hand and role. So a hand
depends on no other hand, its cards not on how it is played, and nobody's luck on the other's.
"""

from enum import IntEnum

import numpy as np

from untilt.errors import InvalidOption

MAX_SEED = 2**64 - 1
MAX_HAND = 2**61 - 1
"""The key holds four times the number of the hand."""


class Role(IntEnum):
    """Whose random numbers they are; those of player p are `Role.PLAYER_0 + p`."""

    CHANCE = 0
    PLAYER_0 = 1
    PLAYER_1 = 2
    FACES = 3


def hand_stream(seed: int, hand: int, role: int) -> np.random.Generator:
    """Return the stream of `role` in hand number `hand`; both numbers count from 0."""
    # An array, because NumPy would round a list with such large numbers through floats.
    key = np.array([seed, 4 * hand + role], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


def verify_numbers(seed: object, hand: object = 0) -> None:
    """Raise InvalidOption unless seed and number of the hand have streams."""
    for name, given, most in (("seed", seed, MAX_SEED), ("hand", hand, MAX_HAND)):
        if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= most:
            raise InvalidOption(
                f"the {name} is {str(given)[:40]!r}; it must be a whole number from 0 to {most}"
            )
