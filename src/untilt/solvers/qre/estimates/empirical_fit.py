"""β from empirical payoffs: what actions are worth against the observed frequencies.

No equilibrium is computed, which leaves a concave problem in β.

Reference: Bajari & Hortaçsu 2005, "Are structural estimates of auction models reasonable?
Evidence from experimental data".
"""

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.solvers.qre.decision_tree import over_variables
from untilt.solvers.qre.estimates.common_fit import CommonFit
from untilt.solvers.qre.estimates.likelihood import LikelihoodPoint, standard_error
from untilt.solvers.qre.estimates.maximum import Likelihood, Path, highest
from untilt.solvers.qre.estimates.observed_play import ObservedPlay
from untilt.solvers.qre.estimates.per_player_fit import PerPlayerFit, tested_fit

_TREMBLE = 1e-9
"""Added to every count before payoffs are computed, so that all beliefs are defined."""
_TOLERANCE = 1e-12
"""Of log(1 + β): points are exact here, and cheap."""


def fit_empirical(observed: ObservedPlay, max_beta: float) -> CommonFit:
    """Return the one β for all players."""
    best, is_at_least = _highest(_logit_play(observed), max_beta, observed.problem.game.num_players)
    error = None if is_at_least else standard_error(best.common_information, max_beta)
    return CommonFit(best, is_at_least, error, search_end=max_beta)


def fit_empirical_per_player(
    observed: ObservedPlay, common: CommonFit, max_beta: float
) -> PerPlayerFit:
    """Return a β per player; given the payoffs, the players' problems are separate."""
    players = range(observed.problem.game.num_players)
    found = [_highest(_logit_play(observed, player), max_beta, len(players)) for player in players]
    betas = tuple(point.betas[player] for player, (point, _) in enumerate(found))
    best = _logit_play(observed)(betas, common.point.log_odds)
    assert best is not None
    return tested_fit(best, tuple(is_bound for _, is_bound in found), common, max_beta)


def _highest(at: Likelihood, max_beta: float, num_players: int) -> tuple[LikelihoodPoint, bool]:
    """Return the best point up to `max_beta`, and whether its β is only a bound.

    The likelihood is concave: the score falls in β.
    """

    def point(beta: float) -> LikelihoodPoint:
        found = at((beta,) * num_players, np.empty(0))
        assert found is not None
        return found

    low = point(0.0)
    beta = min(1.0, max_beta)
    high = point(beta)
    while low.score > 0.0 and high.score >= 0.0 and beta < max_beta:  # 0 once it has underflown
        beta = min(4.0 * beta, max_beta)
        high = point(beta)
    ends = low, high
    path = Path(
        np.array([end.betas[0] for end in ends]),
        np.array([end.log_odds for end in ends]),
        np.array([end.log_likelihood for end in ends]),
        num_players,
    )
    best = highest(at, path, _TOLERANCE)
    return best, low.score > 0.0 and best.betas[0] == max_beta and best.score >= 0.0


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


def _logit_play(observed: ObservedPlay, player: int | None = None) -> Likelihood:
    """Return the likelihood of all decisions, or `player`'s, under logit play at these values."""
    values, sums, spread = _empirical_values(observed), observed.sums, observed.spread
    owner = spread(observed.variables.player.astype(np.float64))
    players = range(observed.problem.game.num_players)
    own = [np.where(owner == each, values, 0.0) for each in players]
    sensitivity = over_variables(observed.variables, np.array(own))
    counts = observed.counts if player is None else observed.counts * (owner == player)
    totals = sums(counts)

    def at(betas: tuple[float, ...], _: Floats) -> LikelihoodPoint:
        scaled = betas[0] * own[0]
        for beta, each in zip(betas[1:], own[1:], strict=True):
            scaled = scaled + beta * each
        weights = np.exp(scaled)
        mass = sums(weights)
        behaviour = weights / spread(mass)
        gaps = [each - spread(sums(behaviour * each)) for each in own]
        information = np.diag([float(totals @ sums(behaviour * gap**2)) for gap in gaps])
        return LikelihoodPoint(
            betas,
            over_variables(observed.variables, scaled),
            sensitivity,
            float(counts @ (scaled - spread(np.log(mass)))),
            tuple(float(counts @ gap) for gap in gaps),
            information,
        )

    return at
