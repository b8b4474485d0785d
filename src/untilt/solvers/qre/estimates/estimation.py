"""Maximum-likelihood rationality β from observed play.

The method `likelihood` searches along the principal branch (`common_fit`, `per_player_fit`),
`empirical` takes the values of actions from the observed frequencies (`empirical_fit`). `maximum`
finds where either likelihood is largest.
`clustering` gives standard errors for dependent decisions, `grouped_fit` a β per group,
`cross_validation` the likelihood of decisions that were held out.

Reference: Bland & Turocy 2023, "Quantal response equilibrium as a structural model for
estimation: the missing manual".
"""

import math
import time
from dataclasses import dataclass

import numpy as np

from untilt.errors import Argument, InvalidOption
from untilt.game.strategy.strategy import Profile
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.estimates.clustering import (
    ClusteredErrors,
    clustered_errors,
    verify_subjects,
)
from untilt.solvers.qre.estimates.common_fit import CommonFit, fit_common
from untilt.solvers.qre.estimates.empirical_fit import fit_empirical, fit_empirical_per_player
from untilt.solvers.qre.estimates.goodness import Goodness, goodness_of_fit
from untilt.solvers.qre.estimates.likelihood import over_actions, standard_error
from untilt.solvers.qre.estimates.observed_play import ObservedPlay
from untilt.solvers.qre.estimates.per_player_fit import PerPlayerFit, fit_per_player
from untilt.solvers.qre.options import EMPIRICAL, FIT_MAX_BETA, FIT_METHOD, LIKELIHOOD, MAX_BETA
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
    """The number of times that the branch turned back on the way."""
    per_player: PerPlayerFit | None
    profile: Profile
    """The fitted strategies; with one β per player if requested."""
    goodness: Goodness
    """Of `profile`."""
    clustered: ClusteredErrors | None
    """If the subjects who decided are known."""
    seconds: float

    @property
    def interval_scale(self) -> str:
        """The scale of the symmetric interval: `log`, `linear` or, one-sided, `likelihood`."""
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


@dataclass(frozen=True)
class Estimate:
    """One β, perhaps a β per player too, and the behaviour of the larger model; A actions."""

    common: CommonFit
    per_player: PerPlayerFit | None
    behaviour: Floats
    """[A]"""
    directions: Floats
    """[P, A] derivatives of log σ by the P βs that are free"""


def estimate(observed: ObservedPlay, *, method: str, per_player: bool, max_beta: float) -> Estimate:
    """Return the most likely β or βs, without judging them."""
    is_empirical = method == EMPIRICAL
    common = (fit_empirical if is_empirical else fit_common)(observed, max_beta)
    both, point = None, common.point
    moved = point.sensitivity.sum(axis=0, keepdims=True)
    ends = [(common.beta, common.is_at_least, point.common_information)]
    if per_player:
        separate = fit_empirical_per_player if is_empirical else fit_per_player
        both = separate(observed, common, max_beta)
        point, moved = both.point, both.point.sensitivity
        ends = list(
            zip(both.betas, both.is_at_least, np.diag(point.information).tolist(), strict=True)
        )
    # Empirical fits are not tested: there a β that is hardly determined counts as free, too.
    is_free = [
        beta > 0.0
        and not is_at_least
        and (is_empirical or standard_error(information, max_beta) is not None)
        for beta, is_at_least, information in ends
    ]
    behaviour = observed.problem.behaviour(point.log_odds)
    return Estimate(common, both, behaviour, over_actions(observed.variables, moved[is_free]))


def fit(
    problem: QuantalProblem,
    counts: Floats,
    subjects: Floats | None = None,
    *,
    method: str = LIKELIHOOD,
    per_player: bool = False,
    max_beta: float = MAX_BETA,
) -> Fit:
    """Return the β, or the β of each player, under which `counts` are most likely.

    `counts` holds how often each action was taken, player 0's infosets first, in the order of
    `problem.variables`; `subjects` [G, A] the same for each of G subjects, for standard errors
    clustered by subject. All players share one β in `problem`: its shares must be 1.
    """
    begin = time.perf_counter()
    FIT_METHOD.verify(method)
    if any(share != 1.0 for share in problem.shares):
        raise InvalidOption("scale must be (1, 1): the players' shares of beta are estimated")
    FIT_MAX_BETA.verify(max_beta)
    observed = ObservedPlay(problem, np.ascontiguousarray(counts))
    if subjects is not None:
        _verify_clustering(observed, subjects, method)
    found = estimate(observed, method=method, per_player=per_player, max_beta=max_beta)
    common = found.common
    return Fit(
        definition=problem.definition,
        method=method,
        beta=common.beta,
        is_at_least=common.is_at_least,
        standard_error=common.standard_error,
        num_observations=int(observed.totals.sum()),
        log_likelihood=common.point.log_likelihood,
        uniform_log_likelihood=observed.uniform_log_likelihood,
        saturated_log_likelihood=observed.saturated_log_likelihood,
        lower_bound=common.lower_bound,
        search_end=common.search_end,
        num_folds=common.num_folds,
        per_player=found.per_player,
        profile=problem.profile_of(found.behaviour),
        # Empirical payoffs are noise of the same counts, which no direction accounts for.
        goodness=goodness_of_fit(
            observed, found.behaviour, found.directions, is_tested=method == LIKELIHOOD
        ),
        clustered=None if subjects is None else _clustered(observed, subjects, found),
        seconds=time.perf_counter() - begin,
    )


def _verify_clustering(observed: ObservedPlay, subjects: Floats, method: str) -> None:
    if method != LIKELIHOOD:
        raise InvalidOption(
            "standard errors by subject need ",
            Argument("method", LIKELIHOOD),
            ": empirical payoffs are computed from the same decisions, which no standard error "
            "here accounts for",
        )
    verify_subjects(observed, subjects)


def _clustered(observed: ObservedPlay, subjects: Floats, found: Estimate) -> ClusteredErrors:
    common, both = found.common, found.per_player
    is_free = common.standard_error is not None and common.beta > 0.0
    are_free = both is not None and both.covariance is not None and min(both.betas) > 0.0
    return clustered_errors(
        observed,
        subjects,
        common.point if is_free else None,
        both.point if are_free and both is not None else None,
    )
