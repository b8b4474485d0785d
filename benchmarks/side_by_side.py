"""Compare Untilt with OpenSpiel's C++ solvers, on the same games, in one run.

    uv run --extra openspiel python benchmarks/side_by_side.py [--json FILE]

Machines are noisy, so the two programs take turns within one process, and only the ratio of their
medians matters. Compilation (of game and kernels) is excluded on both sides.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import untilt
from untilt.evaluation.best_response import evaluate_plans, plans_of
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.histories.tree import GameTree
from untilt.games.leduc_form import leduc_sequence_form
from untilt.regret.rule import QUADRATIC, UpdateRule
from untilt.solvers.cfr import CfrSolver
from untilt.solvers.lp import LpSolver
from untilt.solvers.methods import METHODS

ROUNDS = 7


def seconds_of(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def take_turns(
    ours: Callable[[], float], theirs: Callable[[], float]
) -> tuple[float, float, float]:
    """Return the medians of our times, of theirs, and of the ratios of neighbouring ones."""
    pairs = [(ours(), theirs()) for _ in range(ROUNDS)]
    return (
        statistics.median(pair[0] for pair in pairs),
        statistics.median(pair[1] for pair in pairs),
        statistics.median(pair[0] / pair[1] for pair in pairs),
    )


def cfr_solver(game: CompiledGame, method: str, **options: Any) -> CfrSolver:
    row = METHODS[method]
    solver = row.build(game, row.options(options), None)
    assert isinstance(solver, CfrSolver)
    solver.warm_up()
    return solver


def iterations_per_second(
    game: CompiledGame, openspiel_name: str, iterations: tuple[int, int]
) -> dict[str, float]:
    import pyspiel

    own = cfr_solver(game, "cfr+", average="linear")
    theirs = pyspiel.CFRPlusSolver(pyspiel.load_game(openspiel_name))

    def their_work() -> None:
        for _ in range(iterations[1]):
            theirs.evaluate_and_update_policy()

    their_work()
    rates = take_turns(
        lambda: iterations[0] / seconds_of(lambda: own.advance(iterations[0])),
        lambda: iterations[1] / seconds_of(their_work),
    )
    return {"untilt": rates[0], "openspiel": rates[1], "ratio": rates[2]}


def seconds_to(game: CompiledGame, method: str, target: float) -> dict[str, float]:
    """Return the median solver time to an exploitability, including the stopping tests."""
    times, iteration = [], 0
    for _ in range(ROUNDS):
        solver = cfr_solver(game, method)
        for progress in solver.progress(1_000_000):
            if progress.evaluation and progress.evaluation.exploitability <= target:
                break
        times.append(solver.seconds)
        iteration = solver.iteration
    return {"seconds": statistics.median(times), "iterations": iteration}


def evaluation_seconds(game: CompiledGame) -> dict[str, float]:
    """Return the time of one exact exploitability, and OpenSpiel's, for uniform play."""
    import pyspiel

    form = game.exact_form()
    plans = plans_of(form, untilt.strategies.uniform(game))
    evaluate_plans(form, plans)
    peer = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    policy = pyspiel.UniformRandomPolicy(peer)

    def ours() -> float:
        return seconds_of(lambda: [evaluate_plans(form, plans) for _ in range(100)]) / 100

    times = take_turns(ours, lambda: seconds_of(lambda: pyspiel.exploitability(peer, policy)))
    return {"untilt": times[0], "openspiel": times[1], "ratio": 1.0 / times[2]}


def scaling() -> list[dict[str, float]]:
    """Return the time of a CFR+ iteration per sequence pair, for growing Leduc games."""
    rows = []
    for ranks, iterations in ((3, 20_000), (6, 4_000), (13, 500), (26, 60), (58, 6)):
        form = leduc_sequence_form(untilt.games.leduc(ranks=ranks).rules)
        solver = CfrSolver(form, UpdateRule(gamma=QUADRATIC, is_clipped=True))
        solver.warm_up()
        solver.advance(1)
        work = partial(solver.advance, iterations)
        per_iteration = min(seconds_of(work) for _ in range(ROUNDS)) / iterations
        rows.append(
            {
                "ranks": ranks,
                "infosets": sum(side.num_infosets for side in form.sides),
                "pairs": form.num_pairs,
                "microseconds": per_iteration * 1e6,
                "nanoseconds_per_pair": per_iteration / form.num_pairs * 1e9,
            }
        )
    return rows


def command_seconds(arguments: list[str], *, rounds: int = 5) -> dict[str, float]:
    """Return the least wall and CPU time of a command, warm."""
    walls, processors = [], []
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds + 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            wall = seconds_of(
                lambda: subprocess.run(
                    arguments, cwd=folder, env=environment, check=True, capture_output=True
                )
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            walls.append(wall)
            processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"wall": min(walls[1:]), "cpu": min(processors[1:])}


def measure() -> dict[str, Any]:
    kuhn = compile_histories(untilt.games.kuhn())
    leduc_game = untilt.games.leduc()
    leduc = compile_histories(leduc_game)
    num_histories = len(leduc.require(GameTree).parent)
    walk = statistics.median(
        num_histories / seconds_of(lambda: compile_histories(leduc_game)) for _ in range(ROUNDS)
    )

    def lp_seconds() -> float:
        solver = LpSolver(leduc.zero_sum_form())
        solver.warm_up()
        for _ in solver.progress():
            pass
        return solver.seconds

    lp_seconds()
    python = sys.executable
    command = [python, "-c", "from untilt.cli.main import main; main()"]
    return {
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "untilt": untilt.__version__,
        },
        "iterations_per_second": {
            "leduc": iterations_per_second(
                leduc, "leduc_poker(suit_isomorphism=True)", (20_000, 60)
            ),
            "kuhn": iterations_per_second(kuhn, "kuhn_poker", (100_000, 2_000)),
        },
        "time_to": {
            method: {str(target): seconds_to(leduc, method, target) for target in (1e-4, 1e-6)}
            for method in ("cfr+", "dcfr", "dcfr+", "pcfr+", "sapcfr+")
        },
        "lp_seconds": statistics.median(lp_seconds() for _ in range(ROUNDS)),
        "evaluation_seconds": evaluation_seconds(leduc),
        "scaling": scaling(),
        "histories_per_second": walk,
        "import": command_seconds([python, "-c", "import untilt"]),
        "help": command_seconds([*command, "--help"]),
        "solve_kuhn": command_seconds([*command, "solve", "kuhn"]),
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def show(results: dict[str, Any]) -> None:
    for game, rates in results["iterations_per_second"].items():
        print(
            f"CFR+ on {game:6} {rates['untilt']:>12,.0f} it/s   "
            f"OpenSpiel {rates['openspiel']:>8,.0f}   ratio {rates['ratio']:,.0f}"
        )
    for method, targets in results["time_to"].items():
        for target, row in targets.items():
            print(
                f"leduc by {method:6} to {target}: {row['seconds'] * 1e3:8.1f} ms, "
                f"{row['iterations']:,} iterations"
            )
    print(f"leduc by lp: {results['lp_seconds'] * 1e3:.1f} ms")
    evaluation = results["evaluation_seconds"]
    print(
        f"one exploitability of leduc: {evaluation['untilt'] * 1e6:.1f} µs, OpenSpiel "
        f"{evaluation['openspiel'] * 1e3:.1f} ms, ratio {evaluation['ratio']:,.0f}"
    )
    for row in results["scaling"]:
        print(
            f"leduc with {row['ranks']:2} ranks: {row['infosets']:>7,} infosets {row['pairs']:>9,} "
            f"pairs {row['microseconds']:>10,.1f} µs an iteration, "
            f"{row['nanoseconds_per_pair']:.2f} ns a pair"
        )
    print(f"walking leduc: {results['histories_per_second']:,.0f} histories/s")
    for name in ("import", "help", "solve_kuhn"):
        times = results[name]
        print(f"{name}: {times['wall']:.2f} s wall, {times['cpu']:.2f} s CPU")
    print(f"peak memory of this process: {results['peak_megabytes']:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    results = measure()
    show(results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
