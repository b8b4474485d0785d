"""`untilt pushfold`: train a strategy, match strategies, and quiz the user."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from untilt.cli.pushfold_match import match
from untilt.cli.pushfold_options import parse_stack
from untilt.cli.pushfold_quiz import quiz
from untilt.cli.sources import Json
from untilt.cli.watching import NoOpenOption, PaceOption, PortOption, Watching, WatchOption
from untilt.durations import shown_duration
from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from untilt.runs.training import Moment
    from untilt.runs.training_material import Training

app = typer.Typer(
    name="pushfold",
    help="Push/fold hold'em: train a strategy on random hands, compare strategies, practise.\n\n"
    "With --json every command prints one JSON object.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command()
def train(
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="BB",
            help="Stack in big blinds before posting, such as 7.5 or 7.5bb, a multiple of 0.5; 10 "
            "by default.",
            show_default=False,
        ),
    ] = None,
    hands: Annotated[
        int | None,
        typer.Option(
            help="Stop after this many hands in total, including those in the regret file; "
            "10,000,000 unless --time is given.",
            show_default=False,
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(help="Stop after this many seconds of playing."),
    ] = None,
    regret_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the regrets in this file: created if missing, continued if it exists. "
            "FILE.json next to it records stack, hands and seed.",
            show_default=False,
        ),
    ] = None,
    choice: Annotated[
        str | None,
        typer.Option(
            help="sign (default): act by the sign of the regret; matching: in proportion to it.",
            show_default=False,
        ),
    ] = None,
    boards: Annotated[
        str | None,
        typer.Option(
            help="random (default): a called push is decided by a random board; exact: by its "
            "exact equity.",
            show_default=False,
        ),
    ] = None,
    num_bytes: Annotated[
        int | None,
        typer.Option("--bytes", help="Bytes per regret: 1, 2 or 4 (default).", show_default=False),
    ] = None,
    growth: Annotated[
        str | None,
        typer.Option(
            help="Scale of the stored integers: linear (default, in small blinds) or log.",
            show_default=False,
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            help="The most hands played before the strategy is updated, 1,000,000 by default; "
            "with 1 it learns after every hand. Changes the result.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the hands; 0 by default.", show_default=False)
    ] = None,
    threads: Annotated[
        int, typer.Option(help="Threads to use; the result is the same for any number.")
    ] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Record the training in this run folder; with --watch runs/pushfold-train-{n} "
            "by default.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Continue the training in this run folder; a finished one is only loaded. --time "
            "is the time in all.",
            show_default=False,
        ),
    ] = None,
    watch: WatchOption = False,
    port: PortOption = None,
    no_open: NoOpenOption = False,
    pace: PaceOption = None,
    as_json: Json = False,
) -> None:
    """Learn push/fold from random hands by regret minimization.

    Shows how exploitability falls with the hands played. Ctrl-C saves, and the same command
    continues.
    """
    from untilt.cli.output import print_json, say, warn

    options = {
        "stack": None if stack is None else parse_stack("--stack", stack),
        "seed": seed,
        "batch": batch,
        "choice": choice,
        "boards": boards,
        "bytes": num_bytes,
        "growth": growth,
    }
    given = {name: value for name, value in options.items() if value is not None}
    bounds = {"hands": hands, "seconds": time, "threads": threads, "pace": pace}
    with Watching(is_wanted=watch, port=port, no_open=no_open) as page:
        if resume is not None:
            for name, value in {**options, "output": output}.items():
                if value is not None:
                    raise InvalidOption(
                        "--resume continues a training with its original settings; leave "
                        f"--{name} out"
                    )
            found = _resume(resume, bounds, page, regret_file)
        else:
            found = _train(regret_file, given, bounds, page, record=watch, output=output)
        for note in found.notes:
            say(note)
        warn(_cut_warning(found))
        if as_json:
            print_json(found.to_json())
        else:
            _print(found)
        page.stay()


def _train(
    regret_file: Path | None,
    given: dict[str, Any],
    bounds: dict[str, Any],
    page: Watching,
    **places: Any,
) -> "Training":
    from untilt.runs.training import DEFAULT_HANDS, train
    from untilt.runs.training_start import prepare

    start = prepare(regret_file, given)
    hands, seconds = bounds["hands"], bounds["seconds"]
    expected = DEFAULT_HANDS if hands is None and seconds is None else hands
    with _training_line(start.settings.stack, expected, seconds, page) as line:
        return train(start, path=regret_file, watcher=line, **bounds, **places)


def _resume(
    folder: Path, bounds: dict[str, Any], page: Watching, regret_file: Path | None
) -> "Training":
    from untilt.runs.training import read_training, resume_training

    settings, stop = read_training(folder)
    hands, seconds = bounds["hands"], bounds["seconds"]
    if hands is None and seconds is None:
        hands, seconds = stop.iterations, stop.seconds
    with _training_line(settings.stack, hands, seconds, page) as line:
        return resume_training(folder, regret_file=regret_file, watcher=line, **bounds)


@contextmanager
def _training_line(
    stack: float, hands: int | None, seconds: float | None, page: Watching
) -> "Iterator[_TrainingLine]":
    """Provide a watcher of a training run; after Ctrl-C print how to continue."""
    from untilt.cli.output import quoted, say, stderr
    from untilt.runs.training import TrainingInterrupted

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


for command in (match, quiz):
    app.command()(command)


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


def _cut_warning(found: "Training") -> str | None:
    if not found.num_cut:
        return None
    code = found.settings.code
    limit = f"±{code.limits[1]:,}" if code.growth == "linear" else "the last level"
    return (
        f"{found.num_cut} of {found.settings.num_regrets} regrets have reached the limit of "
        f"{code.num_bytes}-byte integers ({limit}) and were cut off there; use more --bytes, or "
        "--growth log"
    )


def _print(found: "Training") -> None:
    from untilt.cli.output import echo

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
