"""Compare the sampling solvers with OpenSpiel's C++ solvers, on the same games, in one run.

    uv run --extra openspiel python benchmarks/monte_carlo.py [--json FILE] [--quick]

The two programs take turns within one process; only ratios of CPU time matter. In both programs,
an iteration is one traversal per player for external sampling and one episode for outcome
sampling. Compilation is excluded on both sides.
"""

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyspiel

from untilt.game.compiled import NOTHING_KNOWN, CompiledGame, compile_histories
from untilt.games import kuhn, leduc
from untilt.solvers.mccfr.solver import MccfrSolver
from untilt.solvers.methods import METHODS

SEEDS = 5
ROUNDS = 7


def sampling_solver(game: CompiledGame, method: str, seed: int = 0, **options: Any) -> MccfrSolver:
    row = METHODS[method]
    chosen = row.options({"on": "tree", **options})
    solver = row.build(game, chosen, None, seed=seed)
    assert isinstance(solver, MccfrSolver)
    solver.warm_up()
    return solver


def cpu_seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def wall_seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def openspiel_solver(method: str, name: str, seed: int = 0) -> Any:
    game = pyspiel.load_game(name)
    if method == "mccfr-external":
        return pyspiel.ExternalSamplingMCCFRSolver(game, seed)
    return pyspiel.OutcomeSamplingMCCFRSolver(game, 0.6, seed)


def iterate(solver: Any, count: int) -> None:
    for _ in range(count):
        solver.run_iteration()


def rates(game: CompiledGame, name: str, method: str, counts: tuple[int, int]) -> dict[str, float]:
    """Return the median iterations per CPU-second of both programs, and the median ratio."""
    own, theirs = sampling_solver(game, method), openspiel_solver(method, name)
    own.advance(counts[0])
    iterate(theirs, counts[1])
    pairs = [
        (
            counts[0] / cpu_seconds(lambda: own.advance(counts[0])),
            counts[1] / cpu_seconds(lambda: iterate(theirs, counts[1])),
        )
        for _ in range(ROUNDS)
    ]
    return {
        "untilt": statistics.median(pair[0] for pair in pairs),
        "openspiel": statistics.median(pair[1] for pair in pairs),
        "ratio": statistics.median(pair[0] / pair[1] for pair in pairs),
    }


def own_quality(game: CompiledGame, method: str, moments: list[float]) -> list[list[float]]:
    """Return nash_conv after each number of CPU-seconds in `moments`, one value per seed."""
    found: list[list[float]] = [[] for _ in moments]
    for seed in range(SEEDS):
        solver = sampling_solver(game, method, seed)
        spent = 0.0
        for number, moment in enumerate(moments):
            while spent < moment:
                spent += cpu_seconds(partial(solver.advance, 20_000))
            found[number].append(nash_conv(game, solver))
    return found


def nash_conv(game: CompiledGame, solver: MccfrSolver) -> float:
    from untilt.evaluation.best_response import evaluate_plans

    form = game.exact_form()
    return evaluate_plans(form, form.plans(solver.snapshot().behaviours)).nash_conv


def their_quality(name: str, method: str, moments: list[float]) -> list[float]:
    solver = openspiel_solver(method, name)
    spent, found = 0.0, []
    for moment in moments:
        while spent < moment:
            spent += cpu_seconds(lambda: iterate(solver, 500))
        found.append(pyspiel.nash_conv(pyspiel.load_game(name), solver.average_policy(), True))
    return found


def threads(game: CompiledGame, iterations: int) -> dict[str, Any]:
    """Return the speed-up of two threads, synchronised and not, and the cost of batches."""
    synchronised, apart, same = [], [], []
    for _ in range(ROUNDS):
        one = sampling_solver(game, "mccfr-external")
        two = sampling_solver(game, "mccfr-external", threads=2)
        loose = sampling_solver(game, "mccfr-external", threads=2, sync="none")
        alone = wall_seconds(partial(one.advance, iterations))
        synchronised.append(alone / wall_seconds(partial(two.advance, iterations)))
        apart.append(alone / wall_seconds(partial(loose.advance, iterations)))
        same.append(
            all(
                (a == b).all()
                for a, b in zip(
                    one.snapshot().behaviours,
                    two.snapshot().behaviours,
                    strict=True,
                )
            )
        )
    sequential: list[float] = []
    batched: list[float] = []
    for seed in range(SEEDS):
        for batch, into in ((1, sequential), (None, batched)):
            options = {} if batch is None else {"batch": batch}
            solver = sampling_solver(game, "mccfr-external", seed, **options)
            solver.advance(iterations)
            into.append(nash_conv(game, solver))
    return {
        "two_threads": statistics.median(synchronised),
        "unsynchronised": statistics.median(apart),
        "same_bits": all(same),
        "iterations": iterations,
        "nash_conv_sequential": statistics.median(sequential),
        "nash_conv_batched": statistics.median(batched),
    }


def objects() -> dict[str, float]:
    """Return the rates of external sampling on Leduc's positions, once they are cached."""
    row = METHODS["mccfr-external"]
    root = leduc(suits="distinguished")
    solver = row.build(NOTHING_KNOWN, row.options({"on": "objects"}), None, root=root)
    assert isinstance(solver, MccfrSolver)
    solver.warm_up()
    first = 20_000 / wall_seconds(lambda: solver.advance(20_000))
    later = statistics.median(
        50_000 / wall_seconds(lambda: solver.advance(50_000)) for _ in range(ROUNDS)
    )
    small = row.build(
        NOTHING_KNOWN, row.options({"on": "objects", "cache": 1_000}), None, root=root
    )
    assert isinstance(small, MccfrSolver)
    small.warm_up()
    seconds = wall_seconds(lambda: small.advance(1_000))
    return {
        "from_nothing": first,
        "cached": later,
        "nodes_per_second_without_cache": small.nodes / seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="shorter runs, one second at most")
    arguments = parser.parse_args()
    moments = [1.0] if arguments.quick else [1.0, 10.0]
    suits = compile_histories(leduc(suits="distinguished"))
    results: dict[str, Any] = {
        "rates": {
            "leduc-936 external": rates(suits, "leduc_poker", "mccfr-external", (200_000, 4_000)),
            "leduc-936 outcome": rates(suits, "leduc_poker", "mccfr-outcome", (400_000, 10_000)),
            "kuhn external": rates(
                compile_histories(kuhn()), "kuhn_poker", "mccfr-external", (400_000, 10_000)
            ),
        },
        "threads": threads(suits, 1_000_000),
        "objects": objects(),
        "nash_conv": {},
    }
    for name, figures in results["rates"].items():
        print(
            f"{name:20} {figures['untilt']:12,.0f} it/s   OpenSpiel {figures['openspiel']:9,.0f}"
            f"   ratio {figures['ratio']:.1f}",
            flush=True,
        )
    print("threads", results["threads"], flush=True)
    print("objects", {name: round(rate) for name, rate in results["objects"].items()}, flush=True)
    for method in ("mccfr-external", "mccfr-outcome"):
        own = own_quality(suits, method, moments)
        theirs = their_quality("leduc_poker", method, moments)
        results["nash_conv"][method] = {"untilt": own, "openspiel": theirs, "seconds": moments}
        for moment, values, other in zip(moments, own, theirs, strict=True):
            print(
                f"{method} after {moment:g} CPU-s: nash_conv {statistics.median(values):.4f} "
                f"({min(values):.4f} to {max(values):.4f}), OpenSpiel {other:.3f}",
                flush=True,
            )
    results["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
