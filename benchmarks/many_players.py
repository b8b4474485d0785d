"""Compare games of three players with OpenSpiel's solvers: digits, and CPU time in one run.

    uv run --extra openspiel python benchmarks/many_players.py

For CFR and CFR+ (linear average) on three-player Kuhn poker and Leduc hold'em (suits merged), it
prints NashConv after the same iterations by both programs, and the CPU time of an iteration. Then
it prints the iterations per second of external and outcome sampling, medians of rounds in which the
programs take turns. Both run on one thread.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import pyspiel

import untilt
from untilt.evaluation.best_response import evaluate_plans
from untilt.regret.rule import LINEAR, UpdateRule
from untilt.solvers.cfr import CfrSolver
from untilt.solvers.mccfr.solver import MccfrSolver
from untilt.solvers.methods import method_named

RULES = {
    "cfr": (UpdateRule(), pyspiel.CFRSolver),
    "cfr+": (UpdateRule(is_clipped=True, gamma=LINEAR), pyspiel.CFRPlusSolver),
}
GAMES = {
    "kuhn": ("kuhn_poker(players=3)", 1_000, 20_000),
    "leduc": ("leduc_poker(players=3,suit_isomorphism=True)", 10, 1_000),
}
"""OpenSpiel's name, iterations to compare, and iterations to time ours."""
SAMPLED: dict[str, tuple[Callable[[Any], Any], int]] = {
    "mccfr-external": (lambda game: pyspiel.ExternalSamplingMCCFRSolver(game, 1), 40),
    "mccfr-outcome": (lambda game: pyspiel.OutcomeSamplingMCCFRSolver(game, 0.6, 1), 40),
}
"""OpenSpiel's solver, and how many of our iterations to time for one of theirs."""
ROUNDS = 7


def main() -> None:
    print(
        f"{'game':<6} {'rule':<5} {'ours':>22} {'OpenSpiel':>22} {'µs':>9} {'µs':>11} {'ratio':>7}"
    )
    for name, (theirs, compared, timed) in GAMES.items():
        form = untilt.games.compile(name, parameters={"players": 3}).plan_form()
        game = pyspiel.load_game(theirs)
        for label, (rule, make) in RULES.items():
            solver = CfrSolver(form, rule)
            solver.warm_up()
            solver.advance(compared)
            found = evaluate_plans(form, solver.average_plans()).nash_conv
            began = time.process_time()
            solver.advance(timed)
            ours = (time.process_time() - began) / timed
            expected, others = _openspiel(game, make, compared)
            print(
                f"{name:<6} {label:<5} {found:22.16g} {expected:22.16g} {1e6 * ours:9.2f} "
                f"{1e6 * others:11.1f} {others / ours:7.0f}"
            )
    for name, (theirs, _, _) in GAMES.items():
        _compare_sampling(name, theirs)


def _compare_sampling(name: str, theirs: str) -> None:
    """Print the iterations per second of both programs' sampling solvers."""
    compiled = untilt.games.compile(name, parameters={"players": 3})
    game = pyspiel.load_game(theirs)
    for label, (make, factor) in SAMPLED.items():
        method = method_named(label)
        solver = method.build(compiled, method.options({"on": "tree"}), None, seed=1)
        assert isinstance(solver, MccfrSolver)
        solver.warm_up()
        solver.advance(10_000)
        other = make(game)
        count = 2_000 if label == "mccfr-outcome" or name == "kuhn" else 300
        pairs = []
        for _ in range(ROUNDS):
            began = time.process_time()
            solver.advance(factor * count)
            ours = factor * count / (time.process_time() - began)
            began = time.process_time()
            for _ in range(count):
                other.run_iteration()
            pairs.append((ours, count / (time.process_time() - began)))
        ours, others = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(one / two for one, two in pairs)
        print(f"{name:<6} {label:<15} {ours:12,.0f} {others:10,.0f} a second {ratio:7.1f}")


def _openspiel(game: Any, make: Any, iterations: int) -> tuple[float, float]:
    """Return NashConv after so many iterations of OpenSpiel, and the CPU time of one."""
    solver = make(game)
    began = time.process_time()
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    seconds = time.process_time() - began
    return pyspiel.nash_conv(game, solver.average_policy()), seconds / iterations


if __name__ == "__main__":
    main()
