"""`untilt pushfold`: train a strategy, match strategies, and quiz the user."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from untilt.cli.app.jobs import print_found
from untilt.cli.app.sources import Json
from untilt.cli.app.watching import Watching
from untilt.cli.commands.solve.pushfold_quiz import quiz
from untilt.cli.options.option_flags import chosen_of, with_options
from untilt.cli.options.pushfold_options import (
    AnteOption,
    BbAnteOption,
    BlindsOption,
    StackOption,
    parse_stack,
    parse_stakes,
)
from untilt.durations import shown_duration
from untilt.options.option import verify_unchanged
from untilt.options.pushfold import LEARNING, TRAIN

if TYPE_CHECKING:
    from untilt.runs.pushfold.training import Moment
    from untilt.runs.pushfold.training_material import Training

_STRATEGY_HELP = (
    "A CSV chart, a strategy file, regret.dat, the folder of a run, 'push=RANGE;call=RANGE', "
    "hune or nash."
)


def match(
    first: Annotated[str, typer.Argument(metavar="A", help=_STRATEGY_HELP, show_default=False)],
    second: Annotated[str, typer.Argument(metavar="B", help="The same.", show_default=False)],
    stack: StackOption = "10",
    ante: AnteOption = 0.0,
    bb_ante: BbAnteOption = 0.0,
    blinds: BlindsOption = "0.5/1",
    as_json: Json = False,
) -> None:
    """Compute exactly what push/fold strategy A wins against B, in bb/100.

    No hands are dealt: the result is the expectation over all deals and boards.
    """
    from untilt.cli.app.output import print_json, print_lines, warn
    from untilt.games.pushfold.text import match_document, match_lines
    from untilt.runs.pushfold.charts import play_match
    from untilt.runs.pushfold.pushfold_strategies import caveat, read_play

    stakes, word = parse_stakes(stack, ante, bb_ante, blinds)
    names = first, second
    for name in dict.fromkeys(names):
        warn(caveat(name, stakes))
    found = play_match(stakes, read_play(first, stakes), read_play(second, stakes))
    if as_json:
        if word:
            warn(word)
        print_json(match_document(stakes, names, found))
        return
    print_lines(match_lines(stakes, names, found, word))


app = typer.Typer(
    name="pushfold",
    help="Push/fold hold'em: train a strategy on random hands, compare strategies, practise.\n\n"
    "With --json every command prints one JSON object.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command()
@with_options(TRAIN)
def train(**given: Any) -> None:
    """Learn push/fold from random hands by regret minimization.

    Shows how exploitability falls with the hands played. Ctrl-C saves, and the same command
    continues.
    """
    from untilt.cli.app.output import say

    as_json = given.pop("as_json", False)
    with Watching.asked(given) as page:
        found = _resume(given, page) if "resume" in given else _train(given, page)
        for note in found.notes:
            say(note)
        print_found(_cut_warning(found), found.to_json, lambda: _print(found), as_json=as_json)
        page.stay()


def _train(given: dict[str, Any], page: Watching) -> "Training":
    from untilt.runs.pushfold.training import DEFAULT_HANDS, train
    from untilt.runs.pushfold.training_start import prepare

    if "stack" in given:
        given["stack"] = parse_stack("--stack", given["stack"])
    path, output = given.pop("regret_file", None), given.pop("output", None)
    start = prepare(path, chosen_of(LEARNING, given))
    how = _how(given)
    hands, seconds = how.get("hands"), how.get("seconds")
    expected = DEFAULT_HANDS if hands is None and seconds is None else hands
    with _training_line(start.settings.stack, expected, seconds, page) as line:
        return train(start, path=path, watcher=line, record=page.is_wanted, output=output, **how)


def _resume(given: dict[str, Any], page: Watching) -> "Training":
    from untilt.runs.pushfold.training import read_training, resume_training

    verify_unchanged(TRAIN, given, "a training")
    settings, stop = read_training(given["resume"])
    how = _how(given)
    hands, seconds = how.get("hands"), how.get("seconds")
    if hands is None and seconds is None:
        hands, seconds = stop.iterations, stop.seconds
    with _training_line(settings.stack, hands, seconds, page) as line:
        return resume_training(
            given["resume"], regret_file=given.get("regret_file"), watcher=line, **how
        )


def _how(given: dict[str, Any]) -> dict[str, Any]:
    """Return how long and in how many threads to train."""
    names = {"hands": "hands", "time": "seconds", "threads": "threads", "pace": "pace"}
    return {names[name]: value for name, value in given.items() if name in names}


@contextmanager
def _training_line(
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
