"""Work in fixed chunks on several threads, with results in the order of the chunks.

Chunks do not depend on the number of threads, so neither do sums over their results. Plain
Python suffices here, because the kernels that do the work release the interpreter lock.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from untilt.errors import InvalidOption

MAX_THREADS = 1_024

Result = TypeVar("Result")
OnShare = Callable[[float], None]
"""Called regularly with the share of the work that is done, 0–1; an exception stops the work."""


def check_threads(threads: int) -> None:
    """Raise InvalidOption unless `threads` is an integer from 1 to `MAX_THREADS`."""
    given: object = threads
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= MAX_THREADS:
        allowed = f"it must be at least 1, an integer up to {MAX_THREADS:,}"
        raise InvalidOption.of("threads", threads, allowed)


def in_chunks(
    work: Callable[[int], Result], num_chunks: int, threads: int, watcher: OnShare | None
) -> list[Result]:
    """Return [work(0), work(1), …], computed by `threads` threads."""
    results: list[Result] = []
    if threads == 1 or num_chunks == 1:
        for chunk in range(num_chunks):
            results.append(work(chunk))
            if watcher:
                watcher(len(results) / num_chunks)
        return results
    pool = ThreadPoolExecutor(min(threads, num_chunks))
    try:
        for result in pool.map(work, range(num_chunks)):
            results.append(result)
            if watcher:
                watcher(len(results) / num_chunks)
    finally:
        pool.shutdown(cancel_futures=True)
    return results
