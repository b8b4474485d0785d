"""The maximum of the likelihood of observed play: in one β along a path, or in a β per player.

The points of a path show where the likelihood peaks. Around each of the likeliest peaks, the
score's change of sign is bracketed and refined by safeguarded Fisher scoring. The best of these and
of the path's ends is the maximum. From there, quasi-Newton ascent separates the players' βs.

Both know the model only as a function of the βs, `Likelihood`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from untilt.numeric.arrays import Bools, Floats
from untilt.solvers.qre.estimates.likelihood import LikelihoodPoint

Likelihood: TypeAlias = Callable[[tuple[float, ...], Floats], LikelihoodPoint | None]
"""The point at a β for each player, sought from log-odds near it; None if it was not found."""

_MOST_PEAKS = 3
"""The number of likeliest local maxima along a path that are refined."""


@dataclass(frozen=True)
class Path:
    """Values of β in order, with log-odds near their points; N of them, V variables."""

    betas: Floats
    """[N]"""
    log_odds: Floats
    """[N, V]"""
    likelihoods: Floats
    """[N] log-likelihoods at `log_odds`"""
    num_players: int


def highest(at: Likelihood, path: Path, tolerance: float = 1e-9) -> LikelihoodPoint:
    """Return the likeliest point of one β for all players along `path`, which begins at β = 0.

    `tolerance` is that of log(1 + β), relative.
    """
    last = len(path.betas) - 1
    start = _path_point(at, path, 0)
    assert start is not None, "at β = 0 the solution is known"
    candidates = [start]
    for index in _likely_points(path.likelihoods):
        peak = _peak_near(at, path, min(index, last - 1), tolerance)
        end = _path_point(at, path, last) if index == last else None
        candidates.extend(point for point in (peak, end) if point is not None)
    return max(candidates, key=lambda point: point.log_likelihood)


def _likely_points(likelihoods: Floats) -> list[int]:
    """Return the points at least as likely as their neighbours, the likeliest first."""
    padded = np.concatenate(([-np.inf], likelihoods, [-np.inf]))
    peaks = np.flatnonzero((likelihoods >= padded[:-2]) & (likelihoods >= padded[2:]))
    order = np.argsort(-likelihoods[peaks], kind="stable")
    found: list[int] = peaks[order][:_MOST_PEAKS].tolist()
    return found


def _path_point(at: Likelihood, path: Path, index: int) -> LikelihoodPoint | None:
    beta = float(path.betas[index])
    return at((beta,) * path.num_players, path.log_odds[index])


def _peak_near(at: Likelihood, path: Path, index: int, tolerance: float) -> LikelihoodPoint | None:
    """Return the maximum between points `index` and `index` + 1.

    Points of a branch are converged to a few per cent only: once they are exact, the change
    of sign may turn out to lie in the interval before or after.
    """
    direction = 1.0 if path.betas[index + 1] > path.betas[index] else -1.0
    known: dict[int, LikelihoodPoint | None] = {}
    for _ in range(4):
        if not 0 <= index < len(path.betas) - 1:
            break
        for near in (index, index + 1):
            if near not in known:
                known[near] = _path_point(at, path, near)
        low, high = known[index], known[index + 1]
        if low is None or high is None:
            break
        if low.score * direction <= 0.0:
            index -= 1
        elif high.score * direction > 0.0:
            index += 1
        else:
            return _peak_between(at, low, high, direction, tolerance)
    # At a fold β does not measure progress along the path: take its likeliest point.
    points = [point for point in known.values() if point is not None]
    return max(points, key=lambda point: point.log_likelihood, default=None)


def _peak_between(
    at: Likelihood, low: LikelihoodPoint, high: LikelihoodPoint, direction: float, tolerance: float
) -> LikelihoodPoint:
    """Return the zero of the score, by Fisher scoring in t = log(1 + β), within a bracket.

    From the second step, the curvature is estimated from the last two points, which converges
    fast even if the model is wrong and the information is not the curvature.
    """

    def slope(point: LikelihoodPoint) -> float:
        return (1.0 + point.betas[0]) * point.score

    def place(point: LikelihoodPoint) -> float:
        return math.log1p(point.betas[0])

    now = min(low, high, key=lambda point: abs(slope(point)))
    curvature = -((1.0 + now.betas[0]) ** 2) * now.common_information
    for _ in range(60):
        if slope(now) == 0.0:
            break
        middle = 0.5 * (place(low) + place(high))
        ahead = place(now) - slope(now) / curvature if curvature < 0.0 else middle
        if abs(ahead - place(now)) <= tolerance * place(now):
            break
        if not min(place(low), place(high)) < ahead < max(place(low), place(high)):
            ahead = middle
        beta = math.expm1(ahead)
        if beta in (low.betas[0], high.betas[0]):
            break
        near = min(low, high, now, key=lambda point: abs(place(point) - ahead))
        betas = (beta,) * len(now.betas)
        point = at(betas, near.towards(betas))
        if point is None:
            point = at(betas, near.log_odds)
        if point is None:  # a fold lies between: keep what is known
            break
        curvature = (slope(point) - slope(now)) / (place(point) - place(now))
        now = point
        if now.score * direction > 0.0:
            low = now
        else:
            high = now
    return now


def climb(
    at: Likelihood, point: LikelihoodPoint, max_beta: float
) -> tuple[LikelihoodPoint, tuple[bool, ...]]:
    """Return the likeliest point of a β per player, and whether each β is at the search's end.

    Quasi-Newton ascent in log(1 + β_p) from `point`. The first curvature is the expected
    information; each step updates it (BFGS). Steps stay within 0 ≤ β_p ≤ `max_beta` and are halved
    until the likelihood rises.
    """
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
        moved = _climb(at, point, place, step, limits)
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
    return point, tuple(bool(own >= limits[1]) for own in place)


def _gradient(point: LikelihoodPoint) -> Floats:
    gradient: Floats = (1.0 + np.array(point.betas)) * np.array(point.scores)
    return gradient


def _curvature(point: LikelihoodPoint) -> Floats:
    stretch = 1.0 + np.array(point.betas)
    matrix: Floats = point.information * np.outer(stretch, stretch)
    # Add a little of the diagonal: a β that is not identified would make it singular.
    matrix += np.eye(len(stretch)) * (1e-10 * float(np.trace(matrix)) + 1e-300)
    return matrix


def _free_step(curvature: Floats, gradient: Floats, free: Bools) -> Floats:
    step = np.zeros(len(gradient))
    places = np.flatnonzero(free)
    if len(places) == 1:
        step[places] = gradient[places] / curvature[places, places]
    elif len(places):
        step[places] = np.linalg.solve(curvature[np.ix_(places, places)], gradient[places])
    return step


def _climb(
    at: Likelihood, point: LikelihoodPoint, place: Floats, step: Floats, limits: Floats
) -> tuple[Floats, LikelihoodPoint] | None:
    """Return the first point along `step`, halved as needed, that is more likely."""
    for _ in range(25):
        ahead = np.clip(place + step, limits[0], limits[1])
        betas = tuple(np.expm1(ahead).tolist())
        found = at(betas, point.towards(betas))
        if found is not None:
            needed = 1e-4 * float(_gradient(point) @ (ahead - place))
            if found.log_likelihood >= point.log_likelihood + needed:
                return ahead, found
        step = 0.5 * step
    return None
