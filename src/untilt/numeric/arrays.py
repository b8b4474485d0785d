"""Array types that are shared between modules.

One dtype per meaning, decided here: a kernel called with another one would silently
compile a second version of itself.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

_CACHE_LINE = 64

Floats: TypeAlias = npt.NDArray[np.float64]
"""Values, probabilities, reaches, regrets."""

Indices: TypeAlias = npt.NDArray[np.uint32]
"""Indices of infosets and sequences. Unsigned, because a kernel must check on every access whether
a signed index counts from the end: the sweeps then take 1.7 × as long (measured)."""

Ints: TypeAlias = npt.NDArray[np.int32]
"""Indices of nodes and players where negative values have a meaning."""

Offsets: TypeAlias = npt.NDArray[np.int64]
"""Row offsets into arrays that may be longer than 2³¹ − 1, and counters."""

Bools: TypeAlias = npt.NDArray[np.bool_]

AnyArray: TypeAlias = npt.NDArray[Any]
"""An array whose dtype is part of the data, as in files."""

Records: TypeAlias = npt.NDArray[Any]
"""Rows of a structured dtype, whose numbers a kernel reads by name: `records[row].name`.

The dtype is made of `np.record`, whose rows also have these attributes without the compiler."""

Record: TypeAlias = Any
"""One row of `Records`, inside a kernel."""


def aligned_zeros(length: int, dtype: npt.DTypeLike) -> np.ndarray[Any, Any]:
    """Return zeros that begin at a cache line: no vector then spans two of them."""
    size = np.dtype(dtype).itemsize
    whole = np.zeros(length + _CACHE_LINE // size, dtype)
    begin = -whole.ctypes.data % _CACHE_LINE // size
    return whole[begin : begin + length]


def adjacent_zeros(lengths: Sequence[int], dtype: npt.DTypeLike) -> list[np.ndarray[Any, Any]]:
    """Return `aligned_zeros` of several lengths, adjacent in memory.

    The system can place almost all of one large block in huge pages, but loses a page of 2 MB at
    the ends of each block: sweeps over tables of 10 MB take 1.5 % longer if each has its own block.
    """
    line = _CACHE_LINE // np.dtype(dtype).itemsize
    *begins, end = accumulate((-(-length // line) * line for length in lengths), initial=0)
    whole = aligned_zeros(end, dtype)
    return [whole[begin : begin + length] for begin, length in zip(begins, lengths, strict=True)]
