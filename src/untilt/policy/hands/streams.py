"""Random numbers of a hand: one stream each for the cards, for each player and for suits.

A stream is counter-based (Philox), keyed by seed, hand number and role. So a hand does not depend
on other hands, its cards do not depend on how it is played, and the players' random numbers do not
depend on each other.
"""

from enum import IntEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.errors import InvalidOption, shortened
from untilt.numeric.arrays import Floats

Words: TypeAlias = npt.NDArray[np.uint64]
Places: TypeAlias = npt.NDArray[np.int64]
"""Indices of nodes or of hands."""

MAX_SEED = 2**64 - 1
MAX_HAND = 2**61 - 1
"""The key contains four times the number of the hand."""

_WORD = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15
_UNIT = 2.0**-53


class Role(IntEnum):
    """The user of random numbers; for players beyond these two see `player_role`."""

    CHANCE = 0
    PLAYER_0 = 1
    PLAYER_1 = 2
    FACES = 3


_ROLES = 4
"""Roles for which a key has room; the others have streams of another family."""


def player_role(player: int) -> int:
    """Return the role of a player, counted from 0; further players come after all other roles."""
    return Role.PLAYER_0 + player if player < 2 else _ROLES + player - 2


def hand_stream(seed: int, hand: int, role: int) -> np.random.Generator:
    """Return the stream of `role` in hand number `hand`, at least 0."""
    family, role = divmod(role, _ROLES)
    # An array, because NumPy would convert a list of such large numbers through floats.
    key = np.array([seed, 4 * hand + role], dtype=np.uint64)
    counter = [0, 0, 0, family] if family else None
    return np.random.Generator(np.random.Philox(key=key, counter=counter))


class LightStream:
    """The stream of `role` in hand `hand` of a match; it is made in a microsecond.

    SplitMix64 (Steele, Lea & Flood 2014): number n is a mix of origin + n · constant, and the
    origins of streams are mixed from seed, hand and role in the same way. A match makes four
    streams for every few decisions, and a NumPy generator takes 10 µs to make.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int, hand: int, role: int) -> None:
        # Mixing the seed first keeps neighbouring seeds from sharing streams.
        origin = _mixed((seed + 1) * _GOLDEN & _WORD)
        if role >= _ROLES:
            family, role = divmod(role, _ROLES)
            origin = _mixed(origin + family & _WORD)
        self._state = _mixed(origin + (4 * hand + role + 1) * _GOLDEN & _WORD)

    def random(self) -> float:
        """Return the next number, uniform in [0, 1) on a grid of 2⁻⁵³."""
        self._state = state = self._state + _GOLDEN & _WORD
        return (_mixed(state) >> 11) * _UNIT


class LightStreams:
    """The streams of `role` in many hands at once; the numbers are those of `LightStream`."""

    def __init__(self, seed: int, hands: Words, role: int) -> None:
        family, role = divmod(role, _ROLES)
        first = _mixed((seed + 1) * _GOLDEN & _WORD)
        origin = np.uint64(_mixed(first + family & _WORD) if family else first)
        number = np.uint64(4) * hands + np.uint64(role + 1)
        self._state = _mixed_words(origin + number * np.uint64(_GOLDEN))

    def random(self, chosen: Places) -> Floats:
        """Return the next number of each of the `chosen` hands, given by their place."""
        self._state[chosen] += np.uint64(_GOLDEN)
        bits = _mixed_words(self._state[chosen]) >> np.uint64(11)
        uniforms: Floats = bits.astype(np.float64) * _UNIT
        return uniforms


def _mixed_words(bits: Words) -> Words:
    bits = (bits ^ bits >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ bits >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return bits ^ bits >> np.uint64(31)


def _mixed(bits: int) -> int:
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & _WORD
    return bits ^ bits >> 31


def verify_numbers(seed: object, hand: object = 0) -> None:
    """Raise InvalidOption unless seed and hand number are in range."""
    for name, given, most in (("seed", seed, MAX_SEED), ("hand", hand, MAX_HAND)):
        if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= most:
            text = given if isinstance(given, str) else shortened(given)
            raise InvalidOption(
                f"the {name} is {text[:40]!r}; it must be an integer from 0 to {most}"
            )
