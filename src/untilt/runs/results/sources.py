"""A strategy with the game that it is for: from a run, a strategy file, or made in Python."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilt.errors import Argument, GameTooLarge, InvalidOption, RunError, StrategyError
from untilt.formats.base.files import read_given_json
from untilt.formats.kinds.strategy_file import plain_strategy, read_plain_strategy
from untilt.game.compiled import CompiledGame
from untilt.game.compiled import compile as compile_game
from untilt.game.histories.tree import OnWalked
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.strategy.strategy import Profile, profile_from_dict
from untilt.game.terms import Terms, terms_of
from untilt.games.recipe import Recipe
from untilt.games.registry import GameLike, name_game
from untilt.runs.games.full_game import lift_run
from untilt.runs.loading import load_run
from untilt.runs.run import GameRun

_NO_PARAMETERS: Mapping[str, Any] = {}


@dataclass(frozen=True)
class LoadedProfile:
    """A profile and the game it is for."""

    path: Path | None
    """Where it was read from; None if it was made in Python and not saved."""
    game_name: str
    title: str
    parameters: Mapping[str, Any]
    game: CompiledGame
    terms: Terms
    """The names of the players, and the unit of payoffs."""
    profile: Profile
    run: GameRun | None
    """The run, if it is one."""

    @property
    def name(self) -> str:
        """The path, or else the method of the run, for tables and messages."""
        if self.path is not None:
            return str(self.path)
        return "a profile" if self.run is None else f"a run by {self.run.request.method}"

    @property
    def described(self) -> str:
        """The game and its parameters, for messages."""
        parameters = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.game_name}({parameters})" if parameters else self.game_name

    def with_profile(self, profile: Profile, path: Path | None = None) -> "LoadedProfile":
        """Return another profile of the same game."""
        return LoadedProfile(
            path, self.game_name, self.title, self.parameters, self.game, self.terms, profile, None
        )


def source_of_run(run: GameRun, path: Path | None = None) -> LoadedProfile:
    """Return the strategy of a run; `path` is the folder as the user named it."""
    request = run.request
    return LoadedProfile(
        run.path if path is None else path,
        request.game,
        request.title,
        request.parameters,
        run.game,
        request.terms,
        run.profile,
        run,
    )


def source_of_profile(
    game: GameLike,
    fitted: Callable[[CompiledGame], Profile],
    parameters: Mapping[str, Any] = _NO_PARAMETERS,
    watcher: OnWalked | None = None,
    path: Path | None = None,
) -> LoadedProfile:
    """Return a profile that is not of a run; `fitted` gives it for the compiled game."""
    named = name_game(game, parameters)
    compiled = compile_game(named.game, watcher=watcher)
    compiled.plan_form()
    return LoadedProfile(
        *(path, named.name, named.title, named.parameters, compiled, terms_of(named.game)),
        fitted(compiled),
        None,
    )


def verify_game(
    source: LoadedProfile,
    game: GameLike | None,
    parameters: Mapping[str, Any] = _NO_PARAMETERS,
    watcher: OnWalked | None = None,
) -> LoadedProfile:
    """Return the strategy of a run; raise RunError if another game was asked for."""
    if game is None:
        return source
    asked = source_of_profile(game, lambda _: source.profile, parameters, watcher)
    if asked.game.fingerprint() != source.game.fingerprint():
        raise RunError(
            f"{source.name} is a run of {source.described}, not of {asked.described}; leave ",
            Argument("game"),
            " out: a run records its game",
        )
    return source


def read_source(
    path: Path,
    game: GameLike | None = None,
    parameters: Mapping[str, Any] = _NO_PARAMETERS,
    *,
    watcher: OnWalked | None = None,
) -> LoadedProfile:
    """Return the strategy at `path`; `game` and its parameters belong to a strategy file."""
    if not path.exists():
        raise RunError(
            f"{path} does not exist; give the folder of a run or a strategy file{_if_game(path)}"
        )
    if path.is_dir():
        return verify_game(source_of_run(load_run(path), path), game, parameters, watcher)
    return _read_file(path, game, parameters, watcher)


def read_other(path: Path, source: LoadedProfile) -> LoadedProfile:
    """Return the strategy at `path` for the game of `source`; refuse one of another game."""
    if path.is_file():
        plain = read_plain_strategy(path)
        with _naming(path):
            return source.with_profile(profile_from_dict(source.game, plain), path)
    return verify_same_game(source, read_source(path))


def verify_same_game(source: LoadedProfile, other: LoadedProfile) -> LoadedProfile:
    """Return `other`; raise RunError if the two are strategies of different games."""
    if other.game.fingerprint() != source.game.fingerprint():
        raise RunError(
            f"{source.name} and {other.name} belong to different games ({source.described} and "
            f"{other.described}); compare strategies of the same game"
        )
    return other


def lifted(
    source: LoadedProfile, *, trust: bool, watcher: OnWalked | None = None
) -> tuple[LoadedProfile, str | None]:
    """Return the strategy in the full game, or else the strategy itself and the reason.

    The reason is None if the game is not abstract.
    """
    if source.run is None:
        return source, None
    try:
        found = lift_run(source.run, trust=trust, watcher=watcher)
    except (GameTooLarge, RunError) as error:
        if not source.game.has(PlanForm):
            raise
        return source, str(error)
    if found is None:
        return source, None
    full = LoadedProfile(
        source.path, found.name, found.title, {}, found.game, source.terms, found.profile, None
    )
    return full, None


def _read_file(
    path: Path, game: GameLike | None, parameters: Mapping[str, Any], watcher: OnWalked | None
) -> LoadedProfile:
    parsed = read_given_json(path)  # once, since it may be a pipe
    plain = plain_strategy(parsed, path)
    if game is None:
        # Files that we write name their game; only a registered one is used without asking.
        match parsed:
            case {"game": str() as named, "parameters": dict() as stored} if Recipe(
                named, stored
            ).is_ours:
                game, parameters = named, stored
            case _:
                raise InvalidOption(
                    f"{path} does not say which game it is for; add ",
                    Argument("game"),
                    ", such as ",
                    Argument("game", "kuhn"),
                )

    def fitted(compiled: CompiledGame) -> Profile:
        with _naming(path):
            return profile_from_dict(compiled, plain)

    return source_of_profile(game, fitted, parameters, watcher, path)


def _if_game(path: Path) -> str:
    """Return advice for a game's name given in place of a run."""
    name = str(path)
    is_game = Recipe(name, {}).is_ours
    return f" ({name} is a game: `untilt solve {name}` makes a run)" if is_game else ""


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of any error in its strategy."""
    try:
        yield
    except StrategyError as error:
        raise StrategyError(f"{path}: {error}") from error
