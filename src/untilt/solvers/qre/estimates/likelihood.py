"""The likelihood of observed play at a quantal response equilibrium, and its derivatives in β.

A branch z(β) gives every infoset I a distribution σ over its actions. With counts N_a, their
sum N_I, and the sensitivity T = dz/dβ (0 for the first action of an infoset),

    log-likelihood   Σ N_a log σ_a
    score            Σ_I [Σ_a N_a T_a − N_I E_σ T]
    information      Σ_I N_I Var_σ T                    expected, given how often I was reached

T solves J T = G, because F = z − β G(z) = 0 along the branch: one factorisation. With a β per
player, T_p solves J T_p = G on p's infosets and 0 elsewhere; their sum is T.
"""

import math
from dataclasses import dataclass

import numpy as np

from untilt.errors import InvalidOption, NotZeroSum
from untilt.game.compiled import CompiledGame
from untilt.game.strategy.strategy import Profile, profile_from_arrays, verify_profile
from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import kernel
from untilt.solvers.qre.branches.bordered import factorise, set_border, solve_in_place
from untilt.solvers.qre.decision_tree import Variables, verify_log_odds
from untilt.solvers.qre.estimates.observed_play import ObservedPlay
from untilt.solvers.qre.response import fill_jacobian, fill_residual, respond
from untilt.solvers.qre.system import System


def profile_log_likelihood(game: CompiledGame, profile: Profile, counts: Floats) -> float:
    """Return the log-likelihood of `counts` under a profile; −inf if it excludes an observation."""
    behaviours = verify_profile(game.infosets, profile).behaviours
    behaviour = np.concatenate([each[1:] for each in behaviours])
    if np.shape(counts) != behaviour.shape:
        raise InvalidOption(f"counts must have {len(behaviour)} numbers, one per action")
    seen = counts > 0.0
    if np.any(behaviour[seen] <= 0.0):
        return -math.inf
    return float(counts[seen] @ np.log(behaviour[seen]))


def nash_log_likelihood(game: CompiledGame, counts: Floats) -> float | None:
    """Return the log-likelihood of the linear program's equilibrium; None if there is no program.

    There is one for zero-sum games of two players.
    """
    from untilt.solvers.lp import solve_plans

    if game.num_players > 2:
        return None
    try:
        form = game.zero_sum_form()
    except NotZeroSum:
        return None
    profile = profile_from_arrays(game, form.behaviours(solve_plans(form)))
    return profile_log_likelihood(game, profile, counts)


@dataclass(frozen=True)
class LikelihoodPoint:
    """The equilibrium at a β for each of P players, with the derivatives of the likelihood."""

    betas: tuple[float, ...]
    log_odds: Floats
    """[V]"""
    sensitivity: Floats
    """[P, V] T of each player's β"""
    log_likelihood: float
    scores: tuple[float, ...]
    """Derivatives by the players' βs."""
    information: Floats
    """[P, P]"""

    @property
    def score(self) -> float:
        """Derivative by a common β."""
        return sum(self.scores[1:], self.scores[0])

    @property
    def common_information(self) -> float:
        """Expected information on a common β."""
        total = 0.0
        for player, row in enumerate(self.information.tolist()):
            for other in range(player):
                total += 2.0 * row[other]
            total += row[player]
        return total

    def towards(self, betas: tuple[float, ...]) -> Floats:
        """Return the log-odds predicted for other βs."""
        odds = self.log_odds
        for new, old, own in zip(betas, self.betas, self.sensitivity, strict=True):
            odds = odds + (new - old) * own
        return odds


def equilibrium_at(
    observed: ObservedPlay, betas: tuple[float, ...], start: Floats, *, tolerance: float = 1e-9
) -> LikelihoodPoint | None:
    """Return the equilibrium that Newton reaches from `start`, with its derivatives, or None."""
    verify_log_odds(observed.variables, start)
    log_odds = start.copy()
    each = np.array(betas, dtype=np.float64)
    system, num_players = observed.problem.system, len(each)
    if not _solve_at(system, each, tolerance, log_odds):
        return None
    observed.problem.respond(log_odds)
    sensitivity = _sensitivity_at(system, each)
    behaviour, log_behaviour = system.response.behaviour, system.response.log_behaviour
    scores, information = np.zeros(num_players), np.zeros((num_players, num_players))
    likelihood = _measure(
        system.variables,
        observed.counts,
        log_behaviour,
        behaviour,
        sensitivity,
        scores,
        information,
        np.zeros(num_players),
        np.zeros((num_players, num_players)),
    )
    return LikelihoodPoint(
        tuple(each.tolist()), log_odds, sensitivity, likelihood, tuple(scores.tolist()), information
    )


def standard_error(information: float, max_beta: float) -> float | None:
    """Return the standard error of a β; None if it exceeds the whole range that was searched."""
    root = math.sqrt(information) if information > 0.0 else 0.0
    return 1.0 / root if root * max_beta > 1.0 else None


def over_actions(variables: Variables, of_variables: Floats) -> Floats:
    """Return derivatives of log-odds, [P, V], over all actions: 0 for an infoset's first."""
    is_later = np.ones(variables.num_actions, dtype=np.bool_)
    is_later[variables.first_action[:-1]] = False
    out = np.zeros((len(of_variables), len(is_later)))
    out[:, is_later] = of_variables
    return out


def branch_log_likelihoods(observed: ObservedPlay, points: Floats) -> Floats:
    """Return the log-likelihood, [N], at each of N points of log-odds, [N, V]."""
    likelihoods = np.empty(len(points))
    _screen(observed.variables, observed.counts, points, likelihoods)
    return likelihoods


@kernel
def _screen(variables: Variables, counts: Floats, points: Floats, out: Floats) -> None:
    """Set the log-likelihood at each of some log-odds, point by point."""
    for point in range(len(points)):
        log_odds = points[point]
        total = 0.0
        for infoset in range(len(variables.player)):
            first = variables.first_action[infoset]
            begin, end = variables.first_variable[infoset], variables.first_variable[infoset + 1]
            top = 0.0
            for variable in range(begin, end):
                top = max(top, log_odds[variable])
            mass = math.exp(-top)
            seen = counts[first]
            for variable in range(begin, end):
                mass += math.exp(log_odds[variable] - top)
                seen += counts[first + 1 + variable - begin]
                total += counts[first + 1 + variable - begin] * log_odds[variable]
            total -= seen * (top + math.log(mass))
        out[point] = total


def _solve_at(system: System, betas: Floats, tolerance: float, log_odds: Floats) -> bool:
    """Solve F = 0 at fixed βs from `log_odds`, in place; False if Newton failed.

    The loop is in Python: a kernel around these kernels would make LLVM optimise all of them
    again, 7 s on a first run, to save a few milliseconds per estimate.
    """
    zeros, correction = np.zeros(len(log_odds)), np.empty(len(log_odds))
    is_fresh = False
    previous = math.inf
    for attempt in range(60):
        respond(system.decisions, system.variables, system.definition, log_odds, system.response)
        fill_residual(system.variables, log_odds, betas, system.response, correction)
        if not is_fresh:
            _factorise_at(system, betas, zeros)
            is_fresh = True
        np.negative(correction, out=correction)
        solve_in_place(system.variables, system.dissection, system.matrix, correction, 0.0)
        size = float(np.max(np.abs(correction) / (1.0 + np.abs(log_odds))))
        if not size < 1e6 or (attempt > 5 and size > 10.0 * previous):  # also if nan
            return False
        damping = 1.0 if size <= 1.0 else 1.0 / size
        log_odds += damping * correction
        # The second condition: only rounding, about 5e-15 β², remains.
        if size <= tolerance or (is_fresh and size < 1e-6 and size > 0.5 * previous):
            return True
        is_fresh = size <= 0.2 * previous and damping == 1.0 and attempt > 0
        previous = size
    return False


def _factorise_at(system: System, betas: Floats, zeros: Floats) -> None:
    """Factorise ∂F/∂z, the border set to the identity, after `respond`."""
    fill_jacobian(
        system.decisions,
        system.variables,
        system.dissection,
        system.definition,
        betas,
        system.response,
        system.matrix,
    )
    set_border(system.variables, system.dissection, system.matrix, zeros, zeros, 1.0)
    factorise(system.dissection, system.matrix)


def _sensitivity_at(system: System, betas: Floats) -> Floats:
    """Return T of each player's β, [P, V], after `respond`."""
    variables, advantage = system.variables, system.response.advantage
    _factorise_at(system, betas, np.zeros(len(advantage)))
    owner = np.repeat(variables.player, np.diff(variables.first_variable))
    sensitivity = np.empty((len(betas), len(advantage)))
    for player in range(len(betas)):
        sensitivity[player] = np.where(owner == player, advantage, 0.0)
        solve_in_place(variables, system.dissection, system.matrix, sensitivity[player], 0.0)
    return sensitivity


@kernel
def _measure(
    variables: Variables,
    counts: Floats,
    log_behaviour: Floats,
    behaviour: Floats,
    sensitivity: Floats,
    scores: Floats,
    information: Floats,
    means: Floats,
    products: Floats,
) -> float:
    """Return the log-likelihood, and add to `scores` [P] and `information` [P, P].

    `means` [P] and `products` [P, P] are scratch.
    """
    num_players = len(scores)
    likelihood = 0.0
    for infoset in range(len(variables.player)):
        first = variables.first_action[infoset]
        begin = variables.first_variable[infoset]
        num_variables = variables.first_variable[infoset + 1] - begin
        total = 0.0
        for action in range(first, first + num_variables + 1):
            if counts[action] > 0.0:
                total += counts[action]
                likelihood += counts[action] * log_behaviour[action]
        if total <= 0.0:
            continue
        for player in range(num_players):
            means[player] = 0.0
            for other in range(player, num_players):
                products[player, other] = 0.0
        for offset in range(num_variables):
            share = behaviour[first + 1 + offset]
            for player in range(num_players):
                change = sensitivity[player, begin + offset]
                means[player] += share * change
                scores[player] += counts[first + 1 + offset] * change
                for other in range(player, num_players):
                    product = share * change * sensitivity[other, begin + offset]
                    products[player, other] += product
        for player in range(num_players):
            scores[player] -= total * means[player]
            for other in range(player, num_players):
                spread = products[player, other] - means[player] * means[other]
                information[player, other] += total * spread
    for player in range(num_players):
        for other in range(player):
            information[player, other] = information[other, player]
    return likelihood
