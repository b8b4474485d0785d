"""Arrays of numbers of which many are 0: only the others are kept, in 16 bits each.

Numbers come in groups of 64. A word has a bit for each number of a group that is kept; those that
are kept lie one after the other, as numbers of `bfloat16`. Reading takes a test of one bit and a
count of those below it. Writing takes the whole: `pack` makes new arrays.

`number_at` of `bfloat16` and `gather16x4` of `vectors` read such arrays like any other.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.numeric.arrays import Indices
from untilt.numeric.bfloat16 import Halves, number_at
from untilt.numeric.bits import popcount
from untilt.numeric.kernel import kernel

GROUP = 64
"""Numbers of a group."""

Words = npt.NDArray[np.uint64]
_ONE = np.uint64(1)


class Sparse(NamedTuple):
    """Numbers of which most are 0; see the module."""

    marks: Words
    """[groups]: which numbers of a group are kept"""
    firsts: Indices
    """[groups]: where those of each group begin"""
    values: Halves
    """At least as many as are kept; they are followed by unused ones."""

    @property
    def num_kept(self) -> int:
        """Numbers that are kept."""
        return int(np.bitwise_count(self.marks).sum(dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self.marks.nbytes + self.firsts.nbytes + 2 * self.num_kept


def empty(length: int) -> Sparse:
    """Return `length` zeros, a multiple of GROUP."""
    groups = length // GROUP
    return Sparse(
        np.zeros(groups, dtype=np.uint64),
        np.zeros(groups, dtype=np.uint32),
        np.zeros(1, dtype=np.uint16),
    )


def firsts_of(marks: Words) -> Indices:
    """Return where the numbers of each group begin."""
    ends = np.cumsum(np.bitwise_count(marks), dtype=np.int64)
    firsts = np.zeros(len(marks), dtype=np.uint32)
    firsts[1:] = ends[:-1]
    return firsts


def read(sparse: Any, position: int) -> Any:
    """Return one of the numbers, in Python, or compiled into `number_at`."""
    group = position >> 6
    marks = sparse.marks[group]
    bit = np.uint64(position & 63)
    if marks >> bit & _ONE == np.uint64(0):
        return np.float32(0.0)
    below = popcount(marks & ((_ONE << bit) - _ONE))
    return number_at(sparse.values, np.int64(sparse.firsts[group]) + np.int64(below))


@kernel
def unpack(sparse: Sparse, begin: int, out: npt.NDArray[np.float32]) -> None:
    """Write the numbers from `begin` on, the first of a group, into `out`."""
    for place in range(len(out)):
        out[place] = number_at(sparse, begin + place)


def dense(sparse: Sparse, begin: int, length: int) -> npt.NDArray[np.float32]:
    """Return some of the numbers as an array; `begin` is the first of a group."""
    out = np.empty(length, dtype=np.float32)
    unpack(sparse, begin, out)
    return out


def is_sparse(numbers: Any) -> bool:
    """Whether numbers are kept in this form, rather than in an array."""
    return isinstance(numbers, Sparse)
