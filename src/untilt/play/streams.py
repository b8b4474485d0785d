"""Random numbers of a hand: one stream each for the cards, for each player and for suits.

A stream is counter-based (Philox), keyed by seed, hand number and role. So a hand does not depend
on other hands, its cards do not depend on how it is played, and the players' random numbers do not
depend on each other.
"""

from enum import IntEnum

import numpy as np

from untilt.errors import InvalidOption

MAX_SEED = 2**64 - 1
MAX_HAND = 2**61 - 1
"""The key contains four times the number of the hand."""


class Role(IntEnum):
    """Who uses the random numbers; player p has `Role.PLAYER_0 + p`."""

    CHANCE = 0
    PLAYER_0 = 1
    PLAYER_1 = 2
    FACES = 3


def hand_stream(seed: int, hand: int, role: int) -> np.random.Generator:
    """Return the stream of `role` in hand number `hand`, at least 0."""
    # An array, because NumPy would convert a list of such large numbers through floats.
    key = np.array([seed, 4 * hand + role], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


def verify_numbers(seed: object, hand: object = 0) -> None:
    """Raise InvalidOption unless seed and hand number are in range."""
    for name, given, most in (("seed", seed, MAX_SEED), ("hand", hand, MAX_HAND)):
        if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= most:
            raise InvalidOption(
                f"the {name} is {str(given)[:40]!r}; it must be an integer from 0 to {most}"
            )
