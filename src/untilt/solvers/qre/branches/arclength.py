"""Following the principal branch of quantal response equilibria from β = 0.

Pseudo-arclength continuation (Keller 1977; Turocy 2005 for logit equilibria) in the log-odds z
and t = log(1 + β), with the length of a tangent measured as ṫ² + (4/V) Σ (ż / (1 + |z|))².
A step predicts linearly in β, because log-odds grow like β, then corrects by Newton within the
plane across the path. One factorisation serves a whole point as long as steps shrink fivefold;
the first correction e₀ sets the next step's length. A fold, where β turns back, is a point like
any other; where the path bends or a correction fails, the last point is converged exactly and
a few steps are taken with tight bounds.

A step may end on another part of the solutions without any of this failing: near a pitchfork
that asymmetric payoffs split, the wrong part is the straight continuation. On a smooth
path the bordered matrix G never becomes singular; between two parts that a step can confuse
it does. So before a point's matrix G' is factorised, the line from the last point's G to it is
searched for singular matrices (`singularity.py`), which also detects two modes that change sign
at once. Then the determinants of G and G' must agree in sign (Keller: the orientation of the
path). Otherwise the step is halved. G' is the matrix of the predicted point; if the corrected
point is so far away that the weak modes of G' may differ there, the test is repeated there. A
matrix that is still singular within a step of 1e-6 counts as an exact bifurcation, and the path
continues straight: symmetric games stay symmetric.

Convergence is judged by the correction max |dz| / (1 + |z|), never by |F| alone: one unit in the
last place of z moves F by about 5e-15 β², so a fixed bound on F would stall the path. The same
must hold for log σ: where the infoset's first action dies out, log-odds against it are large,
and only their differences show how the others are mixed.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from untilt.errors import GameTooLarge
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import kernel
from untilt.solvers.qre.branches.bordered import factorise, set_border, solve_in_place
from untilt.solvers.qre.branches.branch import (
    REACHED,
    STALLED,
    TOO_MANY_POINTS,
    TURNED_BACK,
    Branch,
    turns,
)
from untilt.solvers.qre.branches.path_state import PathState, new_path_state
from untilt.solvers.qre.branches.singularity import amplification_of, turns_singular
from untilt.solvers.qre.decision_tree import verify_log_odds
from untilt.solvers.qre.response import fill_jacobian, fill_residual, respond
from untilt.solvers.qre.system import System

_LEAST_STEP = 1e-10
_LINEAR_IN_BETA = 0.3
"""The path is predicted linearly in β where it rises at least this steeply in t."""
_MAX_CONTRACTION = 0.2
_ROUNDING = 1e-5
"""Newton steps below this that no longer shrink are due to rounding."""
_POINT_TOLERANCE, _GOAL_CORRECTION, _MAX_CORRECTION, _MAX_BEND = 0.03, 0.15, 0.6, 1.2
"""How exact a point is; the first correction that steps aim at, and the largest allowed; how
far the tangent may turn, as 1 / cosine."""
_CAREFUL_TOLERANCE, _CAREFUL_GOAL, _CAREFUL_CORRECTION, _CAREFUL_BEND = 1e-4, 0.04, 0.15, 1.5
_CAREFUL_STEPS = 5.0
"""The same near folds, for this many steps after the last difficulty: the loose values can jump
to another part of a path with tight turns."""
_EXACTNESS, _MAX_DEVIATION, _MAX_DRIFT = 0.1, 0.5, 0.3
"""As shares of a step's length: how exact its ends are; how far from the prediction it may end;
and how far from where the matrix was tested."""
_MAX_BLUR = 0.5
"""The same times the size of the inverse: beyond it, that matrix may differ in its weak modes."""
_BIFURCATION = 1e-6
"""A step of this length across which the matrix is still singular passes a bifurcation."""
_LEAST_PEAK = 1e-4
"""Steps of at most this length around a fold may miss a goal just below it."""
_MAX_SURPRISE = 10.0
"""How much more than its last correction a point may move when it is made exact."""
_MAX_RETREATS = 100
"""How often a point that turned out to be wrong may be discarded."""


def trace(
    system: System,
    beta: float,
    *,
    tolerance: float = 1e-9,
    max_points: int = 20_000,
    after: Branch | None = None,
) -> Branch:
    """Follow the principal branch from uniform play at β = 0 to `beta`.

    Points on the way are converged to a few per cent, the last one to `tolerance`; to keep
    points, polish them with `refine`. With `after`, a branch that reached its goal is
    continued; the new one begins with its last point.
    """
    if system.is_sparse:
        from untilt.solvers.qre.branches.sparse import trace_sparse

        return trace_sparse(system, beta, tolerance=tolerance, max_points=max_points)
    num_variables = system.variables.num_variables
    state = new_path_state(system)
    if after is not None:
        state.log_odds[:] = after.log_odds[-1]
        state.place["t"] = math.log1p(after.betas[-1])
    betas = np.zeros(64)
    points = np.zeros((64, num_variables))
    count, ending = 0, TOO_MANY_POINTS
    while count < max_points and ending == TOO_MANY_POINTS:
        if count == len(betas):  # the arrays grow here: a kernel cannot know how many it needs
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
        num_factorisations=int(state.place["num_factorisations"][0]),
        num_corrections=int(state.place["num_corrections"][0]),
        last_correction=float(state.place["correction"][0]),
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
    """Whether Newton's method converged; otherwise the other fields hold its last state."""


def converge(system: System, log_odds: Floats, beta: float, tolerance: float = 1e-9) -> Equilibrium:
    """Return the equilibrium at `beta` near `log_odds`, by Newton's method."""
    if system.is_sparse:
        raise GameTooLarge(
            f"a game with {system.variables.num_variables:,} log-odds that cannot be split into "
            "parts is too large for dense blocks: its branch can be traced, but not polished or "
            "fitted"
        )
    verify_log_odds(system.variables, log_odds)
    state = new_path_state(system)
    ending = _converge(system, state, log_odds, math.log1p(beta), beta, tolerance)
    return Equilibrium(
        log_odds=state.log_odds,
        slope=state.tangent / (state.place["rise"][0] * (1.0 + beta)),
        last_correction=float(state.place["correction"][0]),
        is_converged=ending == REACHED,
    )


def refine(
    system: System, branch: Branch, tolerance: float = 1e-9, indices: Offsets | None = None
) -> Branch:
    """Return the branch with its points converged to `tolerance`, or as far as rounding allows.

    Points keep their β, except near a fold, where they move across the path. A point from
    which Newton's method fails both ways is dropped. `indices` selects points; all by default.
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
            state = new_path_state(system)
            goal = float(branch.betas[index])
            if not keeps_beta:
                state.tangent[:] = chord / length
                state.place["rise"] = rise / length
                goal = math.inf
            ending = _converge(system, state, branch.log_odds[index], paths[index], goal, tolerance)
            num_factorisations += int(state.place["num_factorisations"][0])
            num_corrections += int(state.place["num_corrections"][0])
            if ending == REACHED:
                betas.append(goal if keeps_beta else math.expm1(state.place["t"][0]))
                points.append(state.log_odds)
                worst = max(worst, float(state.place["correction"][0]))
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
    state.place["t"] = path
    betas, points = np.zeros(1), np.zeros((1, len(log_odds)))
    count, ending = _follow(
        system, state, float(goal), float(tolerance), float(tolerance), betas, points, 0, 1
    )
    return REACHED if count == 1 else int(ending)


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
    response, definition, betas_now = system.response, system.definition, system.betas
    place = state.place[0]
    matrices = (system.matrix, system.spare)
    log_odds, tangent, predicted = state.log_odds, state.tangent, state.predicted
    row, column, correction = state.row, state.column, state.correction
    goal = math.log1p(beta)
    num_variables = len(log_odds)
    weight = 4.0 / num_variables
    crosses, is_again = False, False
    share = 1.0
    while count < room:
        now, rise = place.t, place.rise
        is_careful = place.careful_steps > 0.0
        in_place = count == 0 or is_again

        # Predict.
        length = 0.0 if in_place else place.step
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
        enough = min(_CAREFUL_TOLERANCE if is_careful else point_tolerance, _EXACTNESS * place.step)
        if is_last:
            enough = tolerance
        limit = _CAREFUL_CORRECTION if is_careful and not in_place else _MAX_CORRECTION

        # Correct, across the path or at β. The last point's factors are kept until the next one.
        kept, matrix = matrices[place.kept], matrices[1 - place.kept]
        is_fresh, is_done = False, False
        first, previous, size, sign, drift = 0.0, math.inf, 0.0, 0.0, 0.0
        for attempt in range(30):
            now_beta = math.expm1(path)
            for player in range(len(system.scale)):
                betas_now[player] = now_beta * system.scale[player]
            respond(decisions, variables, definition, predicted, response)
            fill_residual(variables, predicted, betas_now, response, correction)
            is_exact = not is_fresh
            if is_exact:
                fill_jacobian(
                    decisions, variables, dissection, definition, betas_now, response, matrix
                )
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
                    if length >= _BIFURCATION and turns_singular(
                        system, state, kept, matrix, growth, count
                    ):
                        break
                sign = factorise(dissection, matrix)
                place.num_factorisations += 1
                is_fresh = True
            for variable in range(num_variables):
                correction[variable] = -correction[variable]
            shift = solve_in_place(variables, dissection, matrix, correction, 0.0)
            place.num_corrections += 1
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
                is_done = previous <= _ROUNDING  # another step would only be rounding
                size = previous
                break
            for variable in range(num_variables):
                predicted[variable] += correction[variable]
            path += shift
            if size <= enough or (is_exact and size > 0.5 * previous and size <= _ROUNDING):
                is_done = in_place or drift <= _MAX_DRIFT * length
                if is_done and not in_place and drift * place.amplification > _MAX_BLUR:
                    place.amplification = amplification_of(system, state, matrix, count)
                    is_done = drift * place.amplification <= _MAX_BLUR
                if is_done:
                    break
                is_fresh = False  # the matrix that was tested is too far from here
            if size > _MAX_CONTRACTION * previous:
                is_fresh = False
            previous = size

        # The tangent, oriented along the last one; its length gives the angle between them.
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

        is_jump = is_done and count > place.after_bifurcation and place.sign * sign < 0.0
        if is_jump and (place.step if in_place else length) < _BIFURCATION:
            is_jump = False  # no shorter step would turn aside
            place.after_bifurcation = count
        if not in_place and not is_last and rise > 0.0 > slope and length > _LEAST_PEAK:
            # A fold: the path stays below where its tangents meet, and must not miss the goal.
            peak = now + rise * (path - now - length * slope / norm) / (rise - slope / norm)
            is_jump |= now < goal and path < goal and peak >= goal

        if is_again and first > max(_MAX_SURPRISE * place.correction, _CAREFUL_TOLERANCE):
            is_jump = True  # it moved away from where the last correction had left it
        if in_place and count > 0 and (not is_done or is_jump):
            # The last point was wrong: go back to the previous one, along their chord.
            place.num_retreats += 1
            if place.num_retreats > _MAX_RETREATS:
                return count, STALLED
            count -= 1
            is_again = True
            ahead = math.log1p(betas[count + 1]) - math.log1p(betas[count])
            place.t = math.log1p(betas[count])
            rise = place.t - math.log1p(betas[count - 1]) if count > 0 else 1.0
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
            place.rise = rise / norm
            place.step = 0.5 * math.sqrt(ahead)
            place.correction = math.inf
            place.careful_steps = _CAREFUL_STEPS
            continue
        if not is_done or is_jump or not bend < (_CAREFUL_BEND if is_careful else _MAX_BEND):
            place.step = 0.5 * length
            if in_place or place.step < _LEAST_STEP:
                return max(count, 1) if is_again else count, STALLED
            is_loose = not is_careful and sign != 0.0
            if is_loose or place.correction > _EXACTNESS * place.step:
                is_again = True  # make the last point exact before continuing
                count -= 1
            if sign != 0.0:
                place.careful_steps = _CAREFUL_STEPS
            continue
        if not is_last and (now - goal) * (path - goal) < 0.0:
            crosses = True
            share = (goal - now) / (path - now)
            place.step = share * length
            continue
        if path < 0.0:
            return count, TURNED_BACK
        for variable in range(num_variables):
            log_odds[variable] = predicted[variable]
            points[count, variable] = predicted[variable]
            tangent[variable] = correction[variable] / norm
            state.border[variable] = row[variable]
        betas[count] = beta if is_last else math.expm1(path)
        count += 1
        place.t = path
        place.rise = slope / norm
        place.correction = size
        place.sign = sign
        place.corner = corner
        place.kept = 1 - place.kept
        if is_last:
            return count, REACHED
        is_again = False
        if in_place:
            continue
        aim = _CAREFUL_GOAL if is_careful else _GOAL_CORRECTION
        growth = math.sqrt(aim / max(first, 1e-12))
        if bend > _MAX_BEND:
            place.careful_steps = _CAREFUL_STEPS
            growth = min(growth, 1.0)
        elif is_careful:
            place.careful_steps -= 1.0
        place.step = length * min(2.0, max(0.5, growth))
    return count, TOO_MANY_POINTS
