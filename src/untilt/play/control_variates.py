"""Sharper means by control variates: what varies alike and has a mean that is cheap to know.

Most of what an exploiter wins in a deal is luck that has nothing to do with how well the agent
plays on the last streets: the size of the pot, and whose hands are ahead. Checking down the same
deals has the same luck, but takes a thousandth of the time. So it is computed in the deals that
are measured, and in many more for its mean:

    mean(y) − β · (mean(x) − mean of x in all the other deals)

β is by least squares. The variance is that of the residuals over the deals measured, plus that of
β · x over the other ones (double sampling; Cochran 1977, "Sampling techniques", ch. 12).
"""

import math

import numpy as np

from untilt.numeric.arrays import Floats

_Z = 1.959964
_LEAST_DEALS = 10
"""With fewer, β would be a guess."""


def controlled(gains: Floats, controls: Floats, further: Floats) -> tuple[float, float]:
    """Return the mean of `gains` [deals] and half of its 95 % interval.

    `controls` [deals, c] were computed in the same deals, `further` [others, c] in others.
    """
    count = len(gains)
    if count < _LEAST_DEALS or len(further) < 2:
        margin = _Z * float(gains.std(ddof=1)) / math.sqrt(count) if count > 1 else math.inf
        return float(gains.mean()), margin
    centred = controls - controls.mean(axis=0)
    beta, *_ = np.linalg.lstsq(centred, gains - gains.mean(), rcond=None)
    residuals = gains - gains.mean() - centred @ beta
    free = max(count - 1 - len(beta), 1)
    variance = float(residuals @ residuals) / free / count
    variance += float((further @ beta).var(ddof=1)) / len(further)
    mean = float(gains.mean() - beta @ (controls.mean(axis=0) - further.mean(axis=0)))
    return mean, _Z * math.sqrt(variance)
