"""The progress of hands that agents play, on a terminal."""

from time import monotonic
from typing import Self


class HandsBar:
    """A bar for `hands` hands, or for `seconds` if those are unknown; use it in a `with` block."""

    def __init__(self, hands: int | None, *, seconds: float | None = None) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        from untilt.cli.output import stderr

        console = stderr()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[words]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._hands = hands
        self._began = monotonic()
        total = seconds if hands is None else hands
        self._task = self._progress.add_task("playing", total=total, words="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def show(self, hands: int, words: str) -> None:
        """Show how many hands have been played, and the result so far."""
        done = monotonic() - self._began if self._hands is None else hands
        self._progress.update(self._task, completed=done, words=f"{hands:,} hands  {words}")
