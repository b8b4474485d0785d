"""Solving a small public tree within a budget of time, for programs that play."""

import time

from untilt.errors import InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.game.public_snapshot import PublicSnapshot
from untilt.game.public_tree import PublicTree
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.solver import PublicTreeSolver
from untilt.solvers.saved_state import LAST_ITERATION

RULE = UpdateRule(alpha=1.5, beta=0.0, gamma=3.0)
"""The default of spots."""

_FIRST_MEASURE = 8
_GROWTH = 1.5
"""Exploitability is measured after 8 iterations, then each time there are half as many more."""


class Resolved:
    """What was found within the budget."""

    def __init__(self, solver: PublicTreeSolver, evaluation: Evaluation, seconds: float) -> None:
        self.evaluation = evaluation
        self.iterations = solver.iteration
        self.seconds = seconds
        self.snapshot: PublicSnapshot = solver.snapshot()


def resolve_tree(
    tree: PublicTree,
    *,
    budget: float = 0.05,
    target: float | None = None,
    threads: int = 1,
    rule: UpdateRule = RULE,
) -> Resolved:
    """Solve `tree` until `budget` seconds have passed, or to `target` exploitability in chips.

    Nothing is written. The clock starts here, and the last iteration may exceed it a little; the
    result depends on the clock unless the target is reached first.
    """
    if not 0.0 < budget < float("inf"):
        raise InvalidOption.of("budget", budget, "give a positive number of seconds")
    began = time.perf_counter()
    solver = PublicTreeSolver(tree, rule, threads=threads)
    end = began + budget
    measure_at = _FIRST_MEASURE if target is not None else LAST_ITERATION
    evaluation: Evaluation | None = None
    count, fastest = 1, float("inf")
    while True:
        begin = time.perf_counter()
        solver.advance(count)
        now = time.perf_counter()
        fastest = min(fastest, (now - begin) / count)
        if target is not None and solver.iteration >= measure_at:
            evaluation = solver.evaluate()
            measure_at = int(_GROWTH * measure_at)
            if evaluation.exploitability <= target:
                break
        evaluation = None
        # Measuring and the snapshot take about as long as two iterations each.
        room = int((end - time.perf_counter()) / fastest) - 4
        if room < 1:
            break
        # Batches stay short, so that a slow moment does not exceed the budget by much.
        count = min(2 * count, max(room // 2, 1), measure_at - solver.iteration)
    solver.close()
    measured = evaluation or solver.evaluate()
    return Resolved(solver, measured, time.perf_counter() - began)
