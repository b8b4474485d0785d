"""A β for each player: where the likelihood is largest, and whether the two differ.

Quasi-Newton ascent from the estimate of a common β; the likelihood-ratio test compares the two.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from untilt.numeric.arrays import Bools, Floats
from untilt.solvers.qre.common_fit import CommonFit
from untilt.solvers.qre.likelihood import Point, equilibrium_at, over_actions, standard_error
from untilt.solvers.qre.observed_play import ObservedPlay


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
    point: Point | None = field(default=None, repr=False, compare=False)
    """The maximum of the likelihood; None with empirical payoffs."""


def fit_per_player(
    observed: ObservedPlay, common: CommonFit, max_beta: float
) -> tuple[PerPlayerFit, Floats, Floats]:
    """Return a β per player: quasi-Newton ascent in log(1 + β_p) from the common estimate.

    Also return behaviour and directions, as in `CommonFit`.

    The first curvature is the expected information; each step updates it (BFGS). Steps stay
    within 0 ≤ β_p ≤ `max_beta` and are halved until the likelihood rises.
    """
    point = common.point
    assert point is not None
    limits = np.array([0.0, math.log1p(max_beta)])
    place = np.log1p(np.array(point.betas))
    curvature = _curvature(point)
    for _ in range(200):
        gradient = _gradient(point)
        free = ~(((place <= limits[0]) & (gradient <= 0)) | ((place >= limits[1]) & (gradient > 0)))
        step = _free_step(curvature, gradient, free)
        if np.max(np.abs(step)) <= 1e-9:
            break
        step *= min(1.0, 1.0 / float(np.max(np.abs(step))))
        moved = _climb(observed, point, place, step, limits)
        if moved is None:
            if np.array_equal(curvature, _curvature(point)):
                break
            curvature = _curvature(point)  # start over with the expected information
            continue
        new_place, new_point = moved
        shift, change = new_place - place, gradient - _gradient(new_point)
        if shift @ change > 1e-12 * np.linalg.norm(shift) * np.linalg.norm(change):
            pulled = curvature @ shift
            curvature += np.outer(change, change) / (change @ shift)
            curvature -= np.outer(pulled, pulled) / (shift @ pulled)
        place, point = new_place, new_point
    is_at_least = place >= limits[1]
    is_flat = [standard_error(each, max_beta) is None for each in point.information[::2]]
    is_free = ~is_at_least & (place > limits[0]) & ~np.array(is_flat)
    fitted = tested_fit(
        point.betas,
        (bool(is_at_least[0]), bool(is_at_least[1])),
        point.information,
        point.log_likelihood,
        common,
        max_beta,
    )
    behaviour = observed.problem.behaviour(point.log_odds)
    directions = over_actions(observed.variables, point.sensitivity[is_free])
    return replace(fitted, point=point), behaviour, directions


def _gradient(point: Point) -> Floats:
    gradient: Floats = (1.0 + np.array(point.betas)) * np.array(point.scores)
    return gradient


def _curvature(point: Point) -> Floats:
    first, across, second = point.information
    stretch = 1.0 + np.array(point.betas)
    matrix: Floats = np.array([[first, across], [across, second]]) * np.outer(stretch, stretch)
    # Add a little of the diagonal: a β that is not identified would make it singular.
    matrix += np.eye(2) * (1e-10 * float(np.trace(matrix)) + 1e-300)
    return matrix


def _free_step(curvature: Floats, gradient: Floats, free: Bools) -> Floats:
    step = np.zeros(2)
    if free.all():
        step[:] = np.linalg.solve(curvature, gradient)
    elif free.any():
        index = int(np.flatnonzero(free)[0])
        step[index] = gradient[index] / curvature[index, index]
    return step


def _climb(
    observed: ObservedPlay, point: Point, place: Floats, step: Floats, limits: Floats
) -> tuple[Floats, Point] | None:
    """Return the first point along `step`, halved as needed, that is more likely."""
    for _ in range(25):
        ahead = np.clip(place + step, limits[0], limits[1])
        first, second = np.expm1(ahead).tolist()
        found = equilibrium_at(observed, (first, second), point.towards((first, second)))
        if found is not None:
            needed = 1e-4 * float(_gradient(point) @ (ahead - place))
            if found.log_likelihood >= point.log_likelihood + needed:
                return ahead, found
        step = 0.5 * step
    return None


def tested_fit(
    betas: tuple[float, float],
    is_at_least: tuple[bool, bool],
    information: tuple[float, float, float],
    log_likelihood: float,
    common: CommonFit,
    max_beta: float,
) -> PerPlayerFit:
    """Return the fit with its standard errors and the test against the common β."""
    from scipy.special import chdtrc

    covariance = _covariance(is_at_least, information, max_beta)
    errors = tuple(math.sqrt(covariance[player][player]) for player in (0, 1))
    is_identified = (
        is_at_least[0] or errors[0] < max_beta,
        is_at_least[1] or errors[1] < max_beta,
    )
    is_known = all(is_identified) and not any(is_at_least)
    ratio = max(0.0, 2.0 * (log_likelihood - common.log_likelihood))
    return PerPlayerFit(
        betas=betas,
        is_at_least=is_at_least,
        is_identified=is_identified,
        standard_errors=(
            errors[0] if is_identified[0] and not is_at_least[0] else None,
            errors[1] if is_identified[1] and not is_at_least[1] else None,
        ),
        covariance=covariance if is_known else None,
        log_likelihood=log_likelihood,
        likelihood_ratio=ratio,
        p_value=float(chdtrc(1.0, ratio)) if all(is_identified) else None,
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
