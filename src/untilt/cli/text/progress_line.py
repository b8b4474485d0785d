"""The live line while a solver works: what it does, how far it has got, how long it will take."""

import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from untilt.cli.app.activity import KernelWatch, kernel_words, walking_words
from untilt.cli.app.watching import Watching
from untilt.durations import shown_duration
from untilt.runs.stop import Stop
from untilt.runs.watching import Status
from untilt.solvers.progress import Progress

_PLAIN_SECONDS = 5.0
_BAR_WIDTH = 24
_SHORTEST_BAR = 4
_SHORTEST_TITLE = 9
_GAP = 2
"""Columns between two words of the line."""


class _Part:
    """A part of the line, which may have a shorter form; one that is not essential may go."""

    def __init__(self, long: str, short: str | None = None, *, is_essential: bool = False) -> None:
        self.long = long
        self.short = short or long
        self.is_essential = is_essential


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
        self._residuals: tuple[float, float] | None = None
        """The first and the last."""
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
        if progress is not None and progress.residual is not None:
            first = progress.residual if self._residuals is None else self._residuals[0]
            self._residuals = first, progress.residual
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
        width = self._console.width
        parts = self._parts(status)
        # What matters most has room first; then the title, then a bar of some length.
        essential = _width(part.short for part in parts if part.is_essential)
        title = _cut(self._title, max(_SHORTEST_TITLE, width - essential - 1))
        words = [title, *_fitting(parts, width - len(title) - _SHORTEST_BAR - 2 * _GAP)]
        room = width - _width(words) - _GAP
        share = self._share(status)
        bar = ProgressBar(
            total=1.0, completed=share or 0.0, width=min(_BAR_WIDTH, room), pulse=share is None
        )
        cells: list[Text | ProgressBar] = [Text(word) for word in words]
        if room >= _SHORTEST_BAR:
            cells.insert(1, bar)
        gap = _GAP if _SHORTEST_TITLE + essential <= width else 1
        line = Table.grid(padding=(0, gap, 0, 0))
        for _ in cells:
            line.add_column(no_wrap=True)
        line.add_row(*cells)
        return line

    def _words(self, status: Status) -> list[str]:
        return [part.long for part in self._parts(status)]

    def _parts(self, status: Status) -> list[_Part]:
        if status.phase == "compiling" or status.progress is None:
            waited = shown_duration(time.monotonic() - self._began)
            return [_Part(f"{self._preparation(status)} … {waited}", is_essential=True)]
        parts = []
        if status.progress.iteration is not None:
            done = f"{status.progress.iteration:,}"
            parts.append(_Part(f"iteration {done}", f"it {done}", is_essential=True))
        if self._residuals is not None and self._stop.bounds_residual:
            found = f"{self._residuals[1]:.1e}"
            parts.append(_Part(f"residual {found}", f"res {found}", is_essential=True))
        elif status.exploitability is not None:
            amount = f"{status.exploitability:.2e}"
            if self._pot is not None:
                amount = f"{100.0 * status.exploitability / self._pot:.3f}% of the pot"
            parts.append(_Part(f"exploitability {amount}", f"expl {amount}", is_essential=True))
        elif status.drift is not None:
            parts.append(_Part(f"drift {status.drift:.1e}", is_essential=True))
        if status.lbr is not None:
            margin = "" if status.lbr_margin is None else f" ± {status.lbr_margin:.0f}"
            parts.append(_Part(f"lbr {status.lbr:+.0f}{margin} mbb", is_essential=True))
        if status.rate:
            parts.append(_Part(f"{status.rate:,.0f} it/s"))
        if status.node_rate:
            parts.append(_Part(f"{_short(status.node_rate)} nodes/s"))
        if status.progress.infosets:
            parts.append(_Part(f"{status.progress.infosets:,} infosets"))
            if status.regret is not None:
                # The mean over infosets: their sum grows with the number of infosets met.
                parts.append(_Part(f"regret {status.regret / status.progress.infosets:.1e}"))
        if status.seconds_left is not None:
            left = shown_duration(status.seconds_left)
            parts.append(_Part(f"{left} left", is_essential=True))
        return parts

    def _preparation(self, status: Status) -> str:
        """Return what the solver is doing before there is progress."""
        if self._kernels.is_compiling():
            return kernel_words()
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
        if self._residuals is not None and self._stop.residual:
            shares.append(self._stop.share_to_residual(*self._residuals))
        return min(1.0, max(0.0, *shares)) if shares else None


def _fitting(parts: Sequence[_Part], room: int) -> list[str]:
    """Return the parts that fit into `room` columns: long, short, or only the first of them."""
    if _width(part.long for part in parts) <= room:
        return [part.long for part in parts]
    kept = list(parts)
    while _width(part.short for part in kept) > room:
        spare = [part for part in kept if not part.is_essential]
        if not spare:
            break
        kept.remove(spare[-1])
    return [part.short for part in kept]


def _width(words: Iterable[str]) -> int:
    """Return the columns of words, each with the gap behind it."""
    return sum(len(word) + _GAP for word in words)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _moment(progress: Progress) -> str:
    words = [f"iteration {progress.iteration or 0:>9,}", f"{shown_duration(progress.seconds):>10}"]
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
