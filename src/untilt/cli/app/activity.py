"""The message that a command shows while it loads, compiles or walks a game.

It appears after a fraction of a second, whatever the main thread is doing. On a terminal it is a
line that disappears with the first output. Elsewhere, and on a terminal that cannot erase, it is
one plain line, printed only if kernels are compiled or the command says what takes long, because a
program may be reading stderr.
"""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, TextIO, cast

from untilt.cache_folder import cache_folder, read_only_part
from untilt.durations import shown_duration

_LONG_COMMANDS = frozenset(
    {
        "solve",
        "spot",
        "report",
        "qre",
        "fit",
        "show",
        "compare",
        "evaluate",
        "export",
        "import",
        "play",
        "match",
        "lbr",
        "exploit",
        "hand",
        "bot",
        "equity",
        "buckets",
        "chart",
        "blueprint",
        "pushfold",
    }
)
"""Commands that compile kernels or games; `games` only with --check."""

_OTHER_COMMANDS = frozenset({"doctor", "hands", "icm", "plot", "tree"})
"""Commands that may take a second to load, but compile nothing or only sometimes."""

QUIET_SECONDS = 0.4
"""Commands that finish sooner show no message."""
_REFRESH_SECONDS = 0.05
_WHEEL = "|/-\\"

LOADING = "loading"
KERNELS = "compiling kernels, the first time only"
BUILDING = "building the tree of the spot"
KERNELS_AGAIN = "compiling kernels again, because they cannot be kept: see `untilt doctor`"
_LONG_WALK_SECONDS = 2.0


def begin(arguments: Sequence[str]) -> None:
    """Show what is going on if the command with these arguments may take long."""
    if _current is None and is_long(arguments):
        _Activity(is_sure_to_compile=arguments[0] not in _OTHER_COMMANDS).begin()


@cache
def kernel_words() -> str:
    """Return what is said while kernels are compiled; it depends on whether they can be kept."""
    try:
        is_kept = read_only_part() is None
    except RuntimeError:  # there is no home folder
        is_kept = False
    return KERNELS if is_kept else KERNELS_AGAIN


def is_long(arguments: Sequence[str]) -> bool:
    """Whether the command may take longer than a second before it prints anything."""
    asks_for_help = any(argument in ("-h", "--help") for argument in arguments)
    if not arguments or asks_for_help:
        return False
    checks = any(argument.startswith("--check") for argument in arguments)
    known = _LONG_COMMANDS | _OTHER_COMMANDS
    return arguments[0] in known or (arguments[0] == "games" and checks)


def end() -> None:
    """Stop showing the message."""
    if _current is not None:
        _current.end()


def is_dumb() -> bool:
    """Whether the terminal, if there is one, cannot erase what is on it."""
    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")


def doing(words: str) -> None:
    """Say what takes time now."""
    if _current is not None:
        _current.words = words


def walked(histories: int) -> None:
    """Report how many histories of a game have been walked."""
    doing(walking_words(histories))


def walking_words(histories: int) -> str:
    """Return the message while a game is walked."""
    return f"walking the game: {histories:,} histories"


def _nothing_is_cached() -> bool:
    """Whether the kernel cache is empty; does not load Numba."""
    try:
        return not any((cache_folder() / "kernels").iterdir())
    except (OSError, RuntimeError):  # no cache folder, or no home folder for it
        return True


class KernelWatch:
    """Detects that Numba is compiling, without loading it; loads from the cache do not count."""

    def __init__(self) -> None:
        self.num_begun = 0
        self._num_ended = 0
        self._is_listening = False

    def is_compiling(self) -> bool:
        """Whether a kernel is being compiled."""
        self.look()
        return self.num_begun > self._num_ended

    def look(self) -> None:
        """Start listening if Numba has been loaded in the meantime."""
        events: Any = sys.modules.get("numba.core.event")
        if self._is_listening or not hasattr(events, "install_listener"):
            return
        self._is_listening = True
        watch = self

        class Listener(events.Listener):  # type: ignore[misc]
            def on_start(self, event: object) -> None:
                watch.num_begun += 1

            def on_end(self, event: object) -> None:
                # A compilation that started before we listened does not count.
                watch._num_ended = min(watch._num_ended + 1, watch.num_begun)

        events.register("numba:compile", Listener())


class _Activity:
    """The message line, from the start of the process to the first other output."""

    def __init__(self, *, is_sure_to_compile: bool) -> None:
        self.words = LOADING
        self._is_sure_to_compile = is_sure_to_compile
        self._kernels = KernelWatch()
        self._is_over = threading.Event()
        self._is_drawn = False
        self._lock = threading.RLock()
        self._streams = (sys.stdout, sys.stderr)

    def begin(self) -> None:
        global _current  # noqa: PLW0603
        if self._streams[1] is None:  # closed
            return
        _current = self
        if self._streams[0] is not None:
            sys.stdout = cast(TextIO, _Announced(self._streams[0], self))
        sys.stderr = cast(TextIO, _Announced(self._streams[1], self))
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)
        threading.Thread(target=self._speak, daemon=True).start()

    def end(self) -> None:
        """Remove the line for good."""
        global _current  # noqa: PLW0603
        with self._lock:
            self._is_over.set()
            if self._is_drawn:
                self._is_drawn = False
                self._write("\r\x1b[2K")
        _current = None

    def _forget(self) -> None:
        self._lock = threading.RLock()  # the old lock may belong to a thread of the parent process
        self._is_over.set()
        self._is_drawn = False

    def _speak(self) -> None:
        if self._is_over.wait(QUIET_SECONDS):
            return
        began = time.monotonic()
        if is_dumb() or not self._streams[1].isatty():
            self._speak_plainly(began)
            return
        turn = 0
        while not self._is_over.wait(_REFRESH_SECONDS if turn else 0.0):
            words = kernel_words() if self._kernels.is_compiling() else self.words
            text = f"{_WHEEL[turn % 4]} {words} … {shown_duration(time.monotonic() - began)}"
            turn += 1
            with self._lock:
                if not self._is_over.is_set():
                    self._is_drawn = True
                    self._write(f"\r\x1b[2K{text[: shutil.get_terminal_size().columns - 1]}")

    def _speak_plainly(self, began: float) -> None:
        """Print one line as soon as there is a reason to wait."""
        is_cold = self._is_sure_to_compile and _nothing_is_cached()
        while True:
            is_walking = self.words != LOADING and time.monotonic() - began > _LONG_WALK_SECONDS
            if is_cold or self._kernels.is_compiling() or is_walking:
                break
            if self._is_over.wait(_REFRESH_SECONDS):
                return
        with self._lock:
            if not self._is_over.is_set():
                self._write(f"{self.words if is_walking else kernel_words()}\n")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # stderr is closed
            stream = self._streams[1]
            stream.write(text)
            stream.flush()


class _Announced:
    """A stream whose first output ends the activity."""

    def __init__(self, stream: TextIO, activity: _Activity) -> None:
        self._stream = stream
        self._activity = activity

    def write(self, text: str) -> int:
        if text:
            self._activity.end()
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self._activity.end()
        self._stream.writelines(lines)

    @property
    def buffer(self) -> Any:
        self._activity.end()
        return self._stream.buffer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Any:
        return iter(self._stream)


_current: _Activity | None = None
