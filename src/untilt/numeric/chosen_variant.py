"""The winnings of the best of several variants, without the luck of being chosen.

The largest of several estimates is too large on average, because it is partly the luckiest. So
deals are divided into two halves. The variant that wins most on one half is measured on the other,
and the two results are averaged. Deals that had no say in the choice are not biased by it, so on
average the result is no more than what the best variant wins.

The results of the halves are a little dependent: if both halves favour the same variant, both may
do so by luck. For equally good variants with independent gains, the variance of the average is at
most 1.4 times that of independent halves. It is less if the gains of variants are positively
correlated, as on the same deals, or if one variant is clearly the best. The interval is made for
`_DEPENDENCE` times the variance.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.numeric.student import student_quantile

_DEPENDENCE = 1.5


class Half(NamedTuple):
    """The measurements on half of the deals, by variant."""

    num_deals: int
    means: Sequence[float]
    margins: Sequence[float]
    """Half of the 95 % intervals; inf where unknown."""

    @classmethod
    def of(cls, num_deals: int, means: Sequence[float], errors: Sequence[float]) -> "Half":
        """Return a half from means and their standard errors, inf where unknown."""
        quantile = student_quantile(max(num_deals - 1, 1))
        return cls(num_deals, means, [quantile * error for error in errors])

    @classmethod
    def of_gains(cls, gains: Floats) -> "Half":
        """Return a half from what was won, [deals, variants]."""
        count, num_variants = gains.shape
        if count < 2:
            return cls(count, gains.sum(axis=0).tolist(), [math.inf] * num_variants)
        errors = gains.std(axis=0, ddof=1) / math.sqrt(count)
        return cls.of(count, gains.mean(axis=0).tolist(), errors.tolist())


class Chosen(NamedTuple):
    """The variants that were chosen, and what they win."""

    places: tuple[int, int]
    """The variant that wins most on each half; it is measured on the other half."""
    weights: tuple[float, float]
    """The weight of each half as a measurement."""
    mean: float
    margin: float
    """Half of the 95 % interval; inf if unknown."""

    def mean_of(self, halves: Sequence[Sequence[float]]) -> float:
        """Return the mean of other results of the chosen variants, [halves][variants]."""
        return _mean(self.places, self.weights, halves)

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of what was chosen, given all: one if the halves agree."""
        return tuple(dict.fromkeys(names[place] for place in self.places))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval; None if it is unknown."""
        if not math.isfinite(self.margin):
            return None
        return self.mean - self.margin, self.mean + self.margin


def chosen_variant(first: Half, second: Half) -> Chosen:
    """Return the winnings of the variants chosen on each half of the deals, on the other.

    If there is only one deal, the variant is chosen and measured on it.
    """
    if not second.num_deals:
        place = int(np.argmax(first.means))
        return Chosen((place, place), (1.0, 0.0), first.means[place], math.inf)
    total = first.num_deals + second.num_deals
    places = int(np.argmax(first.means)), int(np.argmax(second.means))
    weights = first.num_deals / total, second.num_deals / total
    parts = weights[0] * first.margins[places[1]], weights[1] * second.margins[places[0]]
    dependence = _DEPENDENCE if len(first.means) > 1 else 1.0
    mean = _mean(places, weights, (first.means, second.means))
    return Chosen(places, weights, mean, math.sqrt(dependence) * math.hypot(*parts))


def _mean(
    places: tuple[int, int], weights: tuple[float, float], halves: Sequence[Sequence[float]]
) -> float:
    """Return the mean over both halves, each with the variant that the other chose."""
    return sum(
        weight * half[place]
        for weight, half, place in zip(weights, halves, reversed(places), strict=True)
        if weight
    )
