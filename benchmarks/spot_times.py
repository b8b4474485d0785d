"""Calibrate how long spots take: solve spots of many depths on one thread to 0.1 % of the pot.

    uv run python benchmarks/spot_times.py record FILE.csv [--streets river turn flop] [--numbers N]
    uv run python benchmarks/spot_times.py table FILE.csv

Stacks are 0.5 to 100 times the pot; boards, ranges and bet sizes vary. Spots with more than N
stored numbers are left out. A file that exists is continued. All up to 13 million numbers take
about ten minutes of processor time. Times are those of the process (CPU seconds), with stopping
tests, without building the tree. `table` compares them with `untilt.games.holdem.cost.spot_time`,
as in docs/benchmarks.md; `benchmarks/spot_times.csv` is what was measured for it.
"""

import argparse
import csv
import itertools
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from untilt.durations import shown_range
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.cost.spot_size import measure_spot
from untilt.games.holdem.cost.spot_time import SolvingTime, iteration_seconds, solving_time
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.spots.spot_material import prepare_spot
from untilt.runs.spots.spot_request import request_of, spot_stop

POT = 200
DEPTHS = (0.5, 1, 2, 4, 8, 16, 32, 64, 100)
TARGET_PERCENT = 0.1

MENUS = {
    "one": Sizes("60%", raises="2.5x"),
    "two": Sizes("33%,75%,a", raises="50%,a"),
    "many": Sizes("33%,75%,150%,a", raises="50%,100%,a"),
}
ALL = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"
RANGES = {
    "raised": (
        "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
    ),
    "all": (ALL, ALL),
    "narrow": ("TT+,AQs+,AKo,KQs,76s", "88+,ATs+,AQo+,KJs+,QJs,JTs"),
    "few": ("AA,KK,AKs,QJs,76s", "QQ,TT,99,AQs,KQs"),
}
PLACES = {
    "river": [
        (board, ranges)
        for board in ("Td9d6hQc2s", "AsKs4s7h4c", "2c2d2hKs8h", "QhJhTh5s3c")
        for ranges in ("raised", "all", "narrow")
    ],
    "turn": [
        ("Td9d6hQc", "raised"),
        ("Td9d6hQc", "narrow"),
        ("AsKs4s7h", "raised"),
        ("AsKs4s7h", "all"),
        ("7c7d2hKs", "narrow"),
    ],
    "flop": [
        ("Td9d6h", "few"),
        ("AsKs4s", "narrow"),
        ("7c7d2h", "few"),
        ("Td9d6h", "narrow"),
        ("QsTs5h", "few"),
    ],
}


def spots(streets: list[str]) -> Iterator[tuple[str, str, float, Spot]]:
    """Yield ranges, menu, depth and spot."""
    for street in streets:
        for (board, ranges), menu, depth in itertools.product(PLACES[street], MENUS, DEPTHS):
            spot = Spot(board, RANGES[ranges], POT, int(depth * POT), MENUS[menu])
            yield ranges, menu, depth, spot


class Row(NamedTuple):
    """A solved spot."""

    board: str
    ranges: str
    menu: str
    depth: float
    boards: tuple[int, ...]
    nodes: int
    """Of the first street's betting."""
    numbers: int
    iterations: int
    seconds: float

    @property
    def announced(self) -> SolvingTime:
        """What is said before."""
        per_iteration = iteration_seconds(self.numbers, self.boards)
        return solving_time(self.depth, self.nodes, per_iteration)

    @property
    def is_within(self) -> bool:
        """Whether it took as long as was said."""
        return self.announced.low <= self.seconds <= self.announced.high

    @classmethod
    def parse(cls, cells: list[str]) -> Self:
        """Return a row of a file."""
        board, ranges, menu, depth, boards, *counts, seconds = cells
        nodes, numbers, iterations = map(int, counts)
        each = tuple(map(int, boards.split("/")))
        return cls(
            board, ranges, menu, float(depth), each, nodes, numbers, iterations, float(seconds)
        )

    def cells(self) -> list[str]:
        """Return the row for a file."""
        boards = "/".join(map(str, self.boards))
        whole = map(str, (self.nodes, self.numbers, self.iterations))
        start = (self.board, self.ranges, self.menu, f"{self.depth:g}", boards)
        return [*start, *whole, f"{self.seconds:.4g}"]


def read(file: Path) -> list[Row]:
    """Return the rows of a file; none if there is no file."""
    if not file.exists():
        return []
    with file.open(newline="") as stream:
        return [Row.parse(cells) for cells in list(csv.reader(stream))[1:]]


def solved(spot: Spot) -> tuple[int, float]:
    """Return iterations and CPU seconds to the target."""
    stop = spot_stop(spot.pot, target=f"{TARGET_PERCENT}%")
    solver = prepare_spot(request_of(spot, "dcfr", {"threads": 1}, stop)).solver
    solver.warm_up()
    began = time.process_time()
    for progress in solver.progress():
        found = progress.evaluation
        if found is not None and found.exploitability <= TARGET_PERCENT / 100.0 * spot.pot:
            break
    return solver.iteration, time.process_time() - began


def record(file: Path, streets: list[str], most_numbers: float) -> None:
    """Solve all spots that `file` lacks, and append them."""
    known = {row[:4] for row in read(file)}
    if not file.exists():
        file.write_text(",".join(Row._fields) + "\n")
    for ranges, menu, depth, spot in spots(streets):
        key = spot.board_text, ranges, menu, float(depth)
        size = measure_spot(spot)
        if key in known or size.numbers > most_numbers:
            continue
        row = Row(*key, size.boards, size.betting_nodes[0], size.numbers, *solved(spot))
        with file.open("a", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerow(row.cells())
        print(*row.cells(), flush=True)


def print_table(rows: list[Row]) -> None:
    """Print a line of Markdown for each street and depth."""
    print("| street | stack / pot | spots | iterations | processor time | within the range |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for street, depth in itertools.product(PLACES, DEPTHS):
        places = {board for board, _ in PLACES[street]}
        some = [row for row in rows if row.board in places and row.depth == depth]
        if not some:
            continue
        iterations = sorted(row.iterations for row in some)
        seconds = sorted(row.seconds for row in some)
        print(
            f"| {street} | {depth:g} | {len(some)} | {iterations[0]:,} – "
            f"{statistics.median_low(iterations):,} – {iterations[-1]:,} | "
            f"{shown_range(seconds[0], seconds[-1])} | {sum(row.is_within for row in some)} |"
        )
    share = sum(row.is_within for row in rows) / len(rows)
    print(f"\n{len(rows)} spots, {share:.1%} within the range")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["record", "table"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--streets", nargs="+", default=list(PLACES), choices=list(PLACES))
    parser.add_argument("--numbers", type=float, default=1.3e7)
    chosen = parser.parse_args()
    if chosen.task == "record":
        record(chosen.file, chosen.streets, chosen.numbers)
    else:
        print_table(read(chosen.file))


if __name__ == "__main__":
    main()
