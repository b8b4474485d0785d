"""Quantal response by dilated entropy: one softmax per infoset, soft values between them.

Against the opponent's plan y, player p's sequences have values (A y)_s from terminals alone;
from the leaves up,

    Q_s = (A y)_s + Σ V_J over the infosets J that s leads to
    V_I = (1/β) log Σ_{s ∈ I} exp(β Q_s),        σ_s = exp(β (Q_s − V_I))

That is the logit choice among *reduced pure plans*: the sum over plans of exp(β × payoff) factors
along the treeplex, so β → 0 weighs an action by the number of plans that contain it. Counter-
factual values are not divided by reach: β is per chip of the whole game.

A zero-sum game has one such equilibrium for every β, because it is the saddle point of a strictly
convex-concave function. With u₀ = A y and u₁ = −Aᵀx as unknowns and S_p = ∂x_p/∂u_p (symmetric,
positive semidefinite: β × covariance of plans), Newton's step reduces to player 1's part,

    (I + Aᵀ S₀ A S₁) d = b,

self-adjoint in the inner product ⟨·, S₁ ·⟩ and at least the identity: conjugate gradients without
a matrix. One of their steps sweeps the operator and each treeplex twice, like a CFR iteration.
From β = 0 on, the path is followed in log β with adaptive steps.

References: Hoda, Gilpin, Peña & Sandholm 2010, "Smoothing techniques for computing Nash
equilibria of sequential games" (dilated entropy); Ling, Fang & Kolter 2018, "What game are we
playing?" (its logit equilibrium, by Newton with a sparse factorisation).
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from untilt.errors import Argument, InvalidOption, NotZeroSum
from untilt.game.sequence_form import SequenceForm, Side
from untilt.game.sweeps import apply_payoff, plan_from_behaviour
from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import kernel
from untilt.solvers.qre.problem import verify_beta

_POINT_TOLERANCE = 0.03
_GOAL_CORRECTION = 0.15
_MAX_CORRECTION = 0.6
_SETTLED = 1e-4
"""Corrections below this that no longer halve are at the end of what rounding allows."""
_FIRST_LOG_ODDS = 1.0
"""The first point after β = 0 is where log-odds would have moved by this, relative to 1 + |z|."""
_MAX_GROWTH = 8.0
_LEAST_GROWTH = 1.0 + 1e-6
"""β grows by at least and at most these factors from point to point."""
_LINEAR_RELATIVE = 1e-8
"""Conjugate gradients reduce the residual by this much. Looser ones lose the path: on Leduc near
β = 220 at 1e-2 and near 3,600 at 1e-4, for large eigenvalues, about (β × payoff)², hide errors
along small ones."""
_LINEAR_SHARE = 0.01
"""… or until this share of the correction that is wanted remains, in log-odds."""
_MAX_LINEAR_STEPS = 2_000


@dataclass(frozen=True)
class DilatedStep:
    """One Newton step, to be watched."""

    beta: float
    iteration: int
    """Counted from 1 at every β."""
    residual: float
    """Before the step: max |z − β ΔQ(z)| / (1 + |z|) over log-odds z."""
    correction: float
    """max |dz| / (1 + |z|), on which convergence is judged."""
    cg_steps: int
    is_accepted: bool
    """False if the step was not taken: too long to trust (β is then approached in smaller
    strides), or no shorter than the one before at the end of what rounding allows."""


@dataclass(frozen=True)
class DilatedPoint:
    """A point of the path."""

    beta: float
    behaviours: tuple[Floats, Floats]
    """[S] each player's probability of every sequence at its infoset; 1 for the empty one."""
    payoffs: tuple[float, float]
    """Expected payoffs, in chips."""
    iterations: int
    """Newton steps since the point before."""
    cg_steps: int


@dataclass(frozen=True)
class DilatedResult:
    """The equilibrium at `beta`, or as far as the path could be followed."""

    beta: float
    """Where the path ended: what was asked for, unless it stalled."""
    scale: tuple[float, float]
    """β_p = scale_p × β."""
    behaviours: tuple[Floats, Floats]
    """[S] each player's probability of every sequence at its infoset; 1 for the empty one."""
    plans: tuple[Floats, Floats]
    """[S] own reach of every sequence."""
    values: tuple[Floats, Floats]
    """[S] soft value Q of every sequence, in chips; values[p][0] is the whole game's. It holds
    (1/β) × log of the number of plans left: at β = 0 infinite where a choice follows."""
    payoffs: tuple[float, float]
    """Expected payoffs, in chips."""
    iterations: int
    """Newton steps in all."""
    cg_steps: int
    """Conjugate gradient steps in all."""
    correction: float
    """The last Newton step, max |dz| / (1 + |z|) over log-odds z."""
    residual_norm: float
    """‖σ − softBR(σ)‖₂ over both players' behaviours."""
    converged: bool
    seconds: float
    """Wall time of the solver, what `on_point` took excluded."""
    path: tuple[DilatedPoint, ...]
    """From β = 0 to the end if it was to be kept, else empty."""


def solve_dilated(
    form: SequenceForm,
    beta: float,
    *,
    scale: tuple[float, float] = (1.0, 1.0),
    tolerance: float = 1e-8,
    max_iterations: int = 50,
    keep_path: bool = False,
    on_point: Callable[[DilatedPoint], None] | None = None,
    on_step: Callable[[DilatedStep], None] | None = None,
) -> DilatedResult:
    """Return the dilated quantal response equilibrium of a zero-sum game at `beta`.

    Player p's rationality is scale[p] × `beta`. The last point is converged to `tolerance`, and
    so are all others with `keep_path`; else they only guide the path, to a few per cent.
    `max_iterations` bounds the Newton steps at one β. `on_point` is called at every accepted
    point, β = 0 included; what it takes does not count in `seconds`.
    """
    _verify(form, beta, scale, tolerance, max_iterations)
    begin = time.perf_counter()
    follower = _Follower(form, scale, max_iterations, on_step)
    seconds = time.perf_counter() - begin
    path: list[DilatedPoint] = []

    def tell() -> None:
        if keep_path or on_point:
            point = follower.point()
            if keep_path:
                path.append(point)
            if on_point:
                on_point(point)

    point_tolerance = tolerance if keep_path else max(tolerance, _POINT_TOLERANCE)
    converged = True
    tell()
    while converged and follower.beta < beta:
        begin = time.perf_counter()
        converged = follower.advance(beta, tolerance, point_tolerance)
        seconds += time.perf_counter() - begin
        if follower.is_new_point:
            tell()
    if follower.beta < beta:
        begin = time.perf_counter()
        follower.polish(tolerance)
        seconds += time.perf_counter() - begin
    return follower.result(converged, seconds, tuple(path))


def residual_norm(
    form: SequenceForm,
    behaviours: tuple[Floats, Floats],
    beta: float,
    scale: tuple[float, float] = (1.0, 1.0),
) -> float:
    """Return ‖σ − softBR(σ)‖₂ over both players' `behaviours`, any profile."""
    total = 0.0
    answers = soft_best_responses(form, behaviours, beta, scale)
    for behaviour, answer in zip(behaviours, answers, strict=True):
        gap = (behaviour - answer)[1:]
        total += float(gap @ gap)
    return math.sqrt(total)


def soft_best_responses(
    form: SequenceForm,
    behaviours: tuple[Floats, Floats],
    beta: float,
    scale: tuple[float, float] = (1.0, 1.0),
) -> tuple[Floats, Floats]:
    """Return each player's soft best response to the other's of `behaviours`, per sequence."""
    answers = []
    plans = form.plans(behaviours)
    for player, side in enumerate(form.sides):
        gains = np.empty(side.num_sequences)
        apply_payoff(side, side.payoff, plans[1 - player], gains)
        soft = _new_soft(side)
        respond_softly(side, beta * scale[player], gains, soft)
        answers.append(soft.behaviour)
    return answers[0], answers[1]


def _verify(
    form: SequenceForm,
    beta: float,
    scale: tuple[float, float],
    tolerance: float,
    max_iterations: int,
) -> None:
    if not form.is_zero_sum:
        raise NotZeroSum(
            "the payoffs of this game do not sum to zero at every terminal; the dilated quantal "
            "response is for zero-sum games only: take agent, counterfactual or ex-ante"
        )
    verify_beta(Argument("beta"), beta)
    if not all(0.0 <= share <= 1.0 for share in scale) or max(scale) != 1.0:
        raise InvalidOption(
            f"the players' shares of beta are {scale}; they must lie in [0, 1], "
            "the larger one being 1"
        )
    if not tolerance > 0.0:
        raise InvalidOption(f"the tolerance is {tolerance}; it must be above 0")
    if max_iterations < 1:
        raise InvalidOption(f"max_iterations is {max_iterations}; it must be 1 or more")


class Soft(NamedTuple):
    """One player's soft best response; S sequences."""

    values: Floats
    """[S] β Q, without unit; at the empty sequence β × the whole game's."""
    log_odds: Floats
    """[S] β (Q_s − Q of the infoset's first sequence)"""
    behaviour: Floats
    """[S]"""
    plan: Floats
    """[S]"""


def _new_soft(side: Side) -> Soft:
    num_sequences = side.num_sequences
    return Soft(
        values=np.zeros(num_sequences),
        log_odds=np.zeros(num_sequences),
        behaviour=np.ones(num_sequences),
        plan=np.ones(num_sequences),
    )


def _in_chips(soft: Soft, beta: float, gains: Floats) -> Floats:
    """Return the soft value Q of every sequence."""
    if beta > 0.0:
        return soft.values / beta
    return np.where(soft.values > 0.0, np.inf, gains)  # log of the number of plans > 0


class _Follower:
    """The path from β = 0 on, and where on it we stand."""

    def __init__(
        self,
        form: SequenceForm,
        scale: tuple[float, float],
        max_iterations: int,
        on_step: Callable[[DilatedStep], None] | None,
    ) -> None:
        self.beta = 0.0
        self.is_new_point = True
        self._form = form
        self._scale = scale
        self._max_iterations = max_iterations
        self._on_step = on_step
        self._softs = (_new_soft(form.sides[0]), _new_soft(form.sides[1]))
        self._gains = self._zeros()
        self._previous: tuple[float, tuple[Floats, Floats]] | None = None
        self._growth = 2.0
        self._iterations, self._cg_steps, self._correction = 0, 0, 0.0
        self._reported = (0, 0)
        answer_both(form.sides, 0.0, 0.0, self._gains, self._softs)
        apply_both(form.sides, self._softs, self._gains)

    def _zeros(self) -> tuple[Floats, Floats]:
        first, second = self._form.sides
        return np.zeros(first.num_sequences), np.zeros(second.num_sequences)

    def _betas(self, beta: float) -> tuple[float, float]:
        return beta * self._scale[0], beta * self._scale[1]

    def advance(self, goal: float, tolerance: float, point_tolerance: float) -> bool:
        """Go one point further, to `goal` at most.

        Return False if the path is lost, or if `goal` is reached but not to `tolerance`.
        """
        self.is_new_point = False
        if self.beta == 0.0:
            target = min(goal, _FIRST_LOG_ODDS / max(self._rate_at_zero(), 1e-300))
        else:
            target = min(goal, self.beta * self._growth)
        while True:
            wanted = tolerance if target == goal else point_tolerance
            gains = self._predict(target)
            first, correction = self._correct(gains, target, wanted)
            if math.isfinite(correction):
                break
            if self.beta == 0.0:
                target *= 0.5
                if target < 1e-12 * goal:
                    return False
                continue
            self._growth = math.sqrt(target / self.beta)
            if self._growth < _LEAST_GROWTH:
                return False
            target = self.beta * self._growth
        if self.beta > 0.0:
            reached = target / self.beta
            growth = math.sqrt(_GOAL_CORRECTION / max(first, 1e-12))
            self._growth = min(_MAX_GROWTH, reached ** min(2.0, max(0.5, growth)))
            self._previous = (self.beta, self._gains)
        self._gains, self.beta, self._correction = gains, target, correction
        self.is_new_point = True
        return correction <= wanted or target < goal

    def polish(self, tolerance: float) -> None:
        """Converge the present point to `tolerance`, as far as that goes."""
        gains = (self._gains[0].copy(), self._gains[1].copy())
        _, correction = self._correct(gains, self.beta, tolerance)
        if math.isfinite(correction):
            self._gains, self._correction = gains, correction

    def _rate_at_zero(self) -> float:
        """Return max |dz/dβ| / (1 + |z|) at β = 0."""
        scratch = (self._zeros(), self._zeros())
        return max(
            apply_covariance(side, share, soft, gains, scratch[0][player], scratch[1][player])
            for player, (side, share, soft, gains) in enumerate(
                zip(self._form.sides, self._scale, self._softs, self._gains, strict=True)
            )
        )

    def _predict(self, target: float) -> tuple[Floats, Floats]:
        if self._previous is None:
            return self._gains[0].copy(), self._gains[1].copy()
        beta, gains = self._previous
        share = math.log(target / self.beta) / math.log(self.beta / beta)
        return (
            self._gains[0] + share * (self._gains[0] - gains[0]),
            self._gains[1] + share * (self._gains[1] - gains[1]),
        )

    def _correct(
        self, gains: tuple[Floats, Floats], beta: float, tolerance: float
    ) -> tuple[float, float]:
        """Correct `gains` in place onto the path; return the first and the last correction.

        The last one is infinite if the way is lost, and above `tolerance` if rounding, or the
        number of iterations, does not let it come closer.
        """
        first, previous = 0.0, math.inf
        steps = self._zeros()
        for iteration in range(1, self._max_iterations + 1):
            wanted = _LINEAR_SHARE * max(tolerance, min(_POINT_TOLERANCE, previous**2))
            residual, correction, cg_steps = newton_step(
                self._form.sides, *self._betas(beta), gains, self._softs, steps, wanted
            )
            is_settled = previous < _SETTLED and not correction <= 0.5 * previous
            limit = _MAX_CORRECTION if iteration == 1 else 2.0 * previous
            is_accepted = correction <= limit and not is_settled
            self._iterations += 1
            self._cg_steps += cg_steps
            if self._on_step:
                self._on_step(
                    DilatedStep(beta, iteration, residual, correction, cg_steps, is_accepted)
                )
            if is_settled:
                return first, previous
            if not is_accepted:
                return first, math.inf
            gains[0][:] += steps[0]
            gains[1][:] += steps[1]
            first = first or correction
            if correction <= tolerance:
                return first, correction
            previous = correction
        return first, (previous if previous < _SETTLED else math.inf)

    def _answer(self) -> None:
        answer_both(self._form.sides, *self._betas(self.beta), self._gains, self._softs)

    def _payoffs(self) -> tuple[float, float]:
        gains = self._zeros()
        apply_both(self._form.sides, self._softs, gains)
        value = float(gains[0] @ self._softs[0].plan)
        return value, -value

    def point(self) -> DilatedPoint:
        """Return where we stand."""
        self._answer()
        since = (self._iterations - self._reported[0], self._cg_steps - self._reported[1])
        self._reported = (self._iterations, self._cg_steps)
        return DilatedPoint(
            beta=self.beta,
            behaviours=(self._softs[0].behaviour.copy(), self._softs[1].behaviour.copy()),
            payoffs=self._payoffs(),
            iterations=since[0],
            cg_steps=since[1],
        )

    def result(
        self, converged: bool, seconds: float, path: tuple[DilatedPoint, ...]
    ) -> DilatedResult:
        """Return where we stand, with all that is known of it."""
        self._answer()
        behaviours = (self._softs[0].behaviour, self._softs[1].behaviour)
        values = [
            _in_chips(soft, beta, gains)
            for soft, beta, gains in zip(
                self._softs, self._betas(self.beta), self._gains, strict=True
            )
        ]
        return DilatedResult(
            beta=self.beta,
            scale=self._scale,
            behaviours=behaviours,
            plans=(self._softs[0].plan, self._softs[1].plan),
            values=(values[0], values[1]),
            payoffs=self._payoffs(),
            iterations=self._iterations,
            cg_steps=self._cg_steps,
            correction=self._correction,
            residual_norm=residual_norm(self._form, behaviours, self.beta, self._scale),
            converged=converged,
            seconds=seconds,
            path=path,
        )


@kernel
def respond_softly(side: Side, beta: float, gains: Floats, out: Soft) -> None:
    """Fill `out` with the soft best response to `gains`, the value of terminals per sequence."""
    values = out.values
    behaviour = out.behaviour
    for sequence in range(len(gains)):
        values[sequence] = beta * gains[sequence]
    for distance in range(1, len(side.parent_sequence) + 1):
        infoset = np.uint32(len(side.parent_sequence) - distance)
        begin = side.first_sequence[infoset]
        end = side.first_sequence[infoset + 1]
        first = values[begin]
        top = first
        for sequence in range(begin, end):
            top = max(top, values[sequence])
        total = 0.0
        for sequence in range(begin, end):
            out.log_odds[sequence] = values[sequence] - first
            behaviour[sequence] = math.exp(values[sequence] - top)
            total += behaviour[sequence]
        for sequence in range(begin, end):
            behaviour[sequence] /= total
        values[side.parent_sequence[infoset]] += top + math.log(total)
    plan_from_behaviour(side, behaviour, out.plan)


@kernel
def apply_covariance(
    side: Side, beta: float, soft: Soft, moves: Floats, shifts: Floats, out: Floats
) -> float:
    """Set out = S × moves: how the plan of `soft` changes when its gains do.

    Returns max |dz| / (1 + |z|), what the moves do to log-odds. `shifts` becomes the change of
    the logarithm of the plan, which is finite where the plan itself underflows.
    """
    size = _sweep_moves(side, beta, soft, moves, shifts)
    shifts[0] = 0.0
    out[0] = 0.0
    for infoset in range(len(side.parent_sequence)):
        shift = shifts[side.parent_sequence[infoset]]
        for sequence in range(side.first_sequence[infoset], side.first_sequence[infoset + 1]):
            shifts[sequence] += shift
            out[sequence] = soft.plan[sequence] * shifts[sequence]
    return size


@kernel
def _sweep_moves(side: Side, beta: float, soft: Soft, moves: Floats, shifts: Floats) -> float:
    """Set shifts to the change of log behaviour from the leaves up; return max |dz| / (1 + |z|)."""
    for sequence in range(len(moves)):
        shifts[sequence] = beta * moves[sequence]
    size = 0.0
    for distance in range(1, len(side.parent_sequence) + 1):
        infoset = np.uint32(len(side.parent_sequence) - distance)
        begin = side.first_sequence[infoset]
        end = side.first_sequence[infoset + 1]
        first = shifts[begin]
        mean = 0.0
        for sequence in range(begin, end):
            mean += soft.behaviour[sequence] * shifts[sequence]
            step = abs(shifts[sequence] - first) / (1.0 + abs(soft.log_odds[sequence]))
            if not step <= size:  # also true of nan
                size = step
        for sequence in range(begin, end):
            shifts[sequence] -= mean
        shifts[side.parent_sequence[infoset]] += mean
    return size


@kernel
def answer_both(
    sides: tuple[Side, Side],
    beta_0: float,
    beta_1: float,
    gains: tuple[Floats, Floats],
    softs: tuple[Soft, Soft],
) -> None:
    """Fill `softs` with both players' soft best responses to `gains`."""
    respond_softly(sides[0], beta_0, gains[0], softs[0])
    respond_softly(sides[1], beta_1, gains[1], softs[1])


@kernel
def apply_both(
    sides: tuple[Side, Side], softs: tuple[Soft, Soft], out: tuple[Floats, Floats]
) -> None:
    """Set `out` to what each player's sequences gain against the other's plan."""
    apply_payoff(sides[0], sides[0].payoff, softs[1].plan, out[0])
    apply_payoff(sides[1], sides[1].payoff, softs[0].plan, out[1])


@kernel
def newton_step(
    sides: tuple[Side, Side],
    beta_0: float,
    beta_1: float,
    gains: tuple[Floats, Floats],
    softs: tuple[Soft, Soft],
    steps: tuple[Floats, Floats],
    wanted: float,
) -> tuple[float, float, int]:
    """Set `steps` to Newton's correction of `gains`; fill `softs`.

    The linear system is solved until its residual, in log-odds, is at most `wanted`, or reduced
    by `_LINEAR_RELATIVE`. Returns the residual and the correction, both as
    max |dz| / (1 + |z|), and the number of linear steps.
    """
    answer_both(sides, beta_0, beta_1, gains, softs)
    apply_both(sides, softs, steps)
    for player in range(2):
        for sequence in range(len(steps[player])):
            steps[player][sequence] -= gains[player][sequence]
    num_0, num_1 = len(gains[0]), len(gains[1])
    shifts_0, moved_0 = np.empty(num_0), np.empty(num_0)
    shifts_1, moved_1 = np.empty(num_1), np.empty(num_1)
    # Eliminate player 0: d₀ = r₀ + A S₁ d₁, so that (I + AᵀS₀AS₁) d₁ = r₁ − AᵀS₀r₀.
    first = apply_covariance(sides[0], beta_0, softs[0], steps[0], shifts_0, moved_0)
    second = apply_covariance(sides[1], beta_1, softs[1], steps[1], shifts_1, moved_1)
    right = np.empty(num_1)
    apply_payoff(sides[1], sides[1].payoff, moved_0, right)
    for sequence in range(num_1):
        right[sequence] += steps[1][sequence]
    count = solve_linear(
        sides, beta_0, beta_1, softs, right, steps[1], steps[0], wanted, _LINEAR_RELATIVE
    )
    size_0 = apply_covariance(sides[0], beta_0, softs[0], steps[0], shifts_0, moved_0)
    size_1 = apply_covariance(sides[1], beta_1, softs[1], steps[1], shifts_1, moved_1)
    return max(first, second), max(size_0, size_1), count


@kernel
def apply_newton_matrix(
    sides: tuple[Side, Side],
    beta_0: float,
    softs: tuple[Soft, Soft],
    vector: Floats,
    moved: Floats,
    along: Floats,
    scratch: tuple[Floats, Floats],
    out: Floats,
) -> None:
    """Set out = (I + AᵀS₀AS₁) vector, given moved = S₁ vector, and along = A × moved."""
    apply_payoff(sides[0], sides[0].payoff, moved, along)
    apply_covariance(sides[0], beta_0, softs[0], along, scratch[0], scratch[1])
    apply_payoff(sides[1], sides[1].payoff, scratch[1], out)  # player 1's operator is −Aᵀ
    for sequence in range(len(out)):
        out[sequence] = vector[sequence] - out[sequence]


@kernel
def solve_linear(
    sides: tuple[Side, Side],
    beta_0: float,
    beta_1: float,
    softs: tuple[Soft, Soft],
    right: Floats,
    solution: Floats,
    along: Floats,
    wanted: float,
    relative: float,
) -> int:
    """Solve (I + AᵀS₀AS₁) × solution = right by conjugate gradients; return their number.

    `solution` is overwritten; A S₁ × solution is added to `along`. The residual's norm is that of
    the inner product ⟨·, S₁ ·⟩, which does not see sequences that are never played.
    """
    num_0, num_1 = len(along), len(right)
    residual, direction = np.empty(num_1), np.empty(num_1)
    moved, moved_direction = np.empty(num_1), np.empty(num_1)
    shifts, image = np.empty(num_1), np.empty(num_1)
    along_direction = np.empty(num_0)
    scratch = (np.empty(num_0), np.empty(num_0))
    size = apply_covariance(sides[1], beta_1, softs[1], right, shifts, moved)
    norm = 0.0
    for sequence in range(num_1):
        residual[sequence] = right[sequence]
        direction[sequence] = right[sequence]
        moved_direction[sequence] = moved[sequence]
        solution[sequence] = 0.0
        norm += right[sequence] * moved[sequence]
    enough = norm * relative * relative
    count = 0
    while size > wanted and norm > enough and count < _MAX_LINEAR_STEPS:
        apply_newton_matrix(
            sides, beta_0, softs, direction, moved_direction, along_direction, scratch, image
        )
        curvature = 0.0
        for sequence in range(num_1):
            curvature += moved_direction[sequence] * image[sequence]
        length = norm / curvature
        for sequence in range(num_1):
            solution[sequence] += length * direction[sequence]
            residual[sequence] -= length * image[sequence]
        for sequence in range(num_0):
            along[sequence] += length * along_direction[sequence]
        size = apply_covariance(sides[1], beta_1, softs[1], residual, shifts, moved)
        previous = norm
        norm = 0.0
        for sequence in range(num_1):
            norm += residual[sequence] * moved[sequence]
        turn = norm / previous
        for sequence in range(num_1):
            direction[sequence] = residual[sequence] + turn * direction[sequence]
            moved_direction[sequence] = moved[sequence] + turn * moved_direction[sequence]
        count += 1
    # One fixed-point step: exact for sequences that are never played, which the norm ignores,
    # and no worse than the residual for the others.
    for sequence in range(num_1):
        solution[sequence] += residual[sequence]
    return count
