"""The engine that runs hosts as Ray actors, one processor each.

Ray neither restarts an actor nor repeats a call: a restarted actor would have lost its state
without anybody noticing. A driver decides what to do about a lost worker, and asks for a new one.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from untilt.distributed.address import Address
from untilt.distributed.engine import Call, WorkerLost
from untilt.distributed.ray_session import ray_session
from untilt.distributed.shard import Host
from untilt.errors import ClusterError

_START_SECONDS = 60.0
"""How long the first worker may take; importing Untilt from a network disk is slow."""
_REPLACE_SECONDS = 60.0
_POLL_SECONDS = 0.5
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
        self._references: dict[Call, Any] = {}

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
        return sorted(self._actors)

    def call(self, worker: int, method: str, *arguments: Any) -> Call:
        """Send a call to a worker."""
        reference = getattr(self._actors[worker], method).remote(*arguments)
        call = Call(worker, lambda: self._answer(reference))
        self._references[call] = reference
        return call

    def share(self, value: Any) -> Any:
        """Put a value into the object store, from where each machine fetches it once."""
        return self._ray.put(value)

    def wait(self, calls: Sequence[Call]) -> list[Call]:
        """Wait until a call is done or lost."""
        of = {self._references[call]: call for call in calls}
        ready, _ = self._ray.wait(list(of), num_returns=1)
        if len(of) > 1:  # others may be done as well
            ready, _ = self._ray.wait(list(of), num_returns=len(of), timeout=0)
        done = [of[reference] for reference in ready]
        for call in done:
            del self._references[call]
        return done

    def replace(self, worker: int) -> bool:
        """Start another actor, on any machine that has a free processor."""
        lost = self._actors.pop(worker, None)
        with suppress(Exception):  # it is dead already, as a rule
            self._ray.kill(lost)
        for call in [each for each in self._references if each.worker == worker]:
            del self._references[call]
        actor = self._actor.remote()
        reference = actor.facts.remote()
        if self._has_come(reference):
            with suppress(WorkerLost):
                self._answer(reference)
                self._actors[worker] = actor
                return True
        self._ray.kill(actor)
        return False

    def _has_come(self, reference: Any) -> bool:
        """Wait for a new worker, as long as the cluster has a processor for it."""
        end = time.monotonic() + _REPLACE_SECONDS
        while time.monotonic() < end:
            if self._ray.wait([reference], timeout=_POLL_SECONDS)[0]:
                return True
            if self._ray.cluster_resources().get("CPU", 0) < len(self._actors) + 1:
                return False
        return False

    def close(self) -> None:
        """End all workers."""
        for actor in self._actors.values():
            with suppress(Exception):
                self._ray.kill(actor)
        self._actors.clear()
        self._references.clear()

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
