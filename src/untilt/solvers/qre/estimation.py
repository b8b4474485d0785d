"""Maximum-likelihood rationality β from observed play.

The method `likelihood` searches along the principal branch (`common_fit`, `per_player_fit`),
`empirical` takes the values of actions from the observed frequencies (`empirical_fit`).

Reference: Bland & Turocy 2023, "Quantal response equilibrium as a structural model for
estimation: the missing manual".
"""

import math
import time
from dataclasses import dataclass

import numpy as np

from untilt.errors import InvalidOption
from untilt.game.strategy import Profile
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.common_fit import fit_common
from untilt.solvers.qre.empirical_fit import fit_empirical, fit_empirical_per_player
from untilt.solvers.qre.goodness import Goodness, goodness_of_fit
from untilt.solvers.qre.observed_play import ObservedPlay
from untilt.solvers.qre.options import FIT_MAX_BETA, FIT_METHOD, LIKELIHOOD, MAX_BETA
from untilt.solvers.qre.per_player_fit import PerPlayerFit, fit_per_player
from untilt.solvers.qre.problem import QuantalProblem

_NORMAL_QUANTILE = 1.959963984540054


@dataclass(frozen=True)
class Fit:
    """The estimate of β from counts of actions."""

    definition: str
    method: str
    beta: float
    is_at_least: bool
    """Whether the likelihood still rises where the search ends: β is at least this."""
    standard_error: float | None
    """Of β, from the expected information; None if β is only a bound, or if it would exceed the
    whole range that was searched: then the observations say nothing about β."""
    num_observations: int
    """Decisions, without forced moves."""
    log_likelihood: float
    uniform_log_likelihood: float
    saturated_log_likelihood: float
    """Of the observed frequencies themselves: no strategy does better."""
    lower_bound: float
    """A one-sided 95 % bound by likelihood ratio where `is_at_least`, else 0."""
    search_end: float
    """The largest β that was searched."""
    num_folds: int
    """How often the branch turned back on the way."""
    per_player: PerPlayerFit | None
    profile: Profile
    """The fitted strategies; with one β per player if requested."""
    goodness: Goodness
    """Of `profile`."""
    seconds: float

    @property
    def interval_scale(self) -> str:
        """What the interval is symmetric in: `log`, `linear` or, one-sided, `likelihood`."""
        if self.is_at_least:
            return "likelihood"
        return "log" if self.beta > 0.0 else "linear"

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval for β, symmetric in log β if β > 0; the upper end may be inf."""
        if self.standard_error is None:
            return self.lower_bound, math.inf
        if self.beta <= 0.0:
            return self.linear_interval
        width = _NORMAL_QUANTILE * self.standard_error / self.beta
        if width > 700.0:
            return 0.0, math.inf
        return self.beta * math.exp(-width), self.beta * math.exp(width)

    @property
    def linear_interval(self) -> tuple[float, float]:
        """The 95 % interval that is symmetric in β, cut at 0."""
        if self.standard_error is None:
            return self.lower_bound, math.inf
        width = _NORMAL_QUANTILE * self.standard_error
        return max(0.0, self.beta - width), self.beta + width


def fit(
    problem: QuantalProblem,
    counts: Floats,
    *,
    method: str = LIKELIHOOD,
    per_player: bool = False,
    max_beta: float = MAX_BETA,
) -> Fit:
    """Return the β, or the β of each player, under which `counts` are most likely.

    `counts` holds how often each action was taken, player 0's infosets first, in the order of
    `problem.variables`. Both players share one β in `problem`: its scale must be (1, 1).
    """
    begin = time.perf_counter()
    FIT_METHOD.verify(method)
    if problem.scale != (1.0, 1.0):
        raise InvalidOption("scale must be (1, 1): the players' shares of beta are estimated")
    FIT_MAX_BETA.verify(max_beta)
    observed = ObservedPlay(problem, np.ascontiguousarray(counts))
    if method == LIKELIHOOD:
        found = fit_common(observed, max_beta)
    else:
        found = fit_empirical(observed, max_beta)
    both: PerPlayerFit | None = None
    behaviour, directions = found.behaviour, found.directions
    if per_player:
        separate = fit_per_player if method == LIKELIHOOD else fit_empirical_per_player
        both, behaviour, directions = separate(observed, found, max_beta)
    return Fit(
        definition=problem.definition,
        method=method,
        beta=found.beta,
        is_at_least=found.is_at_least,
        standard_error=found.standard_error,
        num_observations=int(observed.totals.sum()),
        log_likelihood=found.log_likelihood,
        uniform_log_likelihood=observed.uniform_log_likelihood,
        saturated_log_likelihood=observed.saturated_log_likelihood,
        lower_bound=found.lower_bound,
        search_end=found.search_end,
        num_folds=found.num_folds,
        per_player=both,
        profile=problem.profile_of(behaviour),
        # Empirical payoffs are noise of the same counts, which no direction accounts for.
        goodness=goodness_of_fit(observed, behaviour, directions, is_tested=method == LIKELIHOOD),
        seconds=time.perf_counter() - begin,
    )
