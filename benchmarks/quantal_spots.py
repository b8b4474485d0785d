"""Measure what quantal response is worth on ten rivers: on ghost lines, and against mistakes.

    uv run python benchmarks/quantal_spots.py         losses on ghost lines, gains and risks
    uv run python benchmarks/quantal_spots.py --fit   how well noise is estimated, 200 simulations

Ghost lines are the decisions that the equilibrium, solved to 0.005 % of the pot, reaches in less
than 1 of 10,000 hands. Losses are against the best reply to the same opponent, in % of the pot, as
means over these decisions. An opponent of noise 5 % plays as in the spot solved with 5 % for both.
"""

import argparse
import statistics
import time
from collections.abc import Sequence

import numpy as np

import untilt
from untilt.games.holdem.solutions.line_chances import LineChances
from untilt.games.holdem.solutions.solution import Solution
from untilt.numeric.arrays import Floats
from untilt.runs.results.noise_fitting import (
    KnownChances,
    SpotHands,
    estimated,
    hands_of,
    known_chances,
    ladder_noises,
)
from untilt.runs.results.spot_comparing import compare_spots
from untilt.solvers.qre.estimates.noise_estimation import NoiseGrid

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
BOARDS = (
    *("Td9d6hQc2s", "AsKd7h4c2d", "QhJh5s5d9c", "8c7c6d2hKs", "KcTd4s3h3c"),
    *("As9h8h5cJd", "7s7d2cThAc", "JsTs9h4d2c", "Qd6c3sAh8d", "5h4h2sKdTc"),
)
NASH = "0.005%"
"""How exactly ghost lines are found, and the equilibrium that others are compared with."""
TREES = {
    "one bet size": untilt.Sizes("60%,a", raises="2.5x"),
    "two bet sizes": untilt.Sizes("50%,100%,a", raises="2.5x"),
}


def rivers(tree: str) -> list[untilt.Spot]:
    """Return the ten rivers."""
    return [
        untilt.Spot(board, (OOP, IP), pot=200, stack=900, sizes=TREES[tree]) for board in BOARDS
    ]


def solved(spot: untilt.Spot, noise: str | tuple[str, str]) -> Solution:
    """Return the spot solved with noise, or an equilibrium of an exactness such as `Nash 0.1%`."""
    if isinstance(noise, str) and noise.startswith("Nash"):
        return untilt.solve(spot, target=noise.removeprefix("Nash "), save=False)
    return untilt.solve(spot, noise=noise, target=1e-4, target_max=1e-2, save=False)


def print_losses(tree: str, spots: Sequence[untilt.Spot]) -> None:
    """Print mean losses on ghost lines: a row per strategy, a column per opponent."""
    opponents = ("10%", "5%", "2%")
    heroes = ("Nash 0.1%", f"Nash {NASH}", "10%", "5%", "2%", "1%")
    losses: dict[tuple[str, str], list[float]] = {}
    for spot in spots:
        known = {name: solved(spot, name) for name in {*heroes, *opponents}}
        nash = known[f"Nash {NASH}"]
        ghosts = {(each.line, each.player) for each in compare_spots(nash, nash).ghosts}
        for opponent in opponents:
            for hero in heroes:
                for line in compare_spots(known[hero], known[opponent]).lines:
                    if (line.line, line.player) in ghosts:
                        loss = 100.0 * line.loss / spot.pot
                        losses.setdefault((hero, opponent), []).append(loss)
    count = len(losses[heroes[0], opponents[0]])
    print(f"mean loss on {count} ghost lines of {len(spots)} rivers, {tree}, % of the pot")
    print(f"{'':14}" + "".join(f"{'v ' + name:>10}" for name in opponents))
    for hero in heroes:
        means = [statistics.mean(losses[hero, opponent]) for opponent in opponents]
        print(f"{hero:14}" + "".join(f"{mean:10.3f}" for mean in means))


def print_gains(spots: Sequence[untilt.Spot]) -> None:
    """Print what strategies win more than the value of the spot, and what they risk."""
    heroes = ("1%", "2%", "5%", ("1%", "5%"), ("1%", "10%"), ("1%", "20%"))
    opponents = ("20%", "10%", "5%", "2%")
    rows: dict[str, list[list[float]]] = {}
    for spot in spots:
        nash = solved(spot, f"Nash {NASH}")
        against = [solved(spot, name) for name in opponents]
        for seat in (0, 1):
            value = nash.ev[seat]
            for hero in heroes:
                noise = hero if isinstance(hero, str) or seat == 0 else hero[::-1]
                found = untilt.spots.gains(solved(spot, noise), seat, against=against, nash=nash)
                won = [row.value - value for row in found.rows[1:-1]]
                of_nash = [row.nash - value for row in found.rows[1:-1]]
                name = hero if isinstance(hero, str) else " v ".join(hero)
                for title, numbers in ((name, [*won, found.risk]), ("Nash", [*of_nash, 0.0])):
                    shares = [100.0 * number / spot.pot for number in numbers]
                    rows.setdefault(title, []).append(shares)
    print("\nwon more than the value of the spot, mean of both seats, % of the pot")
    print(f"{'':14}" + "".join(f"{'v ' + name:>10}" for name in opponents) + f"{'risk':>10}")
    for name, found_rows in rows.items():
        print(f"{name:14}" + "".join(f"{mean:10.3f}" for mean in np.mean(found_rows, axis=0)))


class Simulated:
    """A river at the noises of a ladder, and at the noise that players have."""

    def __init__(self, spot: untilt.Spot, grid: NoiseGrid, noise: str) -> None:
        self.spot, self.grid = spot, grid
        self.played = solved(spot, noise)
        self.ladder = [
            LineChances(solved(spot, f"{100 * share:.6g}%")) for share in grid.noises[::-1]
        ]

    def known(self, hands: SpotHands) -> KnownChances:
        """Return the probabilities of what was observed."""
        return known_chances(self.ladder, self.grid, hands)


def drawn(
    spots: Sequence[Simulated], decisions: int, shown: str, seed: int
) -> tuple[tuple[SpotHands, ...], list[KnownChances]]:
    """Return hands with about so many decisions on all rivers together."""
    rows = []
    for number, each in enumerate(spots):
        mean = mean_decisions(each)
        count = round(decisions / len(spots) / mean)
        found = untilt.spots.sample_lines(
            each.played, count, seed=1_000 * seed + number, shown=shown
        )
        rows += [row._replace(spot=each.spot.board_text) for row in found]
    hands, _ = hands_of(rows, {each.spot.board_text: each.spot for each in spots})
    by_board = {each.spot.board_text: each for each in spots}
    return hands, [by_board[seen.name].known(seen) for seen in hands]


def mean_decisions(spot: Simulated) -> float:
    """Return how many decisions a hand has on average."""
    hands, _ = hands_of(
        untilt.spots.sample_lines(spot.played, 10_000, seed=0), {"river": spot.spot}
    )
    return hands[0].num_decisions / 10_000


def print_estimates(
    rivers: Sequence[untilt.Spot], noises: Sequence[str], shown: Sequence[str], samples: int
) -> None:
    """Print how far estimates are from the noise that players have, and how often intervals cover.

    500 decisions on five rivers, as in a long evening.
    """
    grid = NoiseGrid(ladder_noises("80%..1%", 10), 1)
    print("\nnoise    cards shown   relative RMSE   bias   95 % interval covers   p < 0.05   below")
    for noise in noises:
        spots = [Simulated(spot, grid, noise) for spot in rivers]
        true = float(noise.removesuffix("%")) / 100.0
        for kind in shown:
            found = [
                estimated(*drawn(spots, 500, kind, seed), grid, np.random.default_rng(seed))
                for seed in range(samples)
            ]
            errors = np.array([fit.noise / true - 1.0 for fit in found])
            covers = np.mean([fit.interval.low <= true <= fit.interval.high for fit in found])
            rejected = np.mean([fit.p_value < 0.05 for fit in found])
            below = np.mean([fit.interval.is_open_below for fit in found])
            print(
                f"{noise:8} {kind:12} {rmse(errors):13.1%} {errors.mean():+9.1%} {covers:15.1%} "
                f"{rejected:16.1%} {below:10.1%}",
                flush=True,
            )


def rmse(errors: Floats) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(errors**2)))


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true", help="how well noise is estimated")
    parser.add_argument("--samples", type=int, default=200)
    asked = parser.parse_args()
    began = time.process_time()
    simple = rivers("one bet size")
    if asked.fit:
        shown = ("nothing", "showdowns", "everything")
        print_estimates(simple[:5], ("20%", "10%", "5%"), shown, asked.samples)
    else:
        for tree in TREES:
            print_losses(tree, rivers(tree))
        print_gains(simple)
    print(f"\n{time.process_time() - began:.0f} CPU-seconds")


if __name__ == "__main__":
    main()
