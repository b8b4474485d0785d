"""Saving a large state while the run continues.

The state is copied while the run waits, which takes less than a tenth of a second per gigabyte; a
thread then computes checksums and writes the copy. The memory of the copy is kept for the next one.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from untilt.formats.base.container import Array
from untilt.formats.run.checkpoint import save_checkpoint
from untilt.numeric.chunks import in_chunks

_LEAST_PIECE_BYTES = 16 << 20


class BackgroundSave:
    """Writes checkpoints to a folder, one at a time, in a separate thread."""

    def __init__(
        self, folder: Path, verify: Callable[[], None], arrays: Mapping[str, Array]
    ) -> None:
        """Reserve memory for copies of `arrays`; `verify` is called before anything is written."""
        self._folder = folder
        self._verify = verify
        self._copies = {name: np.zeros_like(array, order="C") for name, array in arrays.items()}
        for copy in self._copies.values():
            copy.fill(0)  # writing reserves the memory now, not while a run waits
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None
        self._iteration: int | None = None
        self.seconds = 0.0
        """How long the last save took, from the copy to the end."""

    def is_busy(self) -> bool:
        """Whether a checkpoint is being written."""
        return self._thread is not None and self._thread.is_alive()

    def begin(self, iteration: int, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Copy the state and start writing it; no other save may be in progress."""
        assert self._thread is None
        began = time.perf_counter()
        for name, array in arrays.items():
            if self._copies[name].shape != array.shape:  # a sparse form has grown or shrunk
                self._copies[name] = np.empty_like(array, order="C")
            _copy(array.reshape(-1), self._copies[name].reshape(-1))
        self._iteration = iteration

        def work() -> None:
            try:
                self._verify()
                save_checkpoint(self._folder, meta, self._copies)
            except Exception as error:
                self._error = error
            self.seconds = time.perf_counter() - began

        self._thread = threading.Thread(target=work, name="checkpoint")
        self._thread.start()

    def settle(self) -> int | None:
        """Wait for the end of a save, and return its iteration; None if there was none.

        An error in the thread is raised here.
        """
        if self._thread is None:
            return None
        self._thread.join()
        self._thread = None
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._iteration


def _copy(source: Array, target: Array) -> None:
    """Copy an array on all processors, in one piece for each of them.

    Pieces larger than the caches bypass them, which is nearly twice as fast.
    """
    threads = os.cpu_count() or 1
    length = max(-(-len(source) // threads), _LEAST_PIECE_BYTES // source.itemsize)

    def work(piece: int) -> None:
        place = slice(piece * length, (piece + 1) * length)
        np.copyto(target[place], source[place])

    in_chunks(work, -(-len(source) // length), threads, None)
