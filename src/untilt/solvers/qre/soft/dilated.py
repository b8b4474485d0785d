"""Quantal response by dilated entropy: the path of equilibria from β = 0.

Players respond to one another with soft best responses (`soft_response`). A zero-sum game has one
such equilibrium for every β: the saddle point of a strictly convex-concave function.
The path is followed in log β with adaptive steps, each corrected by Newton (`dilated_newton`).

References: Hoda, Gilpin, Peña & Sandholm 2010, "Smoothing techniques for computing Nash
equilibria of sequential games" (dilated entropy); Ling, Fang & Kolter 2018, "What game are we
playing?" (its logit equilibrium, by Newton with a sparse factorisation).
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from untilt.errors import Argument, NotZeroSum
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.options import BETA, MAX_ITERATIONS, TOLERANCE, verify_scale
from untilt.solvers.qre.soft.dilated_newton import answer_both, apply_both, newton_step
from untilt.solvers.qre.soft.soft_response import Soft, apply_covariance, new_soft, residual_norm

_POINT_TOLERANCE = 0.03
_GOAL_CORRECTION = 0.15
_MAX_CORRECTION = 0.6
_SETTLED = 1e-4
"""Corrections below this that no longer halve are limited by rounding."""
_FIRST_LOG_ODDS = 1.0
"""The first point after β = 0 is where log-odds would have moved by this, relative to 1 + |z|."""
_MAX_GROWTH = 8.0
_LEAST_GROWTH = 1.0 + 1e-6
"""β grows by at least and at most these factors from point to point."""
_LINEAR_SHARE = 0.01
"""Linear systems are solved until this share of the wanted correction remains, in log-odds."""


@dataclass(frozen=True)
class DilatedStep:
    """One Newton step, for observers."""

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
    steps), or no shorter than the last one because of rounding."""


@dataclass(frozen=True)
class DilatedPoint:
    """A point of the path."""

    beta: float
    behaviours: tuple[Floats, Floats]
    """[S] each player's probability of every sequence at its infoset; 1 for the empty one."""
    payoffs: tuple[float, float]
    """Expected payoffs, in chips."""
    iterations: int
    """Newton steps since the previous point."""
    cg_steps: int


@dataclass(frozen=True)
class DilatedResult:
    """The equilibrium at `beta`, or as far as the path could be followed."""

    beta: float
    """The end of the path: the requested β, unless it stalled."""
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
    """Wall time of the solver, without the time of `on_point`."""
    path: tuple[DilatedPoint, ...]
    """From β = 0 to the end if the path is kept, else empty."""


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
    so are all others with `keep_path`; otherwise the others are converged to a few per cent.
    `max_iterations` bounds the Newton steps at one β. `on_point` is called at every accepted
    point, β = 0 included; its time does not count in `seconds`.
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


def verify_zero_sum(form: SequenceForm) -> None:
    """Raise NotZeroSum, with the definitions that do, unless the game is zero-sum."""
    if not form.is_zero_sum:
        raise NotZeroSum(
            "the payoffs of this game do not sum to zero at every terminal; the dilated quantal "
            "response is for zero-sum games only; use ",
            Argument("definition"),
            " agent, counterfactual or ex-ante",
        )


def _verify(
    form: SequenceForm,
    beta: float,
    scale: tuple[float, float],
    tolerance: float,
    max_iterations: int,
) -> None:
    verify_zero_sum(form)
    BETA.verify(beta)
    verify_scale(scale)
    TOLERANCE.verify(tolerance)
    MAX_ITERATIONS.verify(max_iterations)


def _in_chips(soft: Soft, beta: float, gains: Floats) -> Floats:
    """Return the soft value Q of every sequence."""
    if beta > 0.0:
        return soft.values / beta
    return np.where(soft.values > 0.0, np.inf, gains)  # log of the number of plans > 0


class _Follower:
    """The path from β = 0, and the current point on it."""

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
        self._softs = (new_soft(form.sides[0]), new_soft(form.sides[1]))
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
        """Advance by one point, at most to `goal`.

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
        return bool(correction <= wanted or target < goal)

    def polish(self, tolerance: float) -> None:
        """Converge the current point to `tolerance`, or as far as possible."""
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

        The last one is infinite if the path is lost, and above `tolerance` if rounding or the
        number of iterations limits it.
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
        """Return the current point."""
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
        """Return the current point as the result, with everything known about it."""
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
