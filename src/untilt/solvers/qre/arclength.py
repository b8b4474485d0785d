"""Following the principal branch of quantal response equilibria from β = 0 on.

Pseudo-arclength continuation (Keller 1977; Turocy 2005 for logit equilibria) in the log-odds z
and t = log(1 + β), with the length of a tangent measured as ṫ² + (4/V) Σ (ż / (1 + |z|))².
A step predicts linearly in β, because log-odds grow like β, then corrects by Newton within the
plane across the path. One factorisation serves a whole point as long as steps shrink fivefold;
the first correction e₀ sets the next step's length. A fold, where β turns back, is passed
like any other point; where the path bends or a correction fails, the last point is made exact
and a few steps are taken with tight bounds.

A step may end on another part of the solutions without any of this failing: beside a
pitchfork that payoffs have torn apart, the wrong part is the straight continuation. On a smooth
path the bordered matrix G never becomes singular; between two parts that a step can confuse
it does. So before a point's matrix G' is factorised, the way from the last one's G to it is
searched for singular ones (`_turns_singular`), which also sees two modes that change sign at
once, and then the determinants of G and G' must agree in sign (Keller: the orientation of
the path). Otherwise the step is halved. G' is that of the predicted point; where the corrected
one is so far away that weak modes of G' may be others there, the test is repeated there. What
is still singular within a step of 1e-6 counts as an exact bifurcation, and the path goes
straight on: symmetric games stay symmetric.

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
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import inlined, kernel
from untilt.solvers.qre.bordered import (
    BlockMatrix,
    factorise,
    multiply,
    new_matrix,
    num_entries,
    set_border,
    solve_in_place,
)
from untilt.solvers.qre.decision_tree import Decisions, Variables, verify_log_odds
from untilt.solvers.qre.dissection import Dissection, no_dissection
from untilt.solvers.qre.response import (
    Response,
    fill_jacobian,
    fill_residual,
    new_response,
    respond,
)

REACHED, TURNED_BACK, STALLED, TOO_MANY_POINTS = 0, 1, 2, 3

MAX_ENTRIES = 2 * 10**8
"""Elements of dense blocks that a system may have: 1.6 GB, and the same for a copy."""

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

_EXACTNESS, _MAX_DEVIATION, _MAX_DRIFT = 0.1, 0.5, 0.3
"""As shares of a step's length: how exact its ends are; how far from the prediction it may end;
and how far from where the matrix was tested."""
_MAX_BLUR = 0.5
"""The same times the size of the inverse: beyond it, that matrix may differ in its weak modes."""

_MAX_CHANGE, _MAX_GROWTH = 0.9, 10.0
"""How much of a mode of the bordered matrix a step may take away (1: all, it is singular), and
how much it may add."""
_NUM_PROBES, _CALM, _HARMLESS = 5, 0.45, 0.8
"""Power iterations to find that out; the changes below which two of them, or three, are enough."""
_LEAST_SHARE = 0.6
"""How far growth with β is made up for; with less, modes that stay the same would hide others."""
_GOLDEN = 0.6180339887498949

_BIFURCATION = 1e-6
"""A step of this length across which the matrix is still singular passes a bifurcation."""
_LEAST_PEAK = 1e-4
"""A step of this length around a fold may miss a goal just below the fold."""
_MAX_SURPRISE = 10.0
"""How much more than its last correction a point may move when it is made exact."""
_MAX_RETREATS = 100
"""How often a point that turned out to be wrong may be taken back."""


class System(NamedTuple):
    """A game's equations under one definition, with the arrays to work in."""

    decisions: Decisions
    variables: Variables
    dissection: Dissection
    response: Response
    matrix: BlockMatrix
    spare: BlockMatrix
    """A second one, so that a point's factors outlive the search for the next point."""
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
    """t, ṫ, length of the next step, the last Newton step's size, careful steps to go, the sign
    of the bordered determinant, the corner of the last point's matrix, and a bound on how much
    its inverse enlarges vectors"""
    counts: Offsets
    """factorisations, corrections, points taken back, the first point after the last
    bifurcation, and which of two matrices holds the last point's factors"""
    predicted: Floats
    """[V] the point that is being corrected"""
    row: Floats
    """[V] the plane across the path that corrections keep to"""
    correction: Floats
    """[V]"""
    column: Floats
    """[V] ∂F/∂t"""
    modes: Floats
    """[4, V] the border row of the last point's matrix; the direction in which the matrix was last
    seen to change most, and the one that its inverse enlarged most, both without the border; and
    what squares of z count in the length of a vector"""
    image: Floats
    """[V]"""


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
    state = _new_state(system)
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
    state = _new_state(system)
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
            state = _new_state(system)
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


def _new_state(system: System) -> PathState:
    """Return the state at β = 0, in which the first step, of length 0, finds the tangent."""
    num_variables = system.variables.num_variables
    return PathState(
        log_odds=np.zeros(num_variables),
        tangent=np.zeros(num_variables),
        scalars=np.array([0.0, 1.0, _FIRST_STEP, 0.0, 0.0, 0.0, 0.0, math.inf]),
        counts=np.zeros(5, dtype=np.int64),
        predicted=np.zeros(num_variables),
        row=np.zeros(num_variables),
        correction=np.zeros(num_variables),
        column=np.zeros(num_variables),
        modes=np.zeros((4, num_variables)),
        image=np.zeros(num_variables),
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
    response, definition = system.response, system.definition
    matrices = (system.matrix, system.spare)
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
        enough = min(
            _CAREFUL_TOLERANCE if is_careful else point_tolerance, _EXACTNESS * state.scalars[2]
        )
        if is_last:
            enough = tolerance
        limit = _CAREFUL_CORRECTION if is_careful and not in_place else _MAX_CORRECTION

        # Correct, across the path or at β. The last point's factors are kept until the next one.
        kept, matrix = matrices[state.counts[4]], matrices[1 - state.counts[4]]
        is_fresh, is_done = False, False
        first, previous, size, sign, drift = 0.0, math.inf, 0.0, 0.0, 0.0
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
                if not in_place:
                    drift = 0.0
                    growth = math.exp(path - now)
                    if length >= _BIFURCATION and _turns_singular(
                        system, state, kept, matrix, growth, count
                    ):
                        break
                sign = factorise(dissection, matrix)
                state.counts[0] += 1
                is_fresh = True
            for variable in range(num_variables):
                correction[variable] = -correction[variable]
            shift = solve_in_place(variables, dissection, matrix, correction, 0.0)
            state.counts[1] += 1
            size, deviation = 0.0, shift * shift
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
                    deviation += weight * step * step
                    change = abs(correction[variable] - mean)
                    step = max(step, change / (1.0 - response.log_behaviour[action]))
                    if not step <= size:  # also true of nan
                        size = step
            drift += math.sqrt(deviation)
            if attempt == 0:
                first = size
                is_far = not in_place and drift > _MAX_DEVIATION * length
                if is_far or not size <= limit:
                    break
            elif not size <= 2.0 * previous:
                is_done = previous <= _ROUNDING  # a further step would be noise
                size = previous
                break
            for variable in range(num_variables):
                predicted[variable] += correction[variable]
            path += shift
            if size <= enough or (is_exact and size > 0.5 * previous and size <= _ROUNDING):
                is_done = in_place or drift <= _MAX_DRIFT * length
                if is_done and not in_place and drift * state.scalars[7] > _MAX_BLUR:
                    state.scalars[7] = _amplification(system, state, matrix, count)
                    is_done = drift * state.scalars[7] <= _MAX_BLUR
                if is_done:
                    break
                is_fresh = False  # the matrix that was tested is too far from here
            if size > _MAX_CONTRACTION * previous:
                is_fresh = False
            previous = size

        # The tangent, oriented along the last one; its length tells the angle between them.
        slope, norm = 0.0, 0.0
        if is_done:
            for variable in range(num_variables):
                correction[variable] = 0.0
            slope = solve_in_place(variables, dissection, matrix, correction, 1.0)
            norm = slope * slope
            for variable in range(num_variables):
                step = correction[variable] / (1.0 + abs(predicted[variable]))
                norm += weight * step * step
            norm = math.sqrt(norm)
        bend = 0.0 if in_place or is_last else norm
        if is_last and rise < 0.0:
            sign = -sign  # the tangent found points to larger β

        is_jump = is_done and count > state.counts[3] and state.scalars[5] * sign < 0.0
        if is_jump and (state.scalars[2] if in_place else length) < _BIFURCATION:
            is_jump = False  # no shorter step would turn aside
            state.counts[3] = count
        if not in_place and not is_last and rise > 0.0 > slope and length > _LEAST_PEAK:
            # A fold: the path stays below where its tangents meet, and must not miss the goal.
            peak = now + rise * (path - now - length * slope / norm) / (rise - slope / norm)
            is_jump |= now < goal and path < goal and peak >= goal

        if is_again and first > max(_MAX_SURPRISE * state.scalars[3], _CAREFUL_TOLERANCE):
            is_jump = True  # not where the last correction had left it
        if in_place and count > 0 and (not is_done or is_jump):
            # The last point was bad: back to the one before, along their chord.
            state.counts[2] += 1
            if state.counts[2] > _MAX_RETREATS:
                return count, STALLED
            count -= 1
            is_again = True
            ahead = math.log1p(betas[count + 1]) - math.log1p(betas[count])
            state.scalars[0] = math.log1p(betas[count])
            rise = state.scalars[0] - math.log1p(betas[count - 1]) if count > 0 else 1.0
            ahead, norm = ahead * ahead, rise * rise
            for variable in range(num_variables):
                log_odds[variable] = points[count, variable]
                scale = 1.0 + abs(log_odds[variable])
                step = (points[count + 1, variable] - log_odds[variable]) / scale
                ahead += weight * step * step
                tangent[variable] = 0.0
                if count > 0:
                    tangent[variable] = log_odds[variable] - points[count - 1, variable]
                step = tangent[variable] / scale
                norm += weight * step * step
            norm = math.sqrt(norm)
            for variable in range(num_variables):
                tangent[variable] /= norm
            state.scalars[1] = rise / norm
            state.scalars[2] = 0.5 * math.sqrt(ahead)
            state.scalars[3] = math.inf
            state.scalars[4] = _CAREFUL_STEPS
            continue
        if not is_done or is_jump or not bend < (_CAREFUL_BEND if is_careful else _MAX_BEND):
            state.scalars[2] = 0.5 * length
            if in_place or state.scalars[2] < _LEAST_STEP:
                return max(count, 1) if is_again else count, STALLED
            is_loose = not is_careful and sign != 0.0
            if is_loose or state.scalars[3] > _EXACTNESS * state.scalars[2]:
                is_again = True  # makes the last point exact before going on
                count -= 1
            if sign != 0.0:
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
            state.modes[0, variable] = row[variable]
        betas[count] = beta if is_last else math.expm1(path)
        count += 1
        state.scalars[0] = path
        state.scalars[1] = slope / norm
        state.scalars[3] = size
        state.scalars[5] = sign
        state.scalars[6] = corner
        state.counts[4] = 1 - state.counts[4]
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


@kernel
def _turns_singular(
    system: System,
    state: PathState,
    factors: BlockMatrix,
    matrix: BlockMatrix,
    growth: float,
    count: int,
) -> bool:
    """Whether the bordered matrix seems to become singular between the last point and `matrix`.

    On the straight way from G, given by its `factors`, to G' it does if G⁻¹ G' has a negative
    eigenvalue, hence E = 1 − c G⁻¹ G' one above 1, for any c > 0. Here c makes up for what grows
    with β, by the factor `growth` from one to the other. Power iteration finds the largest,
    beginning with what the last step's ended in and a little of everything. Where that is
    negative, E is shifted so that positive ones come to the fore.
    """
    variables, dissection = system.variables, system.dissection
    border, probe, weights, image = state.modes[0], state.modes[1], state.modes[3], state.image
    num_variables = len(probe)
    share = max(_LEAST_SHARE, min(1.0, 1.0 / growth))
    last, moved, size, along, shift = 0.0, 0.0, 0.0, 0.0, 0.0
    for variable in range(num_variables):
        scale = 1.0 + abs(state.log_odds[variable])
        weights[variable] = 4.0 / (num_variables * scale * scale)
        image[variable] = probe[variable] + _scattered(variable + 7 * count) * scale
        size += weights[variable] * image[variable] * image[variable]
    for turn in range(_NUM_PROBES):
        inverse = 1.0 / math.sqrt(size)
        last = moved * inverse
        across = state.scalars[6] * last
        for variable in range(num_variables):
            probe[variable] = image[variable] * inverse
            across += border[variable] * probe[variable]
        multiply(dissection, matrix, probe, last, image)
        moved = solve_in_place(variables, dissection, factors, image, across)
        moved = (1.0 + shift) * last - share * moved
        size, along = moved * moved, moved * last
        for variable in range(num_variables):
            image[variable] = (1.0 + shift) * probe[variable] - share * image[variable]
            size += weights[variable] * image[variable] * image[variable]
            along += weights[variable] * image[variable] * probe[variable]
        if turn == 0 or shift > 0.0:
            continue
        if size < (_CALM * _CALM if turn == 1 else _HARMLESS * _HARMLESS):
            state.scalars[7] /= 1.0 - math.sqrt(size)
            return False
        if turn == 1:
            continue
        if along < 0.0:
            shift = math.sqrt(size)
            if not shift <= _MAX_GROWTH:
                return True
            moved += shift * last
            size = moved * moved
            for variable in range(num_variables):
                image[variable] += shift * probe[variable]
                size += weights[variable] * image[variable] * image[variable]
    state.scalars[7] /= 1.0 - _MAX_CHANGE
    return along > 0.0 and not math.sqrt(size) - shift <= _MAX_CHANGE


@kernel
def _amplification(system: System, state: PathState, factors: BlockMatrix, count: int) -> float:
    """Return about how much the inverse enlarges a vector at most, by inverse iteration.

    One step, from where the last point's ended.
    """
    weak, image, num_variables = state.modes[2], state.image, len(state.image)
    before, after = 0.0, 0.0
    for variable in range(num_variables):
        scale = 1.0 + abs(state.log_odds[variable])
        image[variable] = weak[variable] + 0.5 * _scattered(variable + 7 * count) * scale
        before += (image[variable] / scale) ** 2
    solve_in_place(system.variables, system.dissection, factors, image, 0.0)
    for variable in range(num_variables):
        after += (image[variable] / (1.0 + abs(state.log_odds[variable]))) ** 2
    norm = math.sqrt(after * 4.0 / num_variables)
    for variable in range(num_variables):
        weak[variable] = image[variable] / norm
    return math.sqrt(after / before)


@inlined
def _scattered(index: int) -> float:
    """Return numbers in (−½, ½) that leave no direction out for long: an equidistributed row."""
    part = (index + 1) * _GOLDEN
    return part - math.floor(part) - 0.5
