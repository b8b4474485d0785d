"""Work in fixed chunks on several threads, with results in the order of the chunks.

Chunks do not depend on the number of threads, so neither do sums over their results. Needs no
compiler: kernels that are called release the interpreter lock.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from untilt.errors import InvalidOption

Result = TypeVar("Result")
OnShare = Callable[[float], None]
"""Is called now and then with the share of the work that is done, 0–1; what it raises stops
the work."""


def check_threads(threads: int) -> None:
    """Raise InvalidOption unless `threads` is at least 1."""
    if threads < 1:
        raise InvalidOption(f"threads = {threads}: use 1 or more")


def in_chunks(
    work: Callable[[int], Result], num_chunks: int, threads: int, watcher: OnShare | None
) -> list[Result]:
    """Return [work(0), work(1), …], by so many threads."""
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
