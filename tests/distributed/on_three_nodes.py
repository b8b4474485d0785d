"""Solves a spot, trains a blueprint and reports flops on three Ray nodes, and kills some of it.

Run as a process of its own, with a folder. Prints a JSON object: what was killed, and whether
results are those of this process alone.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # loopback only, before Ray is imported
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import pytest
from ray.cluster_utils import Cluster
from tests.distributed.test_training import CARDS, MENU, RULES, learnt
from tests.distributed.test_tree import TURN
from tests.runs.random_dealer import draw_buckets

from untilt.distributed import training
from untilt.distributed.engine import Engine, InProcess, open_cluster
from untilt.distributed.tasks import ClusterPool
from untilt.distributed.training import TrainingCluster
from untilt.distributed.tree_crew import TreeCluster
from untilt.runs.blueprints import train_blueprint
from untilt.runs.flop_report import FlopStatus, report_spot
from untilt.runs.spots import resume_spot, solve_spot
from untilt.runs.watching import Status

ITERATIONS = 160
DEALS = 12_000
FLOPS = ["AsKs2h", "7c7d2s", "Td9d6h", "QhJc3d"]
SYSTEM = {"health_check_period_ms": 500, "health_check_failure_threshold": 4}
real_walk_chunk = training.walk_chunk


def walk_drawn_chunk(*arguments: Any) -> Any:
    """Walk a chunk with drawn buckets, on whichever worker this is."""
    draw_buckets(pytest.MonkeyPatch())
    return real_walk_chunk(*arguments)


class Killer:
    """Kills something when the work has come so far."""

    def __init__(self, engine: Engine, at: dict[int, Callable[[], object]]) -> None:
        self.engine = engine
        self.at = at
        self.workers = 0

    def __call__(self, status: Status | FlopStatus) -> None:
        if isinstance(status, FlopStatus):
            done = status.done
        else:
            done = 0 if status.progress is None else status.progress.iteration or 0
        for moment in [each for each in self.at if each <= done]:
            self.at.pop(moment)()

    def kill_worker(self) -> None:
        worker = self.engine.workers[self.workers % len(self.engine.workers)]
        call = self.engine.call(worker, "facts")
        self.engine.wait([call])
        os.kill(call.answer()["pid"], signal.SIGKILL)
        self.workers += 1


def main(folder: Path) -> None:
    draw_buckets(pytest.MonkeyPatch())
    patch = pytest.MonkeyPatch()
    patch.setattr(training, "walk_chunk", walk_drawn_chunk)
    begin = time.monotonic()
    cluster: Any = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "include_dashboard": False,
            "object_store_memory": 80 << 20,
            "_system_config": SYSTEM,
        },
    )
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=80 << 20) for _ in range(2)]
    report: dict[str, Any] = {"nodes_seconds": time.monotonic() - begin}
    try:
        with open_cluster(cluster.address) as engine:
            report["workers"] = len(engine.workers)
            report["spot"] = spot(folder, engine, lambda: cluster.remove_node(nodes.pop(), False))
            report["workers_after"] = len(engine.workers)
            report["training"] = blueprint(folder, engine)
            report["flops"] = flops(folder, engine)
    finally:
        cluster.shutdown()
    print(json.dumps(report))


def spot(folder: Path, engine: Engine, kill_node: Callable[[], object]) -> dict[str, Any]:
    options: dict[str, Any] = {"iterations": ITERATIONS, "threads": 1}
    solve_spot(TURN, output=folder / "alone", **options)
    killer = Killer(engine, {})
    for moment in range(10, 60, 10):
        killer.at[moment] = killer.kill_worker
    killer.at[80] = kill_node
    solve_spot(TURN, output=folder / "spot", cluster=TreeCluster(engine), watcher=killer, **options)
    # Another driver, with another number of workers, goes on where this one has stopped.
    resumed = resume_spot(
        folder / "spot", iterations=ITERATIONS + 8, cluster=TreeCluster(InProcess(2))
    )
    longer = resume_spot(folder / "alone", iterations=ITERATIONS + 8)
    tables = [[table.tobytes() for table in each.snapshot.tables] for each in (resumed, longer)]
    return {"killed": killer.workers, "same": tables[0] == tables[1]}


def blueprint(folder: Path, engine: Engine) -> dict[str, Any]:
    options: dict[str, Any] = {"iterations": DEALS, "batch": 1_000}
    killer = Killer(engine, {})
    for moment in range(1_000, 11_000, 2_000):
        killer.at[moment] = killer.kill_worker
    for name, watcher, each in (("one", None, InProcess()), ("many", killer, engine)):
        cluster = TrainingCluster(each)
        train_blueprint(
            RULES, MENU, CARDS, output=folder / name, cluster=cluster, watcher=watcher, **options
        )
    return {"killed": killer.workers, "same": learnt(folder / "one") == learnt(folder / "many")}


def flops(folder: Path, engine: Engine) -> dict[str, Any]:
    options: dict[str, Any] = {"iterations": 2, "threads": 1}
    killer = Killer(engine, {})
    killer.at = {0: killer.kill_worker, 2: killer.kill_worker}
    here = report_spot(TURN, FLOPS, output=folder / "flops", **options)
    pool = ClusterPool(engine)
    there = report_spot(
        TURN, FLOPS, output=folder / "flops there", pool=pool, watcher=killer, **options
    )
    found = [each.at().to_json() for each in (here, there)]
    return {"killed": killer.workers, "same": found[0] == found[1]}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
