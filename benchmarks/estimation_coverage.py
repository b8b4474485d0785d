"""Measure how often the 95 % interval of an estimated β covers the true β, on simulated Kuhn hands.

    uv run python benchmarks/estimation_coverage.py [--samples 1000] [--hands 1000]
    uv run python benchmarks/estimation_coverage.py --subjects 40 [--samples 1000] [--hands 2000]

Counts are drawn from the equilibrium: every hand is dealt and played, and its decisions are
counted. The estimation is timed on 10,000 hands, including the branch.

With --subjects, the hands come from that many subjects, with one β or with log-normal β of their
own. Intervals for independent decisions are compared with clustered ones, and so are the tests of
two random groups, which do not differ. The true β is then the one that best fits all subjects.
"""

import argparse
import math
import statistics
import time

import numpy as np
from scipy.stats import kstest, norm

import untilt
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.histories.tree import CHANCE, GameTree
from untilt.game.strategy.strategy import Profile
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.estimates.estimation import fit
from untilt.solvers.qre.estimates.grouped_fit import fit_levels
from untilt.solvers.qre.problem import QuantalProblem

CENTRE, QUANTILES = 3.0, 25
"""Median β of subjects, and how many different values of β they have."""


def play_counts(
    game: CompiledGame, problem: QuantalProblem, beta: float, hands: int, rng: np.random.Generator
) -> Floats:
    """Return how often each action was taken in `hands` hands at `beta`."""
    profile = problem.profile(trace(problem.system, beta).log_odds[-1])
    return counts_of(game, profile, hands, rng)


def counts_of(game: CompiledGame, profile: Profile, hands: int, rng: np.random.Generator) -> Floats:
    """Return how often each action was taken in `hands` hands of these strategies."""
    tree = game.require(GameTree)
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


def compare_intervals(
    game: CompiledGame, subjects: int, hands: int, samples: int, spread: float
) -> None:
    """Print how often intervals cover β, and how often tests reject groups that are alike."""
    rng = np.random.default_rng(20261117)
    problem = QuantalProblem(game)
    quantiles = norm.ppf((np.arange(QUANTILES) + 0.5) / QUANTILES)
    profiles = [
        problem.profile(trace(problem.system, CENTRE * math.exp(spread * each)).log_odds[-1])
        for each in quantiles.tolist()
    ]
    everyone = np.sum([counts_of(game, each, 10**9, rng) for each in profiles], axis=0)
    beta = fit(problem, everyone).beta
    independent = clustered = 0
    ratios, robust = [], []
    for _ in range(samples):
        chosen = rng.integers(QUANTILES, size=subjects).tolist()
        counts = np.array(
            [counts_of(game, profiles[each], hands // subjects, rng) for each in chosen]
        )
        found = fit(problem, counts.sum(axis=0), counts)
        assert found.clustered is not None
        independent += found.interval[0] <= beta <= found.interval[1]
        clustered += found.clustered.interval[0] <= beta <= found.clustered.interval[1]
        groups = ["a" if subject % 2 else "b" for subject in range(subjects)]
        test = fit_levels(problem, counts, {"group": groups}, np.arange(subjects)).shared[0]
        if test.p_value is not None and test.robust is not None:
            ratios.append(test.p_value)
            robust.append(test.robust.p_value)
    print(
        f"{subjects} subjects, {hands // subjects} hands each, sd of log beta {spread:g}, "
        f"true beta {beta:.4f}: covered {100 * independent / samples:.1f} % (independent), "
        f"{100 * clustered / samples:.1f} % (clustered)"
    )
    for name, values in (("likelihood ratio", ratios), ("robust", robust)):
        shares = ", ".join(
            f"{100 * np.mean(np.array(values) < level):.1f}" for level in (0.01, 0.05, 0.5)
        )
        print(
            f"  {name}: {shares} % of p-values below 0.01, 0.05, 0.5; "
            f"Kolmogorov-Smirnov p {kstest(values, 'uniform').pvalue:.3g}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--subjects", type=int)
    arguments = parser.parse_args()
    rng = np.random.default_rng(20261115)
    kuhn = compile_histories(untilt.games.kuhn())
    if arguments.subjects:
        for spread in (0.0, 0.5):
            compare_intervals(kuhn, arguments.subjects, arguments.hands, arguments.samples, spread)
        return
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
