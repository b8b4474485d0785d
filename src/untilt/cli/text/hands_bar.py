"""Progress of hands that are played or read: a bar on a terminal, else a line now and then."""

import threading
from time import monotonic
from typing import Self

from untilt.durations import shown_duration

PLAIN_SECONDS = 5.0
"""How often a line is printed where stderr is not a terminal."""


class HandsBar:
    """A bar for `hands` hands, or for `seconds` if those are unknown; use it in a `with` block.

    Lines are printed by a thread of their own, so that they also come while a hand takes long.
    """

    def __init__(
        self,
        hands: int | None,
        *,
        seconds: float | None = None,
        unit: str = "hands",
        doing: str = "playing",
    ) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        from untilt.cli.app.output import stderr

        self._console = stderr()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[words]}"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._hands = hands
        self._unit = unit
        self._doing = doing
        self._began = monotonic()
        self._words = self._count(0)
        total = seconds if hands is None else hands
        self._task = self._progress.add_task(doing, total=total, words="")
        self._is_over = threading.Event()
        self._printer = threading.Thread(target=self._print_lines, daemon=True)

    def __enter__(self) -> Self:
        self._progress.start()
        if not self._console.is_terminal:
            self._printer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        if self._printer.ident is not None:
            self._printer.join()
        self._progress.stop()

    def show(self, hands: int, words: str) -> None:
        """Show how many hands have been played, and the result so far."""
        done = monotonic() - self._began if self._hands is None else hands
        self._words = f"{self._count(hands)}  {words}"
        self._progress.update(self._task, completed=done, words=f"{hands:,} {self._unit}  {words}")

    def _count(self, hands: int) -> str:
        of_all = "" if self._hands is None else f" of {self._hands:,}"
        return f"{hands:,}{of_all} {self._unit}"

    def _print_lines(self) -> None:
        while not self._is_over.wait(PLAIN_SECONDS):
            text = f"{self._doing}  {self._words}  {shown_duration(monotonic() - self._began)}"
            self._console.print(text, soft_wrap=True, markup=False, highlight=False)
