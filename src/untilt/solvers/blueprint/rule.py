"""Update rules of a trainer, as weights of deals.

With d_t the discount of iteration t (see `untilt.regret.rule`), a regret that is multiplied by
d_2 · d_3 · … · d_t counts as if it had been added with a greater weight from the beginning: only
ratios matter to regret matching. If all regrets have the same discount, as for linear CFR, or are
clipped at 0, as for DCFR+, then growing weights have the same effect as a sweep over all tables
after every deal, at no cost:

    weight of the regrets of deal t      w_t = w_{t−1} / d_t,  w_1 = 1
    weight of its strategies             t^γ, and 0 up to `deferred`

Linear CFR has d_t = (t − 1) / t, so w_t = t.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.numeric.arrays import Floats

_CHUNK = 1 << 20
"""The number of deals whose weights are added up at a time."""


class Discounting(NamedTuple):
    """The weights of a trainer's deals."""

    alpha: float
    """d_t = (t − 1)^α / ((t − 1)^α + 1); infinite: no discount. 1 is linear, w_t = t."""
    gamma: float
    """Deal t has weight t^γ in the average strategy."""
    is_clipped: bool
    """Whether negative regrets are set to 0."""
    deferred: int = 0
    """Deals before averaging begins."""

    @property
    def floor(self) -> float:
        """The lower bound of regrets."""
        return 0.0 if self.is_clipped else -math.inf

    def weights(
        self, done: int, weight: float, count: int
    ) -> tuple[npt.NDArray[np.float32], float]:
        """Return the weights [count, 2] of the deals after `done`, and the last one of regrets.

        `weight` is that of the regrets of deal `done`; 1 if there is none.
        """
        deals = np.arange(done + 1, done + count + 1, dtype=np.float64)
        found = np.empty((count, 2), dtype=np.float32)
        regrets = self._regret_weights(deals, weight)
        found[:, 0] = regrets
        found[:, 1] = np.where(deals > self.deferred, deals**self.gamma, 0.0)
        return found, float(regrets[-1]) if count else weight

    def most_averaged(self, count: int) -> float:
        """Return an upper bound on the sum of the strategy weights of the first `count` deals."""
        return float(float(count) ** (self.gamma + 1.0))

    def total_weight(self, count: int) -> float:
        """Return the sum of the weights of the regrets of the first `count` deals."""
        total, weight = 0.0, 1.0
        for done in range(0, count, _CHUNK):
            found, weight = self.weights(done, weight, min(_CHUNK, count - done))
            total += float(found[:, 0].sum(dtype=np.float64))
        return total

    def _regret_weights(self, deals: Floats, weight: float) -> Floats:
        if self.alpha == 1.0:
            return deals
        if math.isinf(self.alpha):
            return np.ones_like(deals)
        before = np.maximum(deals - 1.0, 1.0)
        growth = np.where(deals > 1.0, 1.0 + before**-self.alpha, 1.0)
        return np.asarray(weight * np.cumprod(growth))


RULES: Mapping[str, Discounting] = MappingProxyType(
    {
        # A plain average: in whole hold'em, late deals fit the buckets rather than the game.
        "linear": Discounting(alpha=1.0, gamma=0.0, is_clipped=False),
        "dcfr+": Discounting(alpha=1.5, gamma=1.0, is_clipped=True, deferred=1_000),
        "rm+": Discounting(alpha=math.inf, gamma=1.0, is_clipped=True),
        "rm": Discounting(alpha=math.inf, gamma=0.0, is_clipped=False),
    }
)
"""The rules by name."""
