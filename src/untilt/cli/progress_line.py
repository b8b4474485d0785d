"""The live line while a solver works: what it does, how far it has got, how long it will take."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from untilt.cli.activity import KERNELS, KernelWatch, walking_words
from untilt.cli.watching import Watching
from untilt.runs.stop import Stop
from untilt.runs.watching import Status
from untilt.solvers.progress import Progress

_PLAIN_SECONDS = 5.0
_BAR_WIDTH = 24
_NARROW = 110
"""Terminals with fewer columns get shorter text."""


class ProgressLine:
    """A watcher of a run that draws one line; without a terminal it prints one now and then."""

    def __init__(
        self,
        console: Console,
        title: str,
        stop: Stop,
        *,
        verbose: bool = False,
        page: Watching | None = None,
        pot: float | None = None,
    ) -> None:
        """Show exploitability in percent of `pot`, if one is given."""
        self._console = console
        self._title = title
        self._stop = stop
        self._verbose = verbose
        self._page = page
        self._pot = pot
        self._first_exploitability: float | None = None
        self._printed_at = self._began = time.monotonic()
        self._status = Status(phase="compiling")
        self._kernels = KernelWatch()
        # Drawn by a separate thread, so that it also moves while kernels are compiled.
        self._live = Live(
            console=console,
            transient=True,
            refresh_per_second=12,
            get_renderable=lambda: self._line(self._status),
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._live.__exit__(kind, error, traceback)

    def __call__(self, status: Status) -> None:
        """Show `status`."""
        if self._page is not None:
            self._page.follow(status.folder)
        if self._first_exploitability is None:
            self._first_exploitability = status.exploitability
        if status.note is not None:
            self._console.print(status.note, soft_wrap=True)
        progress = status.progress
        if self._verbose and progress is not None and progress.is_moment:
            self._console.print(_moment(progress), soft_wrap=True)
        self._status = status
        if self._console.is_terminal:  # the live line redraws itself
            return
        if time.monotonic() - self._printed_at >= _PLAIN_SECONDS and not self._verbose:
            self._printed_at = time.monotonic()
            words = "  ".join(self._words(status))
            self._console.print(f"{self._title}  {words}", soft_wrap=True)

    def _line(self, status: Status) -> Table:
        is_narrow = self._console.width < _NARROW
        words = [Text(word) for word in (self._title, *self._words(status, is_short=is_narrow))]
        room = self._console.width - sum(len(word) + 2 for word in words) - 2
        share = self._share(status)
        line = Table.grid(padding=(0, 2))
        for _ in range(len(words) + 1):
            line.add_column(no_wrap=True)
        bar = ProgressBar(
            total=1.0,
            completed=share or 0.0,
            width=max(2, min(_BAR_WIDTH, room)),
            pulse=share is None,
        )
        line.add_row(words[0], bar, *words[1:])
        return line

    def _words(self, status: Status, *, is_short: bool = False) -> list[str]:
        if status.phase == "compiling" or status.progress is None:
            return [f"{self._preparation(status)} … {time.monotonic() - self._began:.0f} s"]
        words = []
        if status.progress.iteration is not None:
            words.append(f"{'it' if is_short else 'iteration'} {status.progress.iteration:,}")
        if status.exploitability is not None:
            name = "expl" if is_short else "exploitability"
            if self._pot is None:
                words.append(f"{name} {status.exploitability:.2e}")
            else:
                words.append(f"{name} {100.0 * status.exploitability / self._pot:.3f}% of the pot")
        elif status.drift is not None:
            words.append(f"drift {status.drift:.1e}")
        if status.lbr is not None:
            words.append(f"lbr {status.lbr:+.0f} mbb")
        if status.rate:
            words.append(f"{status.rate:,.0f} it/s")
        if status.node_rate and not is_short:
            words.append(f"{_short(status.node_rate)} nodes/s")
        if status.progress.infosets and not is_short:
            words.append(f"{status.progress.infosets:,} infosets")
            if status.regret is not None:
                # The mean over infosets: their sum grows with the number of infosets met.
                words.append(f"regret {status.regret / status.progress.infosets:.1e}")
        if status.seconds_left is not None:
            words.append(f"{duration(status.seconds_left)} left")
        return words

    def _preparation(self, status: Status) -> str:
        """Return what the solver is doing before there is progress."""
        if self._kernels.is_compiling():
            return KERNELS
        if status.histories is not None:
            return walking_words(status.histories)
        return "preparing" if status.phase == "compiling" else "the first iteration"

    def _share(self, status: Status) -> float | None:
        """Return the share of the work done, by the nearest stop; None if unknown."""
        progress = status.progress
        if progress is None:
            return None
        shares = []
        if self._stop.iterations is not None:
            shares.append((progress.iteration or 0) / self._stop.iterations)
        if self._stop.seconds is not None:
            shares.append(progress.seconds / self._stop.seconds)
        first, now = self._first_exploitability, status.exploitability
        if first and now and self._stop.target:
            shares.append(self._stop.share_to_target(first, now))
        return min(1.0, max(0.0, *shares)) if shares else None


def _moment(progress: Progress) -> str:
    words = [f"iteration {progress.iteration or 0:>9,}", f"{progress.seconds:9.4f} s"]
    if progress.evaluation is not None:
        words.append(f"exploitability {progress.evaluation.exploitability:.6e}")
        words.append(f"value {progress.evaluation.value:+.9f}")
    if progress.regret is not None:
        words.append(f"regret {progress.regret:.3e}")
    if progress.drift is not None:
        words.append(f"drift {progress.drift:.3e}")
    return "  ".join(words)


def _short(count: float) -> str:
    """Return a large number in thousands or millions."""
    return f"{count / 1e6:.1f} M" if count >= 1e6 else f"{count / 1e3:.0f} k"


def duration(seconds: float) -> str:
    """Return a time in words, such as `4.2 s` or `3:07`."""
    if seconds < 10.0:
        return f"{seconds:.1f} s"
    if seconds > 100 * 3600:
        return "> 100 h"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
