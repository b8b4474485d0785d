"""A training of push/fold in the terminal: a line per mark, a bar below them, and the result."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import typer

from untilt.cli.app.watching import Watching
from untilt.durations import shown_duration

if TYPE_CHECKING:
    from untilt.runs.pushfold.training import Moment
    from untilt.runs.pushfold.training_material import Training


@contextmanager
def following_training(
    stack: float, hands: int | None, seconds: float | None, page: Watching
) -> "Iterator[_TrainingLine]":
    """Provide a watcher of a training run; after Ctrl-C print how to continue."""
    from untilt.cli.app.output import quoted, say, stderr
    from untilt.runs.pushfold.training import TrainingInterrupted

    try:
        with _TrainingLine(stderr(), f"push/fold {stack:g} bb", hands, seconds, page) as line:
            yield line
    except TrainingInterrupted as stopped:
        flags = []
        if stopped.folder is not None:
            flags.append(f"--resume {quoted(stopped.folder)}")
        if stopped.path is not None:
            flags.append(f"--regret-file {quoted(stopped.path)}")
        if stopped.folder is None:
            flags.append("--hands N")
        again = f"saved. Continue with: untilt pushfold train {' '.join(flags)}"
        if stopped.folder is None and stopped.path is None:
            again = "nothing is saved without --regret-file or --output"
        say(f"stopped after {stopped.hands:,} hands; {again}")
        raise typer.Exit(128 + stopped.number) from None


class _TrainingLine:
    """A watcher that prints a line per mark, and on a terminal a bar below them."""

    def __init__(
        self,
        console: Any,
        title: str,
        hands: int | None,
        seconds: float | None,
        page: Watching,
    ) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._seconds = seconds
        self._hands = hands
        self._console = console
        self._page = page
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[words]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=1.0, words="compiling…")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def __call__(self, moment: "Moment") -> None:
        """Show `moment`."""
        self._page.follow(moment.folder)
        words = f"{moment.hands:,} hands  {moment.exploitability_mbb:.3f} mbb/hand"
        shares = [0.0]
        if self._hands is not None:
            shares.append(moment.hands / self._hands)
        if self._seconds is not None:
            shares.append(moment.seconds / self._seconds)
        self._bar.update(self._task, completed=max(shares), words=words)
        if moment.is_mark:
            line = (
                f"{moment.hands:>15,} hands   exploitability {moment.exploitability_mbb:9.3f} "
                f"mbb/hand   {shown_duration(moment.seconds):>10}"
            )
            self._console.print(line, soft_wrap=True)


def cut_warning(found: "Training") -> str | None:
    """Return a warning if regrets were cut off at the limit of their bytes."""
    if not found.num_cut:
        return None
    code = found.settings.code
    limit = f"±{code.limits[1]:,}" if code.growth == "linear" else "the last level"
    return (
        f"{found.num_cut} of {found.settings.num_regrets} regrets have reached the limit of "
        f"{code.num_bytes}-byte integers ({limit}) and were cut off there; use more --bytes, or "
        "--growth log"
    )


def print_training(found: "Training") -> None:
    """Print the result of a training."""
    from untilt.cli.app.output import echo

    settings, last = found.settings, found.moments[-1]
    push, call = found.ranges
    typer.echo(f"push/fold {settings.stack:g} bb, {found.hands:,} hands")
    typer.echo(f"exploitability  {last.exploitability_mbb:.4f} mbb/hand")
    typer.echo(f"value           {last.value_bb:+.6f} bb/hand for the small blind")
    typer.echo(f"push            {push.percent:.2f}%  {push}")
    typer.echo(f"call            {call.percent:.2f}%  {call}")
    played = found.hands - found.hands_before
    if played:
        spent, speed = shown_duration(found.seconds), 1e9 * found.seconds / played
        typer.echo(f"played          {played:,} hands in {spent}, {speed:.0f} ns each")
    if found.regret_file is not None:
        echo(f"regrets         {found.regret_file}")
    if found.path is not None:
        echo(f"recorded in     {found.path}")
