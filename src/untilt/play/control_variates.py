"""More precise means through a control variate: a part of the result that is cheap to compute.

What an exploiter wins before the agent begins to think varies widely from deal to deal, and takes
little time to compute. So it is computed in the measured deals, and in additional ones:

    mean(y) − β · (mean(x) − mean of x in all deals)

β is found by least squares; with few deals it is 1, since x is a part of y. The variance is that of
the residuals over the deals measured, plus that of β · x over all of them (double sampling; Cochran
1977, "Sampling techniques", ch. 12).
"""

import math

import numpy as np

from untilt.numeric.arrays import Floats

_Z = 1.959964
_LEAST_DEALS = 10
"""With fewer, an estimate of β would be a guess."""


def controlled(gains: Floats, controls: Floats, further: Floats) -> tuple[float, float]:
    """Return the mean of `gains` [deals] and half of its 95 % interval.

    `controls` [deals] were computed in the same deals, `further` [others] in others.
    """
    count = len(gains)
    centred = controls - controls.mean()
    squares = float(centred @ centred)
    beta = 1.0
    if count >= _LEAST_DEALS and squares > 0.0:
        beta = float(centred @ gains) / squares
    everything = np.concatenate((controls, further))
    mean = float(gains.mean() - beta * (controls.mean() - everything.mean()))
    if count < 2:
        return mean, math.inf
    residuals = gains - gains.mean() - beta * centred
    free = max(count - 2, 1)
    variance = float(residuals @ residuals) / free / count
    variance += beta**2 * float(everything.var(ddof=1)) / len(everything)
    return mean, _quantile(free) * math.sqrt(variance)


def _quantile(free: int) -> float:
    """Return the 97.5 % quantile of Student's t (Abramowitz & Stegun 1964, 26.7.5, two terms)."""
    first = (_Z**3 + _Z) / 4.0
    second = (5.0 * _Z**5 + 16.0 * _Z**3 + 3.0 * _Z) / 96.0
    return _Z + first / free + second / free**2
