"""What a Ray cluster of this machine costs and gains: start, messages, one spot, flops, recovery.

    uv run --extra ray python benchmarks/cluster.py [--iterations N]

Run it once to compile all kernels, and then again on a quiet machine.
"""

import argparse
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from untilt.distributed.engine import Engine, open_cluster
from untilt.distributed.tasks import ClusterPool
from untilt.distributed.tree_crew import TreeCluster
from untilt.games.holdem.sizes import Sizes
from untilt.games.holdem.spot import Spot
from untilt.runs.flop_report import report_spot
from untilt.runs.spots import solve_spot
from untilt.runs.watching import Status

RANGES = (
    "66+,A8s+,KTs+,QTs+,JTs,T9s,98s,AJo+,KQo",
    "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,ATo+,KJo+",
)
FLOP = Spot("Td9d6h", RANGES, 180, 910, sizes=Sizes("60%"))
SMALL = Spot("Td9d6h", ("77+,AJs+,KQs,AQo+", "66+,ATs+,KJs+,AJo+"), 60, 60, sizes=Sizes("a"))
FLOPS = ["AsKs2h", "7c7d2s", "QhJc3d", "9s8s4d", "Kd5c2h", "6h4c3s"]


def timed(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def messages(engine: Engine) -> dict[str, float]:
    """Return the milliseconds of one call to every worker at once, by size of the message."""
    found = {}
    for size in (0, 100_000, 1_000_000, 4_000_000):
        message = np.zeros(size, np.uint8)

        def round_trip(message: Any = message) -> None:
            pending = [engine.call(worker, "echo", message) for worker in engine.workers]
            while pending:
                for call in engine.wait(pending):
                    pending.remove(call)
                    call.answer()

        found[f"{size} bytes"] = 1e3 * median(timed(round_trip) for _ in range(15))
    return found


def per_iteration(
    folder: Path, iterations: int, cluster: TreeCluster | None, threads: int
) -> float:
    """Return seconds per iteration without measuring, saving and compiling."""
    marks: list[tuple[int, float]] = []

    def watch(status: Status) -> None:
        if status.progress is not None:
            marks.append((status.progress.iteration or 0, time.perf_counter()))

    solve_spot(
        FLOP, iterations=iterations, output=folder, cluster=cluster, threads=threads, watcher=watch
    )
    gaps = [
        (after[1] - before[1]) / (after[0] - before[0])
        for before, after in pairwise(marks)
        if after[0] > before[0]
    ]
    return median(gaps)


def idle_bytes() -> int:
    """Return the memory of all processes that this one has started, shared pages divided."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family = {os.getpid()}
    while more := {each for each, parent in parents.items() if parent in family} - family:
        family |= more
    total = 0
    for pid in family - {os.getpid()}:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def recovery(folder: Path, engine: Engine, iterations: int) -> float:
    """Return how much longer the longest iteration takes if a worker is killed in it."""
    marks: list[float] = []

    def watch(status: Status) -> None:
        if status.progress is None:
            return
        marks.append(time.perf_counter())
        if status.progress.iteration == iterations // 2:
            call = engine.call(engine.workers[0], "facts")
            engine.wait([call])
            os.kill(call.answer()["pid"], signal.SIGKILL)

    cluster = TreeCluster(engine)
    solve_spot(FLOP, iterations=iterations, output=folder, cluster=cluster, watcher=watch)
    gaps = np.diff(marks)
    return float(gaps.max() - np.median(gaps))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--parts", default="spot,flops,recovery")
    given = parser.parse_args()
    parts = given.parts.split(",")
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "spot" in parts:
            for threads in (1, 2):
                target = folder / f"threads {threads}"
                found[f"spot, {threads} threads, s/iteration"] = per_iteration(
                    target, given.iterations, None, threads
                )
        if "flops" in parts:
            found["flops here, s"] = timed(
                lambda: report_spot(SMALL, FLOPS, iterations=40, output=folder / "flops", threads=1)
            )
        for workers in (1, 2, 3):
            begin = time.perf_counter()
            with open_cluster(f"local:{workers}") as engine:
                row: dict[str, Any] = {"start, s": time.perf_counter() - begin}
                row["idle, MB"] = idle_bytes() / 1e6
                row["round trip, ms"] = messages(engine)
                if "spot" in parts and workers < 3:
                    cluster = TreeCluster(engine)
                    row["spot, s/iteration"] = per_iteration(
                        folder / f"spot {workers}", given.iterations, cluster, 1
                    )
                if "flops" in parts and workers < 3:
                    pool = ClusterPool(engine)
                    target = folder / f"flops {workers}"
                    for _ in range(workers):  # every worker loads its kernels
                        list(pool.each(len, [([],)] * 4))
                    row["flops, s"] = timed(
                        partial(
                            report_spot,
                            *(SMALL, FLOPS),
                            iterations=40,
                            output=target,
                            pool=pool,
                            threads=1,
                        )
                    )
                if "recovery" in parts and workers == 3:
                    row["recovery, s"] = recovery(folder / "recovery", engine, given.iterations)
            found[f"local:{workers}"] = row
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
