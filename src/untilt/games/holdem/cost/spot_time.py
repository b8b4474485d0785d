"""About how long a spot takes to solve, before it is solved.

A solve takes iterations × time per iteration. Iterations grow with the depth of the stacks and with
the number of nodes where the betting begins, but ranges and boards matter too, and cannot be known
before. So the result is a range. `benchmarks/spot_times.py` solves spots of many depths, from which
the numbers here come; docs/benchmarks.md has a summary.
"""

import math
from typing import NamedTuple

_FACTOR, _DEPTH_POWER, _NODES_POWER = 14.0, 0.37, 0.56
"""Iterations to 0.1 % of the pot: fitted to the logarithms of those measured, streets weighted
equally."""
_NUMBER_SECONDS = (4.6e-10, 9.2e-10, 13.2e-10)
"""An iteration per stored number, with stopping tests, on one, two and three streets: the more
streets, the less of the tables is in the processor's caches."""
_BOARD_SECONDS = 2e-6
_ITERATION_SECONDS = 6e-6
_START_SECONDS = 5e-4
"""The least that boards, iterations and solves take, however small they are."""
_LEAST, _MOST = 0.4, 3.0
"""The range: these multiples of what is expected. Nine of ten measured solves lie within it."""
_DEEP, _SPREAD_POWER = 16.0, 0.4
"""Deeper stacks differ more, and stopping tests may then be as far apart as the iterations before:
the upper end grows with this power of the depth."""

NOISY_ITERATION = 1.6
"""How many times as long an iteration of quantal response takes."""
_NOISY_FACTOR, _NOISY_FEWEST = 6.4, 14.0
"""Its iterations to a mean residual of 1e-3, divided by 1 / noise, and the fewest of them."""
_NOISY_DEPTHS = 5.0, 25.0
"""They grow in proportion to the most that a player can lose, in pots, between these."""
_NOISY_LEAST, _NOISY_MOST = 0.7, 3.0


class SolvingTime(NamedTuple):
    """Processor time that a solve takes by default, in seconds; a range."""

    low: float
    high: float


def expected_iterations(depth: float, num_nodes: int) -> float:
    """Return about how many iterations lead to 0.1 % of the pot.

    `depth` is the stack as a multiple of the pot; nodes are those of the first street's betting.
    """
    return _FACTOR * float(depth**_DEPTH_POWER) * float(num_nodes**_NODES_POWER)


def iteration_seconds(numbers: int, boards: tuple[int, ...]) -> float:
    """Return about how long an iteration takes on one processor, with its share of the tests."""
    per_number = _NUMBER_SECONDS[len(boards) - 1]
    return _ITERATION_SECONDS + _BOARD_SECONDS * sum(boards) + per_number * numbers


def solving_time(depth: float, num_nodes: int, per_iteration: float) -> SolvingTime:
    """Return the time that one processor needs to reach 0.1 % of the pot."""
    expected = _START_SECONDS + expected_iterations(depth, num_nodes) * per_iteration
    most = _MOST * float(max(depth / _DEEP, 1.0) ** _SPREAD_POWER)
    return SolvingTime(_LEAST * expected, most * expected)


def noisy_solving_time(
    noises: tuple[float, float], depth: float, per_iteration: float
) -> SolvingTime:
    """Return the time that one processor needs to a mean residual of 1e-3.

    `noises` are both players', as shares of the pot; the time per iteration is that without noise.
    """
    shallow, deep = _NOISY_DEPTHS
    stakes = min(max(depth + 0.5, shallow), deep) / shallow
    iterations = max(_NOISY_FACTOR / math.sqrt(noises[0] * noises[1]) * stakes, _NOISY_FEWEST)
    expected = _START_SECONDS + iterations * NOISY_ITERATION * per_iteration
    return SolvingTime(_NOISY_LEAST * expected, _NOISY_MOST * expected)
