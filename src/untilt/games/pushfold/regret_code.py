"""Regrets in integers of 1, 2 or 4 bytes: as they are, or as their logarithms.

*linear*: the integer is the regret in small blinds, cut at the integer's limits (saturating
arithmetic).

*log*: the integer c stands for ± level(|c|), where levels grow by a constant factor:

    level(c) = (e^{kc} − 1) / (e^k − 1)        level(0) = 0, level(1) = 1

and k is such that the largest c stands for `LARGEST_REGRET`. A regret between two levels becomes
the upper one with the probability that keeps its mean (stochastic rounding). Otherwise small
gains would be rounded away every time.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import inlined, kernel
from untilt.options.option import verify
from untilt.options.pushfold import BYTES, GROWTH, LEARNING

Growth = Literal["linear", "log"]
SIZES = (1, 2, 4)

LARGEST_REGRET = {1: 2.0**31, 2: 2.0**40, 4: 2.0**53}
"""The largest regret of a logarithmic code, in small blinds, by its bytes. One byte reaches as far
as four linear ones, and more bytes reach further."""


@dataclass(frozen=True, slots=True)
class RegretCode:
    """The storage of regrets: the number of bytes, and the meaning of the integers."""

    num_bytes: int = BYTES.default
    growth: Growth = GROWTH.default

    def __post_init__(self) -> None:
        verify(LEARNING, bytes=self.num_bytes, growth=self.growth)

    @property
    def dtype(self) -> np.dtype[np.signedinteger]:
        """The integer type in files: little-endian, two's complement."""
        return np.dtype(f"<i{self.num_bytes}")

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest integer."""
        high = 2 ** (8 * self.num_bytes - 1) - 1
        return (-high if self.growth == "log" else -high - 1), high

    @property
    def step(self) -> float:
        """The k of the logarithmic code; 0 for the linear one."""
        return (
            0.0
            if self.growth == "linear"
            else _step(self.limits[1], LARGEST_REGRET[self.num_bytes])
        )

    def decoded(self, codes: npt.NDArray[np.signedinteger]) -> Floats:
        """Return the regrets, in small blinds, that the integers stand for."""
        values = codes.astype(np.float64)
        if self.step == 0.0:
            return values
        return np.sign(values) * np.expm1(self.step * np.abs(values)) / math.expm1(self.step)


@lru_cache(maxsize=len(SIZES))
def _step(largest: int, regret: float) -> float:
    """Return the k > 0 with level(largest) = regret, by bisection to the last bit."""
    low, high = 1e-12, 1.0
    while low < (middle := (low + high) / 2.0) < high:
        # Logarithms, because e^{kc} itself may overflow.
        if middle * largest - math.log(math.expm1(middle)) < math.log(regret):
            low = middle
        else:
            high = middle
    return low


@inlined
def level(code: int, step: float) -> float:
    """Return the regret that a code ≥ 0 stands for."""
    return np.expm1(step * code) / np.expm1(step) if step > 0.0 else float(code)


@kernel
def added(code: int, gain: int, step: float, chance: float) -> int:
    """Return the code of a regret after adding `gain`, before it is cut at the limits.

    It is rounded up if `chance`, uniform in [0, 1), is below the share of the upper level.
    """
    if step == 0.0:
        return code + gain
    value = level(code, step) + gain if code >= 0 else gain - level(-code, step)
    size = abs(value)
    below = int(np.floor(np.log1p(size * np.expm1(step)) / step))
    lower = level(below, step)
    if chance * (level(below + 1, step) - lower) < size - lower:
        below += 1
    return below if value > 0.0 else -below
