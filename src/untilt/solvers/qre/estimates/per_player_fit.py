"""A β for each player, and the likelihood-ratio test of whether the two differ."""

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from untilt.solvers.qre.estimates.common_fit import CommonFit
from untilt.solvers.qre.estimates.likelihood import LikelihoodPoint, equilibrium_at, standard_error
from untilt.solvers.qre.estimates.maximum import climb
from untilt.solvers.qre.estimates.observed_play import ObservedPlay


@dataclass(frozen=True)
class PerPlayerFit:
    """A β for each player, and the likelihood-ratio test of equal ones."""

    betas: tuple[float, float]
    """The value of a β that is not identified is arbitrary."""
    is_at_least: tuple[bool, bool]
    """Whether each β is at the end of the search and may be larger."""
    is_identified: tuple[bool, bool]
    """Whether the likelihood depends on each β, given the other: if its standard error exceeds
    the whole range that was searched, the observations say nothing about it."""
    standard_errors: tuple[float | None, float | None]
    """None for a β that is a bound or not identified."""
    covariance: tuple[tuple[float, float], tuple[float, float]] | None
    """Of the two estimates; None if either has no standard error."""
    log_likelihood: float
    likelihood_ratio: float
    """2 × the gain in log-likelihood over one β for both."""
    p_value: float | None
    """Of the likelihood ratio, by χ² with one degree of freedom; None if a β is not identified."""
    point: LikelihoodPoint = field(repr=False, compare=False)
    """The maximum of the likelihood."""

    def to_json(self) -> dict[str, Any]:
        """Return estimates and test as plain data."""
        return {
            "beta0": self.betas[0],
            "beta1": self.betas[1],
            "is_at_least": list(self.is_at_least),
            "is_identified": list(self.is_identified),
            "standard_errors": list(self.standard_errors),
            "covariance": self.covariance and [list(row) for row in self.covariance],
            "log_likelihood": self.log_likelihood,
            "likelihood_ratio": self.likelihood_ratio,
            "p_value": self.p_value,
        }


def fit_per_player(observed: ObservedPlay, common: CommonFit, max_beta: float) -> PerPlayerFit:
    """Return a β per player, by ascent from the common estimate."""
    best, is_at_least = climb(partial(equilibrium_at, observed), common.point, max_beta)
    return tested_fit(best, is_at_least, common, max_beta)


def tested_fit(
    point: LikelihoodPoint, is_at_least: tuple[bool, bool], common: CommonFit, max_beta: float
) -> PerPlayerFit:
    """Return the fit with its standard errors and the test against the common β."""
    from scipy.special import chdtrc

    covariance = _covariance(is_at_least, point.information, max_beta)
    errors = tuple(math.sqrt(covariance[player][player]) for player in (0, 1))
    is_identified = (
        is_at_least[0] or errors[0] < max_beta,
        is_at_least[1] or errors[1] < max_beta,
    )
    is_known = all(is_identified) and not any(is_at_least)
    ratio = max(0.0, 2.0 * (point.log_likelihood - common.point.log_likelihood))
    return PerPlayerFit(
        betas=point.betas,
        is_at_least=is_at_least,
        is_identified=is_identified,
        standard_errors=(
            errors[0] if is_identified[0] and not is_at_least[0] else None,
            errors[1] if is_identified[1] and not is_at_least[1] else None,
        ),
        covariance=covariance if is_known else None,
        log_likelihood=point.log_likelihood,
        likelihood_ratio=ratio,
        p_value=float(chdtrc(1.0, ratio)) if all(is_identified) else None,
        point=point,
    )


def _covariance(
    is_at_least: tuple[bool, bool], information: tuple[float, float, float], max_beta: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the inverse of the information, with inf for what is not identified.

    A β at the end of the search counts as known. So does one whose likelihood is flat: the other
    is estimated just as well whatever its value, and rounding must not couple the two.
    """
    first, across, second = information
    is_flat = [standard_error(each, max_beta) is None for each in (first, second)]
    if across != 0.0 and not any(is_flat) and not any(is_at_least):
        determinant = first * second - across * across
        if determinant <= 1e-12 * first * second:  # only a combination of the two is known
            return (math.inf, 0.0), (0.0, math.inf)
        return (
            (second / determinant, -across / determinant),
            (-across / determinant, first / determinant),
        )
    return (
        (math.inf if is_flat[0] else 1.0 / first, 0.0),
        (0.0, math.inf if is_flat[1] else 1.0 / second),
    )
