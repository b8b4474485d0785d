"""Strategies as callers of Python functions give them, and those that are made from a game.

A strategy is a profile, a run, a strategy per player, `{infoset: {action: probability}}`, or the
path of a run or of a strategy file. A run, or its folder, stands for its game too.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

from untilt.errors import InvalidOption, RunError, StrategyError, shortened
from untilt.formats.base.files import path_of
from untilt.formats.kinds.strategy_file import read_plain_strategy
from untilt.game.compiled import CompiledGame
from untilt.game.strategy import strategy
from untilt.game.strategy.strategy import (
    PlainProfile,
    Profile,
    Strategy,
    strategy_from_dict,
    verify_probabilities,
    verify_profile,
)
from untilt.games.compiling import AnyGame, compile  # noqa: A004
from untilt.games.registry import REGISTRY, GameLike
from untilt.number import Integer

if TYPE_CHECKING:  # these load Numba, which is not needed to make a strategy
    from untilt.game.histories.tree import OnWalked
    from untilt.runs.results.sources import LoadedProfile
    from untilt.runs.run import GameRun

AnyStrategy: TypeAlias = (
    "PlainProfile | GameRun | tuple[PlainProfile, ...] | str | os.PathLike[str]"
)
"""Anything that stands for a strategy of all players."""


def uniform(game: AnyGame) -> Profile:
    """Return the profile in which all actions of an infoset are equally likely.

    >>> import untilt
    >>> untilt.strategies.uniform("kuhn")["P0:J:"]
    {'check': 0.5, 'bet': 0.5}
    """
    return strategy.uniform_profile(compile(game))


def random(game: AnyGame, rng: np.random.Generator | int | None = None) -> Profile:
    """Return a profile drawn uniformly from each infoset's simplex.

    `rng` is a NumPy generator or a seed; without it the profile is not reproducible.

    >>> import untilt
    >>> untilt.strategies.random("kuhn", 1) == untilt.strategies.random("kuhn", 1)
    True
    """
    if isinstance(rng, np.random.Generator):
        return strategy.random_profile(compile(game), rng)
    if rng is not None and not Integer(0).accepts(rng):
        raise InvalidOption(
            f"rng is {shortened(rng)}; give numpy.random.default_rng(seed), or a seed, at least 0"
        )
    return strategy.random_profile(compile(game), np.random.default_rng(rng))


def from_dict(game: AnyGame, plain: AnyStrategy) -> Profile:
    """Return `plain` as a profile, checked against the game.

    It must have every infoset of both players; forced moves are optional. A missing action has
    probability 0. Probabilities must sum to 1 within 1e-5, and are rescaled.

    >>> import untilt
    >>> plain = untilt.strategies.uniform("kuhn").to_dict()
    >>> plain["P0:K:"] = {"bet": 1.0}
    >>> untilt.strategies.from_dict("kuhn", plain)["P0:K:"]
    {'check': 0.0, 'bet': 1.0}
    """
    return profile_of(compile(game), plain)


def is_run_folder(game: object) -> bool:
    """Whether `game` is the path of a folder; a game's name never is, whatever folders exist."""
    if not isinstance(game, str | os.PathLike) or str(game) in REGISTRY:
        return False
    return path_of(game).is_dir()


def names_game(strategy: object) -> bool:
    """Whether a strategy comes with its game: a run or a path."""
    return is_run(strategy) or isinstance(strategy, str | os.PathLike)


def source_of(
    strategy: object,
    game: GameLike | None,
    parameters: Mapping[str, Any],
    watcher: "OnWalked | None" = None,
) -> "LoadedProfile":
    """Return a strategy with its game; `game` is needed unless the strategy names its own."""
    from untilt.runs.results.sources import (
        read_source,
        source_of_profile,
        source_of_run,
        verify_game,
    )

    if parameters and game is None:
        raise InvalidOption("parameters are those of game; give the game, too")
    if isinstance(strategy, str | os.PathLike):
        return read_source(path_of(strategy), game, parameters, watcher=watcher)
    if is_run(strategy):
        return verify_game(source_of_run(strategy), game, parameters, watcher)
    if game is None:
        raise InvalidOption(
            f"{shortened(strategy)} does not say which game it is for; give the game, too"
        )
    return source_of_profile(game, lambda about: profile_of(about, strategy), parameters, watcher)


def source_beside(strategy: object, known: "LoadedProfile") -> "LoadedProfile":
    """Return a strategy of the same game as one that is known."""
    from untilt.runs.results.sources import read_other, source_of_run, verify_same_game

    if isinstance(strategy, str | os.PathLike):
        return read_other(path_of(strategy), known)
    if is_run(strategy):
        return verify_same_game(known, source_of_run(strategy))
    return known.with_profile(profile_of(known.game, strategy))


def loaded_game(game: AnyGame) -> AnyGame:
    """Return the run if `game` is a run folder; a registered name always means the game."""
    return loaded_run(path_of(game)) if is_run_folder(game) else game


def loaded_run(path: Path) -> "GameRun":
    """Return the run in a folder; what loads it is imported only here."""
    from untilt.runs.loading import load_run

    return load_run(path)


def is_run(given: object) -> "TypeGuard[GameRun]":
    """Whether `given` is a run; none exist until their module is loaded."""
    module = sys.modules.get("untilt.runs.run")
    return module is not None and isinstance(given, module.GameRun)


def profile_of(game: CompiledGame, given: object) -> Profile:
    """Return the profile of `game` that `given` stands for."""
    if is_run(given):
        given = given.profile
    elif isinstance(given, str | os.PathLike):
        given = _read(path_of(given))
    if isinstance(given, Profile):
        return _fitted(game, given)
    if isinstance(given, tuple | list) and len(given) == game.num_players:
        return Profile(tuple(_strategy(game, player, each) for player, each in enumerate(given)))
    if isinstance(given, Mapping):
        return strategy.profile_from_dict(game, given)
    raise StrategyError(
        f"{shortened(given)} is not a strategy: give a profile, a run, a strategy for each of "
        f"the {game.num_players} players, a file, or {{infoset: {{action: probability}}}}"
    )


def _fitted(game: CompiledGame, profile: Profile) -> Profile:
    """Return `profile` for `game`, reordered if the same game was compiled in another order."""
    try:
        verify_profile(game.infosets, profile)
    except StrategyError as error:
        try:
            return strategy.profile_from_dict(game, profile)
        except StrategyError:
            raise error from None
    for each in profile.strategies:
        verify_probabilities(each)
    return profile


def _strategy(game: CompiledGame, player: int, given: object) -> Strategy:
    if not isinstance(given, Mapping):
        raise StrategyError(
            f"{shortened(given)} is not a strategy of player {player}: give a Strategy, or "
            "{infoset: {action: probability}}"
        )
    if isinstance(given, Profile):
        if len(given.strategies) != game.num_players:
            raise StrategyError(
                f"a profile of {len(given.strategies)} players was given for player {player}, and "
                f"the game has {game.num_players} players"
            )
        given = given.strategies[player]
    return strategy_from_dict(game, player, given)


def _read(path: Path) -> Profile | PlainProfile:
    """Return the strategy of a run folder or of a strategy file."""
    if path.is_dir():
        return loaded_run(path).profile
    if not path.exists():
        raise RunError(f"{path} does not exist; give a run folder or a strategy file")
    return read_plain_strategy(path)
