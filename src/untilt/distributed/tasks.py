"""Independent tasks on a cluster: each goes to a free worker, and is repeated if it is lost."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from untilt.distributed.engine import Call, Engine, WorkerLost
from untilt.distributed.remote_boards import verify_shared
from untilt.errors import ClusterError

_MOST_ATTEMPTS = 3
_AT_ONCE = 2
"""Tasks that a worker is given at a time, so that it never waits for the next one."""


class ClusterPool:
    """A pool (see `runs.pool`) whose tasks are done by the workers of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def size(self) -> int:
        """How many tasks are done at the same time."""
        return len(self._engine.workers)

    @property
    def is_one_machine(self) -> bool:
        """Whether all workers are on this machine."""
        return self._engine.is_one_machine

    def verify_shared(self, folder: Path) -> None:
        """Raise ClusterError unless all workers can see the files in a folder."""
        verify_shared(self._engine, folder)

    def each(
        self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Any]]:
        """Yield the number of each task with what `function` returns for it, in any order."""
        todo = deque(range(len(tasks)))
        lost: Counter[int] = Counter()
        load: Counter[int] = Counter()
        waiting: dict[Call, int] = {}
        while todo or waiting:
            if not self._engine.workers and not self._engine.await_new():
                raise ClusterError(
                    "the cluster has no workers left; what is done is kept: resume when it has "
                    "some",
                    is_gone=True,
                )
            workers = self._engine.workers
            while todo:
                worker = min(workers, key=lambda each: (load[each], each))
                # The last tasks wait for the first worker that is free.
                if load[worker] >= (_AT_ONCE if len(todo) >= len(workers) else 1):
                    break
                task = todo.popleft()
                call = self._engine.call(worker, "run", function, *tasks[task])
                waiting[call] = task
                load[worker] += 1
            gone: set[int] = set()
            for call in self._engine.wait(list(waiting)):
                task = waiting.pop(call)
                load[call.worker] -= 1
                try:
                    yield task, call.answer()
                except WorkerLost as error:
                    gone.add(call.worker)
                    todo.appendleft(task)
                    lost[task] += 1
                    if lost[task] >= _MOST_ATTEMPTS:
                        raise ClusterError(
                            f"a task was given up after {lost[task]} workers were lost with it "
                            f"({error}); what is done is kept: resume with fewer workers on each "
                            "machine if memory ran out",
                            is_gone=True,
                        ) from error
            for worker in gone:
                for call in [each for each in waiting if each.worker == worker]:
                    todo.appendleft(waiting.pop(call))
                load[worker] = 0
                self._engine.replace(worker)
