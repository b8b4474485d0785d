"""Counter-based random streams: (seed, stream, counter) → numbers, with no hidden state.

Philox-4x32-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as
1, 2, 3"): the seed is the key, the stream and the counter are the two halves of the
block number. A worker that owns a stream draws the same numbers whatever the others do,
so a run is a function of its seed, not of its threads.
"""

import numpy as np

from untilt.numeric.kernel import kernel

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_DROP = np.uint64(11)
_UNIT = 2.0**-53


@kernel
def philox(seed: np.uint64, stream: np.uint64, counter: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the two 64-bit numbers of block `counter` of `stream` under `seed`."""
    key_0 = seed & _LOW
    key_1 = seed >> _HALF
    word_0 = counter & _LOW
    word_1 = counter >> _HALF
    word_2 = stream & _LOW
    word_3 = stream >> _HALF
    for _ in range(10):
        product_0 = _MULTIPLIER_0 * word_0
        product_1 = _MULTIPLIER_1 * word_2
        word_0 = (product_1 >> _HALF) ^ word_1 ^ key_0
        word_1 = product_1 & _LOW
        word_2 = (product_0 >> _HALF) ^ word_3 ^ key_1
        word_3 = product_0 & _LOW
        key_0 = (key_0 + _WEYL_0) & _LOW
        key_1 = (key_1 + _WEYL_1) & _LOW
    return word_0 | (word_1 << _HALF), word_2 | (word_3 << _HALF)


@kernel
def uniform(seed: np.uint64, stream: np.uint64, counter: np.uint64) -> float:
    """Return number `counter` of `stream` under `seed`, uniform in [0, 1) on a grid of 2⁻⁵³.

    Numbers 2k and 2k + 1 are the two halves of block k.
    """
    even, odd = philox(seed, stream, counter >> np.uint64(1))
    bits = odd if counter & np.uint64(1) else even
    return np.float64(bits >> _DROP) * _UNIT


class Stream:
    """One stream as an object: `random()` gives its numbers in order, from `counter` on.

    It serves wherever `random.Random` would; `counter` may be read and set, so that a
    checkpoint need only keep one number.
    """

    __slots__ = ("_seed", "_stream", "counter")

    def __init__(self, seed: int, stream: int = 0, counter: int = 0) -> None:
        self._seed = np.uint64(seed & 0xFFFF_FFFF_FFFF_FFFF)
        self._stream = np.uint64(stream & 0xFFFF_FFFF_FFFF_FFFF)
        self.counter = counter

    def random(self) -> float:
        """Return the next number, uniform in [0, 1)."""
        number = uniform(self._seed, self._stream, np.uint64(self.counter))
        self.counter += 1
        return number
