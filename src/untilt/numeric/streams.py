"""Counter-based random streams: (seed, stream, counter) → numbers, with no hidden state.

A seed is spread by a block of Philox-4x32-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel
random numbers: as easy as 1, 2, 3"). The numbers themselves come from SplitMix64 (Steele, Lea
& Flood 2014, "Fast splittable pseudorandom number generators"), which mixes origin + counter ·
constant; the origins of a seed's streams are the numbers of its first sequence. That takes a
tenth of the work of a Philox block, and has no state either. A worker that owns a stream draws
the same numbers whatever the others do, so a run depends on its seed, not on its threads.
"""

import numpy as np

from untilt.numeric.kernel import inlined, kernel

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_DROP = np.uint64(11)
_UNIT = 2.0**-53
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_0 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_1 = np.uint64(0x94D049BB133111EB)


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
def root_of(seed: np.uint64) -> np.uint64:
    """Return the beginning of the streams of `seed`."""
    root, _ = philox(seed, np.uint64(0), np.uint64(0))
    return root


@inlined
def split(origin: np.uint64, number: np.uint64) -> np.uint64:
    """Return the 64 bits of `number` after `origin`: a number, or the origin of a stream."""
    bits = origin + (number + np.uint64(1)) * _GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX_0
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_1
    return bits ^ (bits >> np.uint64(31))


@inlined
def draw(origin: np.uint64, counter: int | np.uint64) -> float:
    """Return number `counter` of the stream at `origin`, uniform in [0, 1) on a grid of 2⁻⁵³."""
    return np.float64(split(origin, np.uint64(counter)) >> _DROP) * _UNIT


@kernel
def uniform(seed: np.uint64, stream: np.uint64, counter: np.uint64) -> float:
    """Return number `counter` of `stream` under `seed`, uniform in [0, 1)."""
    return draw(split(root_of(seed), stream), counter)


class Stream:
    """One stream as an object: `random()` returns its numbers in order, starting at `counter`.

    It can replace `random.Random` where only `random()` is called; `counter` may be read and
    set, so a checkpoint needs to keep only one number.
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
