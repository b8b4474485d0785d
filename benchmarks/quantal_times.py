"""Measure quantal response of spots beside Nash: iterations, processor time, what is found.

    uv run python benchmarks/quantal_times.py            the river and the turn
    uv run python benchmarks/quantal_times.py --flop     a flop at 5 %, with the peak of its memory

Both solvers run in this process, on one thread and in turn, so that ratios hold on a busy machine;
the lowest of several times counts. A *mean* residual is averaged over the range, a *largest* one is
that of any hand at any decision. Nash is solved to 0.1 % of the pot by the default method. Times
include all measurements of a stopping test; those of single iterations do not.
"""

import argparse
import resource
import time
from collections.abc import Sequence
from typing import NamedTuple

import untilt
from untilt.runs.spots.spot_material import SpotMaterial, prepare_spot
from untilt.runs.spots.spot_request import request_of, stop_for

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
SPOTS = {
    "river": untilt.Spot(
        "Td9d6hQc2s", (OOP, IP), pot=200, stack=900, sizes=untilt.Sizes("60%,a", raises="2.5x")
    ),
    "turn": untilt.Spot(
        "Td9d6hQc",
        (OOP, IP),
        pot=200,
        stack=900,
        sizes=untilt.Sizes("60%,e,a", raises="2.5x", river_donk="50%"),
    ),
    "flop": untilt.Spot(
        "Td9d6h", (OOP, IP), pot=200, stack=900, sizes=untilt.Sizes("60%", raises="2.5x")
    ),
}
RESIDUAL = 1e-3


class Solved(NamedTuple):
    """One solve."""

    iterations: int
    seconds: float
    exploitability: float
    """In % of the pot."""
    value: float
    """EV of the player out of position, in chips."""


def solved(
    spot: untilt.Spot, method: str, *, noise: str = "", target: str | None, largest: float | None
) -> Solved:
    """Solve a spot on one thread, in processor time without compiling."""
    options = {"threads": 1, **({"noise": noise} if noise else {})}
    stop = stop_for(method, spot.pot, None, target, largest=largest)
    material: SpotMaterial = prepare_spot(request_of(spot, method, options, stop))
    solver = material.solver
    solver.warm_up()
    began = time.process_time()
    for now in solver.progress():
        if now.evaluation is None:
            continue
        residuals = material.residuals()
        if stop.is_reached(now.iteration, 0.0, now.evaluation.exploitability, residuals):
            break
    seconds = time.process_time() - began
    found = solver.evaluate()
    percent = 100.0 * found.exploitability / spot.pot
    return Solved(solver.iteration, seconds, percent, found.values[0])


def seconds_of_iteration(spot: untilt.Spot, method: str, noise: str, count: int) -> float:
    """Return the processor time of an iteration, without any measurement; the best of five."""
    options = {"threads": 1, **({"noise": noise} if noise else {})}
    stop = stop_for(method, spot.pot, 1)
    solver = prepare_spot(request_of(spot, method, options, stop)).solver
    solver.warm_up()
    solver.advance(count)
    found = []
    for _ in range(5):
        began = time.process_time()
        solver.advance(count)
        found.append((time.process_time() - began) / count)
    return min(found)


def best(rounds: int, spot: untilt.Spot, **asked: object) -> Solved:
    """Return the quickest of several equal solves."""
    runs = [solved(spot, **asked) for _ in range(rounds)]  # type: ignore[arg-type]
    return min(runs, key=lambda run: run.seconds)


def compare(name: str, noises: Sequence[str], rounds: int, count: int) -> None:
    """Print a table of a spot: a row per noise."""
    spot = SPOTS[name]
    nash = best(rounds, spot, method="dcfr", target="0.1%", largest=None)
    print(
        f"\n{name}: Nash to 0.1 % in {nash.iterations} iterations, {nash.seconds:.4f} CPU-s",
        flush=True,
    )
    alone = seconds_of_iteration(spot, "dcfr", "", count)
    print("noise   exploitability   EV oop   mean 1e-3: it   CPU-s   × Nash   largest 1e-3: it")
    for noise in noises:
        mean = best(rounds, spot, method="quantal", noise=noise, target="1e-3", largest=None)
        most = best(1, spot, method="quantal", noise=noise, target=None, largest=RESIDUAL)
        print(
            f"{noise:6} {most.exploitability:14.4f}% {most.value:9.4f} {mean.iterations:13} "
            f"{mean.seconds:9.4f} {mean.seconds / nash.seconds:7.2f} {most.iterations:16}",
            flush=True,
        )
    own = seconds_of_iteration(spot, "quantal", noises[0], count)
    print(f"an iteration: {1e6 * own:.1f} µs, {own / alone:.2f} × one of Nash")


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flop", action="store_true", help="a flop of 238,362 nodes at 5 %%")
    if parser.parse_args().flop:
        compare("flop", ("5%",), 1, 3)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory {peak:.0f} MB")
        return
    compare("river", ("10%", "5%", "2%", "1%"), 5, 1000)
    compare("turn", ("10%", "5%", "2%"), 2, 20)


if __name__ == "__main__":
    main()
