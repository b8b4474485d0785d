"""The facts of a cluster: its machines, their versions, and the time that a message takes."""

import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from untilt.distributed.engine import Engine
from untilt.distributed.memory_check import answer_of

_ROUNDS = 50
_LARGE_ROUNDS = 10
_LARGE_BYTES = 1 << 20


@dataclass(frozen=True)
class ClusterFacts:
    """The machines of a cluster and the measured times."""

    workers: tuple[dict[str, Any], ...]
    """What each worker reports about itself."""
    notes: tuple[str, ...]
    start_seconds: float
    call_seconds: float
    """The median round-trip time of an empty call."""
    megabyte_seconds: float
    """The same with a message of 1 MB in each direction."""

    @property
    def machines(self) -> dict[str, int]:
        """Workers by machine."""
        names = [worker["machine"] for worker in self.workers]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    def to_json(self) -> dict[str, Any]:
        """Return the facts as `--json` prints them."""
        first = self.workers[0]
        return {
            "workers": len(self.workers),
            "machines": self.machines,
            "versions": {name: first[name] for name in ("python", "untilt", "numba", "numpy")},
            "processors": sorted({worker["processor"] for worker in self.workers}),
            "start_seconds": self.start_seconds,
            "call_seconds": self.call_seconds,
            "megabyte_seconds": self.megabyte_seconds,
            "notes": list(self.notes),
        }


def check_cluster(engine: Engine, start_seconds: float) -> ClusterFacts:
    """Ask all workers what they are, and measure how long messages take."""
    calls = [engine.call(worker, "facts") for worker in engine.workers]
    return ClusterFacts(
        workers=tuple(call.answer() for call in calls),
        notes=tuple(engine.notes),
        start_seconds=start_seconds,
        call_seconds=_round_trip(engine, None, _ROUNDS),
        megabyte_seconds=_round_trip(engine, np.zeros(_LARGE_BYTES, np.uint8), _LARGE_ROUNDS),
    )


def _round_trip(engine: Engine, message: Any, rounds: int) -> float:
    worker = engine.workers[0]
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        answer_of(engine, worker, "echo", engine.post(message))
        times.append(time.perf_counter() - begin)
    return median(times)
