"""Standard errors of β if the decisions of one subject are not independent of one another.

The estimate stays that of independent decisions. Its variance is the sandwich

    V = G / (G − 1) · H⁻¹ (Σ_g s_g s_gᵀ) H⁻¹

over G subjects, with s_g the score of subject g's decisions at the estimate and H minus the
second derivative of the log-likelihood of all of them. H is the observed one, by central
differences of the exact score, because the expected one holds only if the model does. The factor
G / (G − 1) is the usual small-sample correction for maximum likelihood, and intervals take
Student's t with G − 1 degrees of freedom.

References: Liang & Zeger 1986, "Longitudinal data analysis using generalized linear models";
Cameron & Miller 2015, "A practitioner's guide to cluster-robust inference", sections II and VI.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from untilt.errors import InvalidOption
from untilt.number import finite
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.estimates.likelihood import LikelihoodPoint, equilibrium_at, over_actions
from untilt.solvers.qre.estimates.observed_play import ObservedPlay

_STEP = 1e-4
"""Step of differences in β, relative to 1 + β."""
_TOLERANCE = 1e-12
_UPPER_TAIL = 0.975


@dataclass(frozen=True)
class ClusteredErrors:
    """Uncertainty of an estimate whose observations come from G subjects."""

    num_subjects: int
    """Subjects who decided at least once."""
    standard_error: float | None
    """Of one β; None if it is a bound, at 0 or not identified, or if there is one subject."""
    interval: tuple[float, float]
    """The 95 % interval for β, symmetric in log β, by Student's t; (0, inf) if not known."""
    per_player: tuple[float, ...] | None = None
    """Standard errors of a β per player; None if not estimated, or if one of them has none."""
    covariance: tuple[tuple[float, ...], ...] | None = None
    """Of a β per player."""
    information: float | None = field(default=None, repr=False)
    """H of one β: minus the second derivative of the log-likelihood."""
    scores: Floats | None = field(default=None, repr=False, compare=False)
    """[G] of one β, by subject; 0 for a subject who never decided."""

    def to_json(self) -> dict[str, Any]:
        """Return the errors as plain data."""
        return {
            "subjects": self.num_subjects,
            "standard_error": self.standard_error,
            "interval": [finite(end) for end in self.interval],
            "correction": "G/(G-1), t(G-1)",
            "per_player_standard_errors": self.per_player and list(self.per_player),
            "per_player_covariance": self.covariance and [list(row) for row in self.covariance],
        }


def verify_subjects(observed: ObservedPlay, counts: Floats) -> None:
    """Raise InvalidOption unless `counts` [G, A] are the observations by subject."""
    if counts.ndim != 2 or counts.shape[1] != len(observed.counts):
        raise InvalidOption(
            f"counts of subjects must have the shape (subjects, {len(observed.counts)})"
        )
    # Integers up to 2⁵³ are added without error, so only other numbers need a tolerance.
    if not np.allclose(counts.sum(axis=0), observed.counts, rtol=1e-12, atol=0.0):
        raise InvalidOption("counts of subjects must add up to the counts of all")


def clustered_errors(
    observed: ObservedPlay,
    counts: Floats,
    common: LikelihoodPoint | None,
    both: LikelihoodPoint | None = None,
) -> ClusteredErrors:
    """Return the errors of the estimates at `common` and, if given, at a β per player.

    `counts` [G, A] are those of each subject. A point is None if the estimate there has no
    standard error.
    """
    num_subjects = int(np.count_nonzero(counts.sum(axis=1)))
    unknown = ClusteredErrors(num_subjects, None, (0.0, math.inf))
    if num_subjects < 2:
        return unknown
    error, interval = unknown.standard_error, unknown.interval
    information = scores = None
    if common is not None:
        scores = _scores(observed, common, counts).sum(axis=1)
        information = _information_on_one(observed, common)
        if information is not None:
            meat = float(scores @ scores)
            error = math.sqrt(_correction(num_subjects) * meat) / information
            interval = _log_interval(common.betas[0], error, num_subjects)
    covariance = None if both is None else _covariance_of_all(observed, both, counts, num_subjects)
    per_player = None
    if covariance is not None:
        per_player = tuple(math.sqrt(row[player]) for player, row in enumerate(covariance))
    return ClusteredErrors(
        num_subjects, error, interval, per_player, covariance, information, scores
    )


def _correction(num_subjects: int) -> float:
    return num_subjects / (num_subjects - 1)


def _log_interval(beta: float, error: float, num_subjects: int) -> tuple[float, float]:
    from scipy.special import stdtrit

    width = float(stdtrit(num_subjects - 1, _UPPER_TAIL)) * error / beta
    return (0.0, math.inf) if width > 700.0 else (beta * math.exp(-width), beta * math.exp(width))


def _scores(observed: ObservedPlay, point: LikelihoodPoint, counts: Floats) -> Floats:
    """Return [G, P] each subject's derivatives of the log-likelihood by the players' βs."""
    observed.problem.respond(point.log_odds)
    behaviour = observed.problem.system.response.behaviour
    directions = over_actions(observed.variables, point.sensitivity)
    means = [observed.spread(observed.sums(behaviour * own)) for own in directions]
    scores: Floats = counts @ (directions - np.array(means)).T
    return scores


def _information_on_one(observed: ObservedPlay, point: LikelihoodPoint) -> float | None:
    """Return H of a common β, or None if it cannot be computed or is not positive."""
    slopes = _slopes(observed, point, (1.0,) * len(point.betas))
    if slopes is None:
        return None
    information = -float(slopes.sum())
    return information if information > 0.0 else None


def _covariance_of_all(
    observed: ObservedPlay, point: LikelihoodPoint, counts: Floats, num_subjects: int
) -> tuple[tuple[float, ...], ...] | None:
    shifts = np.eye(len(point.betas)).tolist()
    columns = [_slopes(observed, point, tuple(shift)) for shift in shifts]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return None
    information = -np.stack(known, axis=1)
    information = 0.5 * (information + information.T)
    if not np.all(np.linalg.eigvalsh(information) > 0.0):
        return None
    scores = _scores(observed, point, counts)
    bread = np.linalg.inv(information)
    found = _correction(num_subjects) * bread @ (scores.T @ scores) @ bread
    return tuple(map(tuple, found.tolist()))


def _slopes(
    observed: ObservedPlay, point: LikelihoodPoint, direction: tuple[float, ...]
) -> Floats | None:
    """Return [P] the derivatives of all scores as the βs move in `direction`."""
    step = _STEP * (1.0 + max(point.betas))
    step = min(step, 0.5 * min(beta for beta, on in zip(point.betas, direction, strict=True) if on))
    if not step > 0.0:
        return None
    ends = []
    for sign in (1.0, -1.0):
        betas = tuple(
            beta + sign * step * along for beta, along in zip(point.betas, direction, strict=True)
        )
        end = equilibrium_at(observed, betas, point.towards(betas), tolerance=_TOLERANCE)
        if end is None:
            return None
        ends.append(np.array(end.scores))
    slopes: Floats = (ends[0] - ends[1]) / (2.0 * step)
    return slopes
