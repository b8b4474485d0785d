"""Solving a small public tree within a budget of time, for programs that play."""

import time

from untilt.errors import InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.game.public.public_snapshot import PublicSnapshot
from untilt.game.public.public_tree import PublicTree
from untilt.regret.rule import UpdateRule
from untilt.solvers.moments import Measured, moment_towards
from untilt.solvers.public_tree.gadget import Gadget
from untilt.solvers.public_tree.solver import PublicTreeSolver
from untilt.solvers.saved_state import LAST_ITERATION

RULE = UpdateRule(alpha=1.5, beta=0.25, gamma=5.0)
"""The default of spots, see `methods`."""

_FIRST_MEASURE = 8


class Resolved:
    """The result within the budget."""

    def __init__(self, solver: PublicTreeSolver, evaluation: Evaluation, began: float) -> None:
        """The clock showed `began` when the solver was made."""
        self.evaluation = evaluation
        self.iterations = solver.iteration
        self.snapshot: PublicSnapshot = solver.snapshot()
        self.node_values = solver.node_values(0), solver.node_values(1)
        """Per player, [nodes of the first street, hands], see the solver."""
        self.seconds = time.perf_counter() - began


def resolve_tree(
    tree: PublicTree,
    *,
    budget: float = 0.05,
    target: float | None = None,
    iterations: int | None = None,
    threads: int = 1,
    rule: UpdateRule = RULE,
    gadget: Gadget | None = None,
) -> Resolved:
    """Solve `tree` until `budget` seconds have passed, or to `target` exploitability in chips.

    Nothing is written. The clock starts here, and the last iteration may exceed it a little; the
    result depends on the clock unless the target is reached first. With `iterations` there is no
    clock: exactly that many are done, and the result is the same for any number of threads.
    """
    if not 0.0 < budget < float("inf"):
        raise InvalidOption.of("budget", budget, "give a positive number of seconds")
    if iterations is not None and iterations < 1:
        raise InvalidOption.of("iterations", iterations, "it must be at least 1")
    began = time.perf_counter()
    solver = PublicTreeSolver(tree, rule, threads=threads, gadget=gadget)
    try:
        if iterations is None:
            evaluation = _advance(solver, began + budget, target)
        else:
            solver.advance(iterations)
            evaluation = solver.evaluate()
        return Resolved(solver, evaluation, began)
    finally:
        solver.close()


def _advance(solver: PublicTreeSolver, end: float, target: float | None) -> Evaluation:
    """Iterate until the clock shows `end`, or to the target, and return what was reached."""
    measure_at = _FIRST_MEASURE if target is not None else LAST_ITERATION
    before: Measured | None = None
    last: Measured | None = None
    count = 1
    while True:
        begin = time.perf_counter()
        solver.advance(count)
        pace = (time.perf_counter() - begin) / count
        evaluation = None
        if target is not None and solver.iteration >= measure_at:
            evaluation = solver.evaluate()
            before, last = last, Measured(solver.iteration, evaluation.exploitability)
            measure_at = moment_towards(target, last, before)
            if evaluation.exploitability <= target:
                return evaluation
        # Measuring and the snapshot take about as long as two iterations each. The last pace
        # counts, not the best: on a busy machine the rest would otherwise take too long.
        room = int((end - time.perf_counter()) / pace) - 4
        if room < 1:
            return evaluation or solver.evaluate()
        # Batches stay short, so that a slow moment does not exceed the budget by much.
        count = min(2 * count, max(room // 2, 1), measure_at - solver.iteration)
