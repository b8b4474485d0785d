"""Inputs of commands: a strategy with its game, from a run folder or a JSON file."""

import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.options.option_flags import setting_of
from untilt.errors import GameError, InvalidOption, NotZeroSum
from untilt.options.run import AS_JSON, PARAMETER, STRATEGY_GAME, TRUST, told

if TYPE_CHECKING:
    from untilt.runs.results.sources import LoadedProfile

RunOrStrategy = Annotated[
    Path,
    typer.Argument(
        metavar="RUN_OR_STRATEGY.json", help="The folder of a run, or a strategy as a JSON file."
    ),
]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
GameOption = Annotated[str | None, setting_of(STRATEGY_GAME)]
Parameters = Annotated[list[str] | None, setting_of(PARAMETER)]
TrustOption = Annotated[
    bool,
    setting_of(told(TRUST, "Allow running the Python code that a run on an abstract game names.")),
]
Json = Annotated[bool, setting_of(AS_JSON)]


def parse_parameters(given: list[str] | None) -> dict[str, str]:
    """Return the `NAME=VALUE` options as a dictionary."""
    parameters: dict[str, str] = {}
    for entry in given or []:
        name, equals, value = entry.partition("=")
        if not equals or not name.strip():
            raise InvalidOption(f"-p {entry!r} is not of the form NAME=VALUE, such as -p ranks=13")
        if name.strip() in parameters:
            raise InvalidOption(f"-p {name.strip()} is given twice; give it once")
        parameters[name.strip()] = value.strip()
    return parameters


@contextmanager
def naming_game(game: str, parameters: Mapping[str, object]) -> Iterator[None]:
    """Name the game in the commands that an error advises."""
    try:
        yield
    except NotZeroSum as error:
        raise error.for_game(game_words(game, parameters)) from error


def game_words(game: str, parameters: Mapping[str, object]) -> str:
    """Return a game and its parameters as they can be pasted into a command line."""
    given = (("-p", f"{name}={value}") for name, value in parameters.items())
    return shlex.join([game, *chain.from_iterable(given)])


@contextmanager
def users_code() -> Iterator[None]:
    """Keep a user's game from printing among the results, and from ending the program."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except SystemExit as error:
        raise GameError("the game called exit(); let it raise an error instead") from error


@contextmanager
def waiting_for(*paths: Path) -> Iterator[None]:
    """Say meanwhile that a pipe is waited for, if one of `paths` is one: it may have no writer."""
    from untilt.cli.app import activity
    from untilt.formats.base.files import shown

    if pipes := [shown(path) for path in paths if path.is_fifo()]:
        activity.doing(f"waiting for data from {' and '.join(pipes)}, a pipe")
    yield
    if pipes:
        activity.doing(activity.LOADING)


def read_source(
    path: Path, game: str | None = None, parameter: list[str] | None = None
) -> "LoadedProfile":
    """Return the strategy at `path`; `game` and its parameters belong to a strategy file."""
    from untilt.cli.app.activity import walked
    from untilt.cli.app.output import warn
    from untilt.runs.results import sources

    parameters = game_parameters(game, parameter)
    with users_code(), waiting_for(path):
        found = sources.read_source(path, game, parameters, watcher=walked)
    warn(None if found.run is None else found.run.warning)
    return found


def game_parameters(game: str | None, parameter: list[str] | None) -> dict[str, str]:
    """Return the parameters of --game; refuse them without it."""
    parameters = parse_parameters(parameter)
    if parameters and game is None:
        raise InvalidOption("-p sets a parameter of --game; give --game too")
    return parameters
