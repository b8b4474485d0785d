"""A slow twin of numbers of 16 bits: rounding as a choice between two neighbours.

Where the random bits come from is written out a second time, with plain integers.
"""

import math
import struct

_MASK = (1 << 64) - 1


def bits_of(number: float) -> int:
    """Return the 32 bits of a number, rounded to float32."""
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def wide(half: int) -> float:
    """Return the number with these upper 16 bits."""
    return float(struct.unpack("<f", struct.pack("<HH", 0, half))[0])


def split_mix(key: int) -> int:
    """Return the 64 bits of SplitMix64's finaliser."""
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & _MASK
    return key ^ (key >> 31)


def lane_word(key: int, lane: int, number: int) -> int:
    """Return the random word below 2¹⁶ of one of a lane's four numbers."""
    random = split_mix(key)
    word = (random + 0x9E3779B9 * (4 * lane + number + 1)) % 2**32
    word = (word ^ (word >> 16)) * 0x7FEB352D % 2**32
    return (word ^ (random >> 32)) >> 16


def rounded(number: float, word: int) -> int:
    """Return the half of the neighbour away from zero if `word` is large enough, else the other."""
    (single,) = struct.unpack("<f", struct.pack("<f", number))
    if single == 0.0:
        return bits_of(single) >> 16
    low = wide(bits_of(single) >> 16)  # towards zero
    exponent = max(math.frexp(single)[1] - 8, -133)  # of the last of 8 bits
    share = (abs(single) - abs(low)) / math.ldexp(1.0, exponent)
    if share > 0.0 and word / 2**16 >= 1.0 - share:
        return bits_of(math.copysign(abs(low) + math.ldexp(1.0, exponent), single)) >> 16
    return bits_of(low) >> 16
