"""β from empirical payoffs: what actions are worth against the observed frequencies.

No equilibrium is computed, which leaves a concave problem in β.

Reference: Bajari & Hortaçsu 2005, "Are structural estimates of auction models reasonable?
Evidence from experimental data".
"""

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.solvers.qre.common_fit import CommonFit
from untilt.solvers.qre.likelihood import standard_error
from untilt.solvers.qre.observed_play import ObservedPlay
from untilt.solvers.qre.per_player_fit import PerPlayerFit, tested_fit

_TREMBLE = 1e-9
"""Added to every count before payoffs are computed, so that all beliefs are defined."""


def fit_empirical(observed: ObservedPlay, max_beta: float) -> CommonFit:
    """Return the one β for both players."""
    values = _empirical_values(observed)
    beta, is_at_least = _logit_beta(observed, values, np.ones(len(values)), max_beta)
    likelihood, _, information, behaviour = _logit(observed, values, beta)
    is_free = not is_at_least and beta > 0.0
    return CommonFit(
        beta,
        is_at_least,
        None if is_at_least else standard_error(information, max_beta),
        likelihood,
        behaviour,
        directions=values[np.newaxis][: int(is_free)],
        search_end=max_beta,
    )


def fit_empirical_per_player(
    observed: ObservedPlay, common: CommonFit, max_beta: float
) -> tuple[PerPlayerFit, Floats, Floats]:
    """Return a β per player; given the payoffs, the two problems are separate."""
    values = _empirical_values(observed)
    players = observed.spread(observed.variables.player.astype(np.float64))
    betas, bounds, known = [], [], []
    directions = []
    scale = np.empty(len(values))
    for player in (0, 1):
        own = (players == player).astype(np.float64)
        beta, is_at_least = _logit_beta(observed, values, own, max_beta)
        known.append(_logit(observed, values, beta, own)[2])
        betas.append(beta)
        bounds.append(is_at_least)
        if not is_at_least and beta > 0.0:
            directions.append(own * values)
        scale[players == player] = beta
    likelihood, _, _, behaviour = _logit(observed, scale * values, 1.0)
    fitted = tested_fit(
        (betas[0], betas[1]),
        (bounds[0], bounds[1]),
        (known[0], 0.0, known[1]),
        likelihood,
        common,
        max_beta,
    )
    return fitted, behaviour, np.array(directions).reshape(len(directions), len(values))


def _empirical_values(observed: ObservedPlay) -> Floats:
    """Return the value of each action against the observed frequencies, relative to the best."""
    problem = observed.problem
    counts = observed.counts + _TREMBLE
    frequency = counts / observed.spread(observed.sums(counts))
    problem.respond(problem.log_odds(problem.profile_of(frequency)))
    values = problem.system.response.values
    # Measured from the best action: sums of small terms then keep their digits at large β.
    shifted: Floats = values - observed.spread(observed.largest(values))
    return shifted


def _logit(
    observed: ObservedPlay, values: Floats, beta: float, share: Floats | None = None
) -> tuple[float, float, float, Floats]:
    """Return log-likelihood, score, information and behaviour of logit play at fixed values.

    Actions with `share` 0 are left out of the first three.
    """
    scaled = beta * values
    scaled -= observed.spread(observed.largest(scaled))
    weights = np.exp(scaled)
    sums = observed.sums(weights)
    behaviour = weights / observed.spread(sums)
    counts = observed.counts if share is None else observed.counts * share
    totals = observed.sums(counts)
    mean = observed.sums(behaviour * values)
    spread = observed.sums(behaviour * (values - observed.spread(mean)) ** 2)
    likelihood = float(counts @ (scaled - observed.spread(np.log(sums))))
    score = float(counts @ (values - observed.spread(mean)))
    return likelihood, score, float(totals @ spread), behaviour


def _logit_beta(
    observed: ObservedPlay, values: Floats, share: Floats, max_beta: float
) -> tuple[float, bool]:
    """Return the best β in [0, max_beta], and whether it is only a bound. The score falls in β."""
    from scipy.optimize import brentq

    def score(beta: float) -> float:
        return _logit(observed, values, beta, share)[1]

    if score(0.0) <= 0.0:
        return 0.0, False
    high = min(1.0, max_beta)
    while score(high) >= 0.0:  # equal once all of it has underflown
        if high >= max_beta:
            return max_beta, True
        high = min(4.0 * high, max_beta)
    return float(brentq(score, 0.0, high, xtol=1e-14, rtol=1e-13)), False
