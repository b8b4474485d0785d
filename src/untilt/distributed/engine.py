"""What runs hosts: the interface, and the engine that runs them in this process.

An engine has workers, each with a host. A call is begun, waited for, and answered, or the worker
is lost; then another one, with an empty host, takes its place after a while. That is all that a
driver needs to know. (`ray_engine` has the engine that spans machines.)
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
    """Waits for the answer and returns it; raises WorkerLost, or what the host has raised."""
    handle: Any = None
    """What the engine knows the call by."""


class Engine(Protocol):
    """Runs hosts, one per worker."""

    is_one_machine: bool
    """Whether all workers are on this machine."""
    can_lose_workers: bool
    """Whether a worker can be lost while this process goes on."""
    notes: Sequence[str]
    """What the user should know about the cluster."""

    @property
    def workers(self) -> Sequence[int]:
        """The numbers of the workers that are there, ascending."""
        ...

    def call(self, worker: int, method: str, *arguments: Any) -> Call:
        """Begin to call a method of a worker's host."""
        ...

    def share(self, value: Any) -> Any:
        """Return what stands for a large value in several calls; it is sent only once."""
        ...

    def post(self, message: Any) -> Any:
        """Return what stands for a message in calls that begin before the next one is posted.

        Until then, arrays in their answers are valid, which may be read-only.
        """
        ...

    def wait(self, calls: Sequence[Call]) -> list[Call]:
        """Wait until one of the calls is done or lost, or a new worker has come.

        Return all calls that are done or lost, which may be none.
        """
        ...

    def replace(self, worker: int) -> None:
        """Begin to put a new worker with an empty host in the place of a lost one.

        It is among the `workers` when it has come. If there is no room for it, the cluster has a
        worker fewer.
        """
        ...

    def await_new(self) -> bool:
        """Wait until a worker that was begun has come; False if none will come."""
        ...

    def close(self) -> None:
        """End all workers."""
        ...


class InProcess:
    """Runs hosts in this process, one call after the other."""

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
        """New workers are there at once, so none is to come."""
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
