"""Engines, which run hosts: the interface, and the engine of this process.

An engine has workers, each with a host. A call is started, waited for and answered, unless the
worker is lost; a new worker with an empty host then takes its place after a while. That is all that
a driver needs to know. (The engine that spans machines is in `ray_engine`.)
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from untilt.distributed.address import IN_PROCESS, parse_address
from untilt.distributed.shard import Host


class WorkerLost(Exception):
    """A worker has died, or cannot be reached; whatever it held is gone."""


@dataclass(eq=False)
class Call:
    """Something that a worker was asked to do."""

    worker: int
    answer: Callable[[], Any] = field(repr=False)
    """Waits for the answer and returns it; raises WorkerLost, or whatever the host raised."""
    handle: Any = None
    """The engine's own reference to the call."""


class Engine(Protocol):
    """Runs hosts, one per worker."""

    is_one_machine: bool
    """Whether all workers are on this machine."""
    can_lose_workers: bool
    """Whether a worker can be lost while this process keeps running."""
    notes: Sequence[str]
    """What the user should know about the cluster."""

    @property
    def workers(self) -> Sequence[int]:
        """The numbers of the available workers, ascending."""
        ...

    def call(self, worker: int, method: str, *arguments: Any) -> Call:
        """Start a call of a method of a worker's host."""
        ...

    def share(self, value: Any) -> Any:
        """Return a stand-in for a large value in several calls; the value is sent only once."""
        ...

    def post(self, message: Any) -> Any:
        """Return a stand-in for a message in calls that start before the next one is posted.

        Until then, arrays in the answers to these calls are valid; they may be read-only.
        """
        ...

    def wait(self, calls: Sequence[Call]) -> list[Call]:
        """Wait until one of the calls is done or lost, or a new worker has arrived.

        Return all calls that are done or lost, which may be none.
        """
        ...

    def replace(self, worker: int) -> None:
        """Start a new worker with an empty host in place of a lost one.

        It is among the `workers` once it has arrived. If there is no room for it, the cluster has
        one worker fewer.
        """
        ...

    def await_new(self) -> bool:
        """Wait for the arrival of a worker that is starting; False if none will arrive."""
        ...

    def close(self) -> None:
        """End all workers."""
        ...


class InProcess:
    """Runs hosts in this process, one call after another."""

    is_one_machine = True
    can_lose_workers = False
    notes: Sequence[str] = ()

    def __init__(self, num_workers: int = 1) -> None:
        self._hosts = {worker: Host() for worker in range(num_workers)}

    @property
    def workers(self) -> Sequence[int]:
        """The numbers of the workers."""
        return list(self._hosts)

    def call(self, worker: int, method: str, *arguments: Any) -> Call:
        """Do the call at once."""
        answer = getattr(self._hosts[worker], method)(*arguments)
        return Call(worker, lambda: answer)

    def share(self, value: Any) -> Any:
        """Return the value itself."""
        return value

    def post(self, message: Any) -> Any:
        """Return the message itself."""
        return message

    def wait(self, calls: Sequence[Call]) -> list[Call]:
        """Return all calls: they are done."""
        return list(calls)

    def replace(self, worker: int) -> None:
        """Give a worker an empty host."""
        self._hosts[worker] = Host()

    def await_new(self) -> bool:
        """New workers are available at once, so there is none to wait for."""
        return False

    def close(self) -> None:
        """Forget all hosts."""
        self._hosts.clear()


@contextmanager
def open_cluster(text: str) -> Iterator[Engine]:
    """Provide the engine for what `--cluster` names; nothing is left running afterwards."""
    address = parse_address(text)
    if address.kind == IN_PROCESS:
        yield InProcess(address.workers or 1)
        return
    from untilt.distributed.ray_engine import ray_engine

    with ray_engine(address) as engine:
        yield engine
