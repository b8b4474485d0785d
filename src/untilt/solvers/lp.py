"""Exact Nash equilibrium of a zero-sum game: the sequence-form linear program, by HiGHS.

Player 0 chooses a plan x; v_I is what player 1 concedes from her infoset I on:

    maximise v_root  subject to   x a plan (x₀ = 1, each block sums to its parent sequence)
    v_{I(s)} ≤ (Aᵀx)_s + Σ v_J over the infosets J that sequence s leads to, for each s of player 1

The dual prices of the second rows are player 1's plan, so one solve gives both.

Reference: Koller, Megiddo & von Stengel 1996, "Efficient computation of equilibria for
extensive two-person games".
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from untilt.errors import UntiltError
from untilt.evaluation.best_response import evaluate_plans
from untilt.game.sequence_form import SequenceForm, Side
from untilt.numeric.arrays import AnyArray, Floats
from untilt.solvers.progress import Progress


class LpSolver:
    """The linear program as a solver: one step, no iterations, nothing to resume."""

    iteration = None

    def __init__(self, form: SequenceForm) -> None:
        self._form = form
        first, second = form.sides
        self._plans = (np.zeros(first.num_sequences), np.zeros(second.num_sequences))
        self.seconds = 0.0
        self.gap = 1

    def warm_up(self) -> None:
        """Load HiGHS and compile the evaluation."""
        import scipy.optimize  # noqa: F401

        evaluate_plans(self._form, self._form.plans(self.behaviours()))

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Solve, and yield once."""
        begin = time.perf_counter()
        self._plans = solve_plans(self._form)
        # What is measured is what is given out, not the program's own numbers.
        evaluation = evaluate_plans(self._form, self._form.plans(self.behaviours()))
        self.seconds = time.perf_counter() - begin
        yield Progress(iteration=None, seconds=self.seconds, evaluation=evaluation, regret=None)

    def behaviours(self) -> tuple[Floats, Floats]:
        """Return the equilibrium, or uniform play before it is found."""
        return self._form.behaviours(self._plans)

    def outcome(self) -> dict[str, Any]:
        """Return nothing: the strategy says it all."""
        return {}

    def state(self) -> dict[str, AnyArray]:
        """Return nothing: a stopped run starts over."""
        return {}

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Start over."""


def solve_plans(form: SequenceForm) -> tuple[Floats, Floats]:
    """Return equilibrium plans of both players."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    first, second = form.sides
    num_plan = first.num_sequences
    num_variables = num_plan + 1 + second.num_infosets
    root = num_plan

    own_of_pair = np.repeat(np.arange(num_plan), np.diff(first.row_start))
    concession_of_sequence = np.concatenate(
        ([root], root + 1 + np.repeat(np.arange(second.num_infosets), _block_sizes(second)))
    )
    concessions = coo_array(
        (
            np.concatenate((-first.payoff, np.ones(second.num_sequences), -_ones(second))),
            (
                _joined(
                    first.opponent_sequence, np.arange(second.num_sequences), second.parent_sequence
                ),
                _joined(
                    own_of_pair, concession_of_sequence, root + 1 + np.arange(second.num_infosets)
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
    bounds[num_plan:, 0] = -np.inf
    result = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
        objective,
        A_ub=concessions.tocsr(),
        b_ub=np.zeros(second.num_sequences),
        A_eq=flow.tocsr(),
        b_eq=np.eye(1, 1 + first.num_infosets)[0],
        bounds=bounds,
        method="highs",
    )
    if result.x is None or result.status != 0:
        raise UntiltError(f"the linear program was not solved: {result.message}; try --method cfr+")
    return np.maximum(result.x[:num_plan], 0.0), np.maximum(-result.ineqlin.marginals, 0.0)


def _block_sizes(side: Side) -> AnyArray:
    return np.diff(side.first_sequence)


def _ones(side: Side) -> Floats:
    return np.ones(side.num_infosets)


def _joined(*indices: AnyArray | list[int]) -> AnyArray:
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in indices])
