"""A slow twin of numbers of 16 bits: rounding as a choice between two neighbours.

Numbers are bfloat16, or float16 where `is_ieee` is true. Bits are integers below 2¹⁶.

Where the random bits come from is written out a second time, with plain integers.
"""

import math
import struct

_MASK = (1 << 64) - 1


def bits_of(number: float) -> int:
    """Return the 32 bits of a number, rounded to float32."""
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def wide(half: int, *, is_ieee: bool = False) -> float:
    """Return the number with these bits."""
    if is_ieee:
        return float(struct.unpack("<e", struct.pack("<H", half))[0])
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


def rounded(number: float, word: int, *, is_ieee: bool = False) -> int:
    """Return the bits of the neighbour away from zero if `word` is large enough, else the other."""
    (single,) = struct.unpack("<f", struct.pack("<f", number))
    # The exponent of the last of 11 or 8 bits, and the least there is.
    precision, least = (11, -24) if is_ieee else (8, -133)
    unit = math.ldexp(1.0, max(math.frexp(single)[1] - precision, least))
    steps = math.floor(abs(single) / unit)  # towards zero
    share = abs(single) / unit - steps
    # Of the word, as many bits count as the number loses.
    lost = 13 if is_ieee else 16
    steps += share > 0.0 and (word >> 16 - lost) / 2**lost >= 1.0 - share
    found = math.copysign(steps * unit, single)
    if is_ieee:
        return int(struct.unpack("<H", struct.pack("<e", found))[0])
    return bits_of(found) >> 16
