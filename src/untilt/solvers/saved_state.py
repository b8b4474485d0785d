"""Checks of a solver's saved state, because kernels do not check its indices."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from untilt.errors import FormatError
from untilt.numeric.arrays import AnyArray, Floats

LAST_ITERATION = 2**61
"""The limit for a saved state: beyond it, counts of samples would overflow."""
_LARGEST = 1e280
_SUM_TOLERANCE = 1e-9


def array_of(
    state: Mapping[str, AnyArray], name: str, shape: tuple[int | None, ...], dtype: type[np.generic]
) -> np.ndarray[Any, Any]:
    """Return the array `name` of a saved state, or raise FormatError if it does not fit.

    A length of None allows any length.
    """
    if name not in state:
        raise FormatError(f"the saved state lacks {name!r}")
    found = state[name]
    lengths = zip(found.shape, shape, strict=False)
    is_of_shape = len(found.shape) == len(shape) and all(
        length == wanted or wanted is None for length, wanted in lengths
    )
    if not is_of_shape or found.dtype != dtype:
        raise FormatError(
            f"{name!r} of the saved state is {found.dtype}{list(found.shape)}, "
            f"expected {np.dtype(dtype)}{list(shape)}"
        )
    if found.dtype.kind == "f" and not is_moderate(found):
        raise FormatError(f"{name!r} of the saved state has values that are not finite")
    return found


def iteration_of(state: Mapping[str, AnyArray]) -> int:
    """Return the number of iterations of a saved state, or raise FormatError if it is invalid."""
    iteration = int(array_of(state, "iteration", (1,), np.int64)[0])
    if not 0 <= iteration < LAST_ITERATION:
        raise FormatError(f"the saved state has an invalid iteration, {iteration}")
    return iteration


def is_moderate(values: np.ndarray[Any, Any]) -> bool:
    """Whether all numbers are finite, and small enough that sums of them are finite too."""
    largest = values.dtype.type(min(_LARGEST, float(np.finfo(values.dtype).max) / 1e8))
    # Both are nan if a number is, and no copy is made of tables that nearly fill the memory.
    least, most = values.min(initial=0.0), values.max(initial=0.0)
    return bool(-largest <= least and most <= largest)


def verify_blocks(name: str, rows: Floats, first: AnyArray) -> None:
    """Raise FormatError unless `rows` of a saved state are probabilities.

    Entry 0 stands for the start of the game; infoset i has the entries first[i] to
    first[i + 1] − 1.
    """
    is_sound = bool(rows[0] == 1.0 and np.all(rows >= 0.0))
    if is_sound and len(first) > 1:
        is_sound = bool(np.all(np.abs(np.add.reduceat(rows, first[:-1]) - 1.0) <= _SUM_TOLERANCE))
    if not is_sound:
        raise FormatError(f"{name!r} of the saved state has blocks that do not sum to 1")
