"""Exact Nash equilibrium of a zero-sum game: the sequence-form linear program, by HiGHS.

Player 0 chooses a plan x; v_I is what player 1 concedes from infoset I onwards:

    maximise v_root  subject to   x a plan (x₀ = 1, each block sums to its parent sequence)
    v_{I(s)} ≤ (Aᵀx)_s + Σ v_J over the infosets J that sequence s leads to, for each s of player 1

The dual prices of the second rows are player 1's plan, so one solve gives both.

Large programs are *sifted*: a few iterations of CFR show which actions are far from any best
response. These are left out at first, and put back if the solution shows that a player would gain
by them. The result is an equilibrium of the whole game, whatever was left out.

HiGHS works to absolute tolerances (1e-7) and drops entries below 1e-9, so payoffs behind a rare
chance outcome can be lost. Payoffs of unusual size are therefore first multiplied by a power of
two, which causes no rounding. If the players could still gain, measured on the whole game, the
program is solved again with payoffs so large that the tolerances no longer matter.

References: Koller, Megiddo & von Stengel 1996, "Efficient computation of equilibria for
extensive two-person games"; Bixby et al. 1992, "Very large-scale linear programming: a case
study in combining interior point and simplex methods" (sifting).
"""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from untilt.errors import UntiltError
from untilt.evaluation.best_response import evaluate_plans
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.game.sequence.sweeps import apply_payoff, sweep_maximum
from untilt.game.strategy.snapshot import SequenceSnapshot
from untilt.numeric.arrays import AnyArray, Bools, Floats
from untilt.regret.rule import QUADRATIC, UpdateRule
from untilt.solvers.cfr import CfrSolver
from untilt.solvers.progress import Progress

_LEAST_SIFTED = 20_000
"""Pairs of sequences above which sifting pays."""
_APPROXIMATING_ITERATIONS = 60
_MARGIN = 3.0
"""How far behind the best a kept action may be, in multiples of the remaining gain."""
_MAX_ROUNDS = 12

_USUAL_SIZES = 2.0**-7, 2.0**34
"""Payoffs whose sum, weighted by chance, is in this range are passed to HiGHS unchanged."""
_LEAST_SIZE = 2.0**10
"""The sum to which other payoffs are scaled first."""
_LARGER_SIZES = 2.0**30, 2.0**40
"""Sums tried next, in order, if that was not exact; from 2⁴⁴ HiGHS begins to fail."""
_ROUNDING = 2.0**-49
"""The gain that rounding may give the players, relative to the sum of all payoffs."""
_EXACT = 1e-12
"""The largest gain, relative to the same sum, in a result that counts as exact."""


class LpSolver:
    """The linear program as a solver: one step, no iterations, nothing to resume."""

    iteration = None

    def __init__(self, form: SequenceForm) -> None:
        self._form = form
        first, second = form.sides
        self._plans = (np.zeros(first.num_sequences), np.zeros(second.num_sequences))
        self.seconds = 0.0

    @property
    def is_at_moment(self) -> bool:
        """False: there are no iterations at which to measure."""
        return False

    def warm_up(self) -> None:
        """Load HiGHS and compile the evaluation."""
        import scipy.optimize  # noqa: F401

        evaluate_plans(self._form, self._form.plans(self.snapshot().behaviours))

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Solve, and yield once."""
        begin = time.perf_counter()
        self._plans = solve_plans(self._form)
        # Measure the strategies that are returned, not the program's own numbers.
        evaluation = evaluate_plans(self._form, self._form.plans(self.snapshot().behaviours))
        self.seconds = time.perf_counter() - begin
        yield Progress(iteration=None, seconds=self.seconds, evaluation=evaluation, regret=None)

    def snapshot(self) -> SequenceSnapshot:
        """Return the equilibrium, or uniform play before it is found."""
        form = self._form
        return sequence_snapshot(form.infosets, form.behaviours(self._plans), form)

    def outcome(self) -> dict[str, Any]:
        """Return nothing in addition to the strategy."""
        return {}

    def state(self) -> dict[str, AnyArray]:
        """Return nothing: a stopped run starts over."""
        return {}

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Start over."""


def solve_plans(form: SequenceForm) -> tuple[Floats, Floats]:
    """Return equilibrium plans of both players, whatever the unit of the payoffs.

    Raises UntiltError if none was found, or only one that is not exact.
    """
    found: list[tuple[float, tuple[Floats, Floats]]] = []
    message = ""
    for same_game in _in_other_units(form):
        try:
            plans = _solve_whole(same_game)
        except _NotSolved as error:
            message = message or str(error)
            continue
        gain = _relative_gain(same_game, plans)
        if gain <= _ROUNDING:
            return plans
        found.append((gain, plans))
    if not found:
        raise UntiltError(f"the linear program was not solved: {message}; try the method cfr+")
    gain, plans = min(found, key=lambda one: one[0])
    if gain > _EXACT:
        raise UntiltError(
            f"the linear program was not solved exactly: players could still gain {gain:.0e} of "
            "what is at stake; try the method cfr+"
        )
    return plans


class _NotSolved(Exception):
    """HiGHS gave up, for the reason in its message."""


def _in_other_units(form: SequenceForm) -> Iterator[SequenceForm]:
    """Yield the game with payoffs in units that suit HiGHS, the most promising first."""
    largest = float(np.abs(form.sides[0].payoff).max(initial=0.0))
    if largest == 0.0:
        yield form
        return
    # In two steps, because the sum of payoffs near 1e308 would not be finite.
    exponent = -math.frexp(largest)[1]
    total = float(np.abs(np.ldexp(form.sides[0].payoff, exponent)).sum())
    size_exponent = math.frexp(total)[1]

    def brought_to(size: float) -> SequenceForm:
        return _times_power_of_two(form, exponent + math.frexp(size)[1] - size_exponent)

    low, high = (math.log2(size) for size in _USUAL_SIZES)
    is_usual = low <= math.log2(total) - exponent <= high
    yield form if is_usual else brought_to(_LEAST_SIZE)
    for size in _LARGER_SIZES:
        yield brought_to(size)


def _times_power_of_two(form: SequenceForm, exponent: int) -> SequenceForm:
    first, second = (side._replace(payoff=np.ldexp(side.payoff, exponent)) for side in form.sides)
    return replace(form, sides=(first, second))


def _relative_gain(form: SequenceForm, plans: tuple[Floats, Floats]) -> float:
    """Return the sum of best-response gains, relative to the sum of all payoffs."""
    gain = evaluate_plans(form, form.plans(form.behaviours(plans))).nash_conv
    return gain / float(np.abs(form.sides[0].payoff).sum()) if gain > 0.0 else 0.0


def _solve_whole(form: SequenceForm) -> tuple[Floats, Floats]:
    """Return equilibrium plans, as exact as HiGHS computes them with payoffs of this size."""
    everything = (
        np.ones(form.sides[0].num_sequences, dtype=np.bool_),
        np.ones(form.sides[1].num_sequences, dtype=np.bool_),
    )
    if form.num_pairs < _LEAST_SIFTED:
        return _solve_program(form, everything)
    plans, tolerance = _approximation(form)
    kept = _near_best(form, plans, tolerance)
    for _ in range(_MAX_ROUNDS):
        plans = _solve_program(form, kept)
        if _relative_gain(form, plans) <= _ROUNDING:
            return plans
        better = _near_best(form, plans, 0.0)
        if not any((new & ~old).any() for new, old in zip(better, kept, strict=True)):
            return plans  # no action is missing: the program itself was not solved exactly
        kept = (kept[0] | better[0], kept[1] | better[1])
    return _solve_program(form, everything)


def _approximation(form: SequenceForm) -> tuple[tuple[Floats, Floats], float]:
    """Return plans close to equilibrium, and how far behind the best kept actions may be."""
    rule = UpdateRule(alpha=1.5, beta=0.0, gamma=QUADRATIC)
    solver = CfrSolver(form, rule)
    solver.advance(_APPROXIMATING_ITERATIONS)
    first, second = solver.average_plans()
    plans = (first, second)
    return plans, _MARGIN * evaluate_plans(form, plans).nash_conv


def _near_best(
    form: SequenceForm, plans: tuple[Floats, Floats], tolerance: float
) -> tuple[Bools, Bools]:
    """Return masks of the sequences that are best responses within `tolerance` chips."""

    def of_player(player: int) -> Bools:
        side = form.sides[player]
        values = np.empty(side.num_sequences)
        best = np.empty(side.num_infosets, dtype=np.uint32)
        apply_payoff(side, side.payoff, plans[1 - player], values)
        sweep_maximum(side, values, best)
        tops = np.concatenate(([values[0]], np.repeat(values[best], _block_sizes(side))))
        near: Bools = values >= tops - tolerance
        return near

    return of_player(0), of_player(1)


def _solve_program(form: SequenceForm, kept: tuple[Bools, Bools]) -> tuple[Floats, Floats]:
    """Return equilibrium plans of the game in which only the sequences `kept` may be played."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    first, second = form.sides
    num_plan = first.num_sequences
    num_variables = num_plan + 1 + second.num_infosets
    root = num_plan

    own_of_pair = np.repeat(np.arange(num_plan), np.diff(first.row_start))
    is_kept = kept[0][own_of_pair] & kept[1][first.opponent_sequence]
    concession_of_sequence = np.concatenate(
        ([root], root + 1 + np.repeat(np.arange(second.num_infosets), _block_sizes(second)))
    )
    concessions = coo_array(
        (
            np.concatenate((-first.payoff[is_kept], np.ones(second.num_sequences), -_ones(second))),
            (
                _joined(
                    first.opponent_sequence[is_kept],
                    np.arange(second.num_sequences),
                    second.parent_sequence,
                ),
                _joined(
                    own_of_pair[is_kept],
                    concession_of_sequence,
                    root + 1 + np.arange(second.num_infosets),
                ),
            ),
        ),
        shape=(second.num_sequences, num_variables),
    )
    flow = coo_array(
        (
            np.concatenate((np.ones(num_plan), -_ones(first))),
            (
                _joined(
                    [0],
                    1 + np.repeat(np.arange(first.num_infosets), _block_sizes(first)),
                    1 + np.arange(first.num_infosets),
                ),
                _joined(np.arange(num_plan), first.parent_sequence),
            ),
        ),
        shape=(1 + first.num_infosets, num_variables),
    )
    objective = np.zeros(num_variables)
    objective[root] = -1.0
    bounds = np.full((num_variables, 2), np.inf)
    bounds[:num_plan, 0] = 0.0
    bounds[:num_plan, 1] = np.where(kept[0], np.inf, 0.0)
    bounds[num_plan:, 0] = -np.inf
    result = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
        objective,
        A_ub=concessions.tocsr()[kept[1]],
        b_ub=np.zeros(int(kept[1].sum())),
        A_eq=flow.tocsr(),
        b_eq=np.eye(1, 1 + first.num_infosets)[0],
        bounds=bounds,
        method="highs",
    )
    if result.x is None or result.status != 0:
        raise _NotSolved(result.message)
    second_plan = np.zeros(second.num_sequences)
    second_plan[kept[1]] = np.maximum(-result.ineqlin.marginals, 0.0)
    return np.maximum(result.x[:num_plan], 0.0), second_plan


def _block_sizes(side: Side) -> AnyArray:
    return np.diff(side.first_sequence)


def _ones(side: Side) -> Floats:
    return np.ones(side.num_infosets)


def _joined(*indices: AnyArray | list[int]) -> AnyArray:
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in indices])
