"""The one β for both players under which observed play is most likely.

The points of the principal branch show where the likelihood peaks. Around each of the likeliest
peaks, the score's change of sign is bracketed and refined by safeguarded Fisher scoring. The best
of these and of the branch's ends is the estimate.
"""

import math
from dataclasses import dataclass

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.solvers.qre.arclength import trace
from untilt.solvers.qre.branch import Branch
from untilt.solvers.qre.likelihood import (
    Point,
    branch_log_likelihoods,
    equilibrium_at,
    over_actions,
    standard_error,
)
from untilt.solvers.qre.observed_play import ObservedPlay

_ONE_SIDED_DROP = 0.5 * 1.6448536269514722**2
"""The fall of the log-likelihood at a one-sided 95 % bound."""
_MOST_PEAKS = 3
"""The number of likeliest local maxima along a branch that are refined."""


@dataclass(frozen=True)
class CommonFit:
    """An estimate of one β for both players; A actions."""

    beta: float
    is_at_least: bool
    standard_error: float | None
    log_likelihood: float
    behaviour: Floats
    directions: Floats
    """[P, A] derivatives of log σ by β; P = 0 if β is at an end of its range or not identified"""
    lower_bound: float = 0.0
    search_end: float = 0.0
    num_folds: int = 0
    point: Point | None = None


def fit_common(observed: ObservedPlay, max_beta: float) -> CommonFit:
    """Return the estimate along the principal branch, traced up to `max_beta`."""
    problem = observed.problem
    branch = trace(problem.system, max_beta)
    likelihoods = branch_log_likelihoods(observed, branch.log_odds)
    last = len(branch.betas) - 1
    start = _branch_point(observed, branch, 0)
    assert start is not None, "at β = 0 the solution is known"
    candidates = [start]
    for index in _likely_points(likelihoods):
        peak = _peak_near(observed, branch, min(index, last - 1))
        end = _branch_point(observed, branch, last) if index == last else None
        candidates.extend(point for point in (peak, end) if point is not None)
    best = max(candidates, key=lambda point: point.log_likelihood)
    is_at_least = best.betas[0] == float(branch.betas[-1]) and best.score >= 0.0
    error = None if is_at_least else standard_error(best.common_information, max_beta)
    is_free = error is not None and best.betas[0] > 0.0
    sensitivity = best.sensitivity.sum(axis=0, keepdims=True)
    return CommonFit(
        beta=best.betas[0],
        is_at_least=is_at_least,
        standard_error=error,
        log_likelihood=best.log_likelihood,
        behaviour=problem.behaviour(best.log_odds),
        directions=over_actions(observed.variables, sensitivity[: int(is_free)]),
        lower_bound=_bound_below(branch, likelihoods) if is_at_least else 0.0,
        search_end=float(branch.betas.max()),
        num_folds=len(branch.folds),
        point=best,
    )


def _likely_points(likelihoods: Floats) -> list[int]:
    """Return the points at least as likely as their neighbours, the likeliest first."""
    padded = np.concatenate(([-np.inf], likelihoods, [-np.inf]))
    peaks = np.flatnonzero((likelihoods >= padded[:-2]) & (likelihoods >= padded[2:]))
    order = np.argsort(-likelihoods[peaks], kind="stable")
    found: list[int] = peaks[order][:_MOST_PEAKS].tolist()
    return found


def _branch_point(observed: ObservedPlay, branch: Branch, index: int) -> Point | None:
    beta = float(branch.betas[index])
    return equilibrium_at(observed, (beta, beta), branch.log_odds[index])


def _peak_near(observed: ObservedPlay, branch: Branch, index: int) -> Point | None:
    """Return the maximum between branch points `index` and `index` + 1.

    Points of the branch are converged to a few per cent only: once they are exact, the change
    of sign may turn out to lie in the interval before or after.
    """
    direction = 1.0 if branch.betas[index + 1] > branch.betas[index] else -1.0
    known: dict[int, Point | None] = {}
    for _ in range(4):
        if not 0 <= index < len(branch.betas) - 1:
            break
        for near in (index, index + 1):
            if near not in known:
                known[near] = _branch_point(observed, branch, near)
        low, high = known[index], known[index + 1]
        if low is None or high is None:
            break
        if low.score * direction <= 0.0:
            index -= 1
        elif high.score * direction > 0.0:
            index += 1
        else:
            return _peak_between(observed, low, high, direction)
    # At a fold β does not measure progress along the path: take the likeliest point of the branch.
    points = [point for point in known.values() if point is not None]
    return max(points, key=lambda point: point.log_likelihood, default=None)


def _peak_between(observed: ObservedPlay, low: Point, high: Point, direction: float) -> Point:
    """Return the zero of the score, by Fisher scoring in t = log(1 + β), within a bracket.

    From the second step, the curvature is estimated from the last two points, which converges
    fast even if the model is wrong and the information is not the curvature.
    """

    def slope(point: Point) -> float:
        return (1.0 + point.betas[0]) * point.score

    def path(point: Point) -> float:
        return math.log1p(point.betas[0])

    now = min(low, high, key=lambda point: abs(slope(point)))
    curvature = -((1.0 + now.betas[0]) ** 2) * now.common_information
    for _ in range(60):
        if slope(now) == 0.0:
            break
        middle = 0.5 * (path(low) + path(high))
        ahead = path(now) - slope(now) / curvature if curvature < 0.0 else middle
        if abs(ahead - path(now)) <= 1e-9 * path(now):
            break
        if not min(path(low), path(high)) < ahead < max(path(low), path(high)):
            ahead = middle
        beta = math.expm1(ahead)
        if beta in (low.betas[0], high.betas[0]):
            break
        near = min(low, high, now, key=lambda point: abs(path(point) - ahead))
        point = equilibrium_at(observed, (beta, beta), near.towards((beta, beta)))
        if point is None:
            point = equilibrium_at(observed, (beta, beta), near.log_odds)
        if point is None:  # a fold lies between: keep what is known
            break
        curvature = (slope(point) - slope(now)) / (path(point) - path(now))
        now = point
        if now.score * direction > 0.0:
            low = now
        else:
            high = now
    return now


def _bound_below(branch: Branch, likelihoods: Floats) -> float:
    """Return where, coming down from the branch's end, the log-likelihood has dropped enough."""
    goal = likelihoods[-1] - _ONE_SIDED_DROP
    below = np.flatnonzero(likelihoods < goal)
    if not len(below):
        return 0.0
    index = int(below[-1])
    share = (goal - likelihoods[index]) / (likelihoods[index + 1] - likelihoods[index])
    low, high = np.log1p(branch.betas[index : index + 2]).tolist()
    return math.expm1(low + float(share) * (high - low))
