"""One β for all players: the estimate at the likeliest point, and how well it is known."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.estimates.likelihood import (
    LikelihoodPoint,
    branch_log_likelihoods,
    equilibrium_at,
    standard_error,
)
from untilt.solvers.qre.estimates.maximum import Path, highest
from untilt.solvers.qre.estimates.observed_play import ObservedPlay

_ONE_SIDED_DROP = 0.5 * 1.6448536269514722**2
"""The fall of the log-likelihood at a one-sided 95 % bound."""


@dataclass(frozen=True)
class CommonFit:
    """An estimate of one β for all players."""

    point: LikelihoodPoint
    is_at_least: bool
    standard_error: float | None
    search_end: float
    lower_bound: float = 0.0
    num_folds: int = 0

    @property
    def beta(self) -> float:
        """The estimate."""
        return self.point.betas[0]


def fit_common(observed: ObservedPlay, max_beta: float) -> CommonFit:
    """Return the estimate along the principal branch, traced up to `max_beta`."""
    branch = trace(observed.problem.system, max_beta)
    likelihoods = branch_log_likelihoods(observed, branch.log_odds)
    num_players = observed.problem.game.num_players
    path = Path(branch.betas, branch.log_odds, likelihoods, num_players)
    best = highest(partial(equilibrium_at, observed), path)
    is_at_least = best.betas[0] == float(branch.betas[-1]) and best.score >= 0.0
    return CommonFit(
        best,
        is_at_least,
        None if is_at_least else standard_error(best.common_information, max_beta),
        search_end=float(branch.betas.max()),
        lower_bound=_bound_below(path) if is_at_least else 0.0,
        num_folds=len(branch.folds),
    )


def _bound_below(path: Path) -> float:
    """Return where, coming down from the path's end, the log-likelihood has dropped enough."""
    likelihoods = path.likelihoods
    goal = likelihoods[-1] - _ONE_SIDED_DROP
    below = np.flatnonzero(likelihoods < goal)
    if not len(below):
        return 0.0
    index = int(below[-1])
    share = (goal - likelihoods[index]) / (likelihoods[index + 1] - likelihoods[index])
    low, high = np.log1p(path.betas[index : index + 2]).tolist()
    return math.expm1(low + float(share) * (high - low))
