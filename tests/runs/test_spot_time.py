"""How long a spot takes is announced as a range, which measured solves of many depths lie in."""

import csv
from pathlib import Path

import pytest

from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.cost.spot_size import measure_spot
from untilt.games.holdem.cost.spot_time import (
    NOISY_ITERATION,
    iteration_seconds,
    noisy_solving_time,
    solving_time,
)
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.solve import solve as solve_spot

MEASURED = Path(__file__).parents[2] / "benchmarks" / "spot_times.csv"
OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


NARROW = "TT+,AQs+,KQs,76s", "88+,ATs+,AQo+,QJs"
DEPTHS = (0.5, 2, 8, 32, 100)
OTHERS = [
    *(("Kd8s5c3hJh", (OOP, IP), Sizes("50%", "3x"), depth) for depth in DEPTHS),
    *(("Kd8s5c3hJh", (OOP, IP), Sizes("50%,120%,a", "60%,a"), depth) for depth in DEPTHS),
    *(("Kd8s5c3h", NARROW, Sizes("75%", "2.5x"), depth) for depth in DEPTHS[:3]),
]
"""Boards, ranges and sizes that were not measured for the calibration."""


def test_iterations_of_most_other_spots_are_within_the_range_announced() -> None:
    within = []
    for board, ranges, sizes, depth in OTHERS:
        spot = Spot(board, ranges, 200, int(200 * depth), sizes)
        low, high = solving_time(depth, measure_spot(spot).betting_nodes[0], per_iteration=1.0)
        found = solve_spot(spot, target="0.1%", save=False, threads=1)
        within.append(low < found.iterations < high)
    assert sum(within) >= 10


def test_nine_of_ten_measured_solves_took_as_long_as_is_announced() -> None:
    with MEASURED.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {float(row["depth"]) for row in rows} >= {0.5, 1, 2, 4, 8, 16, 32, 64, 100}
    within: dict[int, list[bool]] = {1: [], 2: [], 3: []}
    late = []
    for row in rows:
        boards = tuple(map(int, row["boards"].split("/")))
        per_iteration = iteration_seconds(int(row["numbers"]), boards)
        low, high = solving_time(float(row["depth"]), int(row["nodes"]), per_iteration)
        within[len(boards)].append(low <= float(row["seconds"]) <= high)
        if float(row["depth"]) >= 16 and float(row["seconds"]) > high:
            late.append(row)
    assert sum(map(sum, within.values())) >= 0.9 * len(rows)
    assert all(sum(each) >= 0.8 * len(each) > 20 for each in within.values())
    assert late == []  # of 175 with deep stacks


def test_a_turn_100_pots_deep_takes_no_longer_than_announced() -> None:
    # Announced were 2.5 seconds or more; it had 0.157 % of the pot after 1,595 iterations, was
    # measured next after 3,190, and took 36 seconds.
    low, high = solving_time(100.0, num_nodes=165, per_iteration=1.0)
    assert 2.5 * high / low > 36.0


@pytest.mark.parametrize("noise", [0.2, 0.05])
def test_iterations_with_noise_are_within_the_range_announced(noise: float) -> None:
    within = []
    for board, ranges, sizes, depth in OTHERS[:4] + OTHERS[5:9]:
        spot = Spot(board, ranges, 200, int(200 * depth), sizes)
        low, high = noisy_solving_time((noise, noise), depth, per_iteration=1.0 / NOISY_ITERATION)
        found = solve_spot(spot, noise=f"{100 * noise:g}%", save=False, threads=1)
        within.append(low < found.iterations < high)
    assert sum(within) >= 7
