"""Probabilities as bytes: a row sums to 255, by largest remainders."""

from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.numeric.kernel import inlined

WHOLE = 255
"""The bytes of a row sum to this."""


@inlined
def round_row(
    shares: npt.NDArray[np.float32],
    begin: int,
    count: int | np.int64,
    out: npt.NDArray[np.uint8],
    first: int,
) -> None:
    """Round `count` probabilities from `begin` on to bytes of `out` from `first` on."""
    left = np.int64(WHOLE)
    for action in range(count):
        whole = np.int64(shares[begin + action] * np.float64(WHOLE))
        whole = min(whole, left)  # through rounding, a row may sum to slightly more than 1
        out[first + action] = whole
        left -= whole
    while left > 0:
        best = -1.0e9
        chosen: Any = 0
        for action in range(count):
            exact = np.float64(shares[begin + action]) * np.float64(WHOLE)
            remainder = exact - np.float64(out[first + action])
            if remainder > best:
                best, chosen = remainder, action
        out[first + chosen] += np.uint8(1)
        left -= 1
