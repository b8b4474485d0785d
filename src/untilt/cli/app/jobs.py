"""Parts of commands that start or continue work: progress, Ctrl-C, the result, a missed target.

Nothing here knows what is solved.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from untilt.cli.app.output import printing
from untilt.options.run import STOPS

if TYPE_CHECKING:
    from untilt.cli.app.watching import Watching
    from untilt.cli.text.progress_line import ProgressLine
    from untilt.runs.stop import Stop


@contextmanager
def following(
    command: str,
    title: str,
    stop: "Stop",
    page: "Watching | None" = None,
    *,
    verbose: bool = False,
    pot: float | None = None,
) -> "Iterator[ProgressLine]":
    """Show the progress of a run; after Ctrl-C, say how `command` continues it."""
    from untilt.cli.app.output import stderr
    from untilt.cli.text.progress_line import ProgressLine

    line = ProgressLine(stderr(), title, stop, verbose=verbose, page=page, pot=pot)
    with saying_how_to_resume(command), line:
        yield line


@contextmanager
def saying_how_to_resume(command: str) -> Iterator[None]:
    """Say after Ctrl-C how to continue, if anything was saved."""
    from untilt.cli.app.output import quoted, say
    from untilt.runs.interrupt import Interrupted, signal_of

    try:
        yield
    except Interrupted as stopped:
        again = f"untilt {command} --resume {quoted(stopped.path)}"
        if stopped.path is None or stopped.iteration is None:
            say("stopped before anything was saved")
        elif stopped.is_saved:
            say(f"stopped at iteration {stopped.iteration:,}; saved. Continue with: {again}")
        else:
            say(
                f"stopped without saving; the last checkpoint is at iteration {stopped.iteration:,}"
                f". Continue with: {again}"
            )
        raise typer.Exit(128 + stopped.number) from None
    except KeyboardInterrupt as error:
        say("stopped; nothing was saved")
        raise typer.Exit(128 + signal_of(error)) from None


def stops_of(given: Mapping[str, Any]) -> list[Any]:
    """Return iterations, target and time, None where they are not given."""
    return [given.get(option.name) for option in STOPS]


def new_stop(
    given: Mapping[str, Any], kept: "Stop", make: Callable[..., "Stop"], *, has_more: bool = False
) -> "Stop":
    """Return the stop of a continued run: the one that is given, made by `make`, or its own.

    With `has_more`, one is given even without iterations, target and time.
    """
    stops = stops_of(given)
    return kept if stops == [None, None, None] and not has_more else make(*stops)


def print_found(
    warning: str | None,
    document: Callable[[], dict[str, Any]],
    show: Callable[[], None],
    *,
    as_json: bool,
) -> None:
    """Print a result as a JSON document, or as `show` does, after what a user should know of it."""
    from untilt.cli.app.output import print_json, warn

    warn(warning)
    with printing():
        if as_json:
            print_json(document())
        else:
            show()


def tell_missed(target: float | None, exploitability: float, advice: str, unit: str = "") -> int:
    """Say that the target was missed and what to do, and return the exit status."""
    from untilt.cli.app.output import say

    say(
        f"the target {target:g}{unit} was not reached (exploitability {exploitability:.3g}); "
        f"{advice}"
    )
    return 1


def to_continue(command: str, path: Path | None, target: float | None) -> str:
    """Return the advice to continue a run up to its target."""
    from untilt.cli.app.output import quoted

    return f"continue with: untilt {command} --resume {quoted(path)} --target {target:g}"
