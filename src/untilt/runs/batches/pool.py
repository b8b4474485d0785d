"""Independent tasks, done one after another or by several processes."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from untilt.errors import Argument, RunError
from untilt.options.run import PROCESSES

Tasks = Sequence[tuple[Any, ...]]
"""The arguments of each task."""


class Pool(Protocol):
    """Does independent tasks; `distributed.tasks` has one that does them on a cluster."""

    @property
    def size(self) -> int:
        """How many tasks are done at the same time."""
        ...

    @property
    def is_one_machine(self) -> bool:
        """Whether tasks can write to the files of this machine."""
        ...

    def verify_shared(self, folder: Path) -> None:
        """Raise ClusterError unless all workers can see the files in a folder."""
        ...

    def each(self, function: Callable[..., Any], tasks: Tasks) -> Iterator[tuple[int, Any]]:
        """Yield the number of each task with what `function` returns for it, in any order.

        Function, arguments and results are pickled if another process does the task.
        """
        ...


def pool_of(processes: int) -> Pool:
    """Return a pool of this many processes; for one, the current process does the tasks."""
    PROCESSES.verify(processes)
    return InTurn() if processes == 1 else Processes(processes)


class InTurn:
    """Does one task after another in this process."""

    size = 1
    is_one_machine = True

    def verify_shared(self, folder: Path) -> None:
        """Do nothing: this is the machine with the folder."""

    def each(self, function: Callable[..., Any], tasks: Tasks) -> Iterator[tuple[int, Any]]:
        """Yield results in the order of the tasks."""
        for number, arguments in enumerate(tasks):
            yield number, function(*arguments)


class Processes:
    """Does tasks in processes, which end with the last task, or with this process."""

    is_one_machine = True

    def __init__(self, size: int) -> None:
        self.size = size

    def verify_shared(self, folder: Path) -> None:
        """Do nothing: this is the machine with the folder."""

    def each(self, function: Callable[..., Any], tasks: Tasks) -> Iterator[tuple[int, Any]]:
        """Yield results as they come."""
        if len(tasks) < 2:
            yield from InTurn().each(function, tasks)
            return
        with _pool(min(self.size, len(tasks))) as pool:
            waiting: dict[Future[Any], int] = {}
            for number, arguments in enumerate(tasks):
                waiting[pool.submit(function, *arguments)] = number
                # A few more than there are processes, so that none has to wait.
                if len(waiting) < 2 * self.size:
                    continue
                yield from _take(waiting)
            while waiting:
                yield from _take(waiting)


def _take(waiting: dict[Future[Any], int]) -> Iterator[tuple[int, Any]]:
    """Wait for one result or more; yield and remove them."""
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        yield waiting.pop(future), future.result()


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Yield processes that end with the block, and with this process however it dies."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin_process,
    )
    try:
        yield pool
    except BrokenProcessPool:
        raise RunError(
            "a process was ended by the system, perhaps because memory ran out; resume with fewer ",
            Argument("processes"),
        ) from None
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin_process() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
