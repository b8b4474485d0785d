"""Measure how often the 95 % interval of an estimated β covers the true β, on simulated Kuhn hands.

    uv run python benchmarks/estimation_coverage.py [--samples 1000] [--hands 1000]

Counts are drawn from the equilibrium: every hand is dealt and played, and its decisions are
counted. The estimation is timed on 10,000 hands, including the branch.
"""

import argparse
import statistics
import time

import numpy as np

import untilt
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.tree import CHANCE, GameTree
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.arclength import trace
from untilt.solvers.qre.estimation import fit
from untilt.solvers.qre.problem import QuantalProblem


def play_counts(
    game: CompiledGame, problem: QuantalProblem, beta: float, hands: int, rng: np.random.Generator
) -> Floats:
    """Return how often each action was taken in `hands` hands at `beta`."""
    tree = game.require(GameTree)
    profile = problem.profile(trace(problem.system, beta).log_odds[-1])
    first_of_player = (0, game.infosets[0].num_sequences - 1)
    counts = np.zeros(game.num_action_variables)
    arrivals = np.zeros(len(tree.parent), dtype=np.int64)
    arrivals[0] = hands
    for node in range(len(tree.parent)):
        number = int(tree.num_children[node])
        if number == 0 or arrivals[node] == 0:
            continue
        first = int(tree.first_child[node])
        player = int(tree.player[node])
        if player == CHANCE:
            shares = tree.probability[first : first + number]
        else:
            block = game.infosets[player].block(int(tree.infoset[node]))
            shares = profile.behaviours[player][block]
        drawn = rng.multinomial(arrivals[node], shares / shares.sum())
        arrivals[first : first + number] = drawn
        if player != CHANCE:
            begin = first_of_player[player] + block.start - 1
            counts[begin : begin + number] += drawn
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--hands", type=int, default=1000)
    arguments = parser.parse_args()
    rng = np.random.default_rng(20261115)
    kuhn = compile_histories(untilt.games.kuhn())
    problem = QuantalProblem(kuhn)
    for beta in (1.0, 3.0, 10.0):
        covered = 0
        for _ in range(arguments.samples):
            low, high = fit(
                problem, play_counts(kuhn, problem, beta, arguments.hands, rng)
            ).interval
            covered += low <= beta <= high
        print(f"beta {beta:g}: covered in {100 * covered / arguments.samples:.1f} % of samples")
    for name, game in (("kuhn", kuhn), ("leduc", compile_histories(untilt.games.leduc()))):
        own = QuantalProblem(game)
        counts = play_counts(game, own, 3.0, 10_000, rng)
        fit(own, counts)
        times = []
        for _ in range(9):
            begin = time.perf_counter()
            found = fit(own, counts)
            times.append(time.perf_counter() - begin)
        median = statistics.median(times) * 1e3
        print(f"{name}: beta {found.beta:.4f} from 10,000 hands in {median:.1f} ms")


if __name__ == "__main__":
    main()
