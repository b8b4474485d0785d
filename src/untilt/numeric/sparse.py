"""Arrays of numbers that are not negative: only those above 0 are kept, in 12 bits each.

Numbers come in groups of 64. A word has a bit for each number of a group, set if the number is
kept; kept numbers are stored one after another, two in three bytes. Each is a bfloat16 (see
`half_floats`): the bits of such numbers, as integers, are in the order of the numbers, and 12 bits
say how far one lies above the *base* of its group. This keeps all 8 bits of precision, for numbers
down to 2⁻³² of the largest one in the group. A smaller number becomes the base or 0 at random,
without bias.

Reading takes a test of one bit and a count of those below it. Writing takes a whole group: see
`pack_group`. `number_at` of `half_floats` and `gather16x4` of `vectors` read such arrays like any
other.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.numeric.arrays import Indices
from untilt.numeric.bits import popcount
from untilt.numeric.half_floats import Halves, add_number, wide
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.streams import draw

GROUP = 64
"""Numbers of a group."""
PAIR_BYTES = 3
"""Bytes of two numbers."""
STEPS = (1 << 12) - 1
"""The largest distance of a number above the base."""
_ONE = np.uint64(1)

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Singles = npt.NDArray[np.float32]


class Sparse(NamedTuple):
    """Numbers of which only those above 0 are kept; see the module."""

    marks: Words
    """[groups]: which numbers of a group are kept"""
    firsts: Indices
    """[groups]: where those of each group begin, in pairs"""
    bases: Halves
    """[groups]: what is added to the 12 bits of a number to give those of a bfloat16"""
    values: Bytes
    """Those that are kept, followed by at least one unused pair."""

    @property
    def num_kept(self) -> int:
        """Numbers that are kept."""
        return int(np.bitwise_count(self.marks).sum(dtype=np.int64))

    @property
    def num_values(self) -> int:
        """Bytes of `values` in use."""
        return num_values_of(self.marks)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self.marks.nbytes + self.firsts.nbytes + self.bases.nbytes + self.num_values


def empty(length: int) -> Sparse:
    """Return `length` zeros, a multiple of GROUP."""
    groups = length // GROUP
    return Sparse(
        np.zeros(groups, dtype=np.uint64),
        np.zeros(groups, dtype=np.uint32),
        np.zeros(groups, dtype=np.uint16),
        np.zeros(PAIR_BYTES, dtype=np.uint8),
    )


def most_bytes(length: int) -> int:
    """Return the most bytes that `length` numbers can take."""
    per_group = GROUP // 2 * PAIR_BYTES + 8 + 4 + 2
    return -(-length // GROUP) * per_group


def firsts_of(marks: Words) -> Indices:
    """Return the beginnings of the groups' numbers, in pairs."""
    ends = np.cumsum(_pairs_of(marks))
    firsts = np.zeros(len(marks), dtype=np.uint32)
    firsts[1:] = ends[:-1]
    return firsts


def num_values_of(marks: Words) -> int:
    """Return the size of the numbers, in bytes."""
    return PAIR_BYTES * int(_pairs_of(marks).sum())


def _pairs_of(marks: Words) -> npt.NDArray[np.int64]:
    """Return the pairs of each group; the last one may be half empty."""
    return (np.bitwise_count(marks).astype(np.int64) + 1) >> 1


def read(sparse: Any, position: int) -> Any:
    """Return one of the numbers, in Python, or compiled into `number_at`.

    There is no branch, which the processor would mispredict: something is read in any case.
    """
    group = position >> 6
    marks = sparse.marks[group]
    bit = np.uint64(position & 63)
    is_kept = np.int64(marks >> bit & _ONE)
    below = np.int64(popcount(marks & ((_ONE << bit) - _ONE)))
    at = np.int64(sparse.firsts[group]) * PAIR_BYTES + (3 * below >> 1)
    pair = np.int64(sparse.values[at]) | np.int64(sparse.values[at + 1]) << 8
    half = (pair >> 4 * (below & 1) & STEPS) + np.int64(sparse.bases[group])
    return wide(is_kept * half)


@inlined
def unpack_group(sparse: Sparse, group: int, out: Singles, begin: int) -> None:
    """Write the numbers of a group to `out`, starting at `begin`."""
    marks, base = sparse.marks[group], np.int64(sparse.bases[group])
    first = np.int64(sparse.firsts[group]) * PAIR_BYTES
    count = np.int64(0)
    for place in range(GROUP):
        is_kept = np.int64(marks >> np.uint64(place) & _ONE)
        at = first + (3 * count >> 1)
        pair = np.int64(sparse.values[at]) | np.int64(sparse.values[at + 1]) << 8
        out[begin + place] = wide(is_kept * ((pair >> 4 * (count & 1) & STEPS) + base))
        count += is_kept


@inlined
def pack_group(
    numbers: Singles, begin: int, key: np.uint64, halves: Halves, sparse: Sparse, group: int
) -> int:
    """Write the 64 numbers at `begin` as a group, whose place in `firsts` is already right.

    They are rounded at random, using `key` and the 127 keys after it. `halves` [64] is scratch
    space. Returns the place of the next group.
    """
    largest: Any = np.int64(0)
    for place in range(GROUP):
        halves[place] = 0
        if numbers[begin + place] > 0.0:
            add_number(halves, place, numbers[begin + place], key + np.uint64(place))
            largest = max(largest, np.int64(halves[place]))
    base = max(largest - STEPS, 0)
    first: Any = np.int64(sparse.firsts[group])
    mark, count = np.uint64(0), 0
    for place in range(GROUP):
        half = np.int64(halves[place])
        if half == 0:
            continue
        steps: Any = half - base
        if steps < 0:
            if draw(key, GROUP + place) * wide(base) >= wide(half):
                continue
            steps = 0
        mark |= _ONE << np.uint64(place)
        at = first * PAIR_BYTES + (3 * count >> 1)
        if count & 1:
            sparse.values[at] |= np.uint8((steps & 15) << 4)
            sparse.values[at + 1] = np.uint8(steps >> 4)
        else:
            sparse.values[at] = np.uint8(steps & 255)
            sparse.values[at + 1] = np.uint8(steps >> 8)
            sparse.values[at + 2] = np.uint8(0)
        count += 1
    sparse.marks[group] = mark
    sparse.bases[group] = base
    found: int = first + ((count + 1) >> 1)
    return found


@kernel
def _unpack(sparse: Sparse, begin: int, out: Singles) -> None:
    for place in range(0, len(out), GROUP):
        unpack_group(sparse, (begin + place) // GROUP, out, place)


def dense(sparse: Sparse, begin: int, length: int) -> Singles:
    """Return some of the numbers as an array; `begin` and `length` are multiples of GROUP."""
    out = np.empty(length, dtype=np.float32)
    _unpack(sparse, begin, out)
    return out


def is_sparse(numbers: Any) -> bool:
    """Whether numbers are kept in this form, rather than in an array."""
    return isinstance(numbers, Sparse)
