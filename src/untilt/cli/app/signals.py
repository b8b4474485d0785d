"""Ctrl-C, SIGTERM and SIGHUP at the command line: always answered at once, without a traceback.

Python handles a signal between two bytecodes of the main thread, hence not while that thread is
inside compiled code. A separate thread sees signals as they arrive: it prints what is going to
happen, and ends the process if the main thread does not respond.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from untilt.cli.app.activity import is_dumb
from untilt.runs.interrupt import (
    STOPPING_SIGNALS,
    DeferredInterrupt,
    Signalled,
    allow_deferring,
    has_to_undo,
    undo_everything,
)

_WORD_SECONDS = 0.15
"""A process that ends within this time prints no message."""
_FIRST_SECONDS = 0.8
"""How long the main thread may stay in compiled code if there is nothing to save."""
_SECOND_SECONDS = 0.4
"""How long it may take after a second signal."""
_LAST_SECONDS = 2.0
"""How long it may take to clean up once it is on its way out."""
_AGAIN_SECONDS = 0.02

_DELICATE_PACKAGES = frozenset({"numba", "llvmlite", "weakref"})

_SAVING = "stopping: the run is being saved; Ctrl-C again stops without saving"
_STOPPING = "stopping; Ctrl-C again stops at once"


def leave_at_once() -> None:
    """Let a signal end the process without a traceback: no command has started, or it is over."""
    for number in STOPPING_SIGNALS:
        if _is_ours_to_answer(number):
            signal.signal(number, leave)


def answer_signals() -> None:
    """Handle signals from now on: a command is about to start."""
    desk = _Desk()
    allow_deferring(desk.interrupt)
    desk.open()
    for number in STOPPING_SIGNALS:
        if _is_ours_to_answer(number):
            signal.signal(number, desk.interrupt)


@contextmanager
def ending_within(seconds: float) -> Iterator[None]:
    """End the process this long after a signal that somebody else answers in the block."""
    global _seconds_of_others  # noqa: PLW0603
    _seconds_of_others = seconds
    try:
        yield
    finally:
        _seconds_of_others = None


def end_at_once(status: int) -> NoReturn:
    """End the process without the interpreter's shutdown.

    That would wait for a thread that may still be inside compiled code, or take away what the
    thread works with.
    """
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _is_ours_to_answer(number: int) -> bool:
    """Whether no one else has set a handler; nohup, for example, ignores SIGHUP."""
    handler = signal.getsignal(number)
    is_desk = isinstance(getattr(handler, "__self__", None), _Desk)
    return is_desk or handler in (signal.SIG_DFL, signal.default_int_handler, leave)


def leave(number: int, frame: FrameType | None = None, words: str = "stopped") -> None:
    """End the process immediately; a signal handler."""
    del frame
    undo_everything()
    _write(words)
    os._exit(128 + number)


def _write(words: str) -> None:
    """Write a line to stderr, whatever state the main thread has left it in."""
    # Clear a line that is being drawn, and show the cursor if it is hidden.
    begin = "\r\x1b[2K\x1b[?25h" if os.isatty(2) and not is_dumb() else ""
    with suppress(OSError):  # stderr is closed
        os.write(2, f"{begin}{words}\n".encode())


class _Desk:
    """The place where signals arrive."""

    def __init__(self) -> None:
        self._is_noticed = threading.Event()  # by the main thread
        self._echoes = 0
        # Recorded now: isatty() is false once the terminal is gone.
        self._terminals = [number for number in (0, 1, 2) if os.isatty(number)]

    def open(self) -> None:
        """Start a thread that listens for signals."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=self._look_out, args=(reader,), daemon=True).start()

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise Signalled in the main thread as soon as that is safe; a signal handler."""
        if not _is_delicate(frame):
            self._is_noticed.set()
            raise Signalled(number)
        if not has_to_undo():
            leave(number)
        # Try again soon: the import may be done by then.
        self._echoes += 1
        timer = threading.Timer(_AGAIN_SECONDS, signal.raise_signal, (number,))
        timer.daemon = True
        timer.start()

    def _look_out(self, reader: int) -> None:
        count = 0
        while True:
            for number in os.read(reader, 64):
                if number not in STOPPING_SIGNALS:
                    continue
                if self._echoes:
                    self._echoes -= 1
                    continue
                count += 1
                if number == getattr(signal, "SIGHUP", None):
                    self._forget_terminals()
                if DeferredInterrupt.current is not None:
                    self._is_noticed.set()
                target = self._first if count == 1 else self._second
                threading.Thread(target=target, args=(number,), daemon=True).start()

    def _first(self, number: int) -> None:
        time.sleep(_WORD_SECONDS)
        if DeferredInterrupt.current is not None:
            _write(_SAVING)
            return
        if not self._is_answered_here(number):
            self._wait_for_others(number)
            return
        if self._is_noticed.wait(_FIRST_SECONDS - _WORD_SECONDS):
            time.sleep(_FIRST_SECONDS)
            _write(_STOPPING)
        else:
            leave(number)

    def _wait_for_others(self, number: int) -> None:
        if _seconds_of_others is not None:
            time.sleep(max(_seconds_of_others - _WORD_SECONDS, 0.0))
        if _seconds_of_others is not None:
            leave(number)

    def _second(self, number: int) -> None:
        time.sleep(_SECOND_SECONDS)
        if DeferredInterrupt.current is not None:
            leave(number, words="stopped without saving")
        if self._is_answered_here(number):
            time.sleep(_LAST_SECONDS)
            leave(number)

    def _forget_terminals(self) -> None:
        """Discard any further output to the terminal, which is gone."""
        with suppress(OSError):
            nowhere = os.open(os.devnull, os.O_RDWR)
            for descriptor in self._terminals:
                os.dup2(nowhere, descriptor)

    def _is_answered_here(self, number: int) -> bool:
        """Whether our handler is still in place; the web server, for example, installs its own."""
        return signal.getsignal(number) == self.interrupt


_seconds_of_others: float | None = None


def _is_delicate(frame: FrameType | None) -> bool:
    """Whether an exception raised here would be swallowed or would leave broken objects behind.

    This holds in imports, in finalizers and in Numba.
    """
    while frame is not None:
        code, module = frame.f_code, frame.f_globals.get("__name__") or ""
        if code.co_name == "__del__" or code.co_filename.startswith("<frozen importlib"):
            return True
        if module.partition(".")[0] in _DELICATE_PACKAGES:
            return True
        frame = frame.f_back
    return False
