"""Floats as short fractions, for programs that calculate exactly.

Probabilities become fractions that sum to exactly 1, which floats such as 1/3 seldom do, and round
to the floats. Such fractions exist if the floats are correctly rounded; otherwise the largest
probability takes the difference, a few units in its last place.
"""

import math
from fractions import Fraction
from functools import lru_cache

_SHORT_DENOMINATORS = (1, 10, 100, 1_000, 100_000)


def probability_texts(given: list[float]) -> list[str]:
    """Return probabilities as text: they sum to 1 and round to the floats."""
    short = [_fraction(probability) for probability in given]
    if sum(short) == 1:
        return [str(share) for share in short]
    # Spread the missing amount in proportion to the gaps between floats: each share then rounds
    # to its float if any choice does.
    exact = [Fraction(probability) for probability in given]
    gaps = [Fraction(math.ulp(probability)) for probability in given]
    lacking = 1 - sum(exact)
    spread = [share + lacking * gap / sum(gaps) for share, gap in zip(exact, gaps, strict=True)]
    if [float(share) for share in spread] != given:
        spread = exact
        spread[given.index(max(given))] += lacking
    return [str(share) for share in spread]


def number_text(value: float) -> str:
    """Return the shortest fraction, or else decimal, that rounds to `value`."""
    short = _fraction(value)
    return str(short) if short.denominator <= _SHORT_DENOMINATORS[-1] else repr(value)


def _fraction(value: float) -> Fraction:
    """Return the simplest fraction with a denominator below 100,000 that rounds to `value`.

    If there is none, return the exact value.
    """
    # One player wins what the other loses: half of the payoffs are already in the cache.
    return _positive_fraction(value) if value >= 0.0 else -_positive_fraction(-value)


@lru_cache(maxsize=1 << 16)
def _positive_fraction(value: float) -> Fraction:
    exact = Fraction(value)
    for largest in _SHORT_DENOMINATORS:
        short = exact.limit_denominator(largest)
        if float(short) == value:
            return short
    return exact
