"""The Nash equilibrium that a branch of quantal response equilibria selects as β → ∞.

Only the branch decides. At a large β, an action is dropped if its log-odds fall behind the
infoset's best in proportion to β; if the gap settles, or grows like log β, the action stays.
The branch's slope removes the term c / β. The strategies are then moved by the least relative
change that makes every kept action of an infoset worth the same:

    Σ_a y_{J,a} = y_parent(J)                              the mover's plan y, y_0 = 1
    V_I = (A y)_a + Σ_{J after a} V_J                      the other player's kept actions a

for each player as the mover. These equations are linear, so one solution is exact. If
the result is an equilibrium, it is the answer; otherwise the branch is followed to 3 β, where
supports are clearer. There is no search that could end in another equilibrium.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lstsq

from untilt.evaluation.action_values import action_values
from untilt.evaluation.best_response import evaluate, plans_of
from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.game.sequence.sweeps import behaviour_from_plan
from untilt.game.strategy.strategy import Profile, profile_from_arrays
from untilt.numeric.arrays import Bools, Floats, Offsets
from untilt.solvers.qre.branches.arclength import converge, trace
from untilt.solvers.qre.branches.branch import REACHED
from untilt.solvers.qre.problem import QuantalProblem

_LEAST_GAP = 4.0
"""An action is dropped only if its log-odds are at least this far behind the best …"""
_LEAST_GROWTH = 0.5
"""… and their gap g grows at least like this share of g with log β."""
_SMALLEST_SINGULAR = 1e-11
_LEAST_REACH = 1e-30


@dataclass(frozen=True)
class LimitResult:
    """The end of the branch."""

    profile: Profile
    """The equilibrium; if none was found, the branch's strategies at `beta`."""
    exploitability: float
    beta: float
    """Where supports were determined, or how far the branch was followed without success."""
    distance: float
    """The largest change in the probability of a sequence between the branch's point at `beta`
    and the equilibrium."""
    supports: tuple[Bools, Bools]
    """[sequences] which actions were kept, whether reached or not."""
    converged: bool


def nash_limit(
    problem: QuantalProblem,
    *,
    start_beta: float = 1e3,
    max_beta: float = 1e7,
    tolerance: float = 1e-12,
) -> LimitResult:
    """Follow the principal branch and polish its end to an exact equilibrium.

    `tolerance` bounds the exploitability, as a share of the largest payoff.
    """
    form = problem.game.exact_form()
    system = problem.system
    largest = max(float(np.abs(side.payoff / side.weight).max()) for side in form.sides)
    branch = trace(system, start_beta)
    while True:
        # The last point, unless the branch ended early and turned before.
        furthest = int(branch.betas.argmax())
        beta = float(branch.betas[furthest])
        point = converge(system, branch.log_odds[furthest], beta)
        at_beta = problem.profile(point.log_odds)
        supports = _supports(problem, point.log_odds, beta * point.slope)
        if point.is_converged:
            start = _extrapolated(problem, point.log_odds, beta * point.slope, supports)
            polished = _polish(problem, start, supports)
            exploitability = evaluate(form, polished).exploitability
            if exploitability <= tolerance * largest:
                moved = [
                    float(np.abs(one - other).max())
                    for one, other in zip(
                        plans_of(form, polished), plans_of(form, at_beta), strict=True
                    )
                ]
                return LimitResult(polished, exploitability, beta, max(moved), supports, True)
        if branch.ending != REACHED or beta >= max_beta:
            own = evaluate(form, at_beta).exploitability
            return LimitResult(at_beta, own, beta, 0.0, supports, False)
        branch = trace(system, min(3.0 * beta, max_beta), after=branch)


def _supports(problem: QuantalProblem, log_odds: Floats, slope: Floats) -> tuple[Bools, Bools]:
    """Return masks of the actions that stay, from the log-odds and their slope in log β."""
    odds, growth = _with_first(problem, log_odds), _with_first(problem, slope)
    keeps = np.ones(len(odds), dtype=bool)
    for block in _blocks(problem):
        best = int(odds[block].argmax())
        gap = odds[block][best] - odds[block]
        widening = growth[block][best] - growth[block]
        keeps[block] = ~((gap > _LEAST_GAP) & (widening > _LEAST_GROWTH * gap))
    first, second = problem.per_player(keeps, True)
    return first, second


def _extrapolated(
    problem: QuantalProblem, log_odds: Floats, slope: Floats, supports: tuple[Bools, Bools]
) -> tuple[Floats, ...]:
    """Return behaviours at β = ∞ to first order in 1 / β: σ + β dσ/dβ, within the supports."""
    odds, growth = _with_first(problem, log_odds), _with_first(problem, slope)
    keeps = np.concatenate((supports[0][1:], supports[1][1:]))
    behaviour = np.zeros(len(odds))
    for block in _blocks(problem):
        shares = np.exp(odds[block] - odds[block].max()) * keeps[block]
        shares /= shares.sum()
        # At most halved: extrapolation must not remove an action that was kept.
        shares *= np.clip(1.0 + growth[block] - shares @ growth[block], 0.5, 2.0)
        behaviour[block] = shares / shares.sum()
    return problem.per_player(behaviour, 1.0)


def _polish(
    problem: QuantalProblem, behaviours: tuple[Floats, ...], supports: tuple[Bools, Bools]
) -> Profile:
    """Return the profile nearest to `behaviours` in which all kept actions are equally good."""
    form = problem.game.exact_form()
    start = profile_from_arrays(problem.game, behaviours)
    polished = []
    for mover in (0, 1):
        side = form.sides[mover]
        plan = _equalise(form, mover, start, supports)
        behaviour = np.empty(len(plan))
        behaviour_from_plan(side, plan, behaviour)
        first = side.first_sequence.astype(np.int64)
        totals = np.add.reduceat(plan, first[:-1]) if side.num_infosets else np.empty(0)
        is_reached = np.repeat(totals > 0.0, np.diff(first))
        behaviour[1:] = np.where(is_reached, behaviour[1:], behaviours[mover][1:])
        polished.append(behaviour)
    return profile_from_arrays(problem.game, (polished[0], polished[1]))


def _equalise(
    form: SequenceForm, mover: int, start: Profile, supports: tuple[Bools, Bools]
) -> Floats:
    """Return the mover's plan, moved least, that leaves the other player indifferent."""
    own, other = form.sides[mover], form.sides[1 - mover]
    plan = plans_of(form, start)[mover]
    view = action_values(form, start, 1 - mover)
    moves = _is_played(own, supports[mover])
    answers = _is_played(other, supports[1 - mover])

    # Unknowns: the mover's sequences that are played, then the value of the other's infosets.
    columns = np.flatnonzero(moves)
    infosets = np.flatnonzero(answers[other.parent_sequence])
    column_of_sequence = _numbering(columns, own.num_sequences)
    column_of_infoset = _numbering(infosets, other.num_infosets, len(columns))
    # Equations: y_0 = 1, the mover's flow, the other's played sequences but the empty one.
    flows = np.flatnonzero(moves[own.parent_sequence])
    rows = np.flatnonzero(answers)[1:]
    row_of_flow = _numbering(flows, own.num_infosets, 1)
    row_of_sequence = _numbering(rows, other.num_sequences, 1 + len(flows))

    matrix = np.zeros((1 + len(flows) + len(rows), len(columns) + len(infosets)))
    right = np.zeros(len(matrix))
    matrix[0, 0] = right[0] = 1.0
    own_infoset, other_infoset = _owners(own), _owners(other)
    matrix[row_of_flow[own_infoset[columns[1:]]], column_of_sequence[columns[1:]]] = 1.0
    matrix[row_of_flow[flows], column_of_sequence[own.parent_sequence[flows]]] = -1.0
    pair_rows = row_of_sequence[np.repeat(np.arange(len(answers)), np.diff(other.row_start))]
    pair_columns = column_of_sequence[other.opponent_sequence]
    counts = (pair_rows >= 0) & (pair_columns >= 0)
    matrix[pair_rows[counts], pair_columns[counts]] = other.payoff[counts]
    matrix[row_of_sequence[rows], column_of_infoset[other_infoset[rows]]] = -1.0
    later = infosets[other.parent_sequence[infosets] > 0]
    matrix[row_of_sequence[other.parent_sequence[later]], column_of_infoset[later]] = 1.0

    # In shares: of a sequence's probability, and per visit of an infoset.
    reach = np.maximum(view.opponent_reach, _LEAST_REACH)
    scale = np.concatenate((plan[columns], reach[infosets]))
    divisor = np.concatenate(([1.0], plan[own.parent_sequence[flows]], reach[other_infoset[rows]]))
    scaled = matrix * scale / divisor[:, None]
    shares = start.behaviours[1 - mover] * view.counterfactual
    values = np.bincount(other_infoset[1:], shares[1:], other.num_infosets)
    unknowns = np.concatenate((plan[columns], values[infosets]))
    for _ in range(2):  # the second pass corrects the rounding of the first
        residual = (right - matrix @ unknowns) / divisor
        unknowns += scale * lstsq(scaled, residual, _SMALLEST_SINGULAR, lapack_driver="gelsy")[0]
    moved = np.zeros(own.num_sequences)
    moved[columns] = np.maximum(unknowns[: len(columns)], 0.0)
    return moved


def _is_played(side: Side, keeps: Bools) -> Bools:
    """Return a mask of the sequences that consist of kept actions only."""
    played = np.ones(side.num_sequences, dtype=bool)
    for infoset, parent in enumerate(side.parent_sequence.tolist()):
        block = slice(*side.first_sequence[infoset : infoset + 2].tolist())
        played[block] = keeps[block] & played[parent]
    return played


def _owners(side: Side) -> Offsets:
    """Return the infoset of every sequence, −1 for the empty one."""
    infosets = np.arange(side.num_infosets, dtype=np.int64)
    owners: Offsets = np.repeat(infosets, np.diff(side.first_sequence).astype(np.int64))
    return np.concatenate((np.array([-1], dtype=np.int64), owners))


def _numbering(members: Offsets, total: int, first: int = 0) -> Offsets:
    """Return first, first + 1, … for the members and −1 for the others."""
    numbers = np.full(total, -1)
    numbers[members] = first + np.arange(len(members))
    return numbers


def _blocks(problem: QuantalProblem) -> list[slice]:
    first = problem.variables.first_action.tolist()
    return [slice(begin, end) for begin, end in itertools.pairwise(first)]


def _with_first(problem: QuantalProblem, of_variables: Floats) -> Floats:
    """Return an array over actions: 0 for the first of each infoset."""
    first = problem.variables.first_action[:-1]
    padded: Floats = np.insert(of_variables, problem.variables.first_variable[:-1], 0.0)
    assert not padded[first].any()
    return padded
