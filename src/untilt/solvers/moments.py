"""The iterations at which a strategy is measured; they do not depend on the clock."""

import math
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import NamedTuple


def _moments() -> list[int]:
    moments = [1]
    while moments[-1] < 2**62:
        moments.append(moments[-1] + max(1, moments[-1] // 10))
    return moments


MOMENTS = _moments()
"""The iterations at which exploitability is measured, see `next_moment`."""


class Measured(NamedTuple):
    """Exploitability at an iteration."""

    iteration: int
    exploitability: float


_SLOWEST, _FASTEST = -0.5, -4.0
"""Bounds on the power of the iteration with which exploitability is expected to fall."""
_USUAL = -1.5
_LEAST_STEP = 32
"""At least one iteration in this many lies between two measurements."""


def next_moment(iteration: int, gap: int = 1) -> int:
    """Return the first iteration after `iteration` at which the strategy is measured.

    1, 2, …, 20, 22, 24, …, each about 10 % further. If measuring takes as long as many
    iterations, moments less than `gap` apart are thinned out: each is twice the previous one.
    Moments do not depend on the clock, so a run with a target stops at the same iteration
    every time.
    """
    thinned = _thinned(gap)
    if iteration < thinned[-1]:
        return thinned[bisect_right(thinned, iteration)]
    return MOMENTS[bisect_right(MOMENTS, iteration)]


@lru_cache
def _thinned(gap: int) -> tuple[int, ...]:
    """Return the moments up to where they are `gap` apart, each twice as far as the last."""
    moments = [1]
    while moments[-1] < 10 * gap:
        moments.append(MOMENTS[bisect_left(MOMENTS, 2 * moments[-1])])
    return tuple(moments) if gap > 1 else (1,)


def is_moment(iteration: int | None, gap: int = 1) -> bool:
    """Whether the strategy is measured at `iteration` by `next_moment`."""
    return iteration is not None and iteration > 0 and next_moment(iteration - 1, gap) == iteration


def moment_towards(target: float, last: Measured | None, before: Measured | None) -> int:
    """Return the iteration at which `target` may be reached: the next one to measure.

    `last` and `before` are the last two measurements. Exploitability falls as a power of the
    iteration, which is estimated from them; but no moment is more than twice the last one.
    """
    if last is None:
        return 1
    latest = 2 * last.iteration
    if target <= 0.0 or last.exploitability <= target:
        return latest
    power = _USUAL
    if before is not None and before.exploitability > 0.0:
        fallen = math.log(last.exploitability) - math.log(before.exploitability)
        power = fallen / math.log(last.iteration / before.iteration)
        power = min(max(power, _FASTEST), _SLOWEST)
    left = math.log(target) - math.log(last.exploitability)
    growth = math.exp(min(left / power, 1.0))
    earliest = last.iteration + 1 + last.iteration // _LEAST_STEP
    return min(max(math.ceil(last.iteration * growth), earliest), latest)
