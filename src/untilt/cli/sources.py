"""Inputs of commands: a strategy with its game, from a run folder or a JSON file."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.errors import GameError, InvalidOption, RunError, StrategyError

if TYPE_CHECKING:
    from untilt.game.compiled import CompiledGame
    from untilt.game.strategy import Profile
    from untilt.runs.run import Run

RunOrStrategy = Annotated[
    Path,
    typer.Argument(
        metavar="RUN_OR_STRATEGY.json", help="The folder of a run, or a strategy as a JSON file."
    ),
]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
GameOption = Annotated[
    str | None,
    typer.Option(
        "-g",
        "--game",
        metavar="GAME",
        help="The game of a strategy file, as for `untilt solve`; not needed for a run.",
        show_default=False,
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "-p", "--parameter", metavar="NAME=VALUE", help="A parameter of the game; repeatable."
    ),
]
WithStrategy = Annotated[
    bool, typer.Option("--strategy", help="With --json: include the strategy.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object to stdout, nothing else.")
]


@dataclass(frozen=True)
class LoadedProfile:
    """A profile and the game it is for."""

    path: Path
    game_name: str
    title: str
    parameters: Mapping[str, Any]
    game: "CompiledGame"
    profile: "Profile"
    run: "Run | None"
    """The run, if it is one."""


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
def users_code() -> Iterator[None]:
    """Keep a user's game from printing among the results, and from ending the program."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except SystemExit as error:
        raise GameError("the game called exit(); let it raise an error instead") from error


def read_source(
    path: Path, game: str | None = None, parameter: list[str] | None = None
) -> LoadedProfile:
    """Return the strategy at `path`; `game` and its parameters belong to a strategy file."""
    parameters = parse_parameters(parameter)
    if parameters and game is None:
        raise InvalidOption("-p sets a parameter of --game; give --game too")
    if not path.exists():
        raise RunError(
            f"{path} does not exist; give the folder of a run or a strategy file{_if_game(path)}"
        )
    if path.is_dir():
        return _read_run(path, game, parameters)
    return _read_file(path, game, parameters)


def read_other(path: Path, source: LoadedProfile) -> LoadedProfile:
    """Return the strategy at `path` for the game of `source`; refuse one of another game."""
    from untilt.formats.strategy import read_plain_strategy
    from untilt.game.strategy import profile_from_dict

    if path.is_file():
        plain = read_plain_strategy(path)
        with _naming(path):
            profile = profile_from_dict(source.game, plain)
        return LoadedProfile(
            path, source.game_name, source.title, source.parameters, source.game, profile, None
        )
    other = read_source(path)
    if other.game.fingerprint() != source.game.fingerprint():
        raise RunError(
            f"{source.path} and {path} belong to different games ({_described(source)} and "
            f"{_described(other)}); compare strategies of the same game"
        )
    return other


def _if_game(path: Path) -> str:
    """Return advice for a game's name given in place of a run."""
    from untilt.games.recipe import Recipe

    name = str(path)
    is_game = Recipe(name, {}).is_ours
    return f" ({name} is a game: `untilt solve {name}` makes a run)" if is_game else ""


def _described(source: LoadedProfile) -> str:
    parameters = ", ".join(f"{name}={value}" for name, value in source.parameters.items())
    return f"{source.game_name}({parameters})" if parameters else source.game_name


def _read_run(path: Path, game: str | None, parameters: dict[str, str]) -> LoadedProfile:
    from untilt.cli.output import warn
    from untilt.runs.loading import load_run

    run = load_run(path)
    warn(run.warning)
    request = run.request
    source = LoadedProfile(
        path, request.game, request.title, request.parameters, run.game, run.profile, run
    )
    if game is not None:
        name, _, given, compiled = _compiled(game, parameters)
        if compiled.fingerprint() != run.game.fingerprint():
            asked = LoadedProfile(path, name, name, given, compiled, run.profile, None)
            raise RunError(
                f"{path} is a run of {_described(source)}, not of {_described(asked)}; "
                "leave --game out: a run records its game"
            )
    return source


def _read_file(path: Path, game: str | None, parameters: Mapping[str, Any]) -> LoadedProfile:
    from untilt.formats.files import read_given_json
    from untilt.formats.strategy import read_plain_strategy
    from untilt.game.strategy import profile_from_dict
    from untilt.games.recipe import Recipe

    plain = read_plain_strategy(path)
    if game is None:
        # Files that we write name their game; only a registered one is used without --game.
        match read_given_json(path):
            case {"game": str() as named, "parameters": dict() as stored} if Recipe(
                named, stored
            ).is_ours:
                game, parameters = named, stored
            case _:
                raise InvalidOption(
                    f"{path} does not say which game it is for; add --game, such as --game kuhn"
                )
    name, title, given, compiled = _compiled(game, parameters)
    with _naming(path):
        profile = profile_from_dict(compiled, plain)
    return LoadedProfile(path, name, title, given, compiled, profile, None)


def _compiled(
    game: str, parameters: Mapping[str, Any]
) -> tuple[str, str, Mapping[str, Any], "CompiledGame"]:
    from untilt.cli.activity import walked
    from untilt.game.compiled import compile as compile_game
    from untilt.games.registry import resolve

    with users_code():
        named = resolve(game, parameters)
        compiled = compile_game(named.game, watcher=walked)
        compiled.exact_form()
    return named.name, named.title, named.parameters, compiled


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of any error in its strategy."""
    try:
        yield
    except StrategyError as error:
        raise StrategyError(f"{path}: {error}") from error
