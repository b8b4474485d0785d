"""A cache for all runs, bounded in bytes; the least recently used value is dropped first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


class BoundedCache:
    """Values by key, each with the stamp of its origin; safe to share between threads.

    A single value that is larger than the bound is returned but not kept.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._num_bytes = 0
        self._kept: OrderedDict[Hashable, tuple[Hashable, Any, int]] = OrderedDict()
        self._lock = Lock()

    @property
    def num_bytes(self) -> int:
        """How much is kept, according to the `size` functions."""
        return self._num_bytes

    def get(
        self, key: Hashable, stamp: Hashable, make: Callable[[], T], size: Callable[[T], int]
    ) -> T:
        """Return the value of `key`, made by `make` unless it is cached with the same `stamp`.

        `size` returns bytes; it is called each time, because a value may grow.
        """
        with self._lock:
            kept = self._kept.get(key)
        # Made without the lock: reading a large file does not block other threads.
        value: T = kept[1] if kept is not None and kept[0] == stamp else make()
        with self._lock:
            self._drop(key)
            num_bytes = size(value)
            if num_bytes <= self._max_bytes:
                self._kept[key] = (stamp, value, num_bytes)
                self._num_bytes += num_bytes
            while self._num_bytes > self._max_bytes:
                self._drop(next(iter(self._kept)))
            return value

    def forget(self, is_gone: Callable[[Hashable], bool]) -> None:
        """Drop the values of all keys for which `is_gone` holds."""
        with self._lock:
            for key in [key for key in self._kept if is_gone(key)]:
                self._drop(key)

    def _drop(self, key: Hashable) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._num_bytes -= kept[2]
