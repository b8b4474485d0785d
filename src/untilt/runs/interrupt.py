"""Ctrl-C, SIGTERM and SIGHUP: how they stop a run.

They take effect when the run is in a consistent state, so that it can be saved. A second signal
takes effect at once, without saving.
"""

import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Self, TypeVar

Step = TypeVar("Step")

STOPPING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that ask a program to end; Windows has no SIGHUP."""

_WAIT_SECONDS = 0.05


class Signalled(KeyboardInterrupt):
    """A signal that asks the program to end."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__()
        self.number = number


class Impatient(Signalled):
    """A second signal: end without saving."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; its folder holds a checkpoint at `iteration`, unless that is None."""

    def __init__(
        self, path: Path | None, iteration: int | None, number: int, *, is_saved: bool
    ) -> None:
        super().__init__()
        self.path = path
        self.iteration = iteration
        self.number = number
        """The number of the signal: SIGTERM and SIGHUP stop a run as Ctrl-C does."""
        self.is_saved = is_saved
        """Whether everything was saved; False if there was no time for a checkpoint."""


def signal_of(error: BaseException | None) -> int:
    """Return the signal that `error` stands for; plain KeyboardInterrupt is Ctrl-C."""
    return error.number if isinstance(error, Signalled) else int(signal.SIGINT)


def raise_signalled(number: int, frame: FrameType | None) -> None:
    """Raise Signalled at once, as Python does on Ctrl-C; a signal handler."""
    del frame
    raise Signalled(number)


_usual_handlers: set[Any] = {signal.default_int_handler, raise_signalled}


def allow_deferring(handler: Callable[[int, FrameType | None], None]) -> None:
    """Let `DeferredInterrupt` replace this handler too."""
    _usual_handlers.add(handler)


class DeferredInterrupt:
    """While entered, stopping signals are only recorded, and raised by `check`.

    A second signal is raised at once, as `Impatient`. Without this, Python would raise
    KeyboardInterrupt between any two bytecodes, for example between a measured moment and its
    row in the log. Handlers set by other programs are left alone, and so are other threads.
    """

    current: "DeferredInterrupt | None" = None
    """The one that is entered; used to tell the user what a signal will do."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in STOPPING_SIGNALS:
                handler = signal.getsignal(number)
                is_usual = handler is signal.SIG_DFL or handler in _usual_handlers
                if is_usual:
                    self._previous[number] = signal.signal(number, self._remember)
        if self._previous:
            DeferredInterrupt.current = self
        return self

    def __exit__(self, *error: object) -> None:
        if self._previous:
            DeferredInterrupt.current = None
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous.clear()

    def check(self) -> None:
        """Raise the signal that has arrived in the meantime, if any."""
        if self._number is not None:
            raise Signalled(self._number)

    def _remember(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._number is not None:
            raise Impatient(number)
        self._number = number


_to_undo: list[Callable[[], object]] = []


@contextmanager
def undone_at_exit(undo: Callable[[], object]) -> Iterator[None]:
    """Let `undo_everything` call `undo` while the block is running."""
    _to_undo.append(undo)
    try:
        yield
    finally:
        _to_undo.remove(undo)


@contextmanager
def undone_by(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` if the block is left by an exception, or the process by `undo_everything`."""
    with undone_at_exit(undo):
        try:
            yield
        except BaseException:
            undo()
            raise


def has_to_undo() -> bool:
    """Whether something would be left behind if the process ended here."""
    return bool(_to_undo)


def undo_everything() -> None:
    """Undo unfinished work, before the process ends without leaving its `with` blocks."""
    for undo in reversed(_to_undo):
        undo()


def in_background(steps: Iterator[Step], check: Callable[[], None]) -> Iterator[Step]:
    """Yield from `steps`, which runs in another thread; call `check` while waiting for it.

    For steps too long to make Ctrl-C wait. An exception from `check` ends the wait and abandons
    the current step.
    """
    ended = object()
    found: list[Any] = []
    failures: list[BaseException] = []

    def step() -> None:
        try:
            found.append(next(steps, ended))
        except BaseException as error:
            failures.append(error)

    while True:
        thread = threading.Thread(target=step, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(_WAIT_SECONDS)
                check()
        except BaseException:
            _give_up(thread)
            raise
        if failures:
            raise failures.pop()
        result = found.pop()
        if result is ended:
            return
        yield result


def _give_up(thread: threading.Thread) -> None:
    """Let the thread end as soon as it returns from compiled code."""
    if thread.ident is not None and thread.is_alive():
        number = ctypes.c_ulong(thread.ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(SystemExit))
