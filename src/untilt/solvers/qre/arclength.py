"""Following the principal branch of quantal response equilibria from β = 0 on.

Pseudo-arclength continuation (Keller 1977; Turocy 2005 for logit equilibria) in the log-odds z
and t = log(1 + β), with the length of a tangent measured as ṫ² + (4/V) Σ (ż / (1 + |z|))².
A step predicts linearly in β, because log-odds grow like β, then corrects by Newton within the
plane across the path. One factorisation serves a whole point as long as steps shrink fivefold;
the first correction e₀ sets the next step's length. A fold, where β turns back, is passed
like any other point.

Convergence is judged by the correction max |dz| / (1 + |z|), never by |F| alone: one unit in the
last place of z moves F by about 5e-15 β², so that a fixed bound on F would stall the path.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from untilt.game.decision_tree import Decisions, Variables
from untilt.game.dissection import Dissection
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import kernel
from untilt.solvers.qre.bordered import (
    BlockMatrix,
    factorise,
    new_matrix,
    set_border,
    solve_in_place,
)
from untilt.solvers.qre.response import (
    Response,
    fill_jacobian,
    fill_residual,
    new_response,
    respond,
)

REACHED, TURNED_BACK, STALLED, TOO_MANY_POINTS = 0, 1, 2, 3
"""How a trace ends."""

_FIRST_STEP = 0.05
_LEAST_STEP = 1e-10
_POINT_TOLERANCE = 0.03
_GOAL_CORRECTION = 0.15
_MAX_CORRECTION = 0.6
_MAX_CONTRACTION = 0.2
_LINEAR_IN_BETA = 0.3
"""Where the path rises at least so steeply in t, it is predicted linearly in β."""


class System(NamedTuple):
    """A game's equations under one definition, with the arrays to work in."""

    decisions: Decisions
    variables: Variables
    dissection: Dissection
    response: Response
    matrix: BlockMatrix
    definition: int
    scale: tuple[float, float]
    """β_p = scale_p × β: the path keeps the players' ratio."""


@dataclass(frozen=True)
class Branch:
    """Points of a path in order; N points, V variables."""

    betas: Floats
    """[N]"""
    log_odds: Floats
    """[N, V]"""
    folds: tuple[float, ...]
    """Values of β at which the path turned."""
    ending: int
    """REACHED, or why it ended early."""
    num_factorisations: int
    num_corrections: int


def new_system(
    decisions: Decisions,
    variables: Variables,
    dissection: Dissection,
    definition: int,
    scale: tuple[float, float] = (1.0, 1.0),
) -> System:
    """Return the system with its working arrays."""
    return System(
        decisions,
        variables,
        dissection,
        new_response(decisions, variables),
        new_matrix(dissection),
        definition,
        scale,
    )


def trace(
    system: System, beta: float, *, tolerance: float = 1e-9, max_points: int = 20_000
) -> Branch:
    """Follow the principal branch from uniform play at β = 0 to `beta`.

    Points on the way are converged to a few per cent, the last one to `tolerance`; for points
    to keep, polish them with `refine`.
    """
    num_variables = system.variables.num_variables
    betas = np.zeros(64)
    points = np.zeros((64, num_variables))
    start = PathState(
        log_odds=np.zeros(num_variables),
        tangent=np.zeros(num_variables),
        scalars=np.zeros(4),
        counts=np.zeros(4, dtype=np.int64),
    )
    _begin(system, start)
    count = 1
    ending = TOO_MANY_POINTS
    while count < max_points:
        if count == len(betas):  # grown out here: a kernel cannot know how many will come
            betas = np.concatenate((betas, np.zeros(count)))
            points = np.concatenate((points, np.zeros((count, num_variables))))
        count, ending = _follow(system, start, beta, tolerance, betas, points, count)
        if ending != TOO_MANY_POINTS:
            break
    betas, points = betas[:count].copy(), points[:count].copy()
    turns = np.sign(np.diff(betas))
    folds = [float(betas[i + 1]) for i in range(len(turns) - 1) if turns[i] != turns[i + 1]]
    return Branch(
        betas=betas,
        log_odds=points,
        folds=tuple(folds),
        ending=int(ending),
        num_factorisations=int(start.counts[0]),
        num_corrections=int(start.counts[1]),
    )


class PathState(NamedTuple):
    """Where the path stands; all modified in place."""

    log_odds: Floats
    tangent: Floats
    scalars: Floats
    """t, ṫ, length of the next step"""
    counts: Offsets
    """factorisations, corrections"""


@kernel
def _begin(system: System, state: PathState) -> None:
    """Set the path to β = 0, where F = z and the tangent is the advantage."""
    respond(system.decisions, system.variables, system.definition, state.log_odds, system.response)
    _fill_beta_derivative(system, 1.0, state.tangent)
    length = 1.0
    for variable in range(len(state.tangent)):
        length += 4.0 / len(state.tangent) * state.tangent[variable] ** 2
    length = math.sqrt(length)
    for variable in range(len(state.tangent)):
        state.tangent[variable] /= -length
    state.scalars[0] = 0.0
    state.scalars[1] = 1.0 / length
    state.scalars[2] = _FIRST_STEP


@kernel
def _fill_beta_derivative(system: System, factor: float, out: Floats) -> None:
    """Set out = ∂F/∂t = −(1 + β) scale_p × advantage; `factor` is 1 + β."""
    variables = system.variables
    for infoset in range(len(variables.player)):
        scale = factor * system.scale[variables.player[infoset]]
        for variable in range(
            variables.first_variable[infoset], variables.first_variable[infoset + 1]
        ):
            out[variable] = -scale * system.response.advantage[variable]


@kernel
def _follow(
    system: System,
    state: PathState,
    beta: float,
    tolerance: float,
    betas: Floats,
    points: Floats,
    count: int,
) -> tuple[int, int]:
    """Append points until `beta`, an early end, or the arrays are full."""
    goal = math.log1p(beta)
    num_variables = len(state.log_odds)
    weight = 4.0 / num_variables
    predicted, correction = np.empty(num_variables), np.empty(num_variables)
    column, row = np.empty(num_variables), np.empty(num_variables)
    while count < len(betas):
        now, rise, length = state.scalars[0], state.scalars[1], state.scalars[2]
        is_last = rise > 0.0 and now + length * rise >= goal
        if is_last:
            length = (goal - now) / rise
        ahead = goal if is_last else now + length * rise
        reach = length
        if rise > _LINEAR_IN_BETA:
            reach = (math.exp(ahead - now) - 1.0) / rise
        corner = 1.0 if is_last else rise
        for variable in range(num_variables):
            predicted[variable] = state.log_odds[variable] + reach * state.tangent[variable]
            size = 1.0 + abs(state.log_odds[variable])
            row[variable] = 0.0 if is_last else weight * state.tangent[variable] / (size * size)
        ahead, first = _correct(
            system,
            predicted,
            correction,
            column,
            row,
            corner,
            ahead,
            tolerance if is_last else _POINT_TOLERANCE,
            state.counts,
        )
        if first < 0.0:
            state.scalars[2] = 0.5 * length
            if state.scalars[2] < _LEAST_STEP:
                return count, STALLED
            continue
        if ahead < 0.0:
            return count, TURNED_BACK
        state.log_odds[:] = predicted
        state.scalars[0] = ahead
        betas[count] = beta if is_last else math.expm1(ahead)
        points[count] = predicted
        count += 1
        if is_last:
            return count, REACHED
        correction[:] = 0.0
        rise = solve_in_place(system.variables, system.dissection, system.matrix, correction, 1.0)
        norm = rise * rise
        for variable in range(num_variables):
            norm += weight * (correction[variable] / (1.0 + abs(predicted[variable]))) ** 2
        norm = math.sqrt(norm)
        for variable in range(num_variables):
            state.tangent[variable] = correction[variable] / norm
        state.scalars[1] = rise / norm
        growth = math.sqrt(_GOAL_CORRECTION / max(first, 1e-12))
        state.scalars[2] = length * min(2.0, max(0.5, growth))
    return count, TOO_MANY_POINTS


@kernel
def _correct(
    system: System,
    log_odds: Floats,
    correction: Floats,
    column: Floats,
    row: Floats,
    corner: float,
    path: float,
    tolerance: float,
    counts: Offsets,
) -> tuple[float, float]:
    """Correct (`log_odds`, `path`) onto the branch; return the path variable and e₀.

    e₀ is −1 where that failed; `log_odds` is modified in place.
    """
    is_fresh = False
    first, previous = 0.0, 0.0
    for attempt in range(30):
        beta = math.expm1(path)
        betas = (beta * system.scale[0], beta * system.scale[1])
        respond(system.decisions, system.variables, system.definition, log_odds, system.response)
        fill_residual(system.variables, log_odds, betas, system.response, correction)
        if not is_fresh:
            fill_jacobian(
                system.decisions,
                system.variables,
                system.dissection,
                system.definition,
                betas,
                system.response,
                system.matrix,
            )
            _fill_beta_derivative(system, 1.0 + beta, column)
            set_border(system.variables, system.dissection, system.matrix, column, row, corner)
            factorise(system.dissection, system.matrix)
            counts[0] += 1
            is_fresh = True
        for variable in range(len(correction)):
            correction[variable] = -correction[variable]
        shift = solve_in_place(system.variables, system.dissection, system.matrix, correction, 0.0)
        counts[1] += 1
        size = 0.0
        for variable in range(len(correction)):
            step = abs(correction[variable]) / (1.0 + abs(log_odds[variable]))
            if not step <= size:  # also true of nan
                size = step
        if attempt == 0:
            first = size
        if not size < 1e100 or (attempt == 0 and size > _MAX_CORRECTION):
            return path, -1.0
        if attempt > 0 and size > 2.0 * previous:
            return path, -1.0
        for variable in range(len(correction)):
            log_odds[variable] += correction[variable]
        path += shift
        if size <= tolerance:
            return path, first
        if attempt > 0 and size > _MAX_CONTRACTION * previous:
            is_fresh = False
        previous = size
    return path, -1.0
