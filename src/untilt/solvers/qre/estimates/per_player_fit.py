"""A β for each player, and the likelihood-ratio test of whether they differ."""

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.solvers.qre.estimates.common_fit import CommonFit
from untilt.solvers.qre.estimates.likelihood import LikelihoodPoint, equilibrium_at, standard_error
from untilt.solvers.qre.estimates.maximum import climb
from untilt.solvers.qre.estimates.observed_play import ObservedPlay


@dataclass(frozen=True)
class PerPlayerFit:
    """A β for each player, and the likelihood-ratio test of equal ones."""

    betas: tuple[float, ...]
    """The value of a β that is not identified is arbitrary."""
    is_at_least: tuple[bool, ...]
    """Whether each β is at the end of the search and may be larger."""
    is_identified: tuple[bool, ...]
    """Whether the likelihood depends on each β, given the others: if its standard error exceeds
    the whole range that was searched, the observations say nothing about it."""
    standard_errors: tuple[float | None, ...]
    """None for a β that is a bound or not identified."""
    covariance: tuple[tuple[float, ...], ...] | None
    """Of the estimates; None if one of them has no standard error."""
    log_likelihood: float
    likelihood_ratio: float
    """2 × the gain in log-likelihood over one β for all."""
    p_value: float | None
    """Of the likelihood ratio, by χ² with as many degrees of freedom as there are more βs; None if
    a β is not identified."""
    point: LikelihoodPoint = field(repr=False, compare=False)
    """The maximum of the likelihood."""

    def to_json(self) -> dict[str, Any]:
        """Return estimates and test as plain data."""
        return {
            **{f"beta{player}": beta for player, beta in enumerate(self.betas)},
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
    point: LikelihoodPoint, is_at_least: tuple[bool, ...], common: CommonFit, max_beta: float
) -> PerPlayerFit:
    """Return the fit with its standard errors and the test against the common β."""
    from scipy.special import chdtrc

    covariance = _covariance(is_at_least, point.information, max_beta)
    errors = [math.sqrt(row[player]) for player, row in enumerate(covariance)]
    is_identified = tuple(
        is_bound or error < max_beta for is_bound, error in zip(is_at_least, errors, strict=True)
    )
    are_known = all(is_identified) and not any(is_at_least)
    ratio = max(0.0, 2.0 * (point.log_likelihood - common.point.log_likelihood))
    return PerPlayerFit(
        betas=point.betas,
        is_at_least=is_at_least,
        is_identified=is_identified,
        standard_errors=tuple(
            error if is_known and not is_bound else None
            for error, is_known, is_bound in zip(errors, is_identified, is_at_least, strict=True)
        ),
        covariance=covariance if are_known else None,
        log_likelihood=point.log_likelihood,
        likelihood_ratio=ratio,
        p_value=float(chdtrc(len(errors) - 1.0, ratio)) if all(is_identified) else None,
        point=point,
    )


def _covariance(
    is_at_least: tuple[bool, ...], information: Floats, max_beta: float
) -> tuple[tuple[float, ...], ...]:
    """Return the inverse of the information, with inf for what is not identified.

    A β at the end of the search counts as known. So does one whose likelihood is flat: the others
    are estimated just as well whatever its value, and rounding must not couple them.
    """
    own = np.diag(information).tolist()
    is_flat = [standard_error(each, max_beta) is None for each in own]
    found = np.diag(
        [math.inf if flat else 1.0 / each for flat, each in zip(is_flat, own, strict=True)]
    )
    free = np.flatnonzero(~(np.array(is_flat) | np.array(is_at_least)))
    part = information[np.ix_(free, free)]
    if len(free) > 1 and np.count_nonzero(part) > len(free):
        # As correlations, so that the units of the βs do not matter.
        scale = np.sqrt(np.diag(part))
        correlations = part / np.outer(scale, scale)
        if np.linalg.det(correlations) <= 1e-12:  # only a combination of them is known
            found[free, free] = math.inf
        else:
            found[np.ix_(free, free)] = np.linalg.inv(correlations) / np.outer(scale, scale)
    return tuple(map(tuple, found.tolist()))
