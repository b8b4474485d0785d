"""A check that the machines of a cluster have enough memory for what their workers will hold."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from untilt.distributed.engine import Engine
from untilt.numeric.free_memory import available_bytes


class Shortage(NamedTuple):
    """A machine without enough memory."""

    machine: str
    needed_bytes: int
    free_bytes: int


def find_shortage(engine: Engine, needed: Mapping[int, int]) -> Shortage | None:
    """Return a machine with less memory than its workers will need; None if all have enough."""
    of_machine: dict[str, int] = {}
    free: dict[str, int] = {}
    for worker, size in needed.items():
        machine = str(answer_of(engine, worker, "facts")["machine"])
        of_machine[machine] = of_machine.get(machine, 0) + size
        if machine not in free:
            free[machine] = int(answer_of(engine, worker, "run", available_bytes))
    for machine, size in of_machine.items():
        if size > free[machine]:
            return Shortage(machine, size, free[machine])
    return None


def answer_of(engine: Engine, worker: int, method: str, *arguments: Any) -> Any:
    """Call a method of a worker's host, and return the answer."""
    return engine.call(worker, method, *arguments).answer()
