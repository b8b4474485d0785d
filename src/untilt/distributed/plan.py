"""The division of work: fixed groups, which do not depend on the number of workers.

Sums over groups therefore have the same bits on any cluster. Only the assignment of groups depends
on the workers.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

LEAST_GROUPS, MOST_GROUPS = 12, 64
_GROUP_BYTES = 32 << 20
"""Smaller groups would only mean more files and messages."""


def num_groups(num_bytes: int) -> int:
    """Return the number of groups into which a state of this size is cut."""
    return min(max(num_bytes // _GROUP_BYTES, LEAST_GROUPS), MOST_GROUPS)


def cut(sizes: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Return groups of consecutive pieces as [begin, end), at most `most`, of similar size."""
    count = min(most, len(sizes))
    bounds = _bounds(sizes, count)
    return list(pairwise(bounds))


def shared_out(sizes: Sequence[int], workers: Sequence[int]) -> dict[int, list[int]]:
    """Return the groups of each worker: consecutive ones, of similar size in total."""
    bounds = _bounds(sizes, min(len(workers), len(sizes)))
    shares = zip(workers, pairwise(bounds), strict=False)
    return {worker: list(range(begin, end)) for worker, (begin, end) in shares}


def least_busy(held: Mapping[int, Sequence[int]], sizes: Sequence[int]) -> int:
    """Return the worker whose groups are the smallest in total."""
    return min(held, key=lambda worker: (sum(sizes[group] for group in held[worker]), worker))


def _bounds(sizes: Sequence[int], count: int) -> list[int]:
    """Cut pieces into `count` runs; each takes an equal share of what remains."""
    bounds, begin, left = [0], 0, sum(sizes)
    for runs in range(count, 0, -1):
        end, taken = begin + 1, sizes[begin]
        # A run takes the next piece if it then exceeds its share by less than it lacks now.
        while end <= len(sizes) - runs and (
            runs == 1 or 2 * (taken * runs - left) + sizes[end] * runs <= 0
        ):
            taken += sizes[end]
            end += 1
        bounds.append(end)
        begin, left = end, left - taken
    return bounds
