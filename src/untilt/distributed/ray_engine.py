"""The engine that runs hosts as Ray actors, one processor each.

Ray neither restarts an actor nor repeats a call: a restarted actor would have lost its state
unnoticed. A driver decides what to do about a lost worker, and asks for a new one.
"""

import pickle
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from untilt.distributed.address import Address
from untilt.distributed.engine import Call, WorkerLost
from untilt.distributed.ray_session import ray_session
from untilt.distributed.shard import Host
from untilt.distributed.shared_memory import (
    LARGEST,
    Packed,
    Parts,
    Segment,
    SegmentPlace,
    Segments,
    can_make_segments,
)
from untilt.errors import ClusterError

_START_SECONDS = 120.0
"""How long the first worker may take to start; importing Untilt from a network disk is slow."""
_REPLACE_SECONDS = 120.0
_POLL_SECONDS = 0.5
"""Time between two checks of whether the cluster has room for a new worker."""
_SHARED_BYTES = 256 << 10
"""From this size upwards, one message for several other machines costs less than one for each."""
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
    """The reference of its first answer."""
    deadline: float


class RayHost(Host):
    """A host whose messages may lie in memory that it shares with the driver."""

    def __init__(self) -> None:
        super().__init__()
        self._segments = Segments()

    def greet(self, place: SegmentPlace | None) -> tuple[Facts, bool]:
        """Return facts about this host, and whether it can open the driver's memory."""
        return self.facts(), place is not None and self._segments.can_open(place)

    def answer(self, request: bytes) -> "bytes | Unpacked":
        """Carry out a pickled request, with messages and room for the answer in shared memory.

        Bytes, because Ray sends these faster than other objects.
        """
        room, method, arguments = pickle.loads(request)
        given = [self._segments.unpack(x) if isinstance(x, Packed) else x for x in arguments]
        found = getattr(self, method)(*given)
        parts = Parts(found)
        packed = None if room is None else self._segments.pack(parts, room)
        return Unpacked(found, parts.num_bytes) if packed is None else pickle.dumps(packed)


@dataclass(frozen=True)
class Unpacked:
    """An answer that did not fit into shared memory."""

    value: Any
    num_bytes: int
    """The room that it would have needed."""


@dataclass(frozen=True)
class Posted:
    """A message for the workers of this machine and of others."""

    near: Any
    segment: Segment | None
    """Where the buffers of `near` are, if it has any."""
    far: Any


class RayEngine:
    """Workers that are Ray actors."""

    can_lose_workers = True

    def __init__(self, ray: Any, address: Address) -> None:
        self.is_one_machine = address.is_one_machine
        self.notes: Sequence[str] = []
        self._ray = ray
        self._wanted = address.workers
        self._actor = ray.remote(
            num_cpus=1, max_restarts=0, max_task_retries=0, enable_task_events=False
        )(RayHost)
        self._actors: dict[int, Any] = {}
        self._inbox = Segment(0) if can_make_segments() else None
        """What was posted last."""
        self._rooms: dict[int, Segment] = {}
        """Where the workers on this machine leave their answers."""
        self._answered: set[int] = set()
        """The workers whose room holds an answer to the last posted message."""
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
        pending = {self._greeted(actor): number for number, actor in enumerate(first)}
        ready, late = self._ray.wait(
            list(pending), num_returns=count, timeout=_START_SECONDS, fetch_local=False
        )
        for reference in late:  # another job has the processors
            self._ray.kill(first[pending[reference]])
        facts = {}
        for reference in ready:
            number = pending[reference]
            facts[number] = self._admit(number, first[number], self._first_answer(reference))
        if not facts:
            raise ClusterError(
                f"the cluster has no free processor: none of its {count} was free for "
                f"{_START_SECONDS:g} s; wait for its other jobs"
            )
        self.notes = verify_versions(Host().facts(), facts.values())

    @property
    def workers(self) -> Sequence[int]:
        """The numbers of the available workers."""
        self._take_in()
        return sorted(self._actors)

    def call(self, worker: int, method: str, *arguments: Any) -> Call:
        """Send a call to a worker; its answer comes as the message does, if one was posted."""
        posted = next((each for each in arguments if isinstance(each, Posted)), None)
        if posted is not None and worker in self._rooms:
            return self._call_near(worker, posted, method, arguments)
        given = [each.far if isinstance(each, Posted) else each for each in arguments]
        reference = getattr(self._actors[worker], method).remote(*given)
        return Call(worker, lambda: self._answer(reference), reference)

    def _call_near(
        self, worker: int, posted: Posted, method: str, arguments: Sequence[Any]
    ) -> Call:
        given = [each.near if isinstance(each, Posted) else each for each in arguments]
        room = self._rooms[worker]
        # The room may already hold an answer to the same message.
        is_free = room.num_open == 0 and worker not in self._answered
        used = [segment for segment in (posted.segment, room if is_free else None) if segment]
        for segment in used:
            segment.num_open += 1
        request = pickle.dumps((room.place if is_free else None, method, given))
        reference = self._actors[worker].answer.remote(request)

        def answer() -> Any:
            try:
                found = self._answer(reference)
            except WorkerLost:  # it may still write there: its segments are not used again
                raise
            except Exception:
                _release(used)
                raise
            _release(used)
            if isinstance(found, Unpacked):
                if room.size < found.num_bytes <= LARGEST:
                    self._rooms[worker] = Segment(found.num_bytes)
                return found.value
            self._answered.add(worker)
            return room.unpack(pickle.loads(found))

        return Call(worker, answer, reference)

    def post(self, message: Any) -> Any:
        """Put a message where the workers on this machine find it, and send it to the others."""
        self._answered.clear()
        num_far = len(self._actors.keys() - self._rooms.keys())
        parts = Parts(message)
        far = self.share(message) if num_far > 1 and parts.num_bytes >= _SHARED_BYTES else message
        if self._inbox is None or not 0 < parts.num_bytes <= LARGEST:
            return Posted(message, None, far)
        if self._inbox.num_open or self._inbox.size < parts.num_bytes:
            self._inbox = Segment(parts.num_bytes)
        return Posted(self._inbox.pack(parts), self._inbox, far)

    def share(self, value: Any) -> Any:
        """Put a value into the object store, from where each machine fetches it once."""
        return self._ray.put(value)

    def wait(self, calls: Sequence[Call]) -> list[Call]:
        """Wait until a call is done or lost, or a new worker has arrived."""
        of = {call.handle: call for call in calls}
        while not self._wait_for_any(list(of)):
            pass
        ready, _ = self._ray.wait(list(of), num_returns=len(of), timeout=0)
        return [of[reference] for reference in ready]

    def replace(self, worker: int) -> None:
        """Start another actor, on any machine that has a free processor."""
        lost = self._actors.pop(worker, None)
        self._rooms.pop(worker, None)
        with suppress(Exception):  # it is usually dead already
            self._ray.kill(lost)
        actor = self._actor.remote()
        deadline = time.monotonic() + _REPLACE_SECONDS
        self._starts[worker] = _Start(actor, self._greeted(actor), deadline)

    def await_new(self) -> bool:
        """Wait for the arrival of a worker that is starting."""
        before = set(self._actors)
        while self._starts and before >= set(self._actors):
            self._wait_for_any([])
        return not before >= set(self._actors)

    def _wait_for_any(self, references: list[Any]) -> bool:
        """Wait for one of the references or a new worker; only briefly while one is starting."""
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
        """Admit workers that have arrived, and give up those that cannot arrive."""
        if not self._starts:
            return
        of = {start.reference: worker for worker, start in self._starts.items()}
        for reference in self._ray.wait(list(of), num_returns=len(of), timeout=0)[0]:
            worker = of[reference]
            start = self._starts.pop(worker)
            with suppress(WorkerLost):
                self._admit(worker, start.actor, self._answer(reference))
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
        for kept in (self._actors, self._starts, self._rooms):
            kept.clear()

    def _greeted(self, actor: Any) -> Any:
        """Return the reference of a worker's first answer."""
        return actor.greet.remote(None if self._inbox is None else self._inbox.place)

    def _admit(self, worker: int, actor: Any, greeting: tuple[Facts, bool]) -> Facts:
        """Admit a worker that has answered; return its facts."""
        facts, is_near = greeting
        self._actors[worker] = actor
        if is_near:
            self._rooms[worker] = Segment(0)
        return facts

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

    def _first_answer(self, reference: Any) -> tuple[Facts, bool]:
        try:
            found: tuple[Facts, bool] = self._answer(reference)
        except (WorkerLost, ImportError) as error:
            raise ClusterError(
                f"a worker cannot start ({error}); install untilt[ray] on every machine of the "
                "cluster"
            ) from error
        return found


def _release(segments: Iterable[Segment]) -> None:
    for segment in segments:
        segment.num_open -= 1


def verify_versions(ours: Facts, facts: Iterable[Facts]) -> list[str]:
    """Raise ClusterError if workers differ in version; return what else a user should know."""
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
