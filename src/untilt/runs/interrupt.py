"""Ctrl-C that waits for a moment at which a run is whole."""

import signal
import threading
from types import FrameType
from typing import Self


class DeferredInterrupt:
    """While entered, Ctrl-C is only remembered, and raised by `check`; a second one at once.

    Python raises KeyboardInterrupt between any two bytecodes, hence also between a measured
    moment and its row in the log. Where it is not the usual handler that answers Ctrl-C, or in
    another thread, nothing is changed.
    """

    def __init__(self) -> None:
        self._is_pending = False
        self._is_installed = False

    def __enter__(self) -> Self:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._is_installed = True
            signal.signal(signal.SIGINT, self._remember)
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._is_installed = False

    def check(self) -> None:
        """Raise the KeyboardInterrupt that came in the meantime, if one did."""
        if self._is_pending:
            raise KeyboardInterrupt

    def _remember(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._is_pending:
            raise KeyboardInterrupt
        self._is_pending = True
