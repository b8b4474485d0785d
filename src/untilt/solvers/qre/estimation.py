"""Maximum-likelihood rationality β from observed play, along the principal branch.

A branch z(β) gives every infoset I a distribution σ over its actions. With counts N_a, their
sum N_I, and the sensitivity T = dz/dβ (0 for the first action of an infoset),

    log-likelihood   Σ N_a log σ_a
    score            Σ_I [Σ_a N_a T_a − N_I E_σ T]
    information      Σ_I N_I Var_σ T                    expected, given how often I was reached

T solves J T = G, because F = z − β G(z) = 0 along the branch: one factorisation. With a β per
player, T₀ and T₁ solve J T_p = G on p's infosets and 0 elsewhere; their sum is T.
The branch's points show where the likelihood peaks; around each of the likeliest peaks the
score's change of sign is bracketed and refined by safeguarded Fisher scoring. The best of these
and of the branch's ends is the estimate.

The empirical-payoff estimator takes the values of actions from the observed frequencies rather
than from an equilibrium, which leaves a concave problem in β.

Reference: Bland & Turocy 2023, "Quantal response equilibrium as a structural model for
estimation: the missing manual"; Bajari & Hortaçsu 2005 for the empirical payoffs.
"""

import math
import time
from dataclasses import dataclass

import numpy as np

from untilt.errors import Argument, InvalidOption, NotZeroSum, UnknownName
from untilt.game.compiled import CompiledGame
from untilt.game.strategy import Profile, profile_from_arrays, verify_profile
from untilt.numeric.arrays import Bools, Floats
from untilt.numeric.kernel import kernel
from untilt.solvers.qre.arclength import Branch, System, trace
from untilt.solvers.qre.bordered import factorise, set_border, solve_in_place
from untilt.solvers.qre.counts import Table
from untilt.solvers.qre.decision_tree import Variables, verify_log_odds
from untilt.solvers.qre.goodness import Goodness, goodness_of_fit
from untilt.solvers.qre.problem import QuantalProblem, verify_beta
from untilt.solvers.qre.response import fill_jacobian, fill_residual, respond

METHODS = ("likelihood", "empirical")
"""How β is estimated: along the branch, or from the empirical payoffs."""

MAX_BETA = 1e4
"""How far the branch is searched unless told otherwise."""

_NORMAL_QUANTILE = 1.959963984540054
_ONE_SIDED_DROP = 0.5 * 1.6448536269514722**2
"""By how much the log-likelihood falls at a one-sided 95 % bound."""
_TREMBLE = 1e-9
"""Added to every count where frequencies become payoffs, so that all beliefs are defined."""
_MOST_PEAKS = 3
"""How many of the likeliest local maxima along a branch are refined."""


@dataclass(frozen=True)
class PerPlayerFit:
    """A β for each player, and the likelihood-ratio test of equal ones."""

    betas: tuple[float, float]
    """One that is not identified is as good as any other."""
    is_at_least: tuple[bool, bool]
    """Whether a β stands at the end of the search and may be larger."""
    is_identified: tuple[bool, bool]
    """Whether the likelihood depends on a β, beside the other: if its standard error exceeds the
    whole range that was searched, these observations say nothing on it."""
    standard_errors: tuple[float | None, float | None]
    """None for a β that is a bound or not identified."""
    covariance: tuple[tuple[float, float], tuple[float, float]] | None
    """Of the two estimates; None unless both have a standard error."""
    log_likelihood: float
    likelihood_ratio: float
    """2 × the gain in log-likelihood over one β for both."""
    p_value: float | None
    """Of the likelihood ratio, by χ² with one degree of freedom; None if a β is not identified."""


@dataclass(frozen=True)
class Fit:
    """The estimate of β from a table of counts."""

    definition: str
    method: str
    beta: float
    is_at_least: bool
    """The likelihood still rises where the search ends: β is this or larger."""
    standard_error: float | None
    """Of β, from the expected information; None where β is only a bound, or where it would
    exceed the whole range that was searched: then the observations say nothing on β."""
    num_observations: int
    """Decisions, forced ones excluded."""
    log_likelihood: float
    uniform_log_likelihood: float
    saturated_log_likelihood: float
    """Of the observed frequencies themselves: no strategy does better."""
    lower_bound: float
    """A one-sided 95 % bound by likelihood ratio where `is_at_least`, else 0."""
    search_end: float
    """The largest β that was looked at."""
    num_folds: int
    """How often the branch turned back on the way."""
    per_player: PerPlayerFit | None
    profile: Profile
    """The fitted strategies; with one β per player if these were asked for."""
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
    method: str = "likelihood",
    per_player: bool = False,
    max_beta: float = MAX_BETA,
) -> Fit:
    """Return the β, or the β of each player, under which `counts` are most likely.

    `counts` holds how often each action was taken, player 0's infosets first, in the order of
    `problem.variables`. Both players share one β in `problem`: its scale must be (1, 1).
    """
    begin = time.perf_counter()
    if method not in METHODS:
        raise UnknownName.among("method", method, METHODS)
    if problem.scale != (1.0, 1.0):
        raise InvalidOption("the players' shares of beta are estimated; leave the scale at (1, 1)")
    verify_beta(Argument("max_beta"), max_beta)
    if max_beta <= 0.0:
        raise InvalidOption("max_beta is 0; it must be larger")
    table = Table(problem, np.ascontiguousarray(counts))
    if method == "likelihood":
        found = _fit_branch(table, max_beta)
    else:
        found = _fit_empirical(table, max_beta)
    both: PerPlayerFit | None = None
    behaviour, directions = found.behaviour, found.directions
    if per_player:
        apart = _fit_apart if method == "likelihood" else _fit_empirical_apart
        both, behaviour, directions = apart(table, found, max_beta)
    return Fit(
        definition=problem.definition,
        method=method,
        beta=found.beta,
        is_at_least=found.is_at_least,
        standard_error=found.standard_error,
        num_observations=int(table.totals.sum()),
        log_likelihood=found.log_likelihood,
        uniform_log_likelihood=table.uniform_log_likelihood,
        saturated_log_likelihood=table.saturated_log_likelihood,
        lower_bound=found.lower_bound,
        search_end=found.search_end,
        num_folds=found.num_folds,
        per_player=both,
        profile=problem.profile_of(behaviour),
        # Empirical payoffs are noise of the same counts, which no direction accounts for.
        goodness=goodness_of_fit(table, behaviour, directions, is_tested=method == "likelihood"),
        seconds=time.perf_counter() - begin,
    )


def profile_log_likelihood(game: CompiledGame, profile: Profile, counts: Floats) -> float:
    """Return the log-likelihood of `counts` under a profile; −inf if it excludes what was seen."""
    behaviours = verify_profile(game.infosets, profile).behaviours
    behaviour = np.concatenate([each[1:] for each in behaviours])
    if np.shape(counts) != behaviour.shape:
        raise InvalidOption(f"counts must be {len(behaviour)} numbers, one per action")
    seen = counts > 0.0
    if np.any(behaviour[seen] <= 0.0):
        return -math.inf
    return float(counts[seen] @ np.log(behaviour[seen]))


def nash_log_likelihood(game: CompiledGame, counts: Floats) -> float | None:
    """Return the log-likelihood of the linear program's equilibrium; None if not zero-sum."""
    from untilt.solvers.lp import solve_plans

    try:
        form = game.zero_sum_form()
    except NotZeroSum:
        return None
    profile = profile_from_arrays(game, form.behaviours(solve_plans(form)))
    return profile_log_likelihood(game, profile, counts)


@dataclass(frozen=True)
class Point:
    """The equilibrium at a pair of βs, with the derivatives of the likelihood there."""

    betas: tuple[float, float]
    log_odds: Floats
    """[V]"""
    sensitivity: Floats
    """[2, V] T₀ and T₁"""
    log_likelihood: float
    scores: tuple[float, float]
    """Derivatives by β₀ and β₁."""
    information: tuple[float, float, float]
    """Elements 00, 01 and 11."""

    @property
    def score(self) -> float:
        """Derivative by a common β."""
        return self.scores[0] + self.scores[1]

    @property
    def common_information(self) -> float:
        """Expected information on a common β."""
        return self.information[0] + 2.0 * self.information[1] + self.information[2]

    def towards(self, betas: tuple[float, float]) -> Floats:
        """Return the log-odds predicted for other βs."""
        first, second = betas[0] - self.betas[0], betas[1] - self.betas[1]
        odds: Floats = self.log_odds + first * self.sensitivity[0] + second * self.sensitivity[1]
        return odds


def equilibrium_at(
    table: Table, betas: tuple[float, float], start: Floats, *, tolerance: float = 1e-9
) -> Point | None:
    """Return the equilibrium that Newton reaches from `start`, with its derivatives, or None."""
    verify_log_odds(table.variables, start)
    log_odds = start.copy()
    betas = (float(betas[0]), float(betas[1]))
    system = table.problem.system
    if not _solve_at(system, betas, tolerance, log_odds):
        return None
    table.problem.respond(log_odds)
    sensitivity, sums = _sensitivity_at(system, betas), np.empty(6)
    behaviour, log_behaviour = system.response.behaviour, system.response.log_behaviour
    _measure(system.variables, table.counts, log_behaviour, behaviour, sensitivity, sums)
    likelihood, first, second, *information = sums.tolist()
    return Point(
        betas,
        log_odds,
        sensitivity,
        likelihood,
        (first, second),
        (information[0], information[1], information[2]),
    )


@dataclass(frozen=True)
class _Common:
    """An estimate of one β for both players."""

    beta: float
    is_at_least: bool
    standard_error: float | None
    log_likelihood: float
    behaviour: Floats
    directions: Floats
    """[P, A] derivatives of log σ by β; P = 0 if β stands at an end of its range or is not
    identified"""
    lower_bound: float = 0.0
    search_end: float = 0.0
    num_folds: int = 0
    point: Point | None = None


def _fit_branch(table: Table, max_beta: float) -> _Common:
    problem = table.problem
    branch = trace(problem.system, max_beta)
    likelihoods = np.empty(len(branch.betas))
    _screen(table.variables, table.counts, branch.log_odds, likelihoods)
    last = len(branch.betas) - 1
    start = _branch_point(table, branch, 0)
    assert start is not None, "at β = 0 the solution is known"
    candidates = [start]
    for index in _likely_points(likelihoods):
        peak = _peak_near(table, branch, min(index, last - 1))
        end = _branch_point(table, branch, last) if index == last else None
        candidates.extend(point for point in (peak, end) if point is not None)
    best = max(candidates, key=lambda point: point.log_likelihood)
    is_at_least = best.betas[0] == float(branch.betas[-1]) and best.score >= 0.0
    error = None if is_at_least else _error(best.common_information, max_beta)
    is_free = error is not None and best.betas[0] > 0.0
    sensitivity = best.sensitivity.sum(axis=0, keepdims=True)
    return _Common(
        beta=best.betas[0],
        is_at_least=is_at_least,
        standard_error=error,
        log_likelihood=best.log_likelihood,
        behaviour=_behaviour_of(problem, best.log_odds),
        directions=_of_actions(table, sensitivity[: int(is_free)]),
        lower_bound=_bound_below(branch, likelihoods) if is_at_least else 0.0,
        search_end=float(branch.betas.max()),
        num_folds=len(branch.folds),
        point=best,
    )


def _error(information: float, max_beta: float) -> float | None:
    """Return the standard error of a β; None if it exceeds the whole range that was searched."""
    if not information * max_beta**2 > 1.0:
        return None
    return 1.0 / math.sqrt(information)


def _of_actions(table: Table, of_variables: Floats) -> Floats:
    """Return derivatives of log-odds, [P, V], over all actions: 0 for an infoset's first."""
    is_later = np.ones(table.variables.num_actions, dtype=np.bool_)
    is_later[table.variables.first_action[:-1]] = False
    out = np.zeros((len(of_variables), len(is_later)))
    out[:, is_later] = of_variables
    return out


def _likely_points(likelihoods: Floats) -> list[int]:
    """Return the points at least as likely as their neighbours, the likeliest first."""
    padded = np.concatenate(([-np.inf], likelihoods, [-np.inf]))
    peaks = np.flatnonzero((likelihoods >= padded[:-2]) & (likelihoods >= padded[2:]))
    order = np.argsort(-likelihoods[peaks], kind="stable")
    found: list[int] = peaks[order][:_MOST_PEAKS].tolist()
    return found


def _branch_point(table: Table, branch: Branch, index: int) -> Point | None:
    beta = float(branch.betas[index])
    return equilibrium_at(table, (beta, beta), branch.log_odds[index])


def _peak_near(table: Table, branch: Branch, index: int) -> Point | None:
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
                known[near] = _branch_point(table, branch, near)
        low, high = known[index], known[index + 1]
        if low is None or high is None:
            break
        if low.score * direction <= 0.0:
            index -= 1
        elif high.score * direction > 0.0:
            index += 1
        else:
            return _peak_between(table, low, high, direction)
    # At a fold β is no measure of the way: the likeliest of the branch's own points has to do.
    points = [point for point in known.values() if point is not None]
    return max(points, key=lambda point: point.log_likelihood, default=None)


def _peak_between(table: Table, low: Point, high: Point, direction: float) -> Point:
    """Return where the score vanishes, by Fisher scoring in t = log(1 + β), within a bracket.

    From the second step on the curvature is that between the last two points, which converges
    fast even if the model is wrong and the information no curvature.
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
        point = equilibrium_at(table, (beta, beta), near.towards((beta, beta)))
        if point is None:
            point = equilibrium_at(table, (beta, beta), near.log_odds)
        if point is None:  # a fold between: keep what is known
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


def _fit_apart(
    table: Table, common: _Common, max_beta: float
) -> tuple[PerPlayerFit, Floats, Floats]:
    """Return a β per player: quasi-Newton ascent in log(1 + β_p) from the common estimate.

    With it come behaviour and directions, as in `_Common`.

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
        moved = _climb(table, point, place, step, limits)
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
    is_flat = [_error(each, max_beta) is None for each in point.information[::2]]
    is_free = ~is_at_least & (place > limits[0]) & ~np.array(is_flat)
    fitted = _per_player(
        point.betas,
        (bool(is_at_least[0]), bool(is_at_least[1])),
        point.information,
        point.log_likelihood,
        common,
        max_beta,
    )
    behaviour = _behaviour_of(table.problem, point.log_odds)
    return fitted, behaviour, _of_actions(table, point.sensitivity[is_free])


def _gradient(point: Point) -> Floats:
    gradient: Floats = (1.0 + np.array(point.betas)) * np.array(point.scores)
    return gradient


def _curvature(point: Point) -> Floats:
    first, across, second = point.information
    stretch = 1.0 + np.array(point.betas)
    matrix: Floats = np.array([[first, across], [across, second]]) * np.outer(stretch, stretch)
    # A little of the diagonal, lest a player nobody learns about make it singular.
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
    table: Table, point: Point, place: Floats, step: Floats, limits: Floats
) -> tuple[Floats, Point] | None:
    """Return the first point along `step`, halved as needed, that is more likely."""
    for _ in range(25):
        ahead = np.clip(place + step, limits[0], limits[1])
        first, second = np.expm1(ahead).tolist()
        found = equilibrium_at(table, (first, second), point.towards((first, second)))
        if found is not None:
            needed = 1e-4 * float(_gradient(point) @ (ahead - place))
            if found.log_likelihood >= point.log_likelihood + needed:
                return ahead, found
        step = 0.5 * step
    return None


def _per_player(
    betas: tuple[float, float],
    is_at_least: tuple[bool, bool],
    information: tuple[float, float, float],
    log_likelihood: float,
    common: _Common,
    max_beta: float,
) -> PerPlayerFit:
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

    A β at the end of the search counts as known. So does one whose likelihood is flat: whatever it
    is, the other is estimated as well, and rounding must not couple the two.
    """
    first, across, second = information
    is_flat = [_error(each, max_beta) is None for each in (first, second)]
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


def _fit_empirical(table: Table, max_beta: float) -> _Common:
    values = _empirical_values(table)
    beta, is_at_least = _logit_beta(table, values, np.ones(len(values)), max_beta)
    likelihood, _, information, behaviour = _logit(table, values, beta)
    is_free = not is_at_least and beta > 0.0
    return _Common(
        beta,
        is_at_least,
        None if is_at_least else _error(information, max_beta),
        likelihood,
        behaviour,
        directions=values[np.newaxis][: int(is_free)],
        search_end=max_beta,
    )


def _fit_empirical_apart(
    table: Table, common: _Common, max_beta: float
) -> tuple[PerPlayerFit, Floats, Floats]:
    """Return a β per player; given the payoffs, the two problems are separate."""
    values = _empirical_values(table)
    players = table.spread(table.variables.player.astype(np.float64))
    betas, bounds, known = [], [], []
    directions = []
    scale = np.empty(len(values))
    for player in (0, 1):
        own = (players == player).astype(np.float64)
        beta, is_at_least = _logit_beta(table, values, own, max_beta)
        known.append(_logit(table, values, beta, own)[2])
        betas.append(beta)
        bounds.append(is_at_least)
        if not is_at_least and beta > 0.0:
            directions.append(own * values)
        scale[players == player] = beta
    likelihood, _, _, behaviour = _logit(table, scale * values, 1.0)
    fitted = _per_player(
        (betas[0], betas[1]),
        (bounds[0], bounds[1]),
        (known[0], 0.0, known[1]),
        likelihood,
        common,
        max_beta,
    )
    return fitted, behaviour, np.array(directions).reshape(len(directions), len(values))


def _empirical_values(table: Table) -> Floats:
    """Return what each action was worth against the observed frequencies, the best one 0."""
    problem = table.problem
    counts = table.counts + _TREMBLE
    frequency = counts / table.spread(table.sums(counts))
    problem.respond(problem.log_odds(problem.profile_of(frequency)))
    values = problem.system.response.values
    # Measured from the best action: sums of small terms then keep their digits at large β.
    shifted: Floats = values - table.spread(table.largest(values))
    return shifted


def _logit(
    table: Table, values: Floats, beta: float, share: Floats | None = None
) -> tuple[float, float, float, Floats]:
    """Return log-likelihood, score, information and behaviour of logit play at fixed values.

    Actions with `share` 0 are left out of the first three.
    """
    scaled = beta * values
    scaled -= table.spread(table.largest(scaled))
    weights = np.exp(scaled)
    sums = table.sums(weights)
    behaviour = weights / table.spread(sums)
    counts = table.counts if share is None else table.counts * share
    totals = table.sums(counts)
    mean = table.sums(behaviour * values)
    spread = table.sums(behaviour * (values - table.spread(mean)) ** 2)
    likelihood = float(counts @ (scaled - table.spread(np.log(sums))))
    score = float(counts @ (values - table.spread(mean)))
    return likelihood, score, float(totals @ spread), behaviour


def _logit_beta(table: Table, values: Floats, share: Floats, max_beta: float) -> tuple[float, bool]:
    """Return the best β in [0, max_beta], and whether it is only a bound; the score falls in β."""
    from scipy.optimize import brentq

    def score(beta: float) -> float:
        return _logit(table, values, beta, share)[1]

    if score(0.0) <= 0.0:
        return 0.0, False
    high = min(1.0, max_beta)
    while score(high) >= 0.0:  # equal once all of it has underflown
        if high >= max_beta:
            return max_beta, True
        high = min(4.0 * high, max_beta)
    return float(brentq(score, 0.0, high, xtol=1e-14, rtol=1e-13)), False


def _behaviour_of(problem: QuantalProblem, log_odds: Floats) -> Floats:
    problem.respond(log_odds)
    return problem.system.response.behaviour.copy()


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


def _solve_at(
    system: System, betas: tuple[float, float], tolerance: float, log_odds: Floats
) -> bool:
    """Solve F = 0 at fixed βs from `log_odds`, in place; False if Newton failed.

    Step by step in Python: a kernel around these kernels would have LLVM optimise all of them
    once more, 7 s on a first run, to save some milliseconds per estimate.
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
        # The second way out: rounding, of about 5e-15 β², is all that is left.
        if size <= tolerance or (is_fresh and size < 1e-6 and size > 0.5 * previous):
            return True
        is_fresh = size <= 0.2 * previous and damping == 1.0 and attempt > 0
        previous = size
    return False


def _factorise_at(system: System, betas: tuple[float, float], zeros: Floats) -> None:
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


def _sensitivity_at(system: System, betas: tuple[float, float]) -> Floats:
    """Return T₀ and T₁, [2, V], after `respond`."""
    variables, advantage = system.variables, system.response.advantage
    _factorise_at(system, betas, np.zeros(len(advantage)))
    owner = np.repeat(variables.player, np.diff(variables.first_variable))
    sensitivity = np.empty((2, len(advantage)))
    for player in (0, 1):
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
    sums: Floats,
) -> None:
    """Set in `sums` log-likelihood, score 0, score 1, information 00, 01, 11."""
    for index in range(6):
        sums[index] = 0.0
    for infoset in range(len(variables.player)):
        first = variables.first_action[infoset]
        begin = variables.first_variable[infoset]
        num_variables = variables.first_variable[infoset + 1] - begin
        total = 0.0
        for action in range(first, first + num_variables + 1):
            if counts[action] > 0.0:
                total += counts[action]
                sums[0] += counts[action] * log_behaviour[action]
        if total <= 0.0:
            continue
        mean_0, mean_1, square_0, square_1, product = 0.0, 0.0, 0.0, 0.0, 0.0
        for offset in range(num_variables):
            share = behaviour[first + 1 + offset]
            change_0 = sensitivity[0, begin + offset]
            change_1 = sensitivity[1, begin + offset]
            mean_0 += share * change_0
            mean_1 += share * change_1
            square_0 += share * change_0 * change_0
            square_1 += share * change_1 * change_1
            product += share * change_0 * change_1
            sums[1] += counts[first + 1 + offset] * change_0
            sums[2] += counts[first + 1 + offset] * change_1
        sums[1] -= total * mean_0
        sums[2] -= total * mean_1
        sums[3] += total * (square_0 - mean_0 * mean_0)
        sums[4] += total * (product - mean_0 * mean_1)
        sums[5] += total * (square_1 - mean_1 * mean_1)
