"""Measure the spot solver: iterations per CPU-second, time to a target, threads, memory.

    uv run python benchmarks/spots.py [--peer COMMAND] [--flop]
    uv run python benchmarks/spots.py --threads            two threads against one, on the turn

COMMAND is another solver's benchmark of the same spots: it is run as `COMMAND NAME ITERATIONS` in
turn with ours and must print a line with `it/s(cpu) NUMBER`, the best of four times ITERATIONS.
Ratios are taken within a round, because machines are noisy.
"""

import argparse
import re
import resource
import shlex
import statistics
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.solver import PublicTreeSolver

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
ALL = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"
RULE = UpdateRule(alpha=1.5, beta=0.25, gamma=5.0)
ROUNDS = 5

SIMPLE = Sizes("60%,a", raises="2.5x")
RICH = Sizes("33%,75%,150%,a", raises="50%,100%,a")
TURN = Sizes("60%,e,a", raises="2.5x", river_donk="50%")
SPOTS: dict[str, tuple[str, str, str, Sizes, int]] = {
    "river": ("Td9d6hQc2s", OOP, IP, SIMPLE, 4000),
    "river105": ("Td9d6hQc2s", OOP, IP, RICH, 1500),
    "all": ("Td9d6hQc2s", ALL, ALL, RICH, 200),
    "turn": ("Td9d6hQc", OOP, IP, TURN, 40),
    "flop": ("Td9d6h", OOP, IP, Sizes("60%", raises="2.5x"), 3),
}


def make_solver(name: str, **options: int | str | float) -> PublicTreeSolver:
    board, oop, ip, sizes, _ = SPOTS[name]
    spot = Spot(board=board, ranges=(oop, ip), pot=200, stack=900, sizes=sizes)
    solver = PublicTreeSolver(compile_spot(spot).tree, RULE, **options)  # type: ignore[arg-type]
    solver.warm_up()
    solver.advance(2)
    return solver


def rate(solver: PublicTreeSolver, iterations: int) -> float:
    """Return the best of four, as a peer should print it: disturbances can only slow it down."""
    best = 0.0
    for _ in range(4):
        begin = time.process_time()
        solver.advance(iterations)
        best = max(best, iterations / (time.process_time() - begin))
    return best


def peer_rate(command: str, name: str, iterations: int) -> float:
    words = [*shlex.split(command), name, str(iterations)]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"it/s\(cpu\) ([\d.]+)", printed)
    assert found is not None, f"{command} did not print its rate"
    return float(found[1])


def compare(name: str, peer: str | None) -> None:
    solver = make_solver(name)
    ours, ratios = [], []
    for _ in range(ROUNDS):
        ours.append(rate(solver, SPOTS[name][4]))
        if peer is not None:
            ratios.append(ours[-1] / peer_rate(peer, name, SPOTS[name][4]))
    line = f"{name:10} {statistics.median(ours):10.1f} it/CPU-s"
    print(line + (f"  {statistics.median(ratios):.2f} × the peer" if ratios else ""))


def time_to(name: str, percent: float, *, threads: int = 1, precision: str = "float32") -> None:
    target = percent / 100 * 200
    solver = make_solver(name, threads=threads, precision=precision, target=target)
    cpu, wall = time.process_time(), time.perf_counter()
    for progress in solver.progress():
        evaluation = progress.evaluation
        if evaluation is not None and evaluation.exploitability <= target:
            break
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    solver.close()
    print(
        f"{name:10} to {percent:g}%: {solver.iteration} iterations, {cpu:.3f} CPU-s, {wall:.3f} s "
        f"({threads} threads, {precision})"
    )


def compare_threads(name: str = "turn", iterations: int = 60) -> None:
    """Print what a second thread is worth, and what a second, independent solver is.

    The latter is what the machine has to give: no thread can be worth more than a solver that
    shares nothing.
    """
    one, other, both = make_solver(name), make_solver(name), make_solver(name, threads=2)
    shared, apart = [], []
    with ThreadPoolExecutor(2) as pool:
        for _ in range(2 * ROUNDS):
            alone = seconds_of(lambda: one.advance(iterations))
            shared.append(alone / seconds_of(lambda: both.advance(iterations)))
            pairs = seconds_of(
                lambda: list(pool.map(lambda s: s.advance(iterations), (one, other)))
            )
            apart.append(2.0 * alone / pairs)
    both.close()
    print(
        f"{name:10} two threads {statistics.median(shared):.2f} × one "
        f"({min(shared):.2f} to {max(shared):.2f}); two independent solvers "
        f"{statistics.median(apart):.2f} × ({min(apart):.2f} to {max(apart):.2f})"
    )


def seconds_of(work: Callable[[], object]) -> float:
    """Return the wall time of some work."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="another solver's benchmark of the same spots")
    parser.add_argument("--flop", action="store_true", help="the flop too, which takes a minute")
    parser.add_argument("--threads", action="store_true", help="two threads against one")
    chosen = parser.parse_args()
    if chosen.threads:
        compare_threads()
        return
    names = [name for name in SPOTS if name != "flop" or chosen.flop]
    for name in names:
        compare(name, chosen.peer)
    for name, percent in (("river", 0.5), ("river105", 0.5), ("all", 0.5), ("turn", 0.1)):
        time_to(name, percent)
    time_to("turn", 0.1, threads=2)
    time_to("turn", 0.1, precision="int16")
    if chosen.flop:
        time_to("flop", 0.1)
        time_to("flop", 0.1, threads=2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
