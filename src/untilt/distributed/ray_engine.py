"""The engine that runs hosts as Ray actors, one processor each.

Ray neither restarts an actor nor repeats a call: a restarted actor would have lost its state
without anybody noticing. A driver decides what to do about a lost worker, and asks for a new one.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from untilt.distributed.address import Address
from untilt.distributed.engine import Call, WorkerLost
from untilt.distributed.ray_session import ray_session
from untilt.distributed.shard import Host
from untilt.errors import ClusterError

_START_SECONDS = 120.0
"""How long the first worker may take; importing Untilt from a network disk is slow."""
_REPLACE_SECONDS = 120.0
_POLL_SECONDS = 0.5
"""Between two looks whether the cluster has room for a new worker."""
Facts = dict[str, Any]
_VERSIONS = ("python", "untilt", "numba", "numpy")


@contextmanager
def ray_engine(address: Address) -> Iterator["RayEngine"]:
    """Provide an engine on the cluster at `address`."""
    with ray_session(address) as ray:
        engine = RayEngine(ray, address)
        try:
            engine.start()
            yield engine
        finally:
            engine.close()


@dataclass(frozen=True)
class _Start:
    """A new worker that is not ready yet."""

    actor: Any
    reference: Any
    """Of its first answer."""
    deadline: float


class RayEngine:
    """Workers that are Ray actors."""

    can_lose_workers = True

    def __init__(self, ray: Any, address: Address) -> None:
        self.is_one_machine = address.is_one_machine
        self.notes: Sequence[str] = []
        self._ray = ray
        self._wanted = address.workers
        self._actor = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Host)
        self._actors: dict[int, Any] = {}
        self._starts: dict[int, _Start] = {}
        self._looked_at = 0.0

    def start(self) -> None:
        """Start a worker for every processor, or as many as are wanted."""
        free = int(self._ray.cluster_resources().get("CPU", 0))
        count = self._wanted or free
        if count < 1:
            raise ClusterError("the cluster has no processors: add a node, or use local:N")
        if count > free:
            raise ClusterError(
                f"the cluster has {free} processors, not {count}: ask for fewer workers"
            )
        first = [self._actor.remote() for _ in range(count)]
        pending = {actor.facts.remote(): number for number, actor in enumerate(first)}
        ready, late = self._ray.wait(
            list(pending), num_returns=count, timeout=_START_SECONDS, fetch_local=False
        )
        for reference in late:  # another job has the processors
            self._ray.kill(first[pending[reference]])
        facts = {}
        for reference in ready:
            number = pending[reference]
            facts[number] = self._first_answer(reference)
            self._actors[number] = first[number]
        if not facts:
            raise ClusterError(
                f"the cluster has no free processor: none of its {count} was free for "
                f"{_START_SECONDS:g} s; wait for its other jobs"
            )
        self.notes = verify_versions(Host().facts(), facts.values())

    @property
    def workers(self) -> Sequence[int]:
        """The numbers of the workers that are there."""
        self._take_in()
        return sorted(self._actors)

    def call(self, worker: int, method: str, *arguments: Any) -> Call:
        """Send a call to a worker."""
        reference = getattr(self._actors[worker], method).remote(*arguments)
        return Call(worker, lambda: self._answer(reference), reference)

    def share(self, value: Any) -> Any:
        """Put a value into the object store, from where each machine fetches it once."""
        return self._ray.put(value)

    def wait(self, calls: Sequence[Call]) -> list[Call]:
        """Wait until a call is done or lost, or a new worker has come."""
        of = {call.handle: call for call in calls}
        while not self._wait_for_any(list(of)):
            pass
        ready, _ = self._ray.wait(list(of), num_returns=len(of), timeout=0)
        return [of[reference] for reference in ready]

    def replace(self, worker: int) -> None:
        """Begin to start another actor, on any machine that has a free processor."""
        lost = self._actors.pop(worker, None)
        with suppress(Exception):  # it is dead already, as a rule
            self._ray.kill(lost)
        actor = self._actor.remote()
        deadline = time.monotonic() + _REPLACE_SECONDS
        self._starts[worker] = _Start(actor, actor.facts.remote(), deadline)

    def await_new(self) -> bool:
        """Wait until a worker that is starting has come."""
        before = set(self._actors)
        while self._starts and before >= set(self._actors):
            self._wait_for_any([])
        return not before >= set(self._actors)

    def _wait_for_any(self, references: list[Any]) -> bool:
        """Wait for one of the references, or a new worker; for a moment if one is starting."""
        if not self._starts:
            self._ray.wait(references, num_returns=1)
            return True
        starting = [start.reference for start in self._starts.values()]
        found, _ = self._ray.wait(
            [*references, *starting], num_returns=1, timeout=_POLL_SECONDS, fetch_local=False
        )
        self._take_in()
        return bool(found)

    def _take_in(self) -> None:
        """Count workers in that have come, and give up those that cannot come."""
        if not self._starts:
            return
        of = {start.reference: worker for worker, start in self._starts.items()}
        for reference in self._ray.wait(list(of), num_returns=len(of), timeout=0)[0]:
            worker = of[reference]
            start = self._starts.pop(worker)
            try:
                self._answer(reference)
            except WorkerLost:
                continue
            self._actors[worker] = start.actor
        now = time.monotonic()
        if not self._starts or now < self._looked_at + _POLL_SECONDS:
            return
        self._looked_at = now
        room = int(self._ray.cluster_resources().get("CPU", 0)) - len(self._actors)
        for number, (worker, start) in enumerate(list(self._starts.items())):
            if number >= room or now > start.deadline:
                del self._starts[worker]
                self._ray.kill(start.actor)

    def close(self) -> None:
        """End all workers."""
        for actor in [*self._actors.values(), *(each.actor for each in self._starts.values())]:
            with suppress(Exception):
                self._ray.kill(actor)
        self._actors.clear()
        self._starts.clear()

    def _answer(self, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            if isinstance(cause, MemoryError):
                raise WorkerLost("it ran out of memory") from None
            raise cause from None
        except errors.OutOfMemoryError:
            raise WorkerLost("its machine ran out of memory") from None
        except errors.RayError as error:
            raise WorkerLost(reason_of(error)) from None

    def _first_answer(self, reference: Any) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self._answer(reference)
        except (WorkerLost, ImportError) as error:
            raise ClusterError(
                f"a worker cannot start ({error}); install untilt[ray] on every machine of the "
                "cluster"
            ) from error
        return found


def verify_versions(ours: Facts, facts: Iterable[Facts]) -> list[str]:
    """Raise ClusterError if workers have other versions; return what else a user should know."""
    processors = {ours["processor"]}
    for found in facts:
        processors.add(found["processor"])
        for name in _VERSIONS:
            if found[name] != ours[name]:
                raise ClusterError(
                    f"{found['machine']} has {name} {found[name]}, this machine has "
                    f"{ours[name]}: install the same version on all machines"
                )
    if len(processors) == 1:
        return []
    return [
        f"the machines have different processors ({', '.join(sorted(processors))}): results may "
        "differ in the last bits from those of one machine"
    ]


def reason_of(error: Exception) -> str:
    """Return why a worker was lost, in a few words."""
    text = str(error)
    if "low on memory" in text:
        return "its machine ran out of memory"
    if "NodeDied" in type(error).__name__ or "node has died" in text.lower():
        return "its machine was lost"
    return "its process ended, perhaps because memory ran out"
