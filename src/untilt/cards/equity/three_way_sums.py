"""Sums of the table of three-way all-ins over ranges of classes."""

import numpy as np
import numpy.typing as npt

from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import inlined, kernel


@inlined
def sorted_triple(a: int, b: int, c: int) -> tuple[int, int, int, int]:
    """Return three numbers ascending, and how they were sorted: see `ORDER_BEFORE_SORTING`."""
    if a <= b:
        if b <= c:
            return a, b, c, 0
        if a <= c:
            return a, c, b, 1
        return c, a, b, 4
    if a <= c:
        return b, a, c, 2
    if b <= c:
        return b, c, a, 3
    return c, b, a, 5


@kernel
def sum_orders(
    counts: npt.NDArray[np.uint32],
    order_before_sorting: Offsets,
    firsts: Offsets,
    seconds: Offsets,
    thirds: Offsets,
    first_weights: Floats,
    second_weights: Floats,
    third_weights: Floats,
    sums: Floats,
) -> None:
    """Add the weights of deals by order; the classes of each range are given with its weights."""
    for a in firsts:
        for b in seconds:
            both = first_weights[a] * second_weights[b]
            for c in thirds:
                weight = both * third_weights[c]
                x, y, z, way = sorted_triple(a, b, c)
                row = z * (z + 1) * (z + 2) // 6 + y * (y + 1) // 2 + x
                for order in range(counts.shape[1]):
                    sums[order_before_sorting[way, order]] += weight * counts[row, order]
