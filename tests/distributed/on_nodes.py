"""Solves spots, trains a blueprint and reports flops on Ray nodes, and kills all that can die.

Run as a process of its own, with a folder. It starts five nodes, and on these, for each of the
four works, a process that kills its only worker twice and then itself. Then it goes on where they
have stopped, with all workers, and kills workers and nodes. Prints a JSON object: what was killed,
and whether results are those of this process alone.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # loopback only, before Ray is imported
os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ.update({"RAY_raylet_start_wait_time_s": "120"})  # Ray's 10 are few on a busy machine

import pytest
from ray.cluster_utils import Cluster
from tests.distributed.processes import descendants, wait_until_gone
from tests.distributed.test_training import CARDS, MENU, RULES, learnt
from tests.distributed.test_tree import TURN
from tests.runs.random_dealer import draw_buckets

from untilt.distributed import ray_engine, training
from untilt.distributed.engine import Engine, InProcess, WorkerLost, open_cluster
from untilt.distributed.ray_session import only_what_computes
from untilt.distributed.remote_boards import TreeCluster
from untilt.distributed.tasks import ClusterPool
from untilt.distributed.training import TrainingCluster
from untilt.formats.run.checkpoint import NEWEST
from untilt.runs.batches.flop_report import FlopStatus, report_spot, resume_report
from untilt.runs.blueprints.trainer import resume_blueprint, train_blueprint
from untilt.runs.solve import solve as solve_spot
from untilt.runs.spots.solutions import load_spot, resume_spot
from untilt.runs.watching import Status

ITERATIONS = 120
DEALS = 8_000
FLOPS = [
    *("AsKs2h", "7c7d2s", "Td9d6h", "QhJc3d", "9s8s4d"),
    *("Kd5c2h", "6h4c3s", "JdTd2c", "8h5h5c", "Ah9c4d"),
]
SYSTEM = {
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 4,
    "worker_niceness": 0,
}
real_walk_chunk = training.walk_chunk

Watch = Callable[[Status | FlopStatus], None]


def walk_drawn_chunk(*arguments: Any) -> Any:
    """Walk a chunk with drawn buckets, on whichever worker this is."""
    draw_buckets(pytest.MonkeyPatch())
    return real_walk_chunk(*arguments)


class Spot:
    """One tree over workers."""

    name = "spot"
    first, then = (5, 10, 20), (30, 50, 70, 90)
    options: Mapping[str, Any] = {}

    def begin(self, folder: Path, engine: Engine | None, watch: Watch | None) -> None:
        cluster = None if engine is None else TreeCluster(engine)
        solve_spot(
            TURN,
            output=folder,
            iterations=ITERATIONS,
            threads=1,
            cluster=cluster,
            watcher=watch,
            **self.options,
        )

    def resume(self, folder: Path, engine: Engine, watch: Watch) -> None:
        resume_spot(folder, cluster=TreeCluster(engine), watcher=watch)

    def found(self, folder: Path) -> object:
        return [table[:].tobytes() for table in load_spot(folder).snapshot.tables]


class NoisySpot(Spot):
    """One tree with noise over workers."""

    name = "noise"
    options: Mapping[str, Any] = {"noise": "oop=3%,ip=6%"}


class Training:
    """Chunks of deals against frozen tables."""

    name = "training"
    first, then = (1_000, 2_000, 3_000), (4_000, 5_000, 6_000, 7_000)

    def begin(self, folder: Path, engine: Engine | None, watch: Watch | None) -> None:
        cluster = TrainingCluster(InProcess() if engine is None else engine)
        how: dict[str, Any] = {"iterations": DEALS, "batch": 1_000, "chunks": 4}
        train_blueprint(RULES, MENU, CARDS, output=folder, cluster=cluster, watcher=watch, **how)

    def resume(self, folder: Path, engine: Engine, watch: Watch) -> None:
        resume_blueprint(folder, cluster=TrainingCluster(engine), watcher=watch)

    def found(self, folder: Path) -> object:
        return learnt(folder)


class Flops:
    """Independent tasks."""

    name = "flops"
    first, then = (0, 1, 2), (2, 3, 4, 5)

    def begin(self, folder: Path, engine: Engine | None, watch: Watch | None) -> None:
        pool = None if engine is None else ClusterPool(engine)
        report_spot(TURN, FLOPS, iterations=2, threads=1, output=folder, pool=pool, watcher=watch)

    def resume(self, folder: Path, engine: Engine, watch: Watch) -> None:
        resume_report(folder, pool=ClusterPool(engine), watcher=watch)

    def found(self, folder: Path) -> object:
        return resume_report(folder).at().to_json()


Work = Spot | Training | Flops
WORKS: Sequence[Work] = (Spot(), NoisySpot(), Training(), Flops())


class Killer:
    """Kills something each time the work has come so far."""

    def __init__(
        self, engine: Engine, moments: Sequence[int], last: Callable[[Status | FlopStatus], bool]
    ) -> None:
        """At the last moment, or soon after it, `last` is called until it says that it is done."""
        self.engine = engine
        self.moments = list(moments)
        self.last = last
        self.workers = 0

    def __call__(self, status: Status | FlopStatus) -> None:
        if isinstance(status, FlopStatus):
            done = status.done
        elif status.progress is None:
            return
        else:
            done = status.progress.iteration or 0
        if not self.moments or done < self.moments[0]:
            return
        if self.kill_worker() if len(self.moments) > 1 else self.last(status):
            del self.moments[0]

    def kill_worker(self) -> bool:
        """Kill a worker, another one each time; False if it was dead already."""
        worker = self.engine.workers[self.workers % len(self.engine.workers)]
        try:
            os.kill(self.engine.call(worker, "facts").answer()["pid"], signal.SIGKILL)
        except WorkerLost:
            return False
        self.workers += 1
        return True


def begin(folder: Path, work: Work) -> None:
    """Begin a work with one worker, kill that, and kill this process."""

    def die(status: Status | FlopStatus) -> bool:
        del status
        if work.name != "flops" and not (folder / work.name / NEWEST).exists():
            return False
        os.kill(os.getpid(), signal.SIGKILL)
        return True

    # Messages go as if the worker were on another machine.
    pytest.MonkeyPatch().setattr(ray_engine, "can_make_segments", lambda: False)
    with open_cluster("auto:1") as engine:
        work.begin(folder / work.name, engine, Killer(engine, work.first, die))


def kill_node(cluster: Any, node: Any) -> None:
    """Kill a node, and wait until its worker has ended: meanwhile, others may do all the rest."""
    pids = descendants(node.all_processes["raylet"][0].process.pid)
    cluster.remove_node(node, allow_graceful=False)
    assert not wait_until_gone(pids, 60)


def main(folder: Path) -> None:
    started = time.monotonic()
    report: dict[str, Any] = {}
    # Ray's sockets lie deep in its folder, and their paths can have 107 characters.
    scratch = tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True)
    os.environ["RAY_TMPDIR"] = scratch.name
    with only_what_computes():
        cluster: Any = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "include_dashboard": False,
                "object_store_memory": 80 << 20,
                "_system_config": SYSTEM,
            },
        )
        nodes = [cluster.add_node(num_cpus=1, object_store_memory=80 << 20) for _ in WORKS]
    report["nodes_seconds"] = time.monotonic() - started
    try:
        begun = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.distributed.on_nodes", str(folder), work.name],
                env={**os.environ, "RAY_ADDRESS": cluster.address},
            )
            for work in WORKS
        ]
        for work in WORKS:
            work.begin(folder / f"{work.name} alone", None, None)
        report["killed_drivers"] = [process.wait(400) for process in begun]
        report["begun_seconds"] = time.monotonic() - started
        with open_cluster(cluster.address) as engine:
            for work in WORKS:

                def lose_node(status: Status | FlopStatus) -> bool:
                    del status
                    kill_node(cluster, nodes.pop())
                    return True

                workers = len(engine.workers)
                killer = Killer(engine, work.then, lose_node)
                work.resume(folder / work.name, engine, killer)
                found = [work.found(folder / name) for name in (work.name, f"{work.name} alone")]
                report[work.name] = {
                    "workers": workers,
                    "killed": killer.workers + len(work.first) - 1,
                    "nodes_lost": len(WORKS) - len(nodes),
                    "same": found[0] == found[1],
                    "seconds": time.monotonic() - started,
                }
    finally:
        cluster.shutdown()
        scratch.cleanup()
    report["seconds"] = time.monotonic() - started
    print(json.dumps(report))


if __name__ == "__main__":
    draw_buckets(pytest.MonkeyPatch())
    pytest.MonkeyPatch().setattr(training, "walk_chunk", walk_drawn_chunk)
    if len(sys.argv) == 2:
        main(Path(sys.argv[1]))
    else:
        begin(Path(sys.argv[1]), {work.name: work for work in WORKS}[sys.argv[2]])
