"""The functions of `import untilt`: they take whatever stands for a game or for a strategy.

A game is a position, a class or function that makes one, what the command line takes (a name,
`file.py:attr`, a file of Gambit's), a compiled game, a sequence form, or a run. A strategy is a
profile, a run, a pair of strategies, plain `{infoset: {action: probability}}`, or the path of a
run or of a strategy file. Whatever is given is checked here, once; the functions behind work on
sequence forms and profiles.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

from untilt.errors import InvalidOption, RunError, StrategyError, shortened
from untilt.formats.files import path_of
from untilt.formats.strategy import read_plain_strategy
from untilt.game import compiled, strategy
from untilt.game.compiled import CompiledGame, compiled_form
from untilt.game.sequence_form import SequenceForm
from untilt.game.strategy import (
    PlainProfile,
    Profile,
    Strategy,
    strategy_from_dict,
    verify_player,
    verify_probabilities,
    verify_profile,
)
from untilt.game.tree import DEFAULT_MAX_NODES
from untilt.games.parameters import verify_mapping
from untilt.games.registry import REGISTRY, GameLike, name_game

if TYPE_CHECKING:  # they load Numba, which compiling a game and playing it do not need
    from untilt.evaluation.action_values import ActionValues
    from untilt.evaluation.best_response import Evaluation
    from untilt.evaluation.comparison import Distance, HeadToHead
    from untilt.runs.run import Run

AnyGame: TypeAlias = "GameLike | CompiledGame | SequenceForm | Run"
"""Whatever stands for a game."""

AnyStrategy: TypeAlias = (
    "PlainProfile | Run | tuple[PlainProfile, PlainProfile] | str | os.PathLike[str]"
)
"""Whatever stands for a strategy of both players."""


def compile(  # noqa: A001
    game: AnyGame,
    *,
    parameters: Mapping[str, Any] | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
) -> CompiledGame:
    """Return the compiled form of `game`: the direct one if it offers that, else by walking.

    `parameters` belong to a game given by name, class or function. `max_nodes` bounds the
    histories walked; beyond it GameTooLarge is raised.
    """
    if not (_is_whole(max_nodes) and max_nodes >= 1):
        raise InvalidOption(
            f"max_nodes is {shortened(max_nodes)}; it must be an integer, at least 1"
        )
    given = {} if parameters is None else parameters
    verify_mapping(given)
    known = game.game if _is_run(game) else game
    if isinstance(known, CompiledGame | SequenceForm):
        if given:
            raise InvalidOption("a compiled game takes no parameters; give the game by name")
        return known if isinstance(known, CompiledGame) else compiled_form(known)
    named = name_game(known, given)  # type: ignore[arg-type]  # a run was taken above
    return compiled.compile(named.game, max_nodes=int(max_nodes))


def uniform_profile(game: AnyGame) -> Profile:
    """Return the profile in which every action of an infoset is as likely as the others."""
    return strategy.uniform_profile(compile(game))


def random_profile(game: AnyGame, rng: np.random.Generator | int | None = None) -> Profile:
    """Return a profile drawn uniformly from each infoset's simplex.

    `rng` is a generator of NumPy's or a seed; without it the profile differs each time.
    """
    if isinstance(rng, np.random.Generator):
        return strategy.random_profile(compile(game), rng)
    if rng is not None and not (_is_whole(rng) and rng >= 0):
        raise InvalidOption(
            f"rng is {shortened(rng)}; give numpy.random.default_rng(seed), or the seed, at least 0"
        )
    return strategy.random_profile(compile(game), np.random.default_rng(rng))


def profile_from_dict(game: AnyGame, plain: AnyStrategy) -> Profile:
    """Return the profile that `plain` spells out, checked against the game.

    Every infoset of both players must be there; forced moves may be; an action left out
    has probability 0; probabilities must sum to 1 within 1e-5 and are rescaled.
    """
    return _profile(compile(game), plain)


def evaluate(game: AnyGame, profile: "AnyStrategy | None" = None) -> "Evaluation":
    """Return values and best-response gains of `profile`, also of a general-sum game.

    A run, or the folder of one, is measured by itself: `untilt.evaluate(run)`.
    """
    from untilt.evaluation.best_response import evaluate as evaluate_form

    known = _loaded(game)
    if profile is None:
        if not _is_run(known):
            raise InvalidOption(
                "give the strategy to evaluate: a profile, a run, a file, or "
                "{infoset: {action: probability}}"
            )
        profile = known
    about = compile(known)
    return evaluate_form(about.exact_form(), _profile(about, profile))


def best_response(game: AnyGame, profile: AnyStrategy, player: int) -> tuple[Strategy, float]:
    """Return `player`'s pure best response to the other's strategy, and its value.

    The other's strategy is enough. Among equal actions the first is taken; where the opponent
    never lets her arrive, too.
    """
    from untilt.evaluation.best_response import best_response as respond

    player = verify_player(player)
    about = compile(_loaded(game))
    if isinstance(profile, Mapping) and not isinstance(profile, Profile):
        both = list(strategy.uniform_profile(about).strategies)
        both[1 - player] = strategy_from_dict(about, 1 - player, profile)
        profile = Profile((both[0], both[1]))
    return respond(about.exact_form(), _profile(about, profile), player)


def action_values(game: AnyGame, profile: AnyStrategy, player: int) -> "ActionValues":
    """Return `player`'s action values and reaches under `profile`."""
    from untilt.evaluation.action_values import action_values as values_of

    about = compile(_loaded(game))
    return values_of(about.exact_form(), _profile(about, profile), player)


def head_to_head(game: AnyGame, profile: AnyStrategy, other: AnyStrategy) -> "HeadToHead":
    """Return what `profile` wins from `other` in either seat."""
    from untilt.evaluation.comparison import head_to_head as compare

    about = compile(_loaded(game))
    both = _profile(about, profile), _profile(about, other)
    return compare(about.exact_form(), *both)


def distance(game: AnyGame, profile: AnyStrategy, other: AnyStrategy) -> "Distance":
    """Return how far apart two profiles play."""
    from untilt.evaluation.comparison import distance as compare

    about = compile(_loaded(game))
    both = _profile(about, profile), _profile(about, other)
    return compare(about.exact_form(), *both)


def _loaded(game: AnyGame) -> AnyGame:
    """Return the run if `game` is the folder of one; a registered name always means the game."""
    if isinstance(game, str | os.PathLike) and str(game) not in REGISTRY:
        path = path_of(game)
        if path.is_dir():
            return _load(path)
    return game


def _load(path: Path) -> "Run":
    from untilt.runs.loading import load

    return load(path)


def _is_run(given: object) -> "TypeGuard[Run]":
    """Whether `given` is a run; before their module is loaded there are none."""
    module = sys.modules.get("untilt.runs.run")
    return module is not None and isinstance(given, module.Run)


def _is_whole(given: object) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def _profile(game: CompiledGame, given: object) -> Profile:
    """Return what `given` stands for as a profile of `game`."""
    if _is_run(given):
        given = given.profile
    elif isinstance(given, str | os.PathLike):
        given = _read(path_of(given))
    if isinstance(given, Profile):
        return _fitted(game, given)
    if isinstance(given, tuple | list) and len(given) == 2:
        return Profile((_strategy(game, 0, given[0]), _strategy(game, 1, given[1])))
    if isinstance(given, Mapping):
        return strategy.profile_from_dict(game, given)
    raise StrategyError(
        f"{shortened(given)} is not a strategy: give a profile, a run, a pair of strategies, a "
        "file, or {infoset: {action: probability}}"
    )


def _fitted(game: CompiledGame, profile: Profile) -> Profile:
    """Return a profile of `game`, put into its order if it is one of the same game compiled
    otherwise.
    """
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
        given = given.strategies[player]
    return strategy_from_dict(game, player, given)


def _read(path: Path) -> Profile | PlainProfile:
    """Return the strategy of a run folder or of a strategy file."""
    if path.is_dir():
        return _load(path).profile
    if not path.exists():
        raise RunError(f"{path} does not exist; give the folder of a run or a strategy file")
    return read_plain_strategy(path)
