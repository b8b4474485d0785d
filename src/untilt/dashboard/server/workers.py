"""Threads that compute answers, while the event loop serves everybody else.

Each kind of request has its own few threads, so that many slow ones cannot hold up the others. If
its client leaves, or the server stops, a request is dropped: one that waits is never begun, and
one that has begun ends at its next `verify_wanted`. The threads are daemons, so that the process
can end whatever they do.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")

RUNS, PLAY, MEASURE, SOLVE, TABLES, HANDS = "runs", "play", "measure", "solve", "tables", "hands"
_THREADS = {RUNS: 3, PLAY: 2, MEASURE: 2, SOLVE: 2, TABLES: 2, HANDS: 2}
"""By kind. Each thread has its own memory; requests on loopback are few and short."""
_IDLE_SECONDS = 10.0
"""How long a thread waits for the next request before it ends."""


class Unwanted(Exception):
    """Nobody waits for the answer any more: the client has left, or the server stops."""


def verify_wanted() -> None:
    """Raise Unwanted if the client of the request that this thread works on has left."""
    call = getattr(_here, "call", None)
    if call is not None and call.result.done():
        raise Unwanted


_here = threading.local()


class Workers:
    """The threads of all requests."""

    def __init__(self) -> None:
        self._pools = {kind: ThreadPool(most) for kind, most in _THREADS.items()}

    async def run(self, kind: str, function: Callable[[], Result]) -> Result:
        """Return what a function returns in a thread of its kind; see `Pool.run`."""
        return await self._pools[kind].run(function)

    @property
    def are_busy(self) -> bool:
        """Whether a thread is still inside a function, wanted or not."""
        return any(pool.is_busy for pool in self._pools.values())

    def close(self) -> None:
        """Drop all requests, in the thread of the event loop."""
        for pool in self._pools.values():
            pool.close()


class ThreadPool:
    """At most `most` threads, started when they are needed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._calls: queue.SimpleQueue[_Call[Any] | None] = queue.SimpleQueue()
        self._open: set[_Call[Any]] = set()
        self._num_threads = 0
        self._num_calls = 0  # waiting or being made, wanted or not
        self._lock = threading.Lock()
        self._is_closed = False

    async def run(self, function: Callable[[], Result]) -> Result:
        """Return what a function returns in a thread; raises Unwanted if the server stops first.

        If this is cancelled, a function that has not begun never does.
        """
        if self._is_closed:
            raise Unwanted
        call = _Call(function)
        self._open.add(call)
        with self._lock:
            self._calls.put(call)
            self._num_calls += 1
            # A thread may still be inside a call that nobody wants any more.
            is_short = self._num_threads < min(self._num_calls, self._most)
            self._num_threads += is_short
        if is_short:
            threading.Thread(target=self._work, name="answers", daemon=True).start()
        try:
            return await call.result
        finally:
            self._open.discard(call)

    @property
    def is_busy(self) -> bool:
        """Whether a thread is still inside a function, or about to be."""
        return self._num_calls > 0

    def close(self) -> None:
        """Drop all calls, in the thread of the event loop; threads end when they are idle."""
        self._is_closed = True
        for call in self._open:
            call.fail(Unwanted())
        for _ in range(self._most):
            self._calls.put(None)

    def _work(self) -> None:
        while (call := self._next()) is not None:
            call.make()
            with self._lock:
                self._num_calls -= 1
            del call  # its answer may be large

    def _next(self) -> "_Call[Any] | None":
        """Return the next call; None if the thread is to end."""
        try:
            return self._calls.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            with self._lock:
                # A call may have come just now, and nobody else may be there to make it.
                if self._calls.empty():
                    self._num_threads -= 1
                    return None
            return self._calls.get()


class _Call(Generic[Result]):
    def __init__(self, function: Callable[[], Result]) -> None:
        self._function = function
        self._loop = asyncio.get_running_loop()
        self.result: asyncio.Future[Result] = self._loop.create_future()

    def make(self) -> None:
        """Call the function, unless nobody waits for it; in a thread of the workers."""
        if self.result.done():
            return
        _here.call = self
        try:
            found = self._function()
        except BaseException as error:
            self._report(self.fail, error)
        else:
            self._report(self.succeed, found)
        finally:
            _here.call = None

    def succeed(self, found: Result) -> None:
        if not self.result.done():
            self.result.set_result(found)

    def fail(self, error: BaseException) -> None:
        if not self.result.done():
            self.result.set_exception(error)

    def _report(self, function: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the server has stopped
            self._loop.call_soon_threadsafe(function, *arguments)
