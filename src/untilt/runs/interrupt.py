"""Ctrl-C, SIGTERM and SIGHUP: how they stop a run.

They wait for a moment at which the run is whole, so that it can be saved; a second one does not
wait, and nothing is saved then.
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
"""What asks a program to end; there is no SIGHUP on Windows."""

_WAIT_SECONDS = 0.05


class Signalled(KeyboardInterrupt):
    """A signal that asks the program to end."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__()
        self.number = number


class Impatient(Signalled):
    """A second signal: end without saving."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; its folder holds a checkpoint of `iteration`, if that is not None."""

    def __init__(
        self, path: Path | None, iteration: int | None, number: int, *, is_saved: bool
    ) -> None:
        super().__init__()
        self.path = path
        self.iteration = iteration
        self.number = number
        """Of the signal: SIGTERM and SIGHUP stop a run as Ctrl-C does."""
        self.is_saved = is_saved
        """Whether nothing is lost: False if there was not even time for a checkpoint."""


def signal_of(error: BaseException | None) -> int:
    """Return the signal that `error` stands for; plain KeyboardInterrupt is Ctrl-C."""
    return error.number if isinstance(error, Signalled) else int(signal.SIGINT)


def raise_signalled(number: int, frame: FrameType | None) -> None:
    """Answer a signal at once, as Python answers Ctrl-C; a handler."""
    del frame
    raise Signalled(number)


_usual_handlers: set[Any] = {signal.default_int_handler, raise_signalled}


def count_as_usual(handler: Callable[[int, FrameType | None], None]) -> None:
    """Let `DeferredInterrupt` stand in for this handler too."""
    _usual_handlers.add(handler)


class DeferredInterrupt:
    """While entered, signals to stop are only remembered, and raised by `check`.

    A second one is raised at once, as `Impatient`. Python raises KeyboardInterrupt between any
    two bytecodes, hence also between a measured moment and its row in the log. Where it is not
    the usual handler that answers a signal, or in another thread, nothing is changed.
    """

    current: "DeferredInterrupt | None" = None
    """The one that is entered, for those who tell the user what a signal will do."""

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
        """Raise the signal that came in the meantime, if one did."""
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
    """Let `undo_everything` call `undo` as long as the block is not left."""
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
    """Undo what is half done, before the process ends without leaving its blocks."""
    for undo in reversed(_to_undo):
        undo()


def in_background(steps: Iterator[Step], check: Callable[[], None]) -> Iterator[Step]:
    """Yield what `steps` yields, made in another thread; `check` is called while it is waited for.

    For steps so long that Ctrl-C cannot wait for them. What `check` raises ends the waiting, and
    what is left of the step is given up.
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
    """Let the thread end as soon as it comes back from compiled code."""
    if thread.ident is not None and thread.is_alive():
        number = ctypes.c_ulong(thread.ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(SystemExit))
