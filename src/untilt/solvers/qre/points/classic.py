"""The textbook Newton solve of quantal response, for teaching and comparison.

All logits w are unknowns, one per action, and the equations are

    R(w) = softmax(w) − LogitBR_β(softmax(w)) = 0

with a Jacobian by central finite differences (h = 1e-7): two evaluations of R per unknown and
iteration. Adding a constant to an infoset's logits changes nothing, so the Jacobian is
singular in one direction per infoset; the damping λI still makes steps unique.
β climbs a fixed schedule. Steps and damping are those of `newton.py`, which drops the
superfluous unknowns; this solve stops on ‖R‖₂ itself.
"""

from collections.abc import Callable, Sequence

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import allocates, kernel
from untilt.solvers.qre.decision_tree import Decisions, Variables
from untilt.solvers.qre.points.newton import (
    DIFFERENCE,
    NewtonResult,
    NewtonStep,
    PrincipalBranch,
    climb,
    fill_gap,
    verify_options,
    verify_schedule,
)
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import Response, respond

SCHEDULE = (0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
"""Values of β on the way; those at or above the requested one are left out."""

DEFAULT_DEFINITION = "counterfactual"
"""What the textbook's players respond to."""


def classic(
    problem: QuantalProblem,
    beta: float,
    *,
    schedule: Sequence[float] | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 50,
    on_step: Callable[[NewtonStep], None] | None = None,
) -> NewtonResult:
    """Return a quantal response equilibrium at `beta`, in log-odds.

    A point has converged when ‖σ − LogitBR_β(σ)‖₂ is below `tolerance`. `schedule` gives values
    of β on the way, ascending; `max_iterations` is for each of them.
    """
    verify_options(beta, tolerance, max_iterations)
    if schedule is None:
        schedule = [entry for entry in SCHEDULE if entry < beta]
    ascent = verify_schedule(schedule, beta)
    branch = PrincipalBranch(problem)

    def restart(at: float, log_odds: Floats) -> Floats | None:
        traced = branch.where_it_is_not(at, log_odds)
        if traced is None:
            return None
        return np.insert(traced, problem.variables.first_variable[:-1], 0.0)

    equations = _LogitEquations(problem, tolerance)
    return climb(equations, ascent, max_iterations, on_step, restart=restart)


class _LogitEquations:
    """σ − LogitBR_β(σ), the unknowns being logits."""

    def __init__(self, problem: QuantalProblem, tolerance: float) -> None:
        self._problem = problem
        self._system = problem.system
        self._tolerance = tolerance
        self._betas = (0.0,) * len(problem.shares)
        self._log_odds = np.empty(problem.variables.num_variables)
        self._differences = np.empty((problem.variables.num_actions,) * 2)

    def set_beta(self, beta: float) -> None:
        self._betas = tuple(beta * share for share in self._problem.shares)

    def start(self) -> Floats:
        uniform = np.zeros(self._problem.variables.num_actions)
        self.residual(uniform)
        self._fill_differences(uniform, 0)
        return uniform

    def residual(self, x: Floats) -> Floats:
        out = np.empty(len(x))
        _fill_gap_at(
            self._system.decisions,
            self._system.variables,
            self._system.definition,
            self._betas,
            x,
            self._log_odds,
            self._system.response,
            out,
        )
        return out

    def jacobian(self, x: Floats) -> Floats:
        self._fill_differences(x, len(x))
        return self._differences

    def _fill_differences(self, x: Floats, num_columns: int) -> None:
        fill_logit_differences(
            self._system.decisions,
            self._system.variables,
            self._system.definition,
            self._betas,
            x,
            num_columns,
            self._log_odds,
            self._system.response,
            self._differences,
        )

    def is_solved(self, residual: Floats) -> bool:
        return bool(np.linalg.norm(residual) < self._tolerance)

    def is_last(self, x: Floats, residual: Floats, jacobian: Floats, step: Floats) -> bool:
        return False

    def log_odds(self, x: Floats) -> Floats:
        out = np.empty_like(self._log_odds)
        _fill_log_odds(self._system.variables, x, out)
        return out

    def residual_norm(self, x: Floats) -> float:
        return float(np.linalg.norm(self.residual(x)))


@kernel
def _fill_log_odds(variables: Variables, logits: Floats, out: Floats) -> None:
    for infoset in range(len(variables.player)):
        first = variables.first_action[infoset]
        variable = variables.first_variable[infoset]
        for action in range(first + 1, variables.first_action[infoset + 1]):
            out[variable] = logits[action] - logits[first]
            variable += 1


@kernel
def _fill_gap_at(
    decisions: Decisions,
    variables: Variables,
    definition: int,
    betas: tuple[float, ...],
    logits: Floats,
    log_odds: Floats,
    response: Response,
    out: Floats,
) -> None:
    """Set out = R(w); `log_odds` and `response` are scratch."""
    _fill_log_odds(variables, logits, log_odds)
    respond(decisions, variables, definition, log_odds, response)
    fill_gap(variables, betas, response, out)


@kernel
@allocates
def fill_logit_differences(
    decisions: Decisions,
    variables: Variables,
    definition: int,
    betas: tuple[float, ...],
    logits: Floats,
    num_columns: int,
    log_odds: Floats,
    response: Response,
    out: Floats,
) -> None:
    """Set the first columns of out = ∂R/∂w by central differences."""
    moved = logits.copy()
    ahead, behind = np.empty(len(logits)), np.empty(len(logits))
    for column in range(num_columns):
        moved[column] = logits[column] + DIFFERENCE
        _fill_gap_at(decisions, variables, definition, betas, moved, log_odds, response, ahead)
        moved[column] = logits[column] - DIFFERENCE
        _fill_gap_at(decisions, variables, definition, betas, moved, log_odds, response, behind)
        moved[column] = logits[column]
        for row in range(len(logits)):
            out[row, column] = (ahead[row] - behind[row]) / (2.0 * DIFFERENCE)
