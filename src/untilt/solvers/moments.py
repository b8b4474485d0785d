"""The iterations at which a strategy is measured; they do not depend on the clock."""

from bisect import bisect_left, bisect_right
from functools import lru_cache


def _moments() -> list[int]:
    moments = [1]
    while moments[-1] < 2**62:
        moments.append(moments[-1] + max(1, moments[-1] // 10))
    return moments


MOMENTS = _moments()
"""The iterations at which exploitability is measured, see `next_moment`."""


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
