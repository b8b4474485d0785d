"""Compare quantal response with Gambit's tracer, on the same games, in one run.

    uv run --extra gambit python benchmarks/quantal_response.py [--slow]

Both trace the agent logit equilibrium from β = 0 to 10. Importing, compiling the game and
compiling kernels are excluded on both sides; strategies are compared at every infoset.
`--slow` lets Gambit trace Leduc too (about ten seconds); without it only Kuhn is compared.
"""

import argparse
import io
import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as on the command line

import pygambit

import untilt
from untilt.formats.exchange.efg import write_efg
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.branches.limit import nash_limit
from untilt.solvers.qre.points.classic import classic
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.soft.dilated import solve_dilated

BETA = 10.0


def median_seconds(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def beside_gambit(name: str, game: CompiledGame, rounds: int) -> None:
    problem = QuantalProblem(game)
    trace(problem.system, 0.1)
    ours = median_seconds(lambda: trace(problem.system, BETA), 5 * rounds)
    their_game = pygambit.read_efg(io.StringIO(write_efg(game, name)))
    theirs = median_seconds(lambda: pygambit.qre.logit_solve_lambda(their_game, [BETA]), rounds)
    point = pygambit.qre.logit_solve_lambda(their_game, [BETA])[0]
    profile = problem.profile(trace(problem.system, BETA, tolerance=1e-12).log_odds[-1])
    gap = 0.0
    # Gambit lists infosets by their numbers in the file, which are our numbers.
    for table, found in zip(game.infosets, point.profile, strict=True):
        for label, (_, distribution) in zip(table.labels, found, strict=True):
            for action, share in dict(distribution).items():
                gap = max(gap, abs(float(share) - profile[label][action]))
    print(
        f"{name}: {ours * 1e3:.3f} ms, Gambit {theirs * 1e3:.1f} ms, ratio {theirs / ours:,.0f}; "
        f"largest difference of a probability {gap:.1e}"
    )


def alone(name: str, game: CompiledGame, beta: float, rounds: int = 3) -> None:
    problem = QuantalProblem(game)
    trace(problem.system, 0.01)
    branch = trace(problem.system, beta)
    seconds = median_seconds(lambda: trace(problem.system, beta), rounds)
    profile = problem.profile(branch.log_odds[-1])
    exploitability = untilt.evaluate(game.exact_form(), profile).exploitability
    print(
        f"{name} to beta {beta:g}: {seconds * 1e3:.1f} ms, {len(branch.betas)} points, "
        f"exploitability {exploitability:.1e}"
    )


def classics(name: str, game: CompiledGame) -> None:
    problem = QuantalProblem(game, "counterfactual")
    classic(problem, 0.01)
    trace(problem.system, 0.01)
    begin = time.perf_counter()
    result = classic(problem, BETA)
    slow = time.perf_counter() - begin
    fast = median_seconds(lambda: trace(problem.system, BETA), 5)
    print(
        f"classic on {name}: {result.iterations} iterations, {slow * 1e3:.1f} ms; "
        f"arclength {fast * 1e3:.3f} ms, ratio {slow / fast:,.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", action="store_true", help="compare with Gambit on Leduc too")
    arguments = parser.parse_args()
    kuhn = compile_histories(untilt.games.kuhn())
    leduc = compile_histories(untilt.games.leduc())
    beside_gambit("kuhn", kuhn, 9)
    if arguments.slow:
        beside_gambit("leduc", leduc, 1)
    alone("leduc", leduc, BETA)
    alone("leduc", leduc, 1e5)
    alone(
        "leduc, suits distinguished",
        compile_histories(untilt.games.leduc(suits="distinguished")),
        BETA,
    )
    alone("leduc, 13 ranks", compile_histories(untilt.games.leduc(ranks=13)), BETA, rounds=1)
    classics("kuhn", kuhn)
    classics("leduc-276", compile_histories(untilt.games.leduc()))
    problem = QuantalProblem(leduc)
    nash_limit(problem)
    begin = time.perf_counter()
    limit = nash_limit(problem)
    print(
        f"limit on leduc: {time.perf_counter() - begin:.3f} s, exploitability "
        f"{limit.exploitability:.1e}, moved by {limit.distance:.1e}"
    )
    form = untilt.games.compile(untilt.games.leduc(ranks=58)).zero_sum_form()
    solve_dilated(form, 1e-3)
    result = solve_dilated(form, 100.0)
    print(
        f"dilated on leduc with 58 ranks to beta 100: {result.seconds:.2f} s, "
        f"{result.cg_steps} CG steps, residual {result.residual_norm:.1e}"
    )


if __name__ == "__main__":
    main()
