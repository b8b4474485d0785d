"""Following the principal branch of quantal response equilibria from β = 0 on.

Pseudo-arclength continuation (Keller 1977; Turocy 2005 for logit equilibria) in the log-odds z
and t = log(1 + β), with the length of a tangent measured as ṫ² + (4/V) Σ (ż / (1 + |z|))².
A step predicts linearly in β, because log-odds grow like β, then corrects by Newton within the
plane across the path. One factorisation serves a whole point as long as steps shrink fivefold;
the first correction e₀ sets the next step's length. A fold, where β turns back, is passed
like any other point; where the path bends or a correction fails, the last point is made exact
and a few steps are taken with tight bounds.

Convergence is judged by the correction max |dz| / (1 + |z|), never by |F| alone: one unit in the
last place of z moves F by about 5e-15 β², so that a fixed bound on F would stall the path.
The same must hold of log σ: where the infoset's first action dies out, log-odds against it are
large, and only their differences tell how the others are mixed.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from untilt.errors import GameTooLarge
from untilt.game.decision_tree import Decisions, Variables, verify_log_odds
from untilt.game.dissection import Dissection, no_dissection
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import kernel
from untilt.solvers.qre.bordered import (
    BlockMatrix,
    factorise,
    new_matrix,
    num_entries,
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

MAX_ENTRIES = 2 * 10**8
"""Elements of dense blocks that a system may have: 1.6 GB."""

ENDINGS = ("reached", "turned back", "stalled", "too many points")
"""How a trace ends, by number."""

_FIRST_STEP = 0.05
_LEAST_STEP = 1e-10
_LINEAR_IN_BETA = 0.3
"""Where the path rises at least so steeply in t, it is predicted linearly in β."""
_MAX_CONTRACTION = 0.2
_ROUNDING = 1e-5
"""Newton steps below this that no longer shrink are rounding."""

_POINT_TOLERANCE, _GOAL_CORRECTION, _MAX_CORRECTION, _MAX_BEND = 0.03, 0.15, 0.6, 1.2
"""How exact a point is; the first correction that steps aim at, and the largest allowed; how
far the tangent may turn, as 1 / cosine."""
_CAREFUL_TOLERANCE, _CAREFUL_GOAL, _CAREFUL_CORRECTION, _CAREFUL_BEND = 1e-4, 0.04, 0.15, 1.5
_CAREFUL_STEPS = 5.0
"""The same near folds, for so many steps after the last trouble: the loose values can jump
to another part of a path that winds closely."""


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

    @property
    def is_sparse(self) -> bool:
        """Whether the blocks would be too large, so that `matrix` is a mere stand-in."""
        return self.dissection.num_root + int(self.dissection.first[-1]) == 0


class PathState(NamedTuple):
    """Where the path stands, and arrays to work in; all modified in place."""

    log_odds: Floats
    """[V] the last point"""
    tangent: Floats
    """[V] ż there"""
    scalars: Floats
    """t, ṫ, length of the next step, the last Newton step's size, careful steps to go"""
    counts: Offsets
    """factorisations, corrections"""
    predicted: Floats
    """[V] the point that is being corrected"""
    row: Floats
    """[V] the plane across the path that corrections keep to"""
    correction: Floats
    """[V]"""
    column: Floats
    """[V] ∂F/∂t"""


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
    last_correction: float
    """The last point's last Newton step, max |dz| / (1 + |z|); above the tolerance asked for
    where rounding does not allow that (it grows like β²)."""


def new_system(
    decisions: Decisions,
    variables: Variables,
    dissection: Dissection,
    definition: int,
    scale: tuple[float, float] = (1.0, 1.0),
) -> System:
    """Return the system with its working arrays.

    Where the blocks of the dissection would exceed MAX_ENTRIES, the system is sparse.
    """
    if num_entries(dissection) > MAX_ENTRIES:
        dissection = no_dissection(variables)
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
    system: System,
    beta: float,
    *,
    tolerance: float = 1e-9,
    max_points: int = 20_000,
    after: Branch | None = None,
) -> Branch:
    """Follow the principal branch from uniform play at β = 0 to `beta`.

    Points on the way are converged to a few per cent, the last one to `tolerance`; for points
    to keep, polish them with `refine`. With `after`, a branch that reached its goal is
    followed from there on; the new one begins with its last point.
    """
    if system.is_sparse:
        from untilt.solvers.qre.sparse import trace_sparse

        return trace_sparse(system, beta, tolerance=tolerance, max_points=max_points)
    num_variables = system.variables.num_variables
    state = _new_state(num_variables)
    if after is not None:
        state.log_odds[:] = after.log_odds[-1]
        state.scalars[0] = math.log1p(after.betas[-1])
    betas = np.zeros(64)
    points = np.zeros((64, num_variables))
    count, ending = 0, TOO_MANY_POINTS
    while count < max_points and ending == TOO_MANY_POINTS:
        if count == len(betas):  # grown out here: a kernel cannot know how many will come
            betas = np.concatenate((betas, np.zeros(count)))
            points = np.concatenate((points, np.zeros((count, num_variables))))
        room = min(max_points, len(betas))
        count, ending = _follow(
            system,
            state,
            float(beta),
            float(tolerance),
            _POINT_TOLERANCE,
            betas,
            points,
            count,
            room,
        )
    betas, points = betas[:count].copy(), points[:count].copy()
    return Branch(
        betas=betas,
        log_odds=points,
        folds=turns(betas),
        ending=int(ending),
        num_factorisations=int(state.counts[0]),
        num_corrections=int(state.counts[1]),
        last_correction=float(state.scalars[3]),
    )


@dataclass(frozen=True)
class Equilibrium:
    """A solution at one β, from a point nearby."""

    log_odds: Floats
    """[V]"""
    slope: Floats
    """[V] dz/dβ along the branch"""
    last_correction: float
    """Its last Newton step, max |dz| / (1 + |z|)."""
    is_converged: bool
    """Whether Newton's method came to rest; otherwise the rest is as it was left."""


def converge(system: System, log_odds: Floats, beta: float, tolerance: float = 1e-9) -> Equilibrium:
    """Return the equilibrium at `beta` near `log_odds`, by Newton's method."""
    if system.is_sparse:
        raise GameTooLarge(
            f"a game with {system.variables.num_variables:,} log-odds that does not fall apart is "
            "too large for dense blocks: its branch can be traced, but not polished or fitted"
        )
    verify_log_odds(system.variables, log_odds)
    state = _new_state(len(log_odds))
    ending = _converge(system, state, log_odds, math.log1p(beta), beta, tolerance)
    return Equilibrium(
        log_odds=state.log_odds,
        slope=state.tangent / (state.scalars[1] * (1.0 + beta)),
        last_correction=float(state.scalars[3]),
        is_converged=ending == REACHED,
    )


def refine(
    system: System, branch: Branch, tolerance: float = 1e-9, indices: Offsets | None = None
) -> Branch:
    """Return the branch with its points converged to `tolerance`, or as far as rounding allows.

    Points keep their β, except beside a fold, where they move across the path. One from which
    Newton's method strays either way is dropped. `indices` selects points; all by default.
    """
    num_variables = system.variables.num_variables
    chosen = np.arange(len(branch.betas)) if indices is None else indices
    if system.is_sparse:  # its points are converged already
        return replace(branch, betas=branch.betas[chosen], log_odds=branch.log_odds[chosen])
    paths = np.log1p(branch.betas)
    betas, points = [], []
    worst, num_factorisations, num_corrections = 0.0, 0, 0
    for index in chosen.tolist():
        before, after = max(index - 1, 0), min(index + 1, len(paths) - 1)
        size = 1.0 + np.abs(branch.log_odds[index])
        chord = branch.log_odds[after] - branch.log_odds[before]
        rise = paths[after] - paths[before]
        length = math.hypot(rise, 2.0 * float(np.linalg.norm(chord / size)) / num_variables**0.5)
        is_end = index in (0, len(paths) - 1)
        is_upright = is_end or abs(rise) > _LINEAR_IN_BETA * length
        for keeps_beta in (True, False) if is_upright else (False,):
            state = _new_state(num_variables)
            goal = float(branch.betas[index])
            if not keeps_beta:
                state.tangent[:] = chord / length
                state.scalars[1] = rise / length
                goal = math.inf
            ending = _converge(system, state, branch.log_odds[index], paths[index], goal, tolerance)
            num_factorisations += int(state.counts[0])
            num_corrections += int(state.counts[1])
            if ending == REACHED:
                betas.append(goal if keeps_beta else math.expm1(state.scalars[0]))
                points.append(state.log_odds)
                worst = max(worst, float(state.scalars[3]))
                break
            if is_end:
                break
    refined = np.array(betas)
    return replace(
        branch,
        betas=refined,
        log_odds=np.array(points).reshape(len(points), num_variables),
        folds=turns(refined),
        num_factorisations=branch.num_factorisations + num_factorisations,
        num_corrections=branch.num_corrections + num_corrections,
        last_correction=worst,
    )


def _converge(
    system: System, state: PathState, log_odds: Floats, path: float, goal: float, tolerance: float
) -> int:
    """Take one step of length 0 from `log_odds`: at fixed β if that is the goal, else across."""
    state.log_odds[:] = log_odds
    state.scalars[0] = path
    betas, points = np.zeros(1), np.zeros((1, len(log_odds)))
    count, ending = _follow(
        system, state, float(goal), float(tolerance), float(tolerance), betas, points, 0, 1
    )
    return REACHED if count == 1 else int(ending)


def turns(betas: Floats) -> tuple[float, ...]:
    """Return the values of β at which a path turns back or forth."""
    signs = np.sign(np.diff(betas))
    return tuple(betas[1:-1][signs[1:] != signs[:-1]].tolist())


def _new_state(num_variables: int) -> PathState:
    """Return the state at β = 0, in which the first step, of length 0, finds the tangent."""
    return PathState(
        log_odds=np.zeros(num_variables),
        tangent=np.zeros(num_variables),
        scalars=np.array([0.0, 1.0, _FIRST_STEP, 0.0, 0.0]),
        counts=np.zeros(2, dtype=np.int64),
        predicted=np.zeros(num_variables),
        row=np.zeros(num_variables),
        correction=np.zeros(num_variables),
        column=np.zeros(num_variables),
    )


# One large kernel: every level of calls makes LLVM optimise all that is below it once more
# (4 s of 18 for the corrector alone), and its arguments are fifty arrays.
@kernel
def _follow(
    system: System,
    state: PathState,
    beta: float,
    tolerance: float,
    point_tolerance: float,
    betas: Floats,
    points: Floats,
    count: int,
    room: int,
) -> tuple[int, int]:
    """Append points until `beta`, an early end, or `room` points."""
    decisions, variables, dissection = system.decisions, system.variables, system.dissection
    response, matrix, definition = system.response, system.matrix, system.definition
    log_odds, tangent, predicted = state.log_odds, state.tangent, state.predicted
    row, column, correction = state.row, state.column, state.correction
    goal = math.log1p(beta)
    num_variables = len(log_odds)
    weight = 4.0 / num_variables
    crosses, is_again = False, False
    share = 1.0
    while count < room:
        now, rise = state.scalars[0], state.scalars[1]
        is_careful = state.scalars[4] > 0.0
        in_place = count == 0 or is_again

        # Predict.
        length = 0.0 if in_place else state.scalars[2]
        is_last = crosses or (not is_again and (now - goal) * (now + length * rise - goal) <= 0.0)
        if is_last and not in_place and not crosses:
            length = (goal - now) / rise
        path = goal if is_last else now + length * rise
        reach = math.expm1(path - now) / rise if rise > _LINEAR_IN_BETA else length
        for variable in range(num_variables):
            if crosses:  # between the last point and the one beyond the goal
                predicted[variable] += (1.0 - share) * (log_odds[variable] - predicted[variable])
            else:
                predicted[variable] = log_odds[variable] + reach * tangent[variable]
            scale = 1.0 + abs(log_odds[variable])
            row[variable] = 0.0 if is_last else weight * tangent[variable] / (scale * scale)
        crosses = False
        corner = 1.0 if is_last else rise
        enough = _CAREFUL_TOLERANCE if is_careful else point_tolerance
        if is_last:
            enough = tolerance
        limit = _CAREFUL_CORRECTION if is_careful and not in_place else _MAX_CORRECTION

        # Correct, across the path or at β.
        is_fresh, is_done = False, False
        first, previous, size = 0.0, math.inf, 0.0
        for attempt in range(30):
            now_beta = math.expm1(path)
            pair = (now_beta * system.scale[0], now_beta * system.scale[1])
            respond(decisions, variables, definition, predicted, response)
            fill_residual(variables, predicted, pair, response, correction)
            is_exact = not is_fresh
            if is_exact:
                fill_jacobian(decisions, variables, dissection, definition, pair, response, matrix)
                for infoset in range(len(variables.player)):
                    factor = (1.0 + now_beta) * system.scale[variables.player[infoset]]
                    for variable in range(
                        variables.first_variable[infoset], variables.first_variable[infoset + 1]
                    ):
                        column[variable] = -factor * response.advantage[variable]
                set_border(variables, dissection, matrix, column, row, corner)
                factorise(dissection, matrix)
                state.counts[0] += 1
                is_fresh = True
            for variable in range(num_variables):
                correction[variable] = -correction[variable]
            shift = solve_in_place(variables, dissection, matrix, correction, 0.0)
            state.counts[1] += 1
            size = 0.0
            for infoset in range(len(variables.player)):
                action = variables.first_action[infoset]
                begin = variables.first_variable[infoset]
                end = variables.first_variable[infoset + 1]
                mean = 0.0
                for variable in range(begin, end):
                    mean += response.behaviour[action + 1 + variable - begin] * correction[variable]
                size = max(size, abs(mean) / (1.0 - response.log_behaviour[action]))
                for variable in range(begin, end):
                    action += 1
                    step = abs(correction[variable]) / (1.0 + abs(predicted[variable]))
                    change = abs(correction[variable] - mean)
                    step = max(step, change / (1.0 - response.log_behaviour[action]))
                    if not step <= size:  # also true of nan
                        size = step
            if attempt == 0:
                first = size
                if not size <= limit:
                    break
            elif not size <= 2.0 * previous:
                is_done = previous <= _ROUNDING  # a further step would be noise
                size = previous
                break
            for variable in range(num_variables):
                predicted[variable] += correction[variable]
            path += shift
            if size <= enough or (is_exact and size > 0.5 * previous and size <= _ROUNDING):
                is_done = True
                break
            if size > _MAX_CONTRACTION * previous:
                is_fresh = False
            previous = size

        # The tangent, oriented along the last one; its length tells the angle between them.
        for variable in range(num_variables):
            correction[variable] = 0.0
        slope = solve_in_place(variables, dissection, matrix, correction, 1.0)
        norm = slope * slope
        for variable in range(num_variables):
            step = correction[variable] / (1.0 + abs(predicted[variable]))
            norm += weight * step * step
        norm = math.sqrt(norm)
        bend = 0.0 if in_place or is_last else norm

        if not is_done or not bend < (_CAREFUL_BEND if is_careful else _MAX_BEND):
            state.scalars[2] = 0.5 * length
            if in_place or state.scalars[2] < _LEAST_STEP:
                return count + (1 if is_again else 0), STALLED
            if not is_careful and count > 1:
                is_again = True  # makes the last point exact before going on
                count -= 1
            state.scalars[4] = _CAREFUL_STEPS
            continue
        if not is_last and (now - goal) * (path - goal) < 0.0:
            crosses = True
            share = (goal - now) / (path - now)
            state.scalars[2] = share * length
            continue
        if path < 0.0:
            return count, TURNED_BACK
        for variable in range(num_variables):
            log_odds[variable] = predicted[variable]
            points[count, variable] = predicted[variable]
            tangent[variable] = correction[variable] / norm
        betas[count] = beta if is_last else math.expm1(path)
        count += 1
        state.scalars[0] = path
        state.scalars[1] = slope / norm
        state.scalars[3] = size
        if is_last:
            return count, REACHED
        is_again = False
        if in_place:
            continue
        aim = _CAREFUL_GOAL if is_careful else _GOAL_CORRECTION
        growth = math.sqrt(aim / max(first, 1e-12))
        if bend > _MAX_BEND:
            state.scalars[4] = _CAREFUL_STEPS
            growth = min(growth, 1.0)
        elif is_careful:
            state.scalars[4] -= 1.0
        state.scalars[2] = length * min(2.0, max(0.5, growth))
    return count, TOO_MANY_POINTS
