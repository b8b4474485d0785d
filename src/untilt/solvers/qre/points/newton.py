"""Damped Newton at fixed β: the equations of quantal response in log-odds, solved step by step.

A step d solves (JᵀJ + λI) d = −JᵀR (Levenberg 1944, Marquardt 1963), R being the equations and
J their Jacobian. It is halved until φ = ½‖R‖² falls enough (Armijo 1966). If no length is
sufficient, λ grows tenfold; after every step taken it shrinks tenfold, so near a solution the
steps are Newton's and the error squares with each. Starting from uniform play, β climbs a
schedule, and every solution is the next one's start. `classic.py` uses the same steps on the
textbook's equations.

In games with several equilibria at one β, Newton may end in one off the principal branch, and at
a fixed β nothing shows this. Every solution is therefore compared with the branch that
`arclength.py` follows; where they differ, Newton starts again from the branch's point.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import lapack

from untilt.errors import Argument, InvalidOption
from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import allocates, kernel
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.branches.bordered import new_matrix
from untilt.solvers.qre.branches.branch import REACHED
from untilt.solvers.qre.branches.dissection import undivided
from untilt.solvers.qre.decision_tree import Decisions, Variables
from untilt.solvers.qre.options import BETA, JACOBIAN, MAX_ITERATIONS, TOLERANCE, verify_ascent
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import Response, fill_jacobian, fill_residual, respond

DIFFERENCE = 1e-7
"""How far a finite difference looks to either side."""

_FIRST_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-6, 1e-14, 1e6
_SUFFICIENT_DECREASE = 1e-4
_SHORTEST_STEP = 1e-10
_SCHEDULE_RATIO = 1.5
_MAX_INSERTIONS = 20
_OTHER_EQUILIBRIUM = 1e-4
"""The least difference in probabilities between two equilibria at one β."""
_LOST = 1e-3
"""A point that did not converge is the next start only if its residual norm is at most this."""


@dataclass(frozen=True)
class NewtonStep:
    """The result of one Newton iteration."""

    beta: float
    iteration: int
    """Counted from 1 at every β of the schedule."""
    residual_norm: float
    """‖σ − LogitBR_β(σ)‖₂ after it."""
    damping: float
    """λ of the step."""
    step: float
    """The share α of the step that was taken; 0 if none was."""
    condition: float
    """Condition number of JᵀJ + λI in the 1-norm, as LAPACK estimates it; for small λ this is
    about the square of J's."""


@dataclass(frozen=True)
class NewtonResult:
    """The end of the schedule; N values of β, V variables."""

    log_odds: Floats
    """[V] at `beta`; if it did not converge, those with the smallest residual."""
    beta: float
    iterations: int
    """Over the whole schedule; each takes one Jacobian."""
    converged: bool
    """Whether the last point, at `beta`, converged."""
    residual_norm: float
    """‖σ − LogitBR_β(σ)‖₂"""
    steps: tuple[NewtonStep, ...]
    seconds: float
    """Compiling excluded."""
    points: tuple[tuple[float, Floats], ...]
    """[N] each β of the schedule with its log-odds."""


def newton(
    problem: QuantalProblem,
    beta: float,
    *,
    schedule: Sequence[float] | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 50,
    jacobian: str = "analytic",
    on_step: Callable[[NewtonStep], None] | None = None,
) -> NewtonResult:
    """Return a quantal response equilibrium at `beta`, in log-odds.

    A point has converged when the undamped Newton step is at most `tolerance`, measured as
    max |dz| / (1 + |z|). `schedule` gives values of β on the way, ascending; by default each
    is 1.5 times the one before, from a β at which no log-odds exceed 1, with more in between
    where the step is too long. `max_iterations` applies to each of them.
    """
    JACOBIAN.verify(jacobian)
    verify_options(beta, tolerance, max_iterations)
    if schedule is None:
        ascent = _geometric_schedule(problem, beta)
    else:
        ascent = verify_schedule(schedule, beta)
    equations = _LogOddsEquations(problem, tolerance, jacobian)
    insertions = _MAX_INSERTIONS if schedule is None else 0
    branch = PrincipalBranch(problem)
    return climb(
        equations,
        ascent,
        max_iterations,
        on_step,
        max_insertions=insertions,
        restart=branch.where_it_is_not,
    )


class PrincipalBranch:
    """The branch from uniform play, traced as far as needed."""

    def __init__(self, problem: QuantalProblem) -> None:
        self._problem = problem
        self._branch = trace(problem.system, 0.0)  # also loads compiled code

    def where_it_is_not(self, beta: float, log_odds: Floats) -> Floats | None:
        """Return the branch's log-odds at `beta` if `log_odds` are those of another equilibrium.

        Also None if the branch could not be traced that far.
        """
        system, before = self._problem.system, self._branch
        continues = before.betas[-1] <= beta and not system.is_sparse
        branch = trace(system, beta, after=before if continues else None)
        if branch.ending != REACHED:
            return None
        self._branch = branch
        traced: Floats = branch.log_odds[-1]
        profiles = [self._problem.profile(odds).behaviours for odds in (log_odds, traced)]
        apart = max(float(np.abs(one - other).max()) for one, other in zip(*profiles, strict=True))
        return traced if apart > _OTHER_EQUILIBRIUM else None


class Equations(Protocol):
    """A square system R(x) = 0 for each β, as `climb` needs it."""

    def set_beta(self, beta: float) -> None:
        """Use the equations at `beta`."""
        ...

    def start(self) -> Floats:
        """Return the x of uniform play, after loading compiled code."""
        ...

    def residual(self, x: Floats) -> Floats:
        """Return R, in a new array."""
        ...

    def jacobian(self, x: Floats) -> Floats:
        """Return ∂R/∂x, valid until the next call."""
        ...

    def is_solved(self, residual: Floats) -> bool:
        """Whether no further step is needed."""
        ...

    def is_last(self, x: Floats, residual: Floats, jacobian: Floats, step: Floats) -> bool:
        """Whether `step` is so short that it is the last one."""
        ...

    def log_odds(self, x: Floats) -> Floats:
        """Return the log-odds of x, in a new array."""
        ...

    def residual_norm(self, x: Floats) -> float:
        """Return ‖σ − LogitBR_β(σ)‖₂."""
        ...


def climb(
    equations: Equations,
    schedule: Sequence[float],
    max_iterations: int,
    on_step: Callable[[NewtonStep], None] | None,
    *,
    max_insertions: int = 0,
    restart: Callable[[float, Floats], Floats | None] | None = None,
) -> NewtonResult:
    """Solve at each β of `schedule`, every solution being the next one's start.

    Where Newton loses its way, up to `max_insertions` further values of β are tried in between;
    after that, a point that did not converge still serves as a start. `restart` gets β and the
    log-odds of each solution, and returns the x from which to solve again, or None; if values
    of β may be inserted, it is also called for points that did not converge.
    """
    x = equations.start()
    steps: list[NewtonStep] = []
    points: list[tuple[float, Floats]] = []
    is_converged = False
    began = time.perf_counter()

    def report(step: NewtonStep) -> None:
        steps.append(step)
        if on_step is not None:
            on_step(step)

    is_free = max_insertions > 0
    ahead = list(reversed(schedule))
    while ahead:
        beta = ahead[-1]
        equations.set_beta(beta)
        found, is_converged = _solve(equations, beta, x, max_iterations, report)
        is_lost = not is_converged and equations.residual_norm(found) > _LOST
        if is_lost and max_insertions > 0:
            max_insertions -= 1
            before = points[-1][0] if points else 0.0
            ahead.append(math.sqrt(before * beta) if before > 0.0 else 0.5 * beta)
            continue
        if restart is not None and (is_converged or is_free):
            start = restart(beta, equations.log_odds(found))
            if start is not None:
                found, is_converged = _solve(equations, beta, start, max_iterations, report)
        ahead.pop()
        x = found
        points.append((beta, equations.log_odds(x)))
    return NewtonResult(
        log_odds=equations.log_odds(x),
        beta=schedule[-1],
        iterations=len(steps),
        converged=is_converged,
        residual_norm=equations.residual_norm(x),
        steps=tuple(steps),
        seconds=time.perf_counter() - began,
        points=tuple(points),
    )


def verify_options(beta: float, tolerance: float, max_iterations: int) -> None:
    """Raise InvalidOption unless Newton can work with these."""
    BETA.verify(beta)
    TOLERANCE.verify(tolerance)
    MAX_ITERATIONS.verify(max_iterations)


def verify_schedule(schedule: Sequence[float], beta: float) -> list[float]:
    """Return the values of β to climb, `beta` being the last, or raise InvalidOption."""
    verify_ascent(schedule)
    if len(schedule) and schedule[-1] > beta:
        raise InvalidOption(
            Argument("schedule"),
            f" goes up to {schedule[-1]}, above ",
            Argument("beta", beta),
            "; leave out the values above it, or raise ",
            Argument("beta"),
        )
    return [*(float(entry) for entry in schedule if entry < beta), float(beta)]


def _geometric_schedule(problem: QuantalProblem, beta: float) -> list[float]:
    """Return …, β / 1.5², β / 1.5, β, down to where log-odds against uniform play are small."""
    problem.respond(np.zeros(problem.variables.num_variables))
    gain = float(np.abs(problem.system.response.advantage).max())
    num_before = 0
    if beta * gain > 1.0:
        num_before = math.ceil(math.log(beta * gain, _SCHEDULE_RATIO))
    return [float(beta) / _SCHEDULE_RATIO**power for power in range(num_before, -1, -1)]


def _solve(
    equations: Equations,
    beta: float,
    x: Floats,
    max_iterations: int,
    report: Callable[[NewtonStep], None],
) -> tuple[Floats, bool]:
    """Return the point reached from `x`, and whether it is a solution; φ never rises."""
    residual = equations.residual(x)
    damping = _FIRST_DAMPING
    for iteration in range(1, max_iterations + 1):
        if equations.is_solved(residual):
            return x, True
        jacobian = equations.jacobian(x)
        normal = jacobian.T @ jacobian
        slope = jacobian.T @ residual
        energy = 0.5 * float(residual @ residual)
        share, is_last, condition = 0.0, False, math.inf
        while True:
            direction, condition = _damped_step(normal, slope, damping)
            if direction is not None:
                is_last = equations.is_last(x, residual, jacobian, direction)
                fall = float(slope @ direction)
                share = 1.0
                while share >= _SHORTEST_STEP:
                    ahead = x + share * direction
                    residual_ahead = equations.residual(ahead)
                    energy_ahead = 0.5 * float(residual_ahead @ residual_ahead)
                    if energy_ahead <= energy + _SUFFICIENT_DECREASE * share * fall:
                        x, residual = ahead, residual_ahead
                        break
                    if is_last:  # only rounding remains
                        share = 0.0
                        break
                    share *= 0.5
                if is_last or share >= _SHORTEST_STEP:
                    break
            if damping >= _MOST_DAMPING:
                share = 0.0
                break
            damping = min(10.0 * damping, _MOST_DAMPING)
        norm = equations.residual_norm(x)
        report(NewtonStep(beta, iteration, norm, damping, share, condition))
        if is_last:
            return x, True
        if share == 0.0:
            return x, False
        damping = max(0.1 * damping, _LEAST_DAMPING)
    return x, equations.is_solved(residual)


def _damped_step(normal: Floats, slope: Floats, damping: float) -> tuple[Floats | None, float]:
    """Return −(JᵀJ + λI)⁻¹ JᵀR, None where rounding left that matrix indefinite, and cond."""
    damped = normal.copy()
    damped.ravel()[:: len(damped) + 1] += damping  # its diagonal
    norm = float(np.abs(damped).sum(axis=0).max())
    factor, info = lapack.dpotrf(damped.T, lower=1, overwrite_a=1)  # as LAPACK stores
    if info != 0 or not math.isfinite(norm):
        return None, math.inf
    direction, _ = lapack.dpotrs(factor, -slope, lower=1)
    reciprocal, _ = lapack.dpocon(factor, norm, uplo="L")
    condition = 1.0 / reciprocal if reciprocal > 0.0 else math.inf
    return (direction if np.isfinite(direction).all() else None), condition


class _LogOddsEquations:
    """F = z − β_p (Q_a − Q_0), the unknowns being log-odds."""

    def __init__(self, problem: QuantalProblem, tolerance: float, jacobian: str) -> None:
        self._problem = problem
        self._system = problem.system
        self._tolerance = tolerance
        self._is_analytic = jacobian == "analytic"
        self._betas = (0.0,) * len(problem.shares)
        self._dissection = undivided(problem.variables)
        self._matrix = new_matrix(self._dissection)
        self._gap = np.empty(problem.variables.num_actions)
        self._differences = np.empty((problem.variables.num_variables,) * 2)

    def set_beta(self, beta: float) -> None:
        self._betas = tuple(beta * share for share in self._problem.shares)

    def start(self) -> Floats:
        uniform = np.zeros(self._problem.variables.num_variables)
        self.residual(uniform)
        self.residual_norm(uniform)
        if self._is_analytic:
            self.jacobian(uniform)
        else:
            self._fill_differences(uniform, 0)
        return uniform

    def residual(self, x: Floats) -> Floats:
        self._problem.respond(x)
        out = np.empty(len(x))
        fill_residual(self._system.variables, x, self._betas, self._system.response, out)
        return out

    def jacobian(self, x: Floats) -> Floats:
        if not self._is_analytic:
            self._fill_differences(x, len(x))
            return self._differences
        self._problem.respond(x)
        fill_jacobian(
            self._system.decisions,
            self._system.variables,
            self._dissection,
            self._system.definition,
            self._betas,
            self._system.response,
            self._matrix,
        )
        return self._matrix.entries.reshape((len(x) + 1, len(x) + 1))[:-1, :-1]

    def _fill_differences(self, x: Floats, num_columns: int) -> None:
        fill_log_odds_differences(
            self._system.decisions,
            self._system.variables,
            self._system.definition,
            self._betas,
            x,
            num_columns,
            self._system.response,
            self._differences,
        )

    def is_solved(self, residual: Floats) -> bool:
        return not residual.any()

    def is_last(self, x: Floats, residual: Floats, jacobian: Floats, step: Floats) -> bool:
        if not self._is_short(x, step):
            return False
        # Damping shortens steps: only the undamped one shows how far the solution is.
        try:
            undamped: Floats = np.linalg.solve(jacobian, residual).astype(np.float64, copy=False)
        except np.linalg.LinAlgError:
            return False
        return self._is_short(x, undamped)

    def _is_short(self, x: Floats, step: Floats) -> bool:
        return bool((np.abs(step) / (1.0 + np.abs(x))).max(initial=0.0) <= self._tolerance)

    def log_odds(self, x: Floats) -> Floats:
        return x.copy()

    def residual_norm(self, x: Floats) -> float:
        self._problem.respond(x)
        fill_gap(self._system.variables, self._betas, self._system.response, self._gap)
        return float(np.linalg.norm(self._gap))


@kernel
def fill_gap(
    variables: Variables, betas: tuple[float, ...], response: Response, out: Floats
) -> None:
    """Set out = σ − LogitBR_β(σ) over actions, after `respond`."""
    for infoset in range(len(variables.player)):
        beta = betas[variables.player[infoset]]
        begin, end = variables.first_action[infoset], variables.first_action[infoset + 1]
        top = beta * response.values[begin]
        for action in range(begin + 1, end):
            scaled = beta * response.values[action]
            top = scaled if scaled > top else top
        total = 0.0
        for action in range(begin, end):
            out[action] = math.exp(beta * response.values[action] - top)
            total += out[action]
        for action in range(begin, end):
            out[action] = response.behaviour[action] - out[action] / total


@kernel
@allocates
def fill_log_odds_differences(
    decisions: Decisions,
    variables: Variables,
    definition: int,
    betas: tuple[float, ...],
    log_odds: Floats,
    num_columns: int,
    response: Response,
    out: Floats,
) -> None:
    """Set the first columns of out = ∂F/∂z by central differences."""
    moved = log_odds.copy()
    ahead, behind = np.empty(len(log_odds)), np.empty(len(log_odds))
    for column in range(num_columns):
        moved[column] = log_odds[column] + DIFFERENCE
        respond(decisions, variables, definition, moved, response)
        fill_residual(variables, moved, betas, response, ahead)
        moved[column] = log_odds[column] - DIFFERENCE
        respond(decisions, variables, definition, moved, response)
        fill_residual(variables, moved, betas, response, behind)
        moved[column] = log_odds[column]
        for row in range(len(log_odds)):
            out[row, column] = (ahead[row] - behind[row]) / (2.0 * DIFFERENCE)
