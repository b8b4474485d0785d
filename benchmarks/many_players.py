"""Compare games of three players with OpenSpiel's solvers: digits, and CPU time in one run.

    uv run --extra openspiel python benchmarks/many_players.py

For CFR and CFR+ (linear average) on three-player Kuhn poker and Leduc hold'em (suits merged), it
prints NashConv after the same iterations by both programs, and the CPU time of an iteration.
Both run on one thread.
"""

import time
from typing import Any

import pyspiel

import untilt
from untilt.evaluation.best_response import evaluate_plans
from untilt.regret.rule import LINEAR, UpdateRule
from untilt.solvers.cfr import CfrSolver

RULES = {
    "cfr": (UpdateRule(), pyspiel.CFRSolver),
    "cfr+": (UpdateRule(is_clipped=True, gamma=LINEAR), pyspiel.CFRPlusSolver),
}
GAMES = {
    "kuhn": ("kuhn_poker(players=3)", 1_000, 20_000),
    "leduc": ("leduc_poker(players=3,suit_isomorphism=True)", 10, 1_000),
}
"""OpenSpiel's name, iterations to compare, and iterations to time ours."""


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
