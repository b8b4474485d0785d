"""What a Ray cluster on this machine costs and gains; one part or several.

    uv run --extra ray python benchmarks/cluster.py start nodes messages
    uv run --extra ray python benchmarks/cluster.py overhead speed recovery

Run it on a quiet machine; a part takes at most two minutes, once a first run has compiled the
kernels. Every figure is shown with the required one. Times are wall-clock, with the processor time
of all processes beside them, which other programs disturb less. Measurements that are compared
alternate.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from untilt.distributed.driver import Driver
from untilt.distributed.engine import Engine, open_cluster
from untilt.distributed.ray_session import only_what_computes
from untilt.distributed.remote_boards import TreeCluster
from untilt.distributed.tasks import ClusterPool
from untilt.formats.run.shard_folder import ShardFolder
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.cost.spot_size import check_fits
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.batches.flop_report import report_spot
from untilt.runs.batches.pool import InTurn
from untilt.runs.solve import solve as solve_spot
from untilt.runs.spots.spot_material import prepare_spot
from untilt.runs.spots.spot_request import request_of, spot_stop
from untilt.runs.watching import Status

RANGES = (
    "22+,A2s+,K5s+,Q7s+,J8s+,T8s+,97s+,87s,76s,65s,A8o+,KTo+,QTo+,JTo",
    "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,ATo+,KJo+",
)
FLOP = Spot("Td9d6h", RANGES, 180, 910, sizes=Sizes("60%"))
"""About 100 ms per step on one processor."""
NARROW = ("77+,AJs+,KQs,AQo+", "66+,ATs+,KJs+,AJo+")
SMALL = Spot("Td9d6h", NARROW, 60, 60, sizes=Sizes("a"))
SHARDS = Spot("Td9d6h", NARROW, 180, 400, sizes=Sizes("100%"))
"""On three workers, each holds about 16 MB."""
FLOPS = ["AsKs2h", "7c7d2s", "QhJc3d", "9s8s4d", "Kd5c2h", "6h4c3s", "JdTd2c", "8h5h5c"]
NUM_STEPS = 20
ROUNDS = 3
ITERATIONS = 60
FIRST_TOUCH = 8
"""The first iterations, in which touching new memory takes as long as the work."""
Found = dict[str, Any]


def at_most(asked: float, measured: float) -> Found:
    return {"asked, at most": asked, "measured": measured, "reached": measured <= asked}


def at_least(asked: float, measured: float) -> Found:
    return {"asked, at least": asked, "measured": measured, "reached": measured >= asked}


def family() -> set[int]:
    """Return this process and all its descendants."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {os.getpid()}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def processor_seconds() -> float:
    """Return the processor time of the family so far."""
    ticks = 0
    for pid in family():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def idle_megabytes() -> Found:
    """Return the memory of all descendants: with shared pages divided (PSS), and in full (RSS)."""
    found = {"Pss": 0, "Rss": 0}
    for pid in family() - {os.getpid()}:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        for name in found:
            found[name] += sum(
                int(line.split()[1]) for line in lines if line.startswith(f"{name}:")
            )
    return {f"{name.upper()}, MB": kilobytes / 1000 for name, kilobytes in found.items()}


def timed(work: Callable[[], Any]) -> Found:
    """Return how long some work takes, and the processor time of all processes."""
    begin, processor = time.perf_counter(), processor_seconds()
    work()
    return {
        "s": time.perf_counter() - begin,
        "processor, s": processor_seconds() - processor,
    }


@contextmanager
def three_nodes(folder: Path) -> Iterator[str]:
    """Start three nodes with a processor each, and provide their address."""
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # loopback only, before Ray is imported
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    os.environ["RAY_TMPDIR"] = str(folder)
    os.environ.update({"RAY_raylet_start_wait_time_s": "120"})
    from ray.cluster_utils import Cluster

    size = {"num_cpus": 1, "object_store_memory": 80 << 20}
    with only_what_computes():
        cluster: Any = Cluster(
            initialize_head=True,
            head_node_args={
                **size,
                "include_dashboard": False,
                "_system_config": {"worker_niceness": 0},
            },
        )
        for _ in range(2):
            cluster.add_node(**size)
    try:
        yield cluster.address
    finally:
        cluster.shutdown()


def start(folder: Path) -> Found:
    """How long a local cluster takes to start, and what it needs."""
    del folder
    found: Found = {}
    for workers in (1, 2, 3):
        before, begin = processor_seconds(), time.perf_counter()
        with open_cluster(f"local:{workers}"):
            seconds = time.perf_counter() - begin
            spent = processor_seconds() - before
            time.sleep(3)
            found[f"local:{workers}"] = {
                "s": at_most(8, seconds),
                "processor, s": spent,
                **idle_megabytes(),
            }
    return found


def nodes(folder: Path) -> Found:
    """The same for three nodes with a worker each."""
    begin = time.perf_counter()
    with three_nodes(folder) as address, open_cluster(address):
        seconds, spent = time.perf_counter() - begin, processor_seconds()
        time.sleep(3)
        memory = idle_megabytes()
        return {
            "s": at_most(8, seconds),
            "processor, s": spent,
            **memory,
            "PSS, MB": at_most(600, memory["PSS, MB"]),
        }


class Mirror:
    """A shard that computes nothing, and answers with its share of as many bytes as it gets."""

    def __init__(self, group: int) -> None:
        del group
        self.answer = np.zeros(0, np.uint8)

    def advance(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        size = len(inputs["message"]) // 3
        if len(self.answer) != size:
            self.answer = np.zeros(size, np.uint8)
        return {"message": self.answer}

    ask = advance

    def arrays(self) -> Mapping[str, Any]:
        return {"message": self.answer}

    def load(self, arrays: Mapping[str, Any]) -> None:
        self.answer = arrays["message"]


def messages(folder: Path) -> Found:
    """How long a step of three workers takes with messages of up to 4 MB.

    A step sends the message to all workers, which return as much in total.
    """
    sizes = (0, 100_000, 1_000_000, 4_000_000)
    times: dict[int, list[float]] = {size: [] for size in sizes}
    spent = dict.fromkeys(sizes, 0.0)
    with open_cluster("local:3") as engine:
        for _ in range(2 * ROUNDS):
            for size in sizes:
                driver = Driver(engine, Mirror, [1, 1, 1], ShardFolder(folder / str(size)))
                inputs = {"message": np.zeros(size, np.uint8)}
                for _ in range(3):
                    driver.ask(inputs)
                processor = processor_seconds()
                times[size] += [timed_ask(driver, inputs) for _ in range(NUM_STEPS)]
                spent[size] += processor_seconds() - processor
    return {
        f"{size} bytes": {
            "median, ms": at_most(5, 1e3 * median(times[size])),
            "least, ms": 1e3 * min(times[size]),
            "processor, ms": 1e3 * spent[size] / len(times[size]),
        }
        for size in sizes
    }


def timed_ask(driver: Driver, inputs: Mapping[str, Any]) -> float:
    begin = time.perf_counter()
    driver.ask(inputs)
    return time.perf_counter() - begin


def iterations(folder: Path, engine: Engine) -> list[dict[str, Found]]:
    """Return what iterations of the flop take here and on workers, alternately."""
    request = request_of(FLOP, "dcfr", {"threads": 1}, spot_stop(FLOP.pot, iterations=ITERATIONS))
    folder.mkdir(parents=True)
    solvers = {
        "here": prepare_spot(request).solver,
        "there": prepare_spot(request, TreeCluster(engine), folder).solver,
    }
    found = [
        {name: timed(partial(solver.advance, 1)) for name, solver in solvers.items()}
        for _ in range(FIRST_TOUCH + ITERATIONS)
    ]
    return found[FIRST_TOUCH:]


def flops(folder: Path, engine: Engine | None) -> Found:
    """Return the time of a report."""
    pool = InTurn() if engine is None else ClusterPool(engine)
    how: dict[str, Any] = {"output": folder, "pool": pool, "iterations": 20, "threads": 1}
    return timed(partial(report_spot, SMALL, FLOPS, **how))


def reports(folder: Path, engine: Engine) -> list[dict[str, Found]]:
    """Return what a report takes here and on workers, alternately."""
    found = [
        {
            "here": flops(folder / f"{number} here", None),
            "there": flops(folder / f"{number} there", engine),
        }
        for number in range(ROUNDS + 1)
    ]
    return found[1:]  # the first one loads kernels


def compared(folder: Path, workers: int) -> dict[str, list[dict[str, Found]]]:
    """Return what the flops and the spot took, alternately in this process and on workers."""
    with open_cluster(f"local:{workers}") as engine:
        return {
            "flops": reports(folder / "reports", engine),
            "spot, iteration": iterations(folder / "spot", engine),
        }


def ratio(rounds: list[dict[str, Found]], unit: str) -> float:
    """Return the median of there / here; each pair was measured within moments."""
    return float(median(each["there"][unit] / each["here"][unit] for each in rounds))


def total_ratio(rounds: list[dict[str, Found]], unit: str) -> float:
    """Return the same for the sums, because processor time is counted in hundredths of a second."""
    there, here = (sum(each[place][unit] for each in rounds) for place in ("there", "here"))
    return float(there / here)


def medians(rounds: list[dict[str, Found]]) -> Found:
    return {f"{place}, s": median(each[place]["s"] for each in rounds) for place in rounds[0]}


def overhead(folder: Path) -> Found:
    """What one worker costs, at steps of 100 ms or more; an iteration has two steps."""
    return {
        name: {
            "more, %": at_most(6, 100 * (ratio(rounds, "s") - 1)),
            "more processor time, %": 100 * (total_ratio(rounds, "processor, s") - 1),
            **medians(rounds),
        }
        for name, rounds in compared(folder, 1).items()
    }


def speed(folder: Path) -> Found:
    """What two workers gain on two free processors."""
    return {
        name: {
            "times as fast": at_least(1.6, 1 / ratio(rounds, "s")),
            "more processor time, %": 100 * (total_ratio(rounds, "processor, s") - 1),
            **medians(rounds),
        }
        for name, rounds in compared(folder, 2).items()
    }


def recovery(folder: Path) -> Found:
    """How long it takes from noticing a loss until the step is done, for a shard of 16 MB."""
    found: Found = {"MB per worker": check_fits(SHARDS, 1 << 62).total_bytes() / 3e6}
    for workers in (1, 3):
        with open_cluster(f"local:{workers}") as engine:
            seconds = recovery_of(folder / str(workers), engine)
            found[f"local:{workers}, s"] = {"longest": at_most(3, max(seconds)), "all": seconds}
    return found


def recovery_of(folder: Path, engine: Engine) -> list[float]:
    lost: list[float] = []
    seconds: list[float] = []

    def watch(status: Status) -> None:
        if status.progress is None:
            return
        if len(lost) > len(seconds):
            seconds.append(time.perf_counter() - lost[-1])
        if status.progress.iteration in (20, 60, 100):
            worker = engine.workers[0]
            os.kill(engine.call(worker, "facts").answer()["pid"], signal.SIGKILL)

    cluster = TreeCluster(engine, lambda _: lost.append(time.perf_counter()))
    solve_spot(SHARDS, iterations=120, output=folder, cluster=cluster, watcher=watch)
    return seconds


PARTS = {each.__name__: each for each in (start, nodes, messages, overhead, speed, recovery)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    parts = parser.parse_args().parts
    if len(parts) > 1:  # each in its own process
        for part in parts:
            subprocess.run([sys.executable, __file__, part], check=True)
        return
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps({parts[0]: PARTS[parts[0]](Path(name))}, indent=2))


if __name__ == "__main__":
    main()
