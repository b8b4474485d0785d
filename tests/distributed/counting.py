"""A small computation in groups, and engines that lose workers, for tests of the driver."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from untilt.distributed.engine import Call, InProcess, WorkerLost
from untilt.distributed.shard import Host, Message
from untilt.numeric.arrays import AnyArray


class Counter:
    """A shard whose state depends on all inputs and on their order."""

    def __init__(self, group: int) -> None:
        self.state = np.array([1.0 + group, 0.0])

    def advance(self, inputs: Message) -> Message:
        self.state[0] = np.sin(3.0 * self.state[0] + inputs["number"])
        self.state[1] += 1.0
        return {"value": self.state[0]}

    def ask(self, inputs: Message) -> Message:
        return {"value": self.state[0] * inputs["factor"]}

    def arrays(self) -> Mapping[str, AnyArray]:
        return {"state": self.state}

    def load(self, arrays: Mapping[str, AnyArray]) -> None:
        self.state = arrays["state"]


class Losing(InProcess):
    """Loses the worker that gets one of the calls with these numbers.

    Before the call is done, or after it: then only the answer is lost. Only the first `most_new`
    workers are replaced, and a new one comes `late` calls later.
    """

    can_lose_workers = True

    def __init__(
        self,
        num_workers: int,
        losses: Mapping[int, str] | None = None,
        most_new: int = 10**9,
        late: int = 0,
    ) -> None:
        super().__init__(num_workers)
        self.losses = dict(losses or {})
        self.most_new = most_new
        self.late = late
        self.calls = 0
        self.lost = 0
        self.dead: set[int] = set()
        self.gone: set[int] = set()
        """The dead that are known to be: nobody may call them."""
        self.coming: dict[int, int] = {}

    @property
    def workers(self) -> Sequence[int]:
        for worker in [each for each, moment in self.coming.items() if moment <= self.calls]:
            self.take_in(worker)
        return [worker for worker in super().workers if worker not in self.dead]

    def take_in(self, worker: int) -> None:
        del self.coming[worker]
        self.dead.discard(worker)
        self.gone.discard(worker)
        self._hosts[worker] = Host()

    def call(self, worker: int, method: str, *arguments: Any) -> Call:
        assert worker not in self.gone
        self.calls += 1
        when = self.losses.get(self.calls)
        if when == "after":
            super().call(worker, method, *arguments)
        if when is not None:
            self.lost += 1
            self.dead.add(worker)
        if worker in self.dead:

            def raise_lost() -> Any:
                raise WorkerLost("the test has ended it")

            return Call(worker, raise_lost)
        return super().call(worker, method, *arguments)

    def replace(self, worker: int) -> None:
        self.gone.add(worker)
        if self.most_new > 0:
            self.most_new -= 1
            self.coming[worker] = self.calls + self.late

    def await_new(self) -> bool:
        if not self.coming:
            return False
        self.take_in(min(self.coming, key=lambda worker: self.coming[worker]))
        return True
